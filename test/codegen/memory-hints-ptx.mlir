// Cache hints in PTX, and the effect of hints to the compiler.
// RUN: eft-compile %s --target=sm_90 --emit=ptx -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: FileCheck %s --check-prefix=BORDER < %t.ptx
// RUN: eft-compile %s --target=sm_80 --emit=ptx -o %t.80.ptx
// RUN: FileCheck %s < %t.80.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_90 %t.ptx -o %t.cubin %}
// RUN: %if ptxas %{ %ptxas -arch=sm_80 %t.80.ptx -o %t.80.cubin %}

// CHECK: .visible .entry hints(
func.func @hints(%x: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %y: !eft.ptr<i8>, %start: i32, %n: i32) {
  %r = eft.arange 0 to 512 : tensor<512xi32>
  // Only this hint says that the offset is a multiple of 4 and does not wrap around.
  %aligned = eft.hint %start divisibility [512] : i32
  %s = eft.splat %aligned : i32 -> tensor<512xi32>
  %i = arith.addi %s, %r : tensor<512xi32>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<512x!eft.ptr<f32>>
  %p = eft.addptr %xs, %i : tensor<512x!eft.ptr<f32>>, tensor<512xi32>
  %ns = eft.splat %n : i32 -> tensor<512xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<512xi32>
  // CHECK: ld.global.cg.v4.b32
  %0 = eft.load %p cache cg : tensor<512x!eft.ptr<f32>>
  // CHECK: ld.global.L1::evict_first.v4.b32
  %1 = eft.load %p evict evict_first : tensor<512x!eft.ptr<f32>>
  // CHECK: ld.volatile.global.v4.b32
  %2 = eft.load %p volatile : tensor<512x!eft.ptr<f32>>
  // CHECK: ld.global.cs.v4.b32
  // BORDER-DAG: ld.global.cs.b32
  %3 = eft.load %p, mask %m cache cs evict evict_last : tensor<512x!eft.ptr<f32>>
  %4 = arith.addf %0, %1 : tensor<512xf32>
  %5 = arith.addf %2, %3 : tensor<512xf32>
  %6 = arith.addf %4, %5 : tensor<512xf32>
  // CHECK: st.global.wt.v4.b32
  eft.store %p, %6 cache wt : tensor<512x!eft.ptr<f32>>
  // CHECK: @%p{{[0-9]+}} st.global.L1::evict_last.v4.b32
  // BORDER-DAG: st.global.L1::evict_last.b32
  eft.store %p, %6, mask %m evict evict_last : tensor<512x!eft.ptr<f32>>
  // CHECK: bar.sync
  eft.barrier
  %ys = eft.splat %y : !eft.ptr<i8> -> tensor<512x!eft.ptr<i8>>
  %q = eft.addptr %ys, %i : tensor<512x!eft.ptr<i8>>, tensor<512xi32>
  // CHECK: ld.global.cv.b8
  // CHECK: st.global.cs.b8
  %7 = eft.load %q cache cv : tensor<512x!eft.ptr<i8>>
  eft.store %q, %7 cache cs : tensor<512x!eft.ptr<i8>>
  return
}
