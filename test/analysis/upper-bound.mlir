// RUN: eft-opt %s -split-input-file -test-print-axis-info -o /dev/null | FileCheck %s
// An upper bound is a linear function of the largest numbers of programs. A value without one may
// be negative.

module attributes {eft.max_programs = array<i64: 2097151, 65535, 1000>} {
// CHECK-LABEL: @numbers_of_elements
// CHECK-NEXT: %[[x:.*]] : {{.*}}bound = 1 X - 1
// CHECK-NEXT: constant = 1024
// CHECK-NEXT: constancy = [1], bound = 1024 X - 1024
// CHECK-NEXT: constancy = [1024], bound = 1024 X - 1024
// CHECK-NEXT: bound = 1023
// CHECK-NEXT: constancy = [1], bound = 1024 X - 1
// CHECK-NEXT: constant = 56
// CHECK-NEXT: contiguity = [8], divisibility = [8], constancy = [1], bound = 55
// CHECK-NEXT: constancy = [8], bound = 19 X
// CHECK-NEXT: bound = 19 X + 1023
func.func @numbers_of_elements() {
  %program = eft.program_id x
  %c1024 = arith.constant 1024 : i32
  %start = arith.muli %program, %c1024 : i32
  %starts = eft.splat %start : i32 -> tensor<1024xi32>
  %range = eft.arange 0 to 1024 : tensor<1024xi32>
  %number = arith.addi %starts, %range : tensor<1024xi32>
  %length = arith.constant dense<56> : tensor<1024xi32>
  %column = arith.remsi %number, %length : tensor<1024xi32>
  %row = arith.divsi %number, %length : tensor<1024xi32>
  %sum = arith.addi %row, %range : tensor<1024xi32>
  return
}

// The largest program number times 1025 does not fit.
// CHECK-LABEL: @products_wrap_around
// CHECK-NEXT: bound = 1 X - 1
// CHECK-NEXT: bound = 1 Y
// CHECK-NEXT: constant = 1025
// CHECK-NEXT: constancy = [1]{{$}}
// CHECK-NEXT: bound = 1025 Y
// CHECK-NEXT: constancy = [1]{{$}}
// CHECK-NEXT: bound = 1 X + 1025 Y - 1
// CHECK-NEXT: bound = 1 X - 1
// CHECK-NEXT: constant = 1025
// CHECK-NEXT: bound = 1025 X - 1025
func.func @products_wrap_around() {
  %x = eft.program_id x
  %y = eft.num_programs y
  %c1025 = arith.constant 1025 : i32
  %a = arith.muli %x, %c1025 : i32
  %b = arith.muli %c1025, %y : i32
  %c = arith.muli %x, %y : i32
  %d = arith.addi %x, %b : i32
  %wide = arith.extsi %x : i32 to i64
  %wide1025 = arith.constant 1025 : i64
  %e = arith.muli %wide, %wide1025 : i64
  return
}

// A product or a sum of 64 bits wraps around, too.
// CHECK-LABEL: @wide_numbers_wrap_around
// CHECK-NEXT: bound = 1 X - 1
// CHECK-NEXT: bound = 1 X - 1
// CHECK-NEXT: constant = 4611686018427387904
// CHECK-NEXT: constancy = [1]{{$}}
// CHECK-NEXT: constant = 9223372036854775807
// CHECK-NEXT: constancy = [1]{{$}}
func.func @wide_numbers_wrap_around() {
  %x = eft.program_id x
  %wide = arith.extsi %x : i32 to i64
  %factor = arith.constant 4611686018427387904 : i64
  %a = arith.muli %wide, %factor : i64
  %largest = arith.constant 9223372036854775807 : i64
  %b = arith.addi %wide, %largest : i64
  return
}

// CHECK-LABEL: @choices
// CHECK-NEXT: %arg0
// CHECK-NEXT: %arg1
// CHECK-NEXT: bound = 1 Z - 1
// CHECK-NEXT: constant = 7
// CHECK-NEXT: constant = -7
// CHECK-NEXT: %{{.*}} : {{.*}}bound = 1 Z + 7
// CHECK-NEXT: bound = 7
// CHECK-NEXT: bound = 1 Z + 7
// CHECK-NEXT: bound = none
// CHECK-NEXT: bound = 7{{$}}
// CHECK-NEXT: constancy = [1]{{$}}
// CHECK-NEXT: bound = 6
// CHECK-NEXT: constancy = [1]{{$}}
// CHECK-NEXT: bound = 4294967295
// CHECK-NEXT: bound = none
// CHECK-NEXT: bound = 2147483647
func.func @choices(%condition: i1, %n: i32) {
  %z = eft.program_id z
  %c7 = arith.constant 7 : i32
  %negative = arith.constant -7 : i32
  %a = arith.select %condition, %z, %c7 : i32
  %b = arith.minsi %z, %c7 : i32
  %c = arith.maxsi %z, %c7 : i32
  %d = arith.maxsi %n, %c7 : i32
  %e = arith.andi %n, %c7 : i32
  %f = arith.remsi %n, %c7 : i32
  %g = arith.remui %n, %c7 : i32
  %h = arith.remsi %n, %negative : i32
  %i = arith.extui %n : i32 to i64
  %j = arith.shrui %n, %c7 : i32
  %k = arith.extsi %j : i32 to i64
  return
}

// A value that a loop changes has no bound, but may be known not to be negative.
// CHECK-LABEL: @loops
// CHECK: %[[counter:.*]] : {{.*}}bound = none
// CHECK-NEXT: %[[carried:.*]] : {{.*}}constancy = [1]{{$}}
// CHECK-NEXT: bound = 1 X - 1
// CHECK-NEXT: constancy = [1]{{$}}
func.func @loops(%n: i32) {
  %x = eft.program_id x
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %result:2 = scf.for %i = %c0 to %n step %c1
      iter_args(%carried = %c0, %same = %x) -> (i32, i32) : i32 {
    %next = arith.addi %carried, %c1 : i32
    scf.yield %next, %same : i32, i32
  }
  return
}
}

// -----

// Without the attribute, a launch may have 2^31 - 1 programs.
// CHECK-LABEL: @any_number_of_programs
// CHECK-NEXT: bound = 1 X - 1
// CHECK-NEXT: constant = 2
// CHECK-NEXT: constancy = [1]{{$}}
func.func @any_number_of_programs() {
  %x = eft.program_id x
  %c2 = arith.constant 2 : i32
  %a = arith.muli %x, %c2 : i32
  return
}
