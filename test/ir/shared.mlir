// RUN: eft-opt %s | eft-opt | FileCheck %s

#a = #eft.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>
#order = #eft.layout<offset = [[1], [2], [4], [8], [16], [32], [64]]>

// CHECK-LABEL: @copies
func.func @copies(%p: tensor<128x!eft.ptr<f32>, #a>, %x: tensor<128xf32, #a>, %m: tensor<128xi1, #a>, %more: i1, %slot: i32) {
  // CHECK: eft.alloc_shared : <2, tensor<128xf32, #{{.*}}>>
  %s = eft.alloc_shared : !eft.shared<2, tensor<128xf32, #order>>
  // CHECK: eft.copy_async %{{.*}}, %{{.*}}[%{{.*}}] : tensor<128x!eft.ptr<f32>, #{{.*}}>, <2, tensor<128xf32, #{{.*}}>>
  eft.copy_async %p, %s[%slot] : tensor<128x!eft.ptr<f32>, #a>, !eft.shared<2, tensor<128xf32, #order>>
  // CHECK: eft.copy_async %{{.*}}, %{{.*}}[%{{.*}}] if %{{.*}} mask %{{.*}} {run = 4 : i32, uniformRuns}
  eft.copy_async %p, %s[%slot] if %more mask %m {run = 4 : i32, uniformRuns}
      : tensor<128x!eft.ptr<f32>, #a>, !eft.shared<2, tensor<128xf32, #order>>
  // CHECK: eft.commit_copies
  eft.commit_copies
  // CHECK: eft.wait_copies pending 1
  eft.wait_copies pending 1
  // CHECK: eft.write_shared %{{.*}}, %{{.*}}[%{{.*}}] : tensor<128xf32, #{{.*}}>, <2, tensor<128xf32, #{{.*}}>>
  eft.write_shared %x, %s[%slot] : tensor<128xf32, #a>, !eft.shared<2, tensor<128xf32, #order>>
  // CHECK: eft.read_shared %{{.*}}[%{{.*}}] : <2, tensor<128xf32, #{{.*}}>> -> tensor<128xf32, #{{.*}}>
  %v = eft.read_shared %s[%slot] : !eft.shared<2, tensor<128xf32, #order>> -> tensor<128xf32, #a>
  // CHECK: eft.dealloc_shared
  eft.dealloc_shared %s : !eft.shared<2, tensor<128xf32, #order>>
  return
}

#c = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#k = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#columns = #eft.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0]]>

// CHECK-LABEL: @products
func.func @products(%a: tensor<64x16xf16, #k>, %c: tensor<64x16xf32, #c>, %slot: i32) -> (tensor<64x16xf32, #c>, tensor<64x16xf32, #c>) {
  %s = eft.alloc_shared : !eft.shared<2, tensor<16x16xf16, #columns>>
  // CHECK: eft.dot_async %{{.*}}, %{{.*}}[%{{.*}}], %{{.*}} : tensor<64x16xf16, #{{.*}}>, <2, tensor<16x16xf16, #{{.*}}>> -> tensor<64x16xf32, #{{.*}}>
  %d = eft.dot_async %a, %s[%slot], %c : tensor<64x16xf16, #k>, !eft.shared<2, tensor<16x16xf16, #columns>> -> tensor<64x16xf32, #c>
  // CHECK: eft.dot_async %{{.*}}, %{{.*}}[%{{.*}}] transposed, %{{.*}}
  %e = eft.dot_async %a, %s[%slot] transposed, %c : tensor<64x16xf16, #k>, !eft.shared<2, tensor<16x16xf16, #columns>> -> tensor<64x16xf32, #c>
  // CHECK: eft.wait_dots pending 1{{$}}
  eft.wait_dots pending 1
  // CHECK: eft.wait_dots %{{.*}}, %{{.*}} pending 0 : tensor<64x16xf32, #{{.*}}>, tensor<64x16xf32, #{{.*}}>
  %r:2 = eft.wait_dots %d, %e pending 0 : tensor<64x16xf32, #c>, tensor<64x16xf32, #c>
  eft.dealloc_shared %s : !eft.shared<2, tensor<16x16xf16, #columns>>
  return %r#0, %r#1 : tensor<64x16xf32, #c>, tensor<64x16xf32, #c>
}
