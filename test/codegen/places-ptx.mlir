// The PTX of a kernel names source lines, with the calls through which they were inlined.
// RUN: eft-compile --target=sm_90 --emit=ptx %s -o %t.ptx && FileCheck %s < %t.ptx
// RUN: eft-compile --target=sm_90 --emit=ptx --lines=false %s | FileCheck %s --check-prefix=NONE
// RUN: %if ptxas %{ %ptxas -arch=sm_90 -lineinfo %t.ptx -o %t.cubin %}

// CHECK-LABEL: .visible .entry kernel(
// CHECK: .loc 1 30 1
// CHECK: ld.global
// CHECK: .loc 1 31 5
// CHECK: .loc 2 12 7, function_name $L__function_0, inlined_at 1 31 5
// CHECK: .loc 2 3 9, function_name $L__function_1, inlined_at 2 12 7
// CHECK-NEXT: mul
// CHECK: .loc 1 32 5
// CHECK: .loc 2 12 7, function_name $L__function_0, inlined_at 1 32 5
// CHECK-NEXT: .loc 2 3 9, function_name $L__function_1, inlined_at 2 12 7
// CHECK-NEXT: mul
// CHECK: st.global
// CHECK: .file 1 "/home/j\303\274rgen/\042kernels\042.py"
// CHECK-NEXT: .file 2 "helpers.py"
// CHECK-NEXT: .section .debug_str
// CHECK: $L__function_0:
// CHECK-NEXT: .b8 111
// CHECK: $L__function_1:
// CHECK-NEXT: .b8 105

// NONE-NOT: .loc
// NONE-NOT: .file
func.func private @inner(%x: tensor<128xf32>) -> tensor<128xf32> {
  %0 = arith.mulf %x, %x : tensor<128xf32> loc("helpers.py":3:9)
  return %0 : tensor<128xf32> loc("helpers.py":3:2)
} loc("helpers.py":2:1)
func.func private @outer(%x: tensor<128xf32>) -> tensor<128xf32> {
  %0 = call @inner(%x) : (tensor<128xf32>) -> tensor<128xf32> loc("helpers.py":12:7)
  return %0 : tensor<128xf32> loc("helpers.py":12:2)
} loc("helpers.py":11:1)
func.func @kernel(%p: !eft.ptr<f32>) {
  %i = eft.arange 0 to 128 : tensor<128xi32> loc("/home/jürgen/\22kernels\22.py":29:3)
  %b = eft.splat %p : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>> loc("/home/jürgen/\22kernels\22.py":29:5)
  %q = eft.addptr %b, %i : tensor<128x!eft.ptr<f32>>, tensor<128xi32> loc("/home/jürgen/\22kernels\22.py":29:7)
  %0 = eft.load %q : tensor<128x!eft.ptr<f32>> loc("/home/jürgen/\22kernels\22.py":30:1)
  %1 = call @outer(%0) : (tensor<128xf32>) -> tensor<128xf32> loc("/home/jürgen/\22kernels\22.py":31:5)
  %2 = call @outer(%1) : (tensor<128xf32>) -> tensor<128xf32> loc("/home/jürgen/\22kernels\22.py":32:5)
  eft.store %q, %2 : tensor<128x!eft.ptr<f32>> loc("/home/jürgen/\22kernels\22.py":33:1)
  return loc("/home/jürgen/\22kernels\22.py":34:1)
} loc("/home/jürgen/\22kernels\22.py":28:1)
