// RUN: eft-opt %s -split-input-file -eft-limit-programs=gpu | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: eft-opt %s -split-input-file -eft-limit-programs | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: eft-opt %s -split-input-file -eft-limit-programs="gpu all-grids" | FileCheck %s --check-prefix=ALL

// (2^31 - 1 - 1023) / 1024 + 1 programs of 1024 elements each.
// GPU: module attributes {eft.max_programs = array<i64: 2097152, 65535, 65535>}
// CPU: module attributes {eft.max_programs = array<i64: 2097152, 2147483647, 2147483647>}
// ALL: module attributes {eft.max_programs = array<i64: 2147483647, 65535, 65535>}
// CHECK-LABEL: @remainder
func.func @remainder(%length: i32) -> tensor<1024xi32> {
  %program = eft.program_id x
  %c1024 = arith.constant 1024 : i32
  %start = arith.muli %program, %c1024 : i32
  %starts = eft.splat %start : i32 -> tensor<1024xi32>
  %range = eft.arange 0 to 1024 : tensor<1024xi32>
  %number = arith.addi %starts, %range : tensor<1024xi32>
  %lengths = eft.splat %length : i32 -> tensor<1024xi32>
  %column = arith.remsi %number, %lengths : tensor<1024xi32>
  return %column : tensor<1024xi32>
}

// -----

// Two axes have the same limit: (2^31 - 1 + 17408) / 17408.
// GPU: module attributes {eft.max_programs = array<i64: 123362, 65535, 65535>}
// CPU: module attributes {eft.max_programs = array<i64: 123362, 123362, 2147483647>}
// CHECK-LABEL: @two_axes
func.func @two_axes() -> tensor<1024xi32> {
  %x = eft.program_id x
  %y = eft.program_id y
  %c16384 = arith.constant 16384 : i32
  %c1024 = arith.constant 1024 : i32
  %a = arith.muli %x, %c16384 : i32
  %b = arith.muli %y, %c1024 : i32
  %start = arith.addi %a, %b : i32
  %starts = eft.splat %start : i32 -> tensor<1024xi32>
  %length = arith.constant dense<100> : tensor<1024xi32>
  %row = arith.divsi %starts, %length : tensor<1024xi32>
  return %row : tensor<1024xi32>
}

// -----

// Only 2047 programs have products that do not wrap around. That is too few for a limit.
// GPU: module attributes {eft.max_programs = array<i64: 2147483647, 65535, 65535>}
// CPU: module attributes {eft.max_programs = array<i64: 2147483647, 2147483647, 2147483647>}
// CHECK-LABEL: @large_products
func.func @large_products() -> tensor<1024xi32> {
  %x = eft.program_id x
  %c = arith.constant 1048576 : i32
  %start = arith.muli %x, %c : i32
  %starts = eft.splat %start : i32 -> tensor<1024xi32>
  %length = arith.constant dense<100> : tensor<1024xi32>
  %row = arith.divsi %starts, %length : tensor<1024xi32>
  return %row : tensor<1024xi32>
}

// -----

// Each axis may have 32768 programs, whatever the factors are.
// CPU: module attributes {eft.max_programs = array<i64: 35791, 35791, 2147483647>}
// CHECK-LABEL: @unequal_factors
func.func @unequal_factors() -> tensor<1024xi32> {
  %x = eft.program_id x
  %y = eft.program_id y
  %c60000 = arith.constant 60000 : i32
  %a = arith.muli %x, %c60000 : i32
  %start = arith.addi %a, %y : i32
  %starts = eft.splat %start : i32 -> tensor<1024xi32>
  %length = arith.constant dense<100> : tensor<1024xi32>
  %row = arith.divsi %starts, %length : tensor<1024xi32>
  return %row : tensor<1024xi32>
}

// -----

// A product in a region is not looked at: it wraps around for as many programs as the sum behind it
// allows. So a limit would gain nothing, and none is set.
// CPU: module attributes {eft.max_programs = array<i64: 2147483647, 2147483647, 2147483647>}
// CHECK-LABEL: @products_in_regions
func.func @products_in_regions(%condition: i1) -> tensor<1024xi32> {
  %x = eft.program_id x
  %c65535 = arith.constant 65535 : i32
  %other = scf.if %condition -> i32 {
    %large = arith.muli %x, %c65535 : i32
    %quotient = arith.divsi %large, %c65535 : i32
    scf.yield %quotient : i32
  } else {
    %large = arith.muli %x, %c65535 : i32
    %quotient = arith.divsi %large, %c65535 : i32
    scf.yield %quotient : i32
  }
  %c4096 = arith.constant 4096 : i32
  %start = arith.muli %other, %c4096 : i32
  %starts = eft.splat %start : i32 -> tensor<1024xi32>
  %length = arith.constant dense<100> : tensor<1024xi32>
  %row = arith.divsi %starts, %length : tensor<1024xi32>
  return %row : tensor<1024xi32>
}

// -----

// A product that no division needs has no limit, nor has one of 64 bits.
// GPU: module attributes {eft.max_programs = array<i64: 2147483647, 65535, 65535>}
// CHECK-LABEL: @others
func.func @others() -> (tensor<64xi64>, i32) {
  %x = eft.program_id x
  %c64 = arith.constant 64 : i32
  %unused = arith.muli %x, %c64 : i32
  %wide = arith.extsi %x : i32 to i64
  %wide64 = arith.constant 64 : i64
  %start = arith.muli %wide, %wide64 : i64
  %starts = eft.splat %start : i64 -> tensor<64xi64>
  %length = arith.constant dense<100> : tensor<64xi64>
  %row = arith.divsi %starts, %length : tensor<64xi64>
  return %row, %unused : tensor<64xi64>, i32
}

// -----

// Without a signed division of blocks there is nothing to note.
// CHECK: module {
// ALL: module {
// CHECK-LABEL: @unsigned
func.func @unsigned(%length: i32) -> (tensor<1024xi32>, i32) {
  %program = eft.program_id x
  %c1024 = arith.constant 1024 : i32
  %start = arith.muli %program, %c1024 : i32
  %starts = eft.splat %start : i32 -> tensor<1024xi32>
  %lengths = eft.splat %length : i32 -> tensor<1024xi32>
  %row = arith.divui %starts, %lengths : tensor<1024xi32>
  %scalar = arith.divsi %start, %length : i32
  return %row, %scalar : tensor<1024xi32>, i32
}
