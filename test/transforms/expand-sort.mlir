// RUN: eft-opt %s -eft-expand-sort -canonicalize -cse | FileCheck %s
// RUN: eft-opt %s -eft-expand-sort=max-bits=256 | FileCheck %s --check-prefix=LARGE
// RUN: eft-opt %s -eft-expand-sort=max-elements=8 | FileCheck %s --check-prefix=EIGHT

// Two elements: the place with index 1 keeps the larger element.
// CHECK-LABEL: @pair
// CHECK-SAME: (%[[X:.*]]: tensor<2xi32>)
// CHECK: %[[I:.*]] = eft.arange 0 to 2
// CHECK: %[[BIT:.*]] = arith.andi %[[I]]
// CHECK: %[[UPPER:.*]] = arith.cmpi ne, %[[BIT]]
// CHECK: %[[OTHER:.*]] = eft.exchange %[[X]] axis 0 mask 1
// CHECK: %[[LARGER:.*]] = arith.cmpi sgt, %[[X]], %[[OTHER]]
// CHECK: %[[KEEPS:.*]] = arith.cmpi eq, %[[LARGER]], %{{.*}}
// CHECK: %[[R:.*]] = arith.select %[[KEEPS]], %[[X]], %[[OTHER]]
// CHECK: return %[[R]]
func.func @pair(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = eft.sort %x axis 0 stages 1 to 1 : tensor<2xi32>
  return %0 : tensor<2xi32>
}

// Two stages along the first dimension. The first has one compare-exchange, the second has two. The
// block has 128 bits.
// CHECK-LABEL: @columns
// CHECK: eft.expand_dims %{{.*}} axis 1
// CHECK: eft.exchange %{{.*}} axis 0 mask 1
// CHECK: arith.cmpi ugt
// CHECK: eft.exchange %{{.*}} axis 0 mask 2
// CHECK: arith.cmpi ugt
// CHECK: eft.exchange %{{.*}} axis 0 mask 1
// CHECK: arith.cmpi ugt
// CHECK-NOT: eft.exchange
// EIGHT: eft.sort
// LARGE-LABEL: @columns
// LARGE-NOT: eft.sort
// LARGE: return
func.func @columns(%x: tensor<4x4xi8>) -> tensor<4x4xi8> {
  %0 = eft.sort %x axis 0 stages 1 to 2 descending unsigned : tensor<4x4xi8>
  return %0 : tensor<4x4xi8>
}

// Only the last stage is computed. The block has 512 bits.
// CHECK-LABEL: @merged
// CHECK: eft.exchange %{{.*}} axis 0 mask 8
// CHECK: eft.exchange %{{.*}} axis 0 mask 4
// CHECK: eft.exchange %{{.*}} axis 0 mask 2
// CHECK: eft.exchange %{{.*}} axis 0 mask 1
// CHECK-NOT: eft.exchange
// EIGHT: eft.sort
// LARGE-LABEL: @merged
// LARGE: eft.sort
func.func @merged(%x: tensor<16xi32>) -> tensor<16xi32> {
  %0 = eft.sort %x axis 0 stages 4 to 4 : tensor<16xi32>
  return %0 : tensor<16xi32>
}
