// RUN: eft-opt %s | eft-opt | FileCheck %s
// The alias of the layout is printed at the top of the module.
// CHECK: #layout = #eft.layout<register = {{\[\[}}0, 1]], lane = {{\[\[}}1, 0], [2, 0], [0, 0]], warp = []>

// CHECK-LABEL: @programs
func.func @programs() -> (i32, i32) {
  // CHECK: eft.program_id y
  %0 = eft.program_id y
  // CHECK: eft.num_programs z
  %1 = eft.num_programs z
  return %0, %1 : i32, i32
}

// CHECK-LABEL: @blocks
func.func @blocks(%x: f32) -> tensor<4x8xf32> {
  // CHECK: eft.arange -2 to 6 : tensor<8xi32>
  %r = eft.arange -2 to 6 : tensor<8xi32>
  // CHECK: eft.splat %{{.*}} : f32 -> tensor<4xf32>
  %0 = eft.splat %x : f32 -> tensor<4xf32>
  // CHECK: eft.expand_dims %{{.*}} axis 1 : tensor<4xf32> -> tensor<4x1xf32>
  %1 = eft.expand_dims %0 axis 1 : tensor<4xf32> -> tensor<4x1xf32>
  // CHECK: eft.broadcast %{{.*}} : tensor<4x1xf32> -> tensor<4x8xf32>
  %2 = eft.broadcast %1 : tensor<4x1xf32> -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// CHECK-LABEL: @memory
func.func @memory(%p: tensor<8x!eft.ptr<bf16>>, %o: tensor<8xi64>, %m: tensor<8xi1>, %v: tensor<8xbf16>) {
  // CHECK: eft.addptr %{{.*}}, %{{.*}} : tensor<8x!eft.ptr<bf16>>, tensor<8xi64>
  %q = eft.addptr %p, %o : tensor<8x!eft.ptr<bf16>>, tensor<8xi64>
  // CHECK: eft.load %{{.*}} : tensor<8x!eft.ptr<bf16>>
  %0 = eft.load %q : tensor<8x!eft.ptr<bf16>>
  // CHECK: eft.load %{{.*}}, mask %{{.*}} other %{{.*}} : tensor<8x!eft.ptr<bf16>>
  %1 = eft.load %q, mask %m other %v : tensor<8x!eft.ptr<bf16>>
  // CHECK: eft.store %{{.*}}, %{{.*}}, mask %{{.*}} : tensor<8x!eft.ptr<bf16>>
  eft.store %q, %1, mask %m : tensor<8x!eft.ptr<bf16>>
  // CHECK: eft.prefetch %{{.*}} : tensor<8x!eft.ptr<bf16>>
  eft.prefetch %q : tensor<8x!eft.ptr<bf16>>
  // CHECK: eft.store %{{.*}}, %{{.*}} : tensor<8x!eft.ptr<bf16>>
  eft.store %q, %0 : tensor<8x!eft.ptr<bf16>>
  return
}

// CHECK-LABEL: @scalar_memory
func.func @scalar_memory(%p: !eft.ptr<i8>, %m: i1) {
  // CHECK: eft.load %{{.*}}, mask %{{.*}} : !eft.ptr<i8>
  %0 = eft.load %p, mask %m : !eft.ptr<i8>
  // CHECK: eft.store %{{.*}}, %{{.*}} : !eft.ptr<i8>
  eft.store %p, %0 : !eft.ptr<i8>
  return
}

// CHECK-LABEL: @arithmetic
func.func @arithmetic(%s: i64, %i: tensor<8xi32>, %x: tensor<8xf32>, %d: f32) {
  // CHECK: eft.philox seed %{{.*}} counter %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} rounds 10 : i64, tensor<8xi32>
  %w:4 = eft.philox seed %s counter %i, %i, %i, %i rounds 10 : i64, tensor<8xi32>
  // CHECK: eft.uniform_div %{{.*}}, %{{.*}}, %{{.*}} : tensor<8xf32>, f32
  %q = eft.uniform_div %x, %d, %d : tensor<8xf32>, f32
  return
}


// CHECK-LABEL: @layout
// CHECK-SAME: #layout
func.func @layout(%x: tensor<4x2xf32, #eft.layout<register = [[0, 1]], lane = [[1, 0], [2, 0], [0, 0]], warp = []>>) {
  return
}
