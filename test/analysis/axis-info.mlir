// RUN: eft-opt %s -test-print-axis-info -o /dev/null | FileCheck %s
// The pass prints one line for each value, in program order.

// CHECK-LABEL: @arguments_carry_divisibility
// CHECK-NEXT: %arg0 : contiguity = [1], divisibility = [16], constancy = [1]
// CHECK-NEXT: %arg1 : contiguity = [1], divisibility = [8], constancy = [1]
// CHECK-NEXT: %arg2 : contiguity = [1], divisibility = [1], constancy = [1]
func.func @arguments_carry_divisibility(%p: !eft.ptr<f32> {eft.divisibility = 16 : i32},
                                        %n: i32 {eft.divisibility = 8 : i64}, %m: i32) {
  return
}

// The attribute is the highest bit of i32. It is a power of two, although it reads as a negative
// number.
// CHECK-LABEL: @largest_divisibility_of_an_attribute
// CHECK-NEXT: divisibility = [2147483648]
func.func @largest_divisibility_of_an_attribute(
    %n: i64 {eft.divisibility = -2147483648 : i32}) {
  return
}

// CHECK-LABEL: @offsets_of_a_program
// CHECK-NEXT: contiguity = [1], divisibility = [1], constancy = [1]
// CHECK-NEXT: constant = 64
// CHECK-NEXT: contiguity = [1], divisibility = [64], constancy = [1]
// CHECK-NEXT: contiguity = [1], divisibility = [64], constancy = [64]
// CHECK-NEXT: contiguity = [64], divisibility = [2147483648], constancy = [1]
// CHECK-NEXT: contiguity = [64], divisibility = [64], constancy = [1]
func.func @offsets_of_a_program() {
  %pid = eft.program_id x
  %c64 = arith.constant 64 : i32
  %begin = arith.muli %pid, %c64 : i32
  %begins = eft.splat %begin : i32 -> tensor<64xi32>
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %offsets = arith.addi %begins, %range : tensor<64xi32>
  return
}

// An i32 offset that isn't aligned may wrap around before it is extended to 64 bits. An i64 offset
// is not extended.
// CHECK-LABEL: @unaligned_offsets_may_wrap
// CHECK-NEXT: %arg0 : contiguity = [1], divisibility = [16]
// CHECK-NEXT: %arg1 :
// CHECK-NEXT: %arg2 :
// CHECK-NEXT: %0 : contiguity = [1], divisibility = [16], constancy = [64]
// CHECK-NEXT: %1 : contiguity = [64]
// CHECK-NEXT: %2 : contiguity = [1]
// CHECK-NEXT: %3 : contiguity = [64], divisibility = [1]
// CHECK-NEXT: %4 : contiguity = [1], divisibility = [4], constancy = [1]
// CHECK-NEXT: %5 : contiguity = [64], divisibility = [2147483648]
// CHECK-NEXT: %6 : contiguity = [1]
// CHECK-NEXT: %7 : contiguity = [64], divisibility = [1]
// CHECK-NEXT: %8 : contiguity = [64], divisibility = [4], constancy = [1]
func.func @unaligned_offsets_may_wrap(%p: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %s: i32,
                                      %w: i64) {
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>>
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %ss = eft.splat %s : i32 -> tensor<64xi32>
  %offsets = arith.addi %range, %ss : tensor<64xi32>
  %narrow = eft.addptr %ps, %offsets : tensor<64x!eft.ptr<f32>>, tensor<64xi32>
  %range64 = arith.extsi %range : tensor<64xi32> to tensor<64xi64>
  %ws = eft.splat %w : i64 -> tensor<64xi64>
  %offsets64 = arith.addi %range64, %ws : tensor<64xi64>
  %wide = eft.addptr %ps, %offsets64 : tensor<64x!eft.ptr<f32>>, tensor<64xi64>
  return
}

