// RUN: eft-opt %s -split-input-file -eft-range-min-max | FileCheck %s --implicit-check-not=eft.m

// A number in memory may be a signaling NaN, a converted integer never is.

// CHECK-LABEL: @loaded_and_converted
// CHECK-SAME: (%[[P:.*]]: !llvm.ptr, %[[A:.*]]: vector<16xi32>)
func.func @loaded_and_converted(%p: !llvm.ptr, %a: vector<16xi32>) -> vector<16xf32> {
  // CHECK: %[[X:.*]] = llvm.load %[[P]]
  // CHECK: %[[S:.*]] = arith.sitofp %[[A]]
  // CHECK: %[[MIN:.*]] = arith.constant 4 : i32
  // CHECK: %[[ALL:.*]] = arith.constant -1 : i16
  // CHECK: %[[ROUND:.*]] = arith.constant 4 : i32
  // CHECK: %[[Q:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.512"(%[[X]], %[[X]], %[[MIN]], %[[X]], %[[ALL]], %[[ROUND]])
  // CHECK: %[[MAX:.*]] = arith.constant 5 : i32
  // CHECK: %[[R:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.512"(%[[Q]], %[[S]], %[[MAX]], %[[Q]], %{{.*}}, %{{.*}})
  // CHECK: return %[[R]]
  %x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
  %s = arith.sitofp %a : vector<16xi32> to vector<16xf32>
  %r = eft.max_num %x, %s : vector<16xf32>
  return %r : vector<16xf32>
}

// -----

// LLVM turns the product into a change of the sign, which leaves a signaling NaN as it is.

// CHECK-LABEL: @product
// CHECK: %[[Y:.*]] = arith.mulf
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.128"(%[[Y]], %[[Y]],
func.func @product(%x: vector<4xf32>) -> vector<4xf32> {
  %minus_one = arith.constant dense<-1.0> : vector<4xf32>
  %two = arith.constant dense<2.0> : vector<4xf32>
  %y = arith.mulf %x, %minus_one : vector<4xf32>
  %r = eft.max_num %y, %two : vector<4xf32>
  return %r : vector<4xf32>
}

// -----

// An array on the stack is quiet if all that is stored there is quiet.

// CHECK-LABEL: @arrays_on_the_stack
// CHECK: %[[X:.*]] = llvm.load
// CHECK: %[[Y:.*]] = llvm.load
// CHECK: %[[Q:.*]] = llvm.call_intrinsic {{.*}}(%[[Y]], %[[Y]],
// CHECK: llvm.call_intrinsic {{.*}}(%[[X]], %[[Q]],
func.func @arrays_on_the_stack(%a: vector<4xi32>, %b: vector<4xf32>) -> vector<4xf32> {
  %c8 = arith.constant 8 : i32
  %quiet = llvm.alloca %c8 x f32 : (i32) -> !llvm.ptr
  %other = llvm.alloca %c8 x f32 : (i32) -> !llvm.ptr
  %s = arith.sitofp %a : vector<4xi32> to vector<4xf32>
  %p = llvm.getelementptr %quiet[16] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.store %s, %p : vector<4xf32>, !llvm.ptr
  llvm.store %s, %other : vector<4xf32>, !llvm.ptr
  llvm.store %b, %other : vector<4xf32>, !llvm.ptr
  %x = llvm.load %quiet : !llvm.ptr -> vector<4xf32>
  %y = llvm.load %other : !llvm.ptr -> vector<4xf32>
  %r = eft.max_num %x, %y : vector<4xf32>
  return %r : vector<4xf32>
}

// -----

// CHECK-LABEL: @parts_of_a_long_vector
// CHECK-COUNT-4: llvm.call_intrinsic
// CHECK-NOT: llvm.call_intrinsic
func.func @parts_of_a_long_vector(%a: vector<32xi32>) -> vector<32xf32> {
  %s = arith.sitofp %a : vector<32xi32> to vector<32xf32>
  %m = eft.min_num %s, %s : vector<32xf32>
  %r = eft.max_num %m, %s : vector<32xf32>
  return %r : vector<32xf32>
}

// -----

// The maximum of NaN and a number is the number.

// CHECK-LABEL: @nan_and_number
// CHECK: %[[S:.*]] = arith.sitofp
// CHECK-NEXT: return %[[S]]
func.func @nan_and_number(%a: vector<4xi32>) -> vector<4xf32> {
  %nan = arith.constant dense<0x7FC00000> : vector<4xf32>
  %s = arith.sitofp %a : vector<4xi32> to vector<4xf32>
  %r = eft.max_num %nan, %s : vector<4xf32>
  return %r : vector<4xf32>
}

// -----

// A value that a loop carries is quiet if it is so at the start and after each iteration.

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
// CHECK-SAME: (%[[A:.*]]: vector<16xi32>, %[[B:.*]]: vector<2xi32>, %[[C:.*]]: i32)
func.func @minima_of_all_lengths(%a: vector<16xi32>, %b: vector<2xi32>, %c: i32) -> (vector<16xf64>, vector<2xf32>, f64) {
  // CHECK: arith.sitofp %[[A]]
  // CHECK: %[[BB:.*]] = arith.sitofp %[[B]]
  // CHECK: %[[CC:.*]] = arith.sitofp %[[C]]
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
  %aa = arith.sitofp %a : vector<16xi32> to vector<16xf64>
  %bb = arith.sitofp %b : vector<2xi32> to vector<2xf32>
  %cc = arith.sitofp %c : i32 to f64
  %x = eft.min_num %aa, %aa : vector<16xf64>
  %y = eft.min_num %bb, %bb : vector<2xf32>
  %z = eft.min_num %cc, %cc : f64
  return %x, %y, %z : vector<16xf64>, vector<2xf32>, f64
}
