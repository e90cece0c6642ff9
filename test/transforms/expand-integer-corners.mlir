// RUN: eft-opt %s -eft-expand-integer-corners | FileCheck %s

// CHECK-LABEL: @unsigned_quotient
// CHECK-SAME: %[[X:[a-z0-9]+]]: i32, %[[D:[a-z0-9]+]]: i32
func.func @unsigned_quotient(%x: i32, %d: i32) -> i32 {
  // CHECK: %[[ZERO:.*]] = arith.cmpi eq, %[[D]], %c0{{.*}} : i32
  // CHECK: %[[SAFE:.*]] = arith.maxui %[[D]], %c1{{.*}} : i32
  // CHECK: %[[Q:.*]] = arith.divui %[[X]], %[[SAFE]] : i32
  // CHECK: %[[R:.*]] = arith.select %[[ZERO]], %c-1{{.*}}, %[[Q]] : i32
  // CHECK: return %[[R]]
  %q = arith.divui %x, %d : i32
  return %q : i32
}

// CHECK-LABEL: @unsigned_remainder
// CHECK-SAME: %[[X:[a-z0-9]+]]: i32
func.func @unsigned_remainder(%x: i32, %d: i32) -> i32 {
  // CHECK: %[[Q:.*]] = arith.remui
  // CHECK: arith.select %{{.*}}, %[[X]], %[[Q]] : i32
  %q = arith.remui %x, %d : i32
  return %q : i32
}

// CHECK-LABEL: @signed_quotient_of_blocks
func.func @signed_quotient_of_blocks(%x: tensor<8xi16>, %d: tensor<8xi16>) -> tensor<8xi16> {
  // CHECK: arith.constant dense<-32768> : tensor<8xi16>
  // CHECK: %[[LEAST:.*]] = arith.cmpi eq
  // CHECK: %[[MINUS:.*]] = arith.cmpi eq
  // CHECK: arith.andi %[[LEAST]], %[[MINUS]]
  // CHECK: arith.divsi
  // CHECK: arith.select
  %q = arith.divsi %x, %d : tensor<8xi16>
  return %q : tensor<8xi16>
}

// An even divisor is never -1. If it is zero, the number with only the highest bit replaces it.
// Each power of two that is known to divide the divisor divides this number, too.
// CHECK-LABEL: @blocks_by_an_even_number
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8xi32>
func.func @blocks_by_an_even_number(%x: tensor<8xi32>, %n: i32 {eft.divisibility = 2 : i32})
    -> tensor<8xi32> {
  // CHECK: %[[D:.*]] = eft.splat
  // CHECK: %[[ZERO:.*]] = arith.cmpi eq, %[[D]]
  // CHECK: %[[BIT:.*]] = arith.extui %[[ZERO]]
  // CHECK: %[[HIGHEST:.*]] = arith.shli %[[BIT]]
  // CHECK: %[[SAFE:.*]] = arith.ori %[[D]], %[[HIGHEST]]
  // CHECK: %[[R:.*]] = arith.remsi %[[X]], %[[SAFE]]
  // CHECK: arith.select %[[ZERO]], %[[X]], %[[R]]
  %d = eft.splat %n : i32 -> tensor<8xi32>
  %r = arith.remsi %x, %d : tensor<8xi32>
  return %r : tensor<8xi32>
}

// A divisor is also uniform if the splat was extended as a block.
// CHECK-LABEL: @blocks_by_an_extended_number
func.func @blocks_by_an_extended_number(%x: tensor<8xi64>, %n: i32 {eft.divisibility = 2 : i32})
    -> tensor<8xi64> {
  // CHECK: %[[D:.*]] = arith.extsi
  // CHECK: arith.ori %[[D]]
  // CHECK: arith.remsi
  %ns = eft.splat %n : i32 -> tensor<8xi32>
  %d = arith.extsi %ns : tensor<8xi32> to tensor<8xi64>
  %r = arith.remsi %x, %d : tensor<8xi64>
  return %r : tensor<8xi64>
}

// A divisor that is not uniform has the general form, even if all of its elements are even.
// CHECK-LABEL: @blocks_by_even_numbers
func.func @blocks_by_even_numbers(%x: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK-NOT: arith.ori
  // CHECK: arith.maxui
  // CHECK: arith.remsi
  %two = arith.constant dense<2> : tensor<8xi32>
  %range = eft.arange 0 to 8 : tensor<8xi32>
  %d = arith.muli %range, %two : tensor<8xi32>
  %r = arith.remsi %x, %d : tensor<8xi32>
  return %r : tensor<8xi32>
}

// CHECK-LABEL: @by_an_ordinary_constant
func.func @by_an_ordinary_constant(%x: i32, %y: tensor<8xi32>) -> (i32, tensor<8xi32>) {
  // CHECK-NOT: select
  %c3 = arith.constant 3 : i32
  %c5 = arith.constant dense<5> : tensor<8xi32>
  %q = arith.divsi %x, %c3 : i32
  %r = arith.remsi %y, %c5 : tensor<8xi32>
  return %q, %r : i32, tensor<8xi32>
}

// CHECK-LABEL: @by_minus_one
func.func @by_minus_one(%x: i32) -> i32 {
  // CHECK: select
  %c = arith.constant -1 : i32
  %q = arith.divsi %x, %c : i32
  return %q : i32
}

// CHECK-LABEL: @left_shift
func.func @left_shift(%x: i32, %n: i32) -> i32 {
  // CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %{{.*}}, %c32{{.*}} : i32
  // CHECK: %[[S:.*]] = arith.shli
  // CHECK: arith.select %[[INSIDE]], %[[S]], %c0
  %s = arith.shli %x, %n : i32
  return %s : i32
}

// CHECK-LABEL: @arithmetic_right_shift
func.func @arithmetic_right_shift(%x: i32, %n: i32) -> i32 {
  // CHECK: %[[COUNT:.*]] = arith.select %{{.*}}, %{{.*}}, %c31
  // CHECK: %[[S:.*]] = arith.shrsi %{{.*}}, %[[COUNT]] : i32
  // CHECK: return %[[S]]
  %s = arith.shrsi %x, %n : i32
  return %s : i32
}

// CHECK-LABEL: @shift_by_an_ordinary_constant
func.func @shift_by_an_ordinary_constant(%x: i32) -> i32 {
  // CHECK-NOT: select
  %n = arith.constant 31 : i32
  %s = arith.shrui %x, %n : i32
  return %s : i32
}