// CHECK-LABEL: @element_size_scales_offsets
// CHECK-NEXT: %arg0 : contiguity = [1], divisibility = [16]
// CHECK-NEXT: %arg1 : contiguity = [1], divisibility = [4]
// CHECK-NEXT: %0 : contiguity = [1], divisibility = [8]
// CHECK-NEXT: %1 : contiguity = [1], divisibility = [8], constancy = [64]
// CHECK-NEXT: %2 : contiguity = [64]
// CHECK-NEXT: %3 : contiguity = [64], divisibility = [8], constancy = [1]
func.func @element_size_scales_offsets(%p: !eft.ptr<f16> {eft.divisibility = 16 : i32},
                                       %row: i64 {eft.divisibility = 4 : i32}) {
  %q = eft.addptr %p, %row : !eft.ptr<f16>, i64
  %qs = eft.splat %q : !eft.ptr<f16> -> tensor<64x!eft.ptr<f16>>
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %ps = eft.addptr %qs, %range : tensor<64x!eft.ptr<f16>>, tensor<64xi32>
  return
}

// A run may have at most half as many elements as its type has numbers. A longer run would wrap
// around when read as signed.
// CHECK-LABEL: @narrow_integers_wrap
// CHECK-NEXT: %0 : contiguity = [512]
// CHECK-NEXT: %1 : contiguity = [512], divisibility = [128], constancy = [1]
// CHECK-NEXT: %2 : contiguity = [128], divisibility = [128], constancy = [1]
func.func @narrow_integers_wrap() {
  %range = eft.arange 0 to 512 : tensor<512xi32>
  %bytes = arith.trunci %range : tensor<512xi32> to tensor<512xi8>
  %back = arith.extsi %bytes : tensor<512xi8> to tensor<512xi32>
  return
}

// CHECK-LABEL: @sums_differences_products
// CHECK: %arg0 :
// CHECK-NEXT: %0 : contiguity = [64]
// CHECK-NEXT: %1 : {{.*}}, divisibility = [16], constancy = [64]
// CHECK-NEXT: %2 : contiguity = [64], divisibility = [16], constancy = [1]
// CHECK-NEXT: %3 : contiguity = [1], divisibility = [1], constancy = [1]
// CHECK-NEXT: %4 : contiguity = [1], divisibility = [16], constancy = [1]
// CHECK-NEXT: %5 : contiguity = [1], divisibility = [256], constancy = [64]
func.func @sums_differences_products(%n: i32 {eft.divisibility = 16 : i32}) {
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %ns = eft.splat %n : i32 -> tensor<64xi32>
  %up = arith.subi %range, %ns : tensor<64xi32>
  %down = arith.subi %ns, %range : tensor<64xi32>
  %times = arith.muli %range, %ns : tensor<64xi32>
  %square = arith.muli %ns, %ns : tensor<64xi32>
  return
}

// The row numbers and column numbers of a block of 8 by 16, computed from one range.
// CHECK-LABEL: @quotient_and_remainder
// CHECK: constant = 16
// CHECK: %1 : contiguity = [128]
// CHECK-NEXT: %2 : contiguity = [1], divisibility = [1], constancy = [16]
// CHECK-NEXT: %3 : contiguity = [16], divisibility = [16], constancy = [1]
// A range that starts at zero is not negative, so signed division and remainder give the same
// facts.
// CHECK-NEXT: %4 : contiguity = [1], divisibility = [1], constancy = [16]
// CHECK-NEXT: %5 : contiguity = [16], divisibility = [16], constancy = [1]
// These numbers may be negative, and below zero a signed quotient is rounded up, not down.
// CHECK-NEXT: %6 : {{.*}} constancy = [128]
// CHECK-NEXT: %7 : contiguity = [128], divisibility = [128], constancy = [1]
// CHECK-NEXT: %8 : contiguity = [1], divisibility = [1], constancy = [1]
// CHECK-NEXT: %9 : contiguity = [1], divisibility = [1], constancy = [1], headless = [16]
func.func @quotient_and_remainder(%n: i32 {eft.divisibility = 128 : i32}) {
  %c16 = arith.constant dense<16> : tensor<128xi32>
  %pid = eft.program_id x
  %range = eft.arange 0 to 128 : tensor<128xi32>
  %row = arith.divui %range, %c16 : tensor<128xi32>
  %column = arith.remui %range, %c16 : tensor<128xi32>
  %signed_row = arith.divsi %range, %c16 : tensor<128xi32>
  %signed_column = arith.remsi %range, %c16 : tensor<128xi32>
  %ns = eft.splat %n : i32 -> tensor<128xi32>
  %any = arith.addi %range, %ns : tensor<128xi32>
  %any_row = arith.divsi %any, %c16 : tensor<128xi32>
  %any_column = arith.remsi %any, %c16 : tensor<128xi32>
  return
}

