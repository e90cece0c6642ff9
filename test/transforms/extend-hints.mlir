// RUN: eft-opt %s -eft-extend-hints | FileCheck %s

// CHECK-LABEL: @a_statement
// CHECK-SAME: %[[X:.*]]: !eft.ptr<i32>, %[[N:.*]]: i32
func.func @a_statement(%x: !eft.ptr<i32>, %n: i32) {
  // CHECK: eft.store %{{.*}}, %[[N]]
  // CHECK-NEXT: %[[H:.*]] = eft.hint %[[N]] divisibility [16]
  // CHECK-NEXT: eft.store %{{.*}}, %[[H]]
  eft.store %x, %n : !eft.ptr<i32>
  %h = eft.hint %n divisibility [16] : i32
  eft.store %x, %n : !eft.ptr<i32>
  return
}

// CHECK-LABEL: @several
// CHECK-SAME: %[[X:.*]]: tensor<8x!eft.ptr<i32>>
func.func @several(%x: tensor<8x!eft.ptr<i32>>, %v: tensor<8xi32>) {
  // CHECK: %[[D:.*]] = eft.hint %[[X]] divisibility [16]
  // CHECK: %[[C:.*]] = eft.hint %[[D]] contiguity [8]
  // CHECK: eft.store %[[C]], %{{.*}}
  %d = eft.hint %x divisibility [16] : tensor<8x!eft.ptr<i32>>
  %c = eft.hint %x contiguity [8] : tensor<8x!eft.ptr<i32>>
  eft.store %x, %v : tensor<8x!eft.ptr<i32>>
  return
}

// The hint holds in regions of later operations of its basic block, but not after the region that
// contains it.
// CHECK-LABEL: @regions
// CHECK-SAME: %[[X:.*]]: !eft.ptr<i32>, %[[N:.*]]: i32
func.func @regions(%x: !eft.ptr<i32>, %n: i32, %c: i1) {
  // CHECK: scf.if
  scf.if %c {
    // CHECK: %[[H:.*]] = eft.hint %[[N]]
    // CHECK-NEXT: scf.if
    // CHECK-NEXT: eft.store %{{.*}}, %[[H]]
    %h = eft.hint %n divisibility [16] : i32
    scf.if %c {
      eft.store %x, %n : !eft.ptr<i32>
    }
  }
  // CHECK: eft.store %{{.*}}, %[[N]]
  eft.store %x, %n : !eft.ptr<i32>
  return
}
