// RUN: eft-opt %s --split-input-file --eft-lower-to-gpu='num-warps=8 compute-capability=90' --verify-diagnostics | FileCheck %s

#c = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]]>
#a = #eft.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0], [64, 0]]>
#b = #eft.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0]]>

// Two warpgroups multiply 64 rows each. The second half of A begins 64 rows of 64 bytes after the first:
// 256 units of 16 bytes, which the second warpgroup adds. B is stored with rows of 32 bytes along n,
// across k, and both warpgroups read all of it.
// CHECK-LABEL: @two_groups
// CHECK: llvm.ptrtoint
// CHECK: %[[GROUP:.*]] = nvvm.shfl.sync idx
// CHECK: arith.muli %{{.*}}, %c256_i32
// CHECK: llvm.inline_asm has_side_effects ""
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {$0, $1, $2, $3, $4, $5, $6, $7}, da, db, yes, 1, 1, 0, 1; add.s64 da, $17, 2; add.s64 db, $16, 32; wgmma
// CHECK-SAME: "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,l,l"
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: nvvm.wgmma.wait.group.sync.aligned 0
func.func @two_groups(%to: !eft.ptr<f32>, %slot: i32) {
  %p = eft.splat %to : !eft.ptr<f32> -> tensor<128x16x!eft.ptr<f32>, #c>
  %zero = arith.constant dense<0.0> : tensor<128x16xf32, #c>
  %x = eft.alloc_shared : !eft.shared<2, tensor<128x32xf16, #a>>
  %y = eft.alloc_shared : !eft.shared<2, tensor<32x16xf16, #b>>
  %d = eft.dot_async %x[%slot], %y[%slot], %zero : !eft.shared<2, tensor<128x32xf16, #a>>, !eft.shared<2, tensor<32x16xf16, #b>> -> tensor<128x16xf32, #c>
  %r = eft.wait_dots %d pending 0 : tensor<128x16xf32, #c>
  eft.dealloc_shared %y : !eft.shared<2, tensor<32x16xf16, #b>>
  eft.dealloc_shared %x : !eft.shared<2, tensor<128x32xf16, #a>>
  eft.store %p, %r : tensor<128x16x!eft.ptr<f32>, #c>
  return
}

// -----

#c = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]]>
#k = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]]>
#b = #eft.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0]]>

// The first factor comes from registers. The second factor is transposed: its rows are along k.
// CHECK-LABEL: @first_factor_in_registers
// CHECK: wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {$0, $1, $2, $3, $4, $5, $6, $7}, {$17, $18, $19, $20}, db, yes, 1, 1, 0; }
// CHECK-SAME: "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,l,r,r,r,r"
func.func @first_factor_in_registers(%to: !eft.ptr<f32>, %from: !eft.ptr<bf16>, %slot: i32) {
  %p = eft.splat %to : !eft.ptr<f32> -> tensor<128x16x!eft.ptr<f32>, #c>
  %q = eft.splat %from : !eft.ptr<bf16> -> tensor<128x16x!eft.ptr<bf16>, #k>
  %zero = arith.constant dense<0.0> : tensor<128x16xf32, #c>
  %x = eft.load %q : tensor<128x16x!eft.ptr<bf16>, #k>
  %y = eft.alloc_shared : !eft.shared<1, tensor<16x16xbf16, #b>>
  %d = eft.dot_async %x, %y[%slot] transposed, %zero : tensor<128x16xbf16, #k>, !eft.shared<1, tensor<16x16xbf16, #b>> -> tensor<128x16xf32, #c>
  %r = eft.wait_dots %d pending 0 : tensor<128x16xf32, #c>
  eft.dealloc_shared %y : !eft.shared<1, tensor<16x16xbf16, #b>>
  eft.store %p, %r : tensor<128x16x!eft.ptr<f32>, #c>
  return
}

// -----

#c = #eft.layout<register = [[0, 1], [8, 0], [0, 8], [16, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[32, 0], [64, 0], [0, 0]]>
#b = #eft.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0]]>
func.func @another_accumulator(%slot: i32) {
  %a = arith.constant dense<0.0> : tensor<128x16xf16, #c>
  %zero = arith.constant dense<0.0> : tensor<128x16xf32, #c>
  %y = eft.alloc_shared : !eft.shared<1, tensor<16x16xf16, #b>>
  // expected-error @+1 {{'eft.dot_async' op needs an accumulator in a layout of warpgroups}}
  %d = eft.dot_async %a, %y[%slot], %zero : tensor<128x16xf16, #c>, !eft.shared<1, tensor<16x16xf16, #b>> -> tensor<128x16xf32, #c>
  return
}

// -----

#c = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]]>
#b = #eft.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
func.func @another_order(%slot: i32) {
  %a = arith.constant dense<0.0> : tensor<128x16xf16, #c>
  %zero = arith.constant dense<0.0> : tensor<128x16xf32, #c>
  %y = eft.alloc_shared : !eft.shared<1, tensor<16x16xf16, #b>>
  // expected-error @+1 {{'eft.dot_async' op needs factors in the orders of warpgroups}}
  %d = eft.dot_async %a, %y[%slot], %zero : tensor<128x16xf16, #c>, !eft.shared<1, tensor<16x16xf16, #b>> -> tensor<128x16xf32, #c>
  return
}

// -----

#c = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]]>
#k = #eft.layout<register = [[0, 1], [0, 8], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]]>
#b = #eft.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0]]>
func.func @another_layout_of_the_first_factor(%slot: i32) {
  %a = arith.constant dense<0.0> : tensor<128x16xf16, #k>
  %zero = arith.constant dense<0.0> : tensor<128x16xf32, #c>
  %y = eft.alloc_shared : !eft.shared<1, tensor<16x16xf16, #b>>
  // expected-error @+1 {{'eft.dot_async' op needs a first factor in the layout of a tensor core's tiles}}
  %d = eft.dot_async %a, %y[%slot], %zero : tensor<128x16xf16, #k>, !eft.shared<1, tensor<16x16xf16, #b>> -> tensor<128x16xf32, #c>
  return
}