// The remainders of a run by a number form runs. The length of these divides the run's start and
// the number.
// CHECK-LABEL: @remainder_by_an_argument
// CHECK: %[[OFFSETS:[0-9]+]] : contiguity = [64], divisibility = [64], constancy = [1]
// CHECK: %[[BY:[0-9]+]] : contiguity = [1], divisibility = [8], constancy = [64]
// The sign of the offsets is unknown. If they are negative, the first remainder of a run may be 0
// where the second is 1 - n.
// CHECK-NEXT: contiguity = [1], divisibility = [1], constancy = [1], headless = [8]
// CHECK-NEXT: contiguity = [8], divisibility = [8], constancy = [1]
// CHECK-NEXT: contiguity = [8], divisibility = [8], constancy = [1]
// CHECK-NEXT: contiguity = [1], divisibility = [1], constancy = [8]
// CHECK-NEXT: contiguity = [1], divisibility = [1], constancy = [1]
// Remainders by numbers that differ from element to element form no runs.
// CHECK-NEXT: contiguity = [1], divisibility = [1], constancy = [1]
func.func @remainder_by_an_argument(%n: i32 {eft.divisibility = 8 : i32}) {
  %c64 = arith.constant 64 : i32
  %pid = eft.program_id x
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %start = arith.muli %pid, %c64 : i32
  %starts = eft.splat %start : i32 -> tensor<64xi32>
  %offsets = arith.addi %starts, %range : tensor<64xi32>
  %ns = eft.splat %n : i32 -> tensor<64xi32>
  %signed = arith.remsi %offsets, %ns : tensor<64xi32>
  %unsigned = arith.remui %offsets, %ns : tensor<64xi32>
  %from_zero = arith.remsi %range, %ns : tensor<64xi32>
  %rows = arith.divui %offsets, %ns : tensor<64xi32>
  %signed_rows = arith.divsi %offsets, %ns : tensor<64xi32>
  %each = arith.remui %offsets, %range : tensor<64xi32>
  return
}

// An operation that adds one number to a headless run keeps the run, up to the power of two that
// divides that number. An operation that changes the elements in another way does not keep it.
// CHECK-LABEL: @headless_runs
// CHECK: %[[SIGNED:[0-9]+]] : {{.*}} headless = [16]
// CHECK: contiguity = [1], divisibility = [1], constancy = [1], headless = [16]
// CHECK-NEXT: contiguity = [1], divisibility = [1], constancy = [1], headless = [4]
// CHECK-NEXT: contiguity = [1], divisibility = [1], constancy = [1], headless = [16]
// CHECK-NEXT: contiguity = [1], divisibility = [1], constancy = [1], headless = [16]
// CHECK-NEXT: contiguity = [1], divisibility = [1], constancy = [1]{{$}}
// CHECK-NEXT: contiguity = [1], divisibility = [4], constancy = [1]{{$}}
// CHECK-NEXT: contiguity = [1], divisibility = [16], constancy = [1]{{$}}
// CHECK: %{{[0-9]+}} : contiguity = [1], divisibility = [2], constancy = [1], headless = [8]
func.func @headless_runs(%p: !eft.ptr<f16> {eft.divisibility = 16 : i32}, %start: i32,
                         %n: i32 {eft.divisibility = 16 : i32}, %c: i1) {
  %c4 = arith.constant dense<4> : tensor<64xi32>
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %ns = eft.splat %n : i32 -> tensor<64xi32>
  %down = arith.subi %range, %ns : tensor<64xi32>
  %wrapped = arith.remsi %down, %ns : tensor<64xi32>
  %moved = arith.addi %ns, %wrapped : tensor<64xi32>
  %less = arith.subi %wrapped, %c4 : tensor<64xi32>
  %wide = arith.extsi %wrapped : tensor<64xi32> to tensor<64xi64>
  %chosen = arith.select %c, %wrapped, %range : tensor<64xi32>
  %from = arith.subi %ns, %wrapped : tensor<64xi32>
  %twice = arith.muli %wrapped, %c4 : tensor<64xi32>
  %masked = arith.andi %wrapped, %ns : tensor<64xi32>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<64x!eft.ptr<f16>>
  %address = eft.addptr %ps, %wrapped : tensor<64x!eft.ptr<f16>>, tensor<64xi32>
  return
}

