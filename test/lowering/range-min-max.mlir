// RUN: eft-opt %s -split-input-file -eft-range-min-max | FileCheck %s --implicit-check-not=eft.m

// A number in memory may be a signaling NaN, the result of an addition never is.

// CHECK-LABEL: @loaded_and_computed
// CHECK-SAME: (%[[P:.*]]: !llvm.ptr, %[[A:.*]]: vector<16xf32>)
func.func @loaded_and_computed(%p: !llvm.ptr, %a: vector<16xf32>) -> vector<16xf32> {
  // CHECK: %[[X:.*]] = llvm.load %[[P]]
  // CHECK: %[[S:.*]] = arith.addf %[[A]], %[[A]]
  // CHECK: %[[MAX:.*]] = arith.constant 5 : i32
  // CHECK: %[[ALL:.*]] = arith.constant -1 : i16
  // CHECK: %[[ROUND:.*]] = arith.constant 4 : i32
  // CHECK: %[[Q:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.512"(%[[X]], %[[X]], %[[MAX]], %[[X]], %[[ALL]], %[[ROUND]])
  // CHECK: %[[R:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.512"(%[[Q]], %[[S]], %{{.*}}, %[[Q]], %{{.*}}, %{{.*}})
  // CHECK: return %[[R]]
  %x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
  %s = arith.addf %a, %a : vector<16xf32>
  %r = eft.max_num %x, %s : vector<16xf32>
  return %r : vector<16xf32>
}

// -----

// What a loop carries is quiet if it is so at the start and after each iteration.

// CHECK-LABEL: @maximum_in_a_loop
// CHECK: scf.for {{.*}} iter_args(%[[C:.*]] =
// CHECK: %[[X:.*]] = llvm.load
// CHECK: %[[Q:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.256"(%[[X]], %[[X]],
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.256"(%[[C]], %[[Q]],
// CHECK-NOT: llvm.call_intrinsic
// CHECK: return
func.func @maximum_in_a_loop(%p: !llvm.ptr, %n: index) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %nan = arith.constant dense<0x7FC00000> : vector<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %nan) -> vector<8xf32> {
    %x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %m = eft.max_num %c, %x : vector<8xf32>
    scf.yield %m : vector<8xf32>
  }
  return %r : vector<8xf32>
}

// -----

// CHECK-LABEL: @signaling_start
// CHECK: scf.for {{.*}} iter_args(%[[C:.*]] =
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.256"(%[[C]], %[[C]],
func.func @signaling_start(%p: !llvm.ptr, %n: index) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %nan = arith.constant dense<0x7F800001> : vector<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %nan) -> vector<8xf32> {
    %x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %m = eft.max_num %c, %x : vector<8xf32>
    scf.yield %m : vector<8xf32>
  }
  return %r : vector<8xf32>
}

// -----

// Vectors of other lengths are cut or filled up.

// CHECK-LABEL: @minima_of_all_lengths
// CHECK-SAME: (%[[A:.*]]: vector<16xf64>, %[[B:.*]]: vector<2xf32>, %[[C:.*]]: f64)
func.func @minima_of_all_lengths(%a: vector<16xf64>, %b: vector<2xf32>, %c: f64) -> (vector<16xf64>, vector<2xf32>, f64) {
  // CHECK: arith.addf %[[A]]
  // CHECK: %[[BB:.*]] = arith.addf %[[B]]
  // CHECK: %[[CC:.*]] = arith.addf %[[C]]
  // CHECK: vector.extract_strided_slice %{{.*}} {offsets = [0], sizes = [8], strides = [1]} : vector<16xf64> to vector<8xf64>
  // CHECK: arith.constant 4 : i32
  // CHECK: arith.constant -1 : i8
  // CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.range.pd.512"
  // CHECK: vector.insert_strided_slice %{{.*}} {offsets = [0], strides = [1]} : vector<8xf64> into vector<16xf64>
  // CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.range.pd.512"
  // CHECK: vector.insert_strided_slice %{{.*}} {offsets = [8], strides = [1]} : vector<8xf64> into vector<16xf64>
  // CHECK: %[[LONG:.*]] = vector.shuffle %[[BB]], %[[BB]] [0, 1, 0, 1] : vector<2xf32>, vector<2xf32>
  // CHECK: %[[M:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.128"(%[[LONG]],
  // CHECK: vector.shuffle %[[M]], %[[M]] [0, 1] : vector<4xf32>, vector<4xf32>
  // CHECK: vector.splat %[[CC]] : vector<2xf64>
  // CHECK: %[[N:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.range.pd.128"
  // CHECK: vector.extract %[[N]][0] : f64 from vector<2xf64>
  %aa = arith.addf %a, %a : vector<16xf64>
  %bb = arith.addf %b, %b : vector<2xf32>
  %cc = arith.addf %c, %c : f64
  %x = eft.min_num %aa, %aa : vector<16xf64>
  %y = eft.min_num %bb, %bb : vector<2xf32>
  %z = eft.min_num %cc, %cc : f64
  return %x, %y, %z : vector<16xf64>, vector<2xf32>, f64
}
