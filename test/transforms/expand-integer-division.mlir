// RUN: eft-opt %s -eft-expand-integer-division | FileCheck %s

// CHECK-LABEL: @of_32_bits
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8xi32>, %[[D:[a-z0-9]+]]: tensor<8xi32>
func.func @of_32_bits(%x: tensor<8xi32>, %d: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK-DAG: %[[DF:.*]] = arith.sitofp %[[D]] : tensor<8xi32> to tensor<8xf64>
  // CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<8xf64>
  // CHECK: %[[INVERSE:.*]] = arith.divf %[[ONE]], %[[DF]]
  // CHECK: %[[MORE:.*]] = arith.constant dense<1.0000000000009095> : tensor<8xf64>
  // CHECK: %[[R:.*]] = arith.mulf %[[INVERSE]], %[[MORE]]
  // CHECK: %[[XF:.*]] = arith.sitofp %[[X]]
  // CHECK: %[[E:.*]] = arith.mulf %[[XF]], %[[R]]
  // CHECK: %[[Q:.*]] = arith.fptosi %[[E]] : tensor<8xf64> to tensor<8xi32>
  // CHECK: return %[[Q]]
  %q = arith.divsi %x, %d : tensor<8xi32>
  return %q : tensor<8xi32>
}

// CHECK-LABEL: @remainder_without_sign
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8xi32>, %[[D:[a-z0-9]+]]: tensor<8xi32>
func.func @remainder_without_sign(%x: tensor<8xi32>, %d: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK: arith.uitofp
  // CHECK: arith.uitofp
  // CHECK: %[[Q:.*]] = arith.fptoui {{.*}} : tensor<8xf64> to tensor<8xi32>
  // CHECK: %[[P:.*]] = arith.muli %[[Q]], %[[D]]
  // CHECK: %[[R:.*]] = arith.subi %[[X]], %[[P]]
  // CHECK: return %[[R]]
  %r = arith.remui %x, %d : tensor<8xi32>
  return %r : tensor<8xi32>
}

// CHECK-LABEL: @of_8_bits
func.func @of_8_bits(%x: tensor<8xi8>, %d: tensor<8xi8>) -> tensor<8xi8> {
  // CHECK: arith.uitofp {{.*}} to tensor<8xf32>
  // CHECK: arith.fptosi {{.*}} : tensor<8xf32> to tensor<8xi32>
  // CHECK: arith.trunci {{.*}} : tensor<8xi32> to tensor<8xi8>
  %q = arith.divui %x, %d : tensor<8xi8>
  return %q : tensor<8xi8>
}

// CHECK-LABEL: @of_64_bits
func.func @of_64_bits(%x: tensor<8xi64>, %d: tensor<8xi64>) -> tensor<8xi64> {
  // CHECK: arith.constant dense<0.99999999999999911>
  // CHECK-COUNT-2: arith.fptosi
  // CHECK: arith.cmpi ult
  // CHECK-NOT: arith.divui
  %q = arith.divui %x, %d : tensor<8xi64>
  return %q : tensor<8xi64>
}

// A division of scalars stays: the CPU has an instruction for it.
// CHECK-LABEL: @scalar
func.func @scalar(%x: i32, %d: i32) -> i32 {
  // CHECK: arith.divsi
  %q = arith.divsi %x, %d : i32
  return %q : i32
}

// CHECK-LABEL: @in_a_function_that_combines_blocks
func.func @in_a_function_that_combines_blocks(%x: tensor<8xi32>) -> i32 {
  // CHECK: eft.reduce
  // CHECK: arith.sitofp %{{.*}} : i32 to f64
  // CHECK-NOT: arith.divsi
  %q = eft.reduce %x axis 0 : (tensor<8xi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.divsi %a, %b : i32
    eft.yield %c : i32
  }
  return %q : i32
}

// CHECK-LABEL: @by_constants
func.func @by_constants(%x: tensor<8xi32>, %y: tensor<8xi64>)
    -> (tensor<8xi32>, tensor<8xi64>, tensor<8xi64>) {
  // CHECK: arith.divsi
  %c7 = arith.constant dense<7> : tensor<8xi32>
  %q = arith.divsi %x, %c7 : tensor<8xi32>
  // CHECK: arith.divsi
  %c16 = arith.constant dense<-16> : tensor<8xi64>
  %r = arith.divsi %y, %c16 : tensor<8xi64>
  // CHECK-NOT: arith.divsi
  %c10 = arith.constant dense<10> : tensor<8xi64>
  %s = arith.divsi %y, %c10 : tensor<8xi64>
  return %q, %r, %s : tensor<8xi32>, tensor<8xi64>, tensor<8xi64>
}