// If numbers can't be negative, their signed remainders form the same runs as unsigned ones.
// CHECK-LABEL: @signs
// CHECK: %[[ANY:[0-9]+]] : contiguity = [64], divisibility = [16], constancy = [1]
// CHECK-NEXT: contiguity = [16], divisibility = [16], constancy = [1]
// CHECK-NEXT: contiguity = [16], divisibility = [16], constancy = [1]
// CHECK-NEXT: contiguity = [16], divisibility = [16], constancy = [1]
// CHECK-NEXT: contiguity = [16], divisibility = [16], constancy = [1]
// CHECK-NEXT: contiguity = [16], divisibility = [16], constancy = [1]
// CHECK-NEXT: contiguity = [1], divisibility = [1], constancy = [1], headless = [16]
func.func @signs(%n: i32 {eft.divisibility = 16 : i32}) {
  %most = arith.constant dense<2147483647> : tensor<64xi32>
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %ns = eft.splat %n : i32 -> tensor<64xi32>
  %any = arith.addi %range, %ns : tensor<64xi32>
  %low = arith.andi %any, %most : tensor<64xi32>
  %of_low = arith.remsi %low, %ns : tensor<64xi32>
  %larger = arith.maxsi %any, %range : tensor<64xi32>
  %of_larger = arith.remsi %larger, %ns : tensor<64xi32>
  %smaller = arith.minsi %any, %range : tensor<64xi32>
  %of_smaller = arith.remsi %smaller, %ns : tensor<64xi32>
  return
}

// Quotients of numbers that may be negative are constant from the second number of a run on. Their
// multiples, added to the remainders, are a headless run.
// CHECK-LABEL: @quotients_and_remainders
// CHECK: %[[ANY:[0-9]+]] : contiguity = [64], divisibility = [16], constancy = [1]
// CHECK-NEXT: constancy = [1], tail constancy = [16]
// CHECK-NEXT: constancy = [1], headless = [16]
// CHECK-NEXT: divisibility = [16], constancy = [1], tail constancy = [16]
// CHECK-NEXT: constancy = [1], headless = [16]
// CHECK-NEXT: divisibility = [1], constancy = [1], tail constancy = [16]
// CHECK-NEXT: constancy = [1]{{$}}
// CHECK-NEXT: constant = 8
// CHECK-NEXT: constancy = [1], tail constancy = [8]
func.func @quotients_and_remainders(%n: i32 {eft.divisibility = 16 : i32}, %odd: i32) {
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %ns = eft.splat %n : i32 -> tensor<64xi32>
  %odds = eft.splat %odd : i32 -> tensor<64xi32>
  %any = arith.addi %range, %ns : tensor<64xi32>
  %quotient = arith.divsi %any, %ns : tensor<64xi32>
  %rest = arith.remsi %any, %ns : tensor<64xi32>
  %row = arith.muli %quotient, %ns : tensor<64xi32>
  %there = arith.addi %row, %rest : tensor<64xi32>
  %uneven = arith.muli %quotient, %odds : tensor<64xi32>
  %elsewhere = arith.addi %uneven, %rest : tensor<64xi32>
  %eight = arith.constant dense<8> : tensor<64xi32>
  %eighth = arith.divsi %any, %eight : tensor<64xi32>
  return
}

