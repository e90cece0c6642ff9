// RUN: eft-opt %s -test-print-prefix-masks -o /dev/null | FileCheck %s
// RUN: eft-opt %s -test-print-prefix-masks | FileCheck %s --check-prefix=IR
// For each block of i1, the pass prints the length of the runs in which the block is true first and
// false afterwards. It prints `whole` for a one-dimensional block that is matched as one prefix
// mask. If a whole block can't wrap around, the pass also creates the code that computes the number
// of true elements.

// CHECK-LABEL: @offsets_below_a_count
// CHECK-NEXT: %{{.*}} : runs = [64], whole{{$}}
// IR-LABEL: func.func @offsets_below_a_count
// IR-SAME: %[[N:.*]]: i32
// IR: %[[BEGIN:.*]] = arith.muli
// IR: %[[LAST:.*]] = arith.constant 63 : i64
// IR: %[[FIRST:.*]] = arith.addi %[[BEGIN]], %c0_i32
// IR: %[[ANY:.*]] = arith.cmpi slt, %[[FIRST]], %[[N]] : i32
// IR: %[[DISTANCE:.*]] = arith.subi %[[N]], %[[FIRST]] : i32
// IR: %[[INSIDE:.*]] = arith.subi %[[DISTANCE]], %c1_i32 : i32
// IR: %[[WIDE:.*]] = arith.extui %[[INSIDE]] : i32 to i64
// IR: %[[CUT:.*]] = arith.minui %[[WIDE]], %[[LAST]] : i64
// IR: %[[COUNT:.*]] = arith.addi %[[CUT]], %c1_i64
// IR: arith.select %[[ANY]], %[[COUNT]], %c0_i64
func.func @offsets_below_a_count(%n: i32) -> tensor<64xi1> {
  %pid = eft.program_id x
  %c64 = arith.constant 64 : i32
  %begin = arith.muli %pid, %c64 : i32
  %begins = eft.splat %begin : i32 -> tensor<64xi32>
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %offsets = arith.addi %begins, %range : tensor<64xi32>
  %ns = eft.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %offsets, %ns : tensor<64xi32>
  return %mask : tensor<64xi1>
}

// The block may begin anywhere. Near the largest number, the offsets would wrap around, and the
// mask would be true again at the block's end.
// CHECK-LABEL: @unaligned_offsets
// CHECK-NEXT: %{{.*}} : runs = [1], whole, may wrap{{$}}
func.func @unaligned_offsets(%begin: i32, %n: i32) {
  %begins = eft.splat %begin : i32 -> tensor<64xi32>
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %offsets = arith.addi %begins, %range : tensor<64xi32>
  %ns = eft.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %offsets, %ns : tensor<64xi32>
  return
}

// CHECK-LABEL: @aligned_to_less_than_the_block
// CHECK-NEXT: %{{.*}} : runs = [8], whole, may wrap{{$}}
func.func @aligned_to_less_than_the_block(%begin: i32 {eft.divisibility = 8 : i32}, %n: i32) {
  %begins = eft.splat %begin : i32 -> tensor<64xi32>
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %offsets = arith.addi %range, %begins : tensor<64xi32>
  %ns = eft.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %offsets, %ns : tensor<64xi32>
  return
}

// CHECK-LABEL: @every_way_to_compare
// CHECK-NEXT: runs = [64], whole{{$}}
// CHECK-NEXT: runs = [64], whole{{$}}
// CHECK-NEXT: runs = [64], whole{{$}}
// CHECK-NEXT: runs = [64], whole{{$}}
// CHECK-NEXT: runs = [64], whole{{$}}
// CHECK-NEXT: runs = [64], whole{{$}}
// CHECK-NEXT: runs = [64], whole{{$}}
// CHECK-NEXT: runs = [64], whole{{$}}
// The first of these masks is false first and true afterwards. The second is true for one element
// in the middle.
// CHECK-NEXT: runs = [1]{{$}}
// CHECK-NEXT: runs = [1]{{$}}
func.func @every_way_to_compare(%n: i32) {
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %ns = eft.splat %n : i32 -> tensor<64xi32>
  %0 = arith.cmpi slt, %range, %ns : tensor<64xi32>
  %1 = arith.cmpi sle, %range, %ns : tensor<64xi32>
  %2 = arith.cmpi ult, %range, %ns : tensor<64xi32>
  %3 = arith.cmpi ule, %range, %ns : tensor<64xi32>
  %4 = arith.cmpi sgt, %ns, %range : tensor<64xi32>
  %5 = arith.cmpi sge, %ns, %range : tensor<64xi32>
  %6 = arith.cmpi ugt, %ns, %range : tensor<64xi32>
  %7 = arith.cmpi uge, %ns, %range : tensor<64xi32>
  %8 = arith.cmpi sgt, %range, %ns : tensor<64xi32>
  %9 = arith.cmpi eq, %range, %ns : tensor<64xi32>
  return
}

