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

// Welford's algorithm divides by the number of elements so far, which masks may make different.
// CHECK-LABEL: @counts
func.func @counts(%x: tensor<8xf32>, %mask: tensor<8xi1>, %n: i32) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1
      iter_args(%sum = %zero, %count = %zero) -> (tensor<8xf32>, tensor<8xf32>) : i32 {
    %next = arith.addf %count, %one : tensor<8xf32>
    // CHECK: arith.divf %{{.*}} {eft.counting_divisor} : tensor<8xf32>
    %q = arith.divf %x, %next : tensor<8xf32>
    %more = arith.addf %sum, %q : tensor<8xf32>
    %kept = arith.select %mask, %next, %count : tensor<8xi1>, tensor<8xf32>
    scf.yield %more, %kept : tensor<8xf32>, tensor<8xf32>
  }
  // CHECK: arith.divf %{{.*}} {eft.counting_divisor} : tensor<8xf32>
  %mean = arith.divf %r#0, %r#1 : tensor<8xf32>
  return %r#0, %mean : tensor<8xf32>, tensor<8xf32>
}

// Numbers that are the same for all elements, and numbers that differ between elements.
// CHECK-LABEL: @no_counts
func.func @no_counts(%x: tensor<8xf32>, %mask: tensor<8xi1>, %s: f32) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: arith.divf %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : tensor<8xf32>
  // CHECK: arith.divf %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %b = eft.splat %s : f32 -> tensor<8xf32>
  %d = arith.addf %b, %one : tensor<8xf32>
  %q = arith.divf %x, %d : tensor<8xf32>
  %e = arith.select %mask, %x, %one : tensor<8xi1>, tensor<8xf32>
  %r = arith.divf %x, %e : tensor<8xf32>
  return %q, %r : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @divisors_of_at_least_one
func.func @divisors_of_at_least_one(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: arith.divf %{{.*}} {eft.nonnegative_divisor} : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %e = math.exp %x : tensor<8xf32>
  %d = arith.addf %e, %one : tensor<8xf32>
  %q = arith.divf %x, %d : tensor<8xf32>
  return %q : tensor<8xf32>
}
