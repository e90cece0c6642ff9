// A loop over a range whose end is known at run time, as the frontend makes it. The accesses inside
// the loop are as wide as those outside.
// RUN: eft-compile %s --target=sm_90 --emit=ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_90 %t.ptx -o %t.cubin %}
// RUN: eft-compile %s --target=host --cpu=x86-64-v4 --features=+avx512f,+avx512vl,+avx512dq,+avx512bw --emit=llvm | FileCheck %s --check-prefix=CPU

// The address from the counter times 512 stays a multiple of 16 bytes, and so does the pointer that
// grows by 512 elements in each iteration. So each array has one wide load. A thread whose mask is
// true for only some of its elements uses narrow loads instead.
// PTX: .visible .entry sums(
// PTX-COUNT-2: ld.global.v4.b32
// PTX-NOT: ld.global.v4
// PTX: st.global.v4

// The accumulators lie on the stack. A step holds two vectors, and a loop runs over the steps. The
// loops carry no vectors: they carry only scalars such as the counters and the distance by which
// the pointers have moved.
// CPU: define void @sums
// CPU: = alloca [32 x <16 x float>]
// CPU-NOT: phi <
// CPU-NOT: gather
// CPU-COUNT-2: call <16 x float> @llvm.masked.load.v16f32
// CPU-NOT: {{phi <|gather|masked.load}}
// CPU: }

func.func @sums(%x: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %y: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %z: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c512 = arith.constant 512 : i32
  %any = arith.cmpi sgt, %n, %c0 : i32
  %less = arith.subi %n, %c1 : i32
  %quotient = arith.divui %less, %c512 : i32
  %more = arith.addi %quotient, %c1 : i32
  %count = arith.select %any, %more, %c0 : i32
  %r = eft.arange 0 to 512 : tensor<512xi32>
  %ys = eft.splat %y : !eft.ptr<f32> -> tensor<512x!eft.ptr<f32>>
  %yr = eft.addptr %ys, %r : tensor<512x!eft.ptr<f32>>, tensor<512xi32>
  %start = arith.constant dense<0.0> : tensor<512xf32>
  %sum, %end = scf.for %i = %c0 to %count step %c1 iter_args(%a = %start, %p = %yr) -> (tensor<512xf32>, tensor<512x!eft.ptr<f32>>) : i32 {
    %k = arith.muli %i, %c512 : i32
    %ks = eft.splat %k : i32 -> tensor<512xi32>
    %offsets = arith.addi %ks, %r : tensor<512xi32>
    %ns = eft.splat %n : i32 -> tensor<512xi32>
    %mask = arith.cmpi slt, %offsets, %ns : tensor<512xi32>
    %xs = eft.splat %x : !eft.ptr<f32> -> tensor<512x!eft.ptr<f32>>
    %xk = eft.addptr %xs, %offsets : tensor<512x!eft.ptr<f32>>, tensor<512xi32>
    %v = eft.load %xk, mask %mask : tensor<512x!eft.ptr<f32>>
    %w = eft.load %p : tensor<512x!eft.ptr<f32>>
    %vw = arith.mulf %v, %w : tensor<512xf32>
    %b = arith.addf %a, %vw : tensor<512xf32>
    %step = eft.splat %c512 : i32 -> tensor<512xi32>
    %q = eft.addptr %p, %step : tensor<512x!eft.ptr<f32>>, tensor<512xi32>
    scf.yield %b, %q : tensor<512xf32>, tensor<512x!eft.ptr<f32>>
  }
  %zs = eft.splat %z : !eft.ptr<f32> -> tensor<512x!eft.ptr<f32>>
  %zr = eft.addptr %zs, %r : tensor<512x!eft.ptr<f32>>, tensor<512xi32>
  eft.store %zr, %sum : tensor<512x!eft.ptr<f32>>
  return
}