// An arange never wraps around as signed numbers. As unsigned numbers, it wraps around where it
// passes zero.
// CHECK-LABEL: @range_that_starts_anywhere
// CHECK-NEXT: runs = [64], whole{{$}}
// CHECK-NEXT: runs = [1], whole, may wrap{{$}}
// CHECK-NEXT: runs = [64], whole{{$}}
func.func @range_that_starts_anywhere(%n: i32) {
  %across = eft.arange -3 to 61 : tensor<64xi32>
  %above = eft.arange 3 to 67 : tensor<64xi32>
  %ns = eft.splat %n : i32 -> tensor<64xi32>
  %0 = arith.cmpi slt, %across, %ns : tensor<64xi32>
  %1 = arith.cmpi ult, %across, %ns : tensor<64xi32>
  %2 = arith.cmpi ult, %above, %ns : tensor<64xi32>
  return
}

// CHECK-LABEL: @conjunction
// CHECK-NEXT: runs = [64], whole{{$}}
// CHECK-NEXT: runs = [64], whole{{$}}
// CHECK-NEXT: runs = [64], whole{{$}}
// CHECK-NEXT: runs = [64], whole{{$}}
// CHECK-NEXT: runs = [64], whole{{$}}
// The union of two prefixes is a prefix, too. But of combined masks, only a conjunction is matched
// as a prefix of the whole block.
// CHECK-NEXT: runs = [64]{{$}}
func.func @conjunction(%n: i32, %m: i32, %flag: i1) {
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %ns = eft.splat %n : i32 -> tensor<64xi32>
  %ms = eft.splat %m : i32 -> tensor<64xi32>
  %0 = arith.cmpi slt, %range, %ns : tensor<64xi32>
  %1 = arith.cmpi sle, %range, %ms : tensor<64xi32>
  %2 = arith.andi %0, %1 : tensor<64xi1>
  %flags = eft.splat %flag : i1 -> tensor<64xi1>
  %3 = arith.andi %flags, %2 : tensor<64xi1>
  %4 = arith.ori %0, %1 : tensor<64xi1>
  return
}

// The loop carries the offsets, so the first offset can't be computed as a scalar, and the whole
// mask is not matched.
// CHECK-LABEL: @carried_through_a_loop
// CHECK: runs = [64]{{$}}
func.func @carried_through_a_loop(%n: i32) -> tensor<64xi32> {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %steps = arith.constant dense<64> : tensor<64xi32>
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %ns = eft.splat %n : i32 -> tensor<64xi32>
  %last = scf.for %i = %zero to %n step %step iter_args(%offsets = %range)
      -> tensor<64xi32> : i32 {
    %mask = arith.cmpi slt, %offsets, %ns : tensor<64xi32>
    %next = arith.addi %offsets, %steps : tensor<64xi32>
    scf.yield %next : tensor<64xi32>
  }
  return %last : tensor<64xi32>
}

// CHECK-LABEL: @rows_and_columns
// CHECK-NEXT: runs = [8], whole{{$}}
// CHECK-NEXT: runs = [8, 1]{{$}}
// CHECK-NEXT: runs = [8, 16]{{$}}
// CHECK-NEXT: runs = [16], whole{{$}}
// CHECK-NEXT: runs = [1, 16]{{$}}
// CHECK-NEXT: runs = [8, 16]{{$}}
// CHECK-NEXT: runs = [8, 16]{{$}}
func.func @rows_and_columns(%n: i32) {
  %r = eft.arange 0 to 8 : tensor<8xi32>
  %rn = eft.splat %n : i32 -> tensor<8xi32>
  %0 = arith.cmpi slt, %r, %rn : tensor<8xi32>
  %1 = eft.expand_dims %0 axis 1 : tensor<8xi1> -> tensor<8x1xi1>
  %2 = eft.broadcast %1 : tensor<8x1xi1> -> tensor<8x16xi1>
  %c = eft.arange 0 to 16 : tensor<16xi32>
  %cn = eft.splat %n : i32 -> tensor<16xi32>
  %3 = arith.cmpi slt, %c, %cn : tensor<16xi32>
  %4 = eft.expand_dims %3 axis 0 : tensor<16xi1> -> tensor<1x16xi1>
  %5 = eft.broadcast %4 : tensor<1x16xi1> -> tensor<8x16xi1>
  %6 = arith.andi %2, %5 : tensor<8x16xi1>
  return
}

// CHECK-LABEL: @unknown_mask
// CHECK-NEXT: runs = [1]{{$}}
func.func @unknown_mask(%p: tensor<8x!eft.ptr<i32>>) {
  %0 = eft.load %p : tensor<8x!eft.ptr<i32>>
  %1 = arith.trunci %0 : tensor<8xi32> to tensor<8xi1>
  return
}