// An operand that is zero in the bits that change along the other operand's run keeps that run. A
// minimum with one number does not keep it: the number replaces a part of the run. Of two aligned
// runs, one lies below the other as a whole.
// CHECK-LABEL: @two_operands
// CHECK: %[[RANGE:[0-9]+]] : contiguity = [64]
// CHECK-NEXT: {{.*}} divisibility = [8], constancy = [64]
// CHECK-NEXT: contiguity = [64], divisibility = [8], constancy = [1]
// CHECK-NEXT: contiguity = [8], divisibility = [8], constancy = [1]
// CHECK-NEXT: contiguity = [8], divisibility = [8], constancy = [1]
// CHECK-NEXT: contiguity = [1], divisibility = [1], constancy = [1]
// CHECK-NEXT: contiguity = [8], divisibility = [8], constancy = [1]
// CHECK-NEXT: {{.*}} constancy = [8]
// CHECK-NEXT: {{.*}} constancy = [8]
func.func @two_operands(%n: i32 {eft.divisibility = 8 : i32}) {
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %ns = eft.splat %n : i32 -> tensor<64xi32>
  %moved = arith.addi %range, %ns : tensor<64xi32>
  %swizzled = arith.xori %range, %ns : tensor<64xi32>
  %together = arith.ori %ns, %range : tensor<64xi32>
  %cut_off = arith.minsi %range, %ns : tensor<64xi32>
  %larger = arith.maxui %range, %moved : tensor<64xi32>
  %below = arith.cmpi ule, %range, %moved : tensor<64xi32>
  %equal = arith.cmpi eq, %range, %moved : tensor<64xi32>
  return
}

// CHECK-LABEL: @exact_quotients
// CHECK: %arg0 :
// CHECK: constant = 4
// CHECK-NEXT: %0 : contiguity = [1], divisibility = [4]
// CHECK-NEXT: %1 : contiguity = [1], divisibility = [4]
// CHECK-NEXT: %2 : contiguity = [1], divisibility = [1]
func.func @exact_quotients(%n: i32 {eft.divisibility = 16 : i32}) {
  %c4 = arith.constant 4 : i32
  %signed = arith.divsi %n, %c4 : i32
  %unsigned = arith.divui %n, %c4 : i32
  %inverse = arith.divsi %c4, %n : i32
  return
}

// CHECK-LABEL: @bits
// CHECK: constant = 2
// CHECK-NEXT: %0 : contiguity = [64]
// CHECK-NEXT: %1 : contiguity = [16], divisibility = [16], constancy = [1]
// CHECK-NEXT: %2 : contiguity = [1], divisibility = [16], constancy = [16]
// CHECK-NEXT: %3 : contiguity = [1], divisibility = [1], constancy = [4]
// CHECK-NEXT: %4 : contiguity = [1], divisibility = [1], constancy = [4]
// CHECK-NEXT: %5 : contiguity = [1], divisibility = [4], constancy = [1]
// CHECK-NEXT: %6 : contiguity = [1], divisibility = [4], constancy = [1]
// CHECK-NEXT: %7 : contiguity = [1], divisibility = [1], constancy = [1]
func.func @bits() {
  %low = arith.constant dense<15> : tensor<64xi32>
  %high = arith.constant dense<-16> : tensor<64xi32>
  %two = arith.constant dense<2> : tensor<64xi32>
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %column = arith.andi %range, %low : tensor<64xi32>
  %row = arith.andi %range, %high : tensor<64xi32>
  %quarter = arith.shrsi %range, %two : tensor<64xi32>
  %unsigned_quarter = arith.shrui %range, %two : tensor<64xi32>
  %times4 = arith.shli %range, %two : tensor<64xi32>
  %any_shift = arith.shli %times4, %range : tensor<64xi32>
  %mixed = arith.xori %times4, %range : tensor<64xi32>
  return
}

