// RUN: eft-opt %s -split-input-file -eft-lower-to-gpu=num-warps=2 -cse | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: eft-opt %s -split-input-file -eft-lower-to-cpu -cse | FileCheck %s --check-prefixes=CHECK,CPU

#a = #eft.layout<register = [[1], [128]], lane = [[2], [4], [8], [16], [32]], warp = [[64]], step = [[1], [64], [128]]>

// The sum is over registers, then over lanes by butterfly shuffles, then over the sums of both warps,
// which every thread adds.
// CHECK-LABEL: @sum
func.func @sum(%p: !eft.ptr<f32>) {
  // GPU: %[[A:.*]] = arith.addf
  // GPU: %[[B:.*]] = arith.addf
  // GPU: %[[C:.*]] = arith.addf %[[A]], %[[B]] : f32
  // GPU: nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c16_i32
  // GPU: arith.addf
  // GPU-COUNT-4: nvvm.shfl.sync bfly
  // GPU-NOT: nvvm.shfl
  // GPU: %[[LAST:.*]] = arith.addf
  // GPU: llvm.store %[[LAST]], %{{.*}} : f32, !llvm.ptr<3>
  // GPU: nvvm.barrier0
  // GPU: %[[BOTH:.*]] = llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
  // GPU: llvm.bitcast %[[BOTH]] : vector<2xi32> to vector<2xf32>
  // GPU: %[[LOW:.*]] = llvm.extractelement
  // GPU: %[[HIGH:.*]] = llvm.extractelement
  // GPU: arith.addf %[[LOW]], %[[HIGH]] : f32
  // CPU-COUNT-6: arith.addf %{{.*}} : vector<32xf32>
  // CPU-COUNT-10: vector.shuffle
  // CPU-NOT: vector.shuffle
  // CPU: vector.extract %{{.*}}[0] : f32 from vector<32xf32>
  %i = eft.arange 0 to 256 : tensor<256xi32, #a>
  %x = arith.sitofp %i : tensor<256xi32, #a> to tensor<256xf32, #a>
  %s = eft.reduce %x axis 0 steps 2 tree [1, 32, 16, 8, 4, 2, 64] : (tensor<256xf32, #a>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  eft.store %p, %s : !eft.ptr<f32>
  return
}

// -----

#a = #eft.layout<register = [], lane = [[1], [2], [0], [0], [0]], warp = [[0]], step = []>

// If the order of operands matters, the lower index is the first operand; copies are not counted twice.
// CHECK-LABEL: @order
func.func @order(%p: !eft.ptr<f32>) {
  // CHECK: %[[OTHER:.*]] = {{nvvm.shfl|vector.shuffle}}
  // CHECK: %[[FIRST:.*]] = arith.select %[[ODD:[a-z0-9_]+]], %[[O:.*]], %[[X:[a-z0-9_]+]] :
  // CHECK: %[[SECOND:.*]] = arith.select %[[ODD]], %[[X]], %[[O]] :
  // CHECK: arith.subf %[[FIRST]], %[[SECOND]]
  // CHECK: arith.subf
  // CHECK-NOT: arith.subf
  %i = eft.arange 0 to 4 : tensor<4xi32, #a>
  %x = arith.sitofp %i : tensor<4xi32, #a> to tensor<4xf32, #a>
  %s = eft.reduce %x axis 0 steps 1 tree [1, 2] : (tensor<4xf32, #a>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    eft.yield %d : f32
  }
  eft.store %p, %s : !eft.ptr<f32>
  return
}

// -----

#m = #eft.layout<register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 0]], step = [[0, 1]]>
#v = #eft.layout<register = [[0]], lane = [[1], [2], [4], [8], [16]], warp = [[0]], step = [[0]]>

// Conditionals in the combiner become selects. Both results are copied along the axis.
// CHECK-LABEL: @index_of_the_larger
func.func @index_of_the_larger(%p: !eft.ptr<i32>) {
  // CHECK: %[[IS_GREATER:.*]] = arith.cmpi sgt
  // CHECK: arith.select %[[IS_GREATER]]
  // CHECK: arith.select %[[IS_GREATER]]
  // CHECK-NOT: scf.if {{.*}} -> (i32
  // CHECK-NOT: arith.cmpi sgt
  %c1 = arith.constant dense<1> : tensor<32x2xi32, #m>
  %c2 = arith.constant dense<2> : tensor<32x2xi32, #m>
  %k, %v = eft.reduce %c1, %c2 axis 1 steps 1 tree [1] : (tensor<32x2xi32, #m>, tensor<32x2xi32, #m>) -> (tensor<32xi32, #v>, tensor<32xi32, #v>) {
  ^bb0(%a: i32, %i: i32, %b: i32, %j: i32):
    %greater = arith.cmpi sgt, %b, %a : i32
    %best:2 = scf.if %greater -> (i32, i32) {
      scf.yield %b, %j : i32, i32
    } else {
      scf.yield %a, %i : i32, i32
    }
    eft.yield %best#0, %best#1 : i32, i32
  }
  %sum = arith.addi %k, %v : tensor<32xi32, #v>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<32x!eft.ptr<i32>, #v>
  eft.store %ps, %sum : tensor<32x!eft.ptr<i32>, #v>
  return
}

// -----

#a = #eft.layout<register = [[1]], lane = [[2], [0], [0], [0], [0]], warp = [[0]], step = [[1]]>

// Bit 0: odd registers combine with even ones. Bit 1: upper lanes combine with the lower lane's last.
// CHECK-LABEL: @scan
func.func @scan(%p: !eft.ptr<i32>, %n: i32) {
  // CHECK: %[[PAIR:.*]] = arith.maxsi %[[X0:[a-z0-9_]+]], %[[X1:[a-z0-9_]+]] :
  // CHECK: %[[LAST:.*]] = {{nvvm.shfl.sync|vector.shuffle}} {{.*}}%[[PAIR]]
  // CHECK-NOT: {{nvvm.shfl|vector.shuffle}}
  // CHECK: arith.maxsi %[[LAST]], %[[X0]]
  // CHECK: arith.maxsi %[[LAST]], %[[PAIR]]
  %i = eft.arange 0 to 4 : tensor<4xi32, #a>
  %ns = eft.splat %n : i32 -> tensor<4xi32, #a>
  %x = arith.addi %i, %ns : tensor<4xi32, #a>
  %s = eft.scan %x axis 0 : (tensor<4xi32, #a>) -> tensor<4xi32, #a> {
  ^bb0(%a: i32, %b: i32):
    %larger = arith.maxsi %a, %b : i32
    eft.yield %larger : i32
  }
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<4x!eft.ptr<i32>, #a>
  eft.store %ps, %s : tensor<4x!eft.ptr<i32>, #a>
  return
}

// -----

#a = #eft.layout<register = [[64], [128]], lane = [[1], [2], [4], [8], [16]], warp = [[32]], step = [[32], [64], [128]]>

// The last elements of each warp, of all four registers, reach all threads by one staging.
// CHECK-LABEL: @scan_over_warps
func.func @scan_over_warps(%p: !eft.ptr<i32>, %n: i32) {
  // GPU-COUNT-20: nvvm.shfl.sync idx
  // GPU-NOT: nvvm.shfl
  // GPU: nvvm.barrier0
  // GPU-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
  // GPU-NOT: ptr<3>
  // GPU-NOT: nvvm.barrier0
  // CPU: vector.shuffle
  %i = eft.arange 0 to 256 : tensor<256xi32, #a>
  %ns = eft.splat %n : i32 -> tensor<256xi32, #a>
  %x = arith.addi %i, %ns : tensor<256xi32, #a>
  %s = eft.scan %x axis 0 : (tensor<256xi32, #a>) -> tensor<256xi32, #a> {
  ^bb0(%a: i32, %b: i32):
    %larger = arith.maxsi %a, %b : i32
    eft.yield %larger : i32
  }
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<256x!eft.ptr<i32>, #a>
  eft.store %ps, %s : tensor<256x!eft.ptr<i32>, #a>
  return
}

// -----

#a = #eft.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128]], step = [[1], [2], [128]]>
#b = #eft.layout<register = [[1], [2]], lane = [[5], [8], [16], [32], [64]], warp = [[128]], step = [[1], [2], [128]]>

// Of the four registers of a thread, only the last goes to the other warp.
// CHECK-LABEL: @scan_of_runs
func.func @scan_of_runs(%p: !eft.ptr<i32>, %n: i32) {
  // GPU-COUNT-1: llvm.store %{{.*}}ptr<3>
  // GPU-NOT: llvm.store %{{.*}}ptr<3>
  // GPU: nvvm.barrier0
  // GPU: llvm.load %{{.*}}ptr<3>
  // GPU-NOT: nvvm.barrier0
  // CPU: vector.shuffle
  %i = eft.arange 0 to 256 : tensor<256xi32, #a>
  %ns = eft.splat %n : i32 -> tensor<256xi32, #a>
  %x = arith.addi %i, %ns : tensor<256xi32, #a>
  %s = eft.scan %x axis 0 : (tensor<256xi32, #a>) -> tensor<256xi32, #a> {
  ^bb0(%a: i32, %b: i32):
    %larger = arith.maxsi %a, %b : i32
    eft.yield %larger : i32
  }
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<256x!eft.ptr<i32>, #a>
  eft.store %ps, %s : tensor<256x!eft.ptr<i32>, #a>
  return
}

// In the lanes with odd numbers, the last element of four is in another register.
// CHECK-LABEL: @scan_of_permuted_runs
func.func @scan_of_permuted_runs(%p: !eft.ptr<i32>, %n: i32) {
  // GPU-COUNT-28: arith.select
  // GPU-NOT: arith.select
  // GPU: llvm.store %{{.*}}ptr<3>
  // GPU-NOT: llvm.store %{{.*}}ptr<3>
  // GPU: nvvm.barrier0
  // CPU: vector.shuffle
  %i = eft.arange 0 to 256 : tensor<256xi32, #b>
  %ns = eft.splat %n : i32 -> tensor<256xi32, #b>
  %x = arith.addi %i, %ns : tensor<256xi32, #b>
  %s = eft.scan %x axis 0 : (tensor<256xi32, #b>) -> tensor<256xi32, #b> {
  ^bb0(%a: i32, %b: i32):
    %larger = arith.maxsi %a, %b : i32
    eft.yield %larger : i32
  }
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<256x!eft.ptr<i32>, #b>
  eft.store %ps, %s : tensor<256x!eft.ptr<i32>, #b>
  return
}

// -----

#a = #eft.layout<register = [[64], [128]], lane = [[1], [2], [4], [8], [16]], warp = [[32]], step = [[32], [64], [128]]>

// If the order is free, one instruction combines the integers of a warp. Registers come first.
// CHECK-LABEL: @integers
func.func @integers(%p: !eft.ptr<i32>, %n: i32) {
  // GPU-COUNT-2: arith.minsi
  // GPU: %[[FOUR:.*]] = arith.minsi
  // GPU: %[[WARP:.*]] = nvvm.redux.sync min %[[FOUR]], %c-1_i32 : i32 -> i32
  // GPU-NOT: nvvm.shfl
  // GPU-NOT: nvvm.redux
  // GPU: llvm.store %[[WARP]], %{{.*}} : i32, !llvm.ptr<3>
  // GPU: nvvm.barrier0
  // GPU: arith.minsi
  // GPU-NOT: arith.minsi
  // CPU: vector.shuffle
  %i = eft.arange 0 to 256 : tensor<256xi32, #a>
  %ns = eft.splat %n : i32 -> tensor<256xi32, #a>
  %x = arith.muli %i, %ns : tensor<256xi32, #a>
  %s = eft.reduce %x axis 0 order_free steps 1 tree [128, 64, 16, 8, 4, 2, 1, 32] : (tensor<256xi32, #a>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %least = arith.minsi %a, %b : i32
    eft.yield %least : i32
  }
  eft.store %p, %s : !eft.ptr<i32>
  return
}

// -----

#a = #eft.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0]], step = [[8], [16]]>

// Narrow integers are extended. A reduction in an order of its own keeps to it.
// CHECK-LABEL: @narrow_integers
func.func @narrow_integers(%p: !eft.ptr<i8>, %n: i8) {
  // GPU: %[[WIDE:.*]] = arith.extsi %[[X:.*]] : i8 to i32
  // GPU: %[[WARP:.*]] = nvvm.redux.sync max %[[WIDE]], %{{.*}} : i32 -> i32
  // GPU: arith.trunci %[[WARP]] : i32 to i8
  // GPU-COUNT-5: nvvm.shfl.sync bfly
  // GPU-NOT: nvvm.redux
  // CPU: vector.shuffle
  %i = eft.arange 0 to 32 : tensor<32xi32, #a>
  %j = arith.trunci %i : tensor<32xi32, #a> to tensor<32xi8, #a>
  %ns = eft.splat %n : i8 -> tensor<32xi8, #a>
  %x = arith.muli %j, %ns : tensor<32xi8, #a>
  %s = eft.reduce %x axis 0 order_free steps 1 tree [16, 8, 4, 2, 1] : (tensor<32xi8, #a>) -> i8 {
  ^bb0(%a: i8, %b: i8):
    %most = arith.maxsi %a, %b : i8
    eft.yield %most : i8
  }
  %t = eft.reduce %x axis 0 steps 1 tree [16, 8, 4, 2, 1] : (tensor<32xi8, #a>) -> i8 {
  ^bb0(%a: i8, %b: i8):
    %most = arith.maxsi %a, %b : i8
    eft.yield %most : i8
  }
  %both = arith.addi %s, %t : i8
  eft.store %p, %both : !eft.ptr<i8>
  return
}

// -----

#a = #eft.layout<register = [], lane = [[1], [2], [4], [8], [0]], warp = [[0]], step = [[8]]>

// Copies of an element change a sum, but no maximum.
// CHECK-LABEL: @copies
func.func @copies(%p: !eft.ptr<i32>, %n: i32) {
  // GPU: nvvm.redux.sync umax
  // GPU-COUNT-4: nvvm.shfl.sync bfly
  // GPU-NOT: nvvm.redux
  // CPU: vector.shuffle
  %i = eft.arange 0 to 16 : tensor<16xi32, #a>
  %ns = eft.splat %n : i32 -> tensor<16xi32, #a>
  %x = arith.muli %i, %ns : tensor<16xi32, #a>
  %s = eft.reduce %x axis 0 order_free steps 1 tree [8, 4, 2, 1] : (tensor<16xi32, #a>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %most = arith.maxui %a, %b : i32
    eft.yield %most : i32
  }
  %t = eft.reduce %x axis 0 order_free steps 1 tree [8, 4, 2, 1] : (tensor<16xi32, #a>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %sum = arith.addi %a, %b : i32
    eft.yield %sum : i32
  }
  %both = arith.addi %s, %t : i32
  eft.store %p, %both : !eft.ptr<i32>
  return
}

// -----

#a = #eft.layout<register = [], lane = [[1], [2], [0], [0], [0]], warp = [[0]], step = []>

// If the order is free, nothing decides which element of a pair comes first.
// CHECK-LABEL: @pairs_in_any_order
func.func @pairs_in_any_order(%p: !eft.ptr<i32>, %n: i32) {
  // GPU-COUNT-4: nvvm.shfl.sync bfly
  // CHECK-NOT: arith.select
  // CHECK: return
  %i = eft.arange 0 to 4 : tensor<4xi32, #a>
  %ns = eft.splat %n : i32 -> tensor<4xi32, #a>
  %x = arith.muli %i, %ns : tensor<4xi32, #a>
  %s:2 = eft.reduce %i, %x axis 0 order_free steps 1 tree [1, 2] : (tensor<4xi32, #a>, tensor<4xi32, #a>) -> (i32, i32) {
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
    %most = arith.maxsi %a, %c : i32
    %least = arith.minsi %b, %d : i32
    eft.yield %most, %least : i32, i32
  }
  %both = arith.addi %s#0, %s#1 : i32
  eft.store %p, %both : !eft.ptr<i32>
  return
}
