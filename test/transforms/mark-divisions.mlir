// RUN: eft-opt %s -eft-mark-divisions | FileCheck %s
// RUN: eft-opt %s -eft-mark-divisions -eft-uniform-division | FileCheck %s --check-prefix=UNIFORM

// CHECK-LABEL: @exponentials
func.func @exponentials(%x: tensor<8xf32>, %d: f32) -> tensor<8xf32> {
  // CHECK: arith.divf %{{.*}} {eft.nonnegative_dividend} : tensor<8xf32>
  // UNIFORM: eft.uniform_div %{{.*}} {eft.nonnegative_dividend} : tensor<8xf32>, f32
  %b = eft.splat %d : f32 -> tensor<8xf32>
  %e = math.exp %x : tensor<8xf32>
  %q = arith.divf %e, %b : tensor<8xf32>
  return %q : tensor<8xf32>
}

// CHECK-LABEL: @any_numbers
func.func @any_numbers(%x: tensor<8xf32>, %d: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: arith.divf %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : tensor<8xf32>
  %q = arith.divf %x, %d : tensor<8xf32>
  return %q : tensor<8xf32>
}

// The lowering has no shorter test for numbers of 64 bits. A scalar is divided by itself.
// CHECK-LABEL: @other_types
func.func @other_types(%x: tensor<8xf64>, %d: tensor<8xf64>, %s: f32) -> (tensor<8xf64>, f32) {
  // CHECK: arith.divf %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : tensor<8xf64>
  // CHECK: arith.divf %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : f32
  %e = math.exp %x : tensor<8xf64>
  %q = arith.divf %e, %d : tensor<8xf64>
  %f = math.exp %s : f32
  %r = arith.divf %f, %s : f32
  return %q, %r : tensor<8xf64>, f32
}