// CHECK-LABEL: @constants_are_folded_as_they_wrap
// CHECK: %0 : {{.*}}, constant = -2147483648
// CHECK-NEXT: %1 : {{.*}}, divisibility = [2147483648], {{.*}}, constant = 0
// CHECK-NEXT: %2 : {{.*}}, constancy = [8], constant = -5
func.func @constants_are_folded_as_they_wrap() {
  %most = arith.constant 2147483647 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %five = arith.constant dense<-5> : tensor<8xi64>
  %least = arith.addi %most, %one : i32
  %zero = arith.muli %least, %two : i32
  %narrow = arith.trunci %five : tensor<8xi64> to tensor<8xi32>
  return
}

// CHECK-LABEL: @choices
// CHECK: %arg2 :
// CHECK-NEXT: %0 : contiguity = [64]
// CHECK-NEXT: %1 : contiguity = [1], divisibility = [4], constancy = [64]
// CHECK-NEXT: %2 : contiguity = [64], divisibility = [4], constancy = [1]
// CHECK-NEXT: %3 : contiguity = [64], divisibility = [4], constancy = [1]
// CHECK-NEXT: %4 : contiguity = [1], divisibility = [1], constancy = [1]
// CHECK-NEXT: %5 : contiguity = [4], divisibility = [4], constancy = [1]
// CHECK-NEXT: %6 : contiguity = [1], divisibility = [1], constancy = [1]
func.func @choices(%n: i32 {eft.divisibility = 4 : i32}, %scalar: i1, %block: tensor<64xi1>) {
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %ns = eft.splat %n : i32 -> tensor<64xi32>
  %moved = arith.addi %range, %ns : tensor<64xi32>
  %whole = arith.select %scalar, %range, %moved : tensor<64xi32>
  %each = arith.select %block, %range, %moved : tensor<64xi1>, tensor<64xi32>
  %least = arith.minsi %range, %moved : tensor<64xi32>
  %float = arith.sitofp %range : tensor<64xi32> to tensor<64xf32>
  return
}

// A comparison is the same throughout a run if the run's length divides the starts of both sides.
// CHECK-LABEL: @comparisons
// CHECK: %arg0 :
// CHECK-NEXT: %0 : contiguity = [64]
// CHECK-NEXT: %1 : {{.*}} divisibility = [16], constancy = [64]
// CHECK-NEXT: %2 : {{.*}} constancy = [16]
// CHECK-NEXT: %3 : {{.*}} constancy = [16]
// CHECK-NEXT: %4 : {{.*}} constancy = [16]
// CHECK-NEXT: %5 : {{.*}} constancy = [16]
// CHECK-NEXT: %6 : {{.*}} constancy = [1]
// CHECK-NEXT: %7 : {{.*}} constancy = [1]
// CHECK-NEXT: %8 : {{.*}} constancy = [64]
func.func @comparisons(%n: i32 {eft.divisibility = 16 : i32}) {
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %ns = eft.splat %n : i32 -> tensor<64xi32>
  %below = arith.cmpi slt, %range, %ns : tensor<64xi32>
  %not_below = arith.cmpi uge, %range, %ns : tensor<64xi32>
  %swapped = arith.cmpi sgt, %ns, %range : tensor<64xi32>
  %not_swapped = arith.cmpi ule, %ns, %range : tensor<64xi32>
  %at_most = arith.cmpi sle, %range, %ns : tensor<64xi32>
  %equal = arith.cmpi eq, %range, %ns : tensor<64xi32>
  %uniform = arith.cmpi eq, %ns, %ns : tensor<64xi32>
  return
}

// CHECK-LABEL: @rows_and_columns
// CHECK: %arg0 :
// CHECK-NEXT: %0 : contiguity = [8]
// CHECK-NEXT: %1 : contiguity = [1], divisibility = [16], constancy = [8]
// CHECK-NEXT: %2 : contiguity = [1], divisibility = [16], constancy = [1]
// CHECK-NEXT: %3 : contiguity = [1, 1], divisibility = [16, 16], constancy = [1, 1]
// CHECK-NEXT: %4 : contiguity = [1, 1], divisibility = [16, 16], constancy = [1, 16]
// CHECK-NEXT: %5 : contiguity = [16]
// CHECK-NEXT: %6 : contiguity = [1, 16], divisibility = [1, 2147483648], constancy = [1, 1]
// CHECK-NEXT: %7 : contiguity = [1, 16], divisibility = [1, 2147483648], constancy = [8, 1]
// CHECK-NEXT: %8 : contiguity = [1, 16], divisibility = [1, 16], constancy = [1, 1]
func.func @rows_and_columns(%stride: i32 {eft.divisibility = 16 : i32}) {
  %rows = eft.arange 0 to 8 : tensor<8xi32>
  %strides = eft.splat %stride : i32 -> tensor<8xi32>
  %begins = arith.muli %rows, %strides : tensor<8xi32>
  %begins2 = eft.expand_dims %begins axis 1 : tensor<8xi32> -> tensor<8x1xi32>
  %begins3 = eft.broadcast %begins2 : tensor<8x1xi32> -> tensor<8x16xi32>
  %columns = eft.arange 0 to 16 : tensor<16xi32>
  %columns2 = eft.expand_dims %columns axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %columns3 = eft.broadcast %columns2 : tensor<1x16xi32> -> tensor<8x16xi32>
  %offsets = arith.addi %begins3, %columns3 : tensor<8x16xi32>
  return
}

// CHECK-LABEL: @loop_counter
// CHECK: %arg2 : contiguity = [1], divisibility = [16], constancy = [1]
// CHECK-NEXT: %1 : contiguity = [1], divisibility = [16], constancy = [64]
// CHECK-NEXT: %2 : contiguity = [64], divisibility = [16], constancy = [1]
func.func @loop_counter(%n: i32, %begin: i32 {eft.divisibility = 16 : i32}) {
  %step = arith.constant 64 : i32
  %range = eft.arange 0 to 64 : tensor<64xi32>
  scf.for %i = %begin to %n step %step : i32 {
    %is = eft.splat %i : i32 -> tensor<64xi32>
    %offsets = arith.addi %is, %range : tensor<64xi32>
  }
  return
}

// The carried offsets grow by 8 in each iteration, so they stay a run that starts at a multiple of
// 8.
// CHECK-LABEL: @loop_carries_offsets
// CHECK: %1 : contiguity = [64], divisibility = [8], constancy = [1]
// CHECK-NEXT: %arg1 : contiguity = [1], divisibility = [1], constancy = [1]
// CHECK-NEXT: %arg2 : contiguity = [64], divisibility = [8], constancy = [1]
func.func @loop_carries_offsets(%n: i32) -> tensor<64xi32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %eight = arith.constant dense<8> : tensor<64xi32>
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %last = scf.for %i = %zero to %n step %one iter_args(%offsets = %range) -> tensor<64xi32> : i32 {
    %next = arith.addi %offsets, %eight : tensor<64xi32>
    scf.yield %next : tensor<64xi32>
  }
  return %last : tensor<64xi32>
}

// CHECK-LABEL: @branches_meet
// CHECK: %0 : contiguity = [1], divisibility = [4], constancy = [1]
func.func @branches_meet(%c: i1, %x: i32 {eft.divisibility = 16 : i32}) -> i32 {
  %four = arith.constant 4 : i32
  %r = scf.if %c -> i32 {
    scf.yield %x : i32
  } else {
    scf.yield %four : i32
  }
  return %r : i32
}

// Nothing is known of loaded values and of random words.
// CHECK-LABEL: @unknown_values
// CHECK: constant = 0
// CHECK-NEXT: %0 : {{.*}} constancy = [8]
// CHECK-NEXT: %1 : contiguity = [1], divisibility = [1], constancy = [1]
// CHECK-NEXT: %2 : contiguity = [1], divisibility = [1], constancy = [8]
// CHECK-NEXT: %r0 : contiguity = [1], divisibility = [1], constancy = [1]
func.func @unknown_values(%p: !eft.ptr<i32>, %seed: i64) {
  %zero = arith.constant dense<0> : tensor<8xi32>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<8x!eft.ptr<i32>>
  %loaded = eft.load %ps : tensor<8x!eft.ptr<i32>>
  %same = math.ctpop %zero : tensor<8xi32>
  %w:4 = eft.philox seed %seed counter %zero, %zero, %zero, %zero rounds 10 : i64, tensor<8xi32>
  return
}

// CHECK-LABEL: @code_that_never_runs
// CHECK: divisibility = [1], constancy = [1]{{$}}
func.func @code_that_never_runs(%x: i32 {eft.divisibility = 16 : i32}) {
  %false = arith.constant false
  scf.if %false {
    %y = arith.addi %x, %x : i32
  }
  return
}

// The facts of a hint are added to those that are known. Of a divisibility of 48, the power of two
// 16 counts.
// CHECK-LABEL: @hints
func.func @hints(%n: i32, %x: tensor<64xi32>) {
  // CHECK: contiguity = [1], divisibility = [16], constancy = [1]
  %0 = eft.hint %n divisibility [48] : i32
  // CHECK: contiguity = [32], divisibility = [1], constancy = [4]
  %1 = eft.hint %x contiguity [32] constancy [4] : tensor<64xi32>
  // CHECK: contiguity = [64], divisibility = [8], constancy = [4]
  %2 = eft.hint %1 contiguity [4096] divisibility [8] : tensor<64xi32>
  return
}

// Contiguous pointers are contiguous as integers only if their elements are bytes: otherwise
// neighbours differ by more than 1.
// CHECK-LABEL: @addresses
func.func @addresses(%p: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %a: i64 {eft.divisibility = 16 : i32}) {
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>>
  // CHECK: contiguity = [64], divisibility = [16], constancy = [1]
  %0 = eft.addptr %ps, %range : tensor<64x!eft.ptr<f32>>, tensor<64xi32>
  // CHECK-NEXT: contiguity = [1], divisibility = [4], constancy = [1]
  %1 = eft.cast_ptr %0 : tensor<64x!eft.ptr<f32>> -> tensor<64xi64>
  // CHECK-NEXT: contiguity = [1], divisibility = [16], constancy = [1]
  %2 = eft.cast_ptr %a : i64 -> !eft.ptr<f32>
  return
}

// The variable of a loop `range(0, n, 64)` is at least 0, and so are the sums of it and of numbers below
// 64. Therefore eight neighbours have the same quotient by a multiple of 8.
// CHECK-LABEL: @variable_of_a_range
func.func @variable_of_a_range(%n: i32, %d: i32 {eft.divisibility = 8 : i32}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %step = arith.constant 64 : i32
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %longer = eft.arange 0 to 128 : tensor<128xi32>
  %ds = eft.splat %d : i32 -> tensor<64xi32>
  %ds2 = eft.splat %d : i32 -> tensor<128xi32>
  %isPositive = arith.cmpi sgt, %n, %zero : i32
  %last = arith.subi %n, %one : i32
  %q = arith.divui %last, %step : i32
  %more = arith.addi %q, %one : i32
  %number = arith.select %isPositive, %more, %zero : i32
  scf.for %counter = %zero to %number step %one : i32 {
    %variable = arith.muli %counter, %step : i32
    %splat = eft.splat %variable : i32 -> tensor<64xi32>
    %i = arith.addi %splat, %range : tensor<64xi32>
    // CHECK: %12 : contiguity = [1], divisibility = [1], constancy = [8]
    %same = arith.divsi %i, %ds : tensor<64xi32>
    // A sum with numbers up to 127 may wrap around.
    %splat2 = eft.splat %variable : i32 -> tensor<128xi32>
    %j = arith.addi %splat2, %longer : tensor<128xi32>
    // CHECK: %15 : contiguity = [1], divisibility = [1], constancy = [1]
    %any = arith.divsi %j, %ds2 : tensor<128xi32>
  }
  // A loop up to any number may reach products that wrap around.
  scf.for %counter = %zero to %n step %one : i32 {
    %variable = arith.muli %counter, %step : i32
    %splat = eft.splat %variable : i32 -> tensor<64xi32>
    %i = arith.addi %splat, %range : tensor<64xi32>
    // CHECK: %12 : contiguity = [1], divisibility = [1], constancy = [1]
    %any = arith.divsi %i, %ds : tensor<64xi32>
  }
  return
}
