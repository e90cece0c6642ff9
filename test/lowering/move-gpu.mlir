// RUN: eft-opt %s -split-input-file -eft-lower-to-gpu=num-warps=2 -cse | FileCheck %s

#a = #eft.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128]]>
#b = #eft.layout<register = [[2], [1]], lane = [[4], [8], [16], [32], [64]], warp = [[128]]>

// CHECK-LABEL: @registers_change_names
func.func @registers_change_names(%p: !eft.ptr<i32>) {
  // CHECK: %[[I1:.*]] = arith.addi %{{.*}}, %c1
  // CHECK: %[[I2:.*]] = arith.addi %{{.*}}, %c2
  // CHECK-NOT: shfl
  // CHECK-NOT: barrier
  // CHECK: llvm.store
  // CHECK: llvm.store %[[I2]]
  // CHECK: llvm.store %[[I1]]
  %i = eft.arange 0 to 256 : tensor<256xi32, #a>
  %j = eft.convert_layout %i : tensor<256xi32, #a> -> tensor<256xi32, #b>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<256x!eft.ptr<i32>, #b>
  eft.store %ps, %j : tensor<256x!eft.ptr<i32>, #b>
  return
}

// -----

#a = #eft.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128]]>
#b = #eft.layout<register = [[4], [8]], lane = [[1], [2], [16], [32], [64]], warp = [[128]]>

// Two bits of the register change places with two bits of the lane: of each thread's four elements one
// stays, and three move to other lanes.
// CHECK-LABEL: @lanes_transpose_their_registers
func.func @lanes_transpose_their_registers(%p: !eft.ptr<i32>) {
  // CHECK-COUNT-3: nvvm.shfl.sync bfly
  // CHECK-NOT: nvvm.shfl
  // CHECK-NOT: barrier
  %i = eft.arange 0 to 256 : tensor<256xi32, #a>
  %j = eft.convert_layout %i : tensor<256xi32, #a> -> tensor<256xi32, #b>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<256x!eft.ptr<i32>, #b>
  eft.store %ps, %j : tensor<256x!eft.ptr<i32>, #b>
  return
}

// -----

#a = #eft.layout<register = [[1], [2], [128]], lane = [[4], [8], [16], [32], [64]], warp = [[256]]>
#b = #eft.layout<register = [[4], [8], [128]], lane = [[1], [2], [16], [32], [64]], warp = [[256]]>

// A word holds all booleans of a thread. Each lane needs the words of four lanes, for eight booleans in
// all.
// CHECK-LABEL: @booleans_share_a_word
func.func @booleans_share_a_word(%p: !eft.ptr<i8>) {
  // CHECK: %[[BIT:.*]] = arith.select %{{.*}}, %c128{{.*}}, %c0
  // CHECK: %[[WORD:.*]] = arith.ori %{{.*}}, %[[BIT]]
  // CHECK-COUNT-4: nvvm.shfl.sync idx %{{.*}}, %[[WORD]], %{{.*}}
  // CHECK-NOT: nvvm.shfl
  // CHECK: arith.shrui
  // CHECK: arith.trunci %{{.*}} : i32 to i1
  // CHECK-NOT: barrier
  // CHECK: return
  %i = eft.arange 0 to 512 : tensor<512xi32, #a>
  %odd = arith.trunci %i : tensor<512xi32, #a> to tensor<512xi1, #a>
  %moved = eft.convert_layout %odd : tensor<512xi1, #a> -> tensor<512xi1, #b>
  %bytes = arith.extui %moved : tensor<512xi1, #b> to tensor<512xi8, #b>
  %ps = eft.splat %p : !eft.ptr<i8> -> tensor<512x!eft.ptr<i8>, #b>
  eft.store %ps, %bytes : tensor<512x!eft.ptr<i8>, #b>
  return
}

// -----

#a = #eft.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
#b = #eft.layout<register = [], lane = [[2], [4], [8], [16], [1]], warp = [[32]]>

// CHECK-LABEL: @lanes_change_places
func.func @lanes_change_places(%p: !eft.ptr<f64>, %q: !eft.ptr<f16>, %x: f64, %y: f16) {
  // CHECK: %[[FROM:.*]] = arith.xori
  // CHECK-COUNT-2: nvvm.shfl.sync idx {{.*}} : i32 -> i32
  // CHECK: arith.extui %{{.*}} : i16 to i32
  // CHECK: nvvm.shfl.sync idx {{.*}} : i32 -> i32
  // CHECK: arith.trunci %{{.*}} : i32 to i16
  %xs = eft.splat %x : f64 -> tensor<64xf64, #a>
  %v = eft.convert_layout %xs : tensor<64xf64, #a> -> tensor<64xf64, #b>
  %ys = eft.splat %y : f16 -> tensor<64xf16, #a>
  %w = eft.convert_layout %ys : tensor<64xf16, #a> -> tensor<64xf16, #b>
  %ps = eft.splat %p : !eft.ptr<f64> -> tensor<64x!eft.ptr<f64>, #b>
  eft.store %ps, %v : tensor<64x!eft.ptr<f64>, #b>
  %qs = eft.splat %q : !eft.ptr<f16> -> tensor<64x!eft.ptr<f16>, #b>
  eft.store %qs, %w : tensor<64x!eft.ptr<f16>, #b>
  return
}

// -----

#a = #eft.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
#b = #eft.layout<register = [], lane = [[32], [2], [4], [8], [16]], warp = [[1]]>

// The second staging waits until all threads have read the elements of the first.
// CHECK: llvm.mlir.global external @eft$shared() {addr_space = 3 : i32, alignment = 16 : i64}
// CHECK-LABEL: @warps_go_through_shared_memory
// CHECK-SAME: eft.shared_bytes = 256
func.func @warps_go_through_shared_memory(%p: !eft.ptr<i32>) {
  // CHECK-NOT: nvvm.barrier0
  // CHECK: llvm.store %{{.*}} : i32, !llvm.ptr<3>
  // CHECK-NEXT: nvvm.barrier0
  // CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> i32
  // CHECK: nvvm.barrier0
  // CHECK: llvm.store %{{.*}} : i32, !llvm.ptr<3>
  // CHECK-NEXT: nvvm.barrier0
  // CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> i32
  // CHECK-NOT: nvvm.barrier0
  %i = eft.arange 0 to 64 : tensor<64xi32, #a>
  %j = eft.convert_layout %i : tensor<64xi32, #a> -> tensor<64xi32, #b>
  %k = eft.exchange %j axis 0 mask 1 : tensor<64xi32, #b>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<64x!eft.ptr<i32>, #b>
  eft.store %ps, %k : tensor<64x!eft.ptr<i32>, #b>
  return
}

// -----

#a = #eft.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]>

// CHECK-LABEL: @exchange
func.func @exchange(%p: !eft.ptr<i32>) {
  // Inside a thread the exchange is a renaming, inside a warp a butterfly shuffle; 66 = 2 * 1 + 64 needs
  // both warps.
  // CHECK: nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c3_i32
  // CHECK: nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c3_i32
  // CHECK-NOT: nvvm.shfl
  // CHECK: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<3>
  %i = eft.arange 0 to 128 : tensor<128xi32, #a>
  %j = eft.exchange %i axis 0 mask 7 : tensor<128xi32, #a>
  %k = eft.exchange %j axis 0 mask 66 : tensor<128xi32, #a>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<128x!eft.ptr<i32>, #a>
  eft.store %ps, %k : tensor<128x!eft.ptr<i32>, #a>
  return
}

// -----

#v = #eft.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
#pairs = #eft.layout<register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0]]>
#small = #eft.layout<register = [], lane = [[0], [1], [2], [4], [8]], warp = [[16]]>
#lanes = #eft.layout<register = [], lane = [[0, 1], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0]]>

// CHECK-LABEL: @pairs
func.func @pairs(%p: !eft.ptr<f32>, %x: f32, %y: f32) {
  // In registers, the two halves of a pair are two fragments. In lanes, each lane selects its own half.
  // CHECK-NOT: shfl
  // CHECK: arith.select %{{.*}}, %arg2, %arg1
  %xs = eft.splat %x : f32 -> tensor<64xf32, #v>
  %ys = eft.splat %y : f32 -> tensor<64xf32, #v>
  %xy = eft.join %xs, %ys : tensor<64xf32, #v> -> tensor<64x2xf32, #pairs>
  %a, %b = eft.split %xy : tensor<64x2xf32, #pairs> -> tensor<64xf32, #v>
  %us = eft.splat %x : f32 -> tensor<32xf32, #small>
  %vs = eft.splat %y : f32 -> tensor<32xf32, #small>
  %uv = eft.join %us, %vs : tensor<32xf32, #small> -> tensor<32x2xf32, #lanes>
  %f = eft.reshape %uv : tensor<32x2xf32, #lanes> -> tensor<64xf32, #v>
  %c = arith.addf %a, %f : tensor<64xf32, #v>
  %d = arith.addf %b, %c : tensor<64xf32, #v>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>, #v>
  eft.store %ps, %d : tensor<64x!eft.ptr<f32>, #v>
  return
}

// -----

#t = #eft.layout<register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 2]]>
#u = #eft.layout<register = [[1, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[2, 0]]>

// CHECK-LABEL: @transposition_is_a_name
func.func @transposition_is_a_name(%p: !eft.ptr<f32>, %x: f32) {
  // CHECK-NOT: shfl
  // CHECK-NOT: ptr<3>
  // CHECK: return
  %xs = eft.splat %x : f32 -> tensor<32x4xf32, #t>
  %y = eft.trans %xs order [1, 0] : tensor<32x4xf32, #t> -> tensor<4x32xf32, #u>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<4x32x!eft.ptr<f32>, #u>
  eft.store %ps, %y : tensor<4x32x!eft.ptr<f32>, #u>
  return
}

// -----

#a = #eft.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>

// Indices wrap around, so that no element outside the block is read.
// CHECK-LABEL: @gather
func.func @gather(%p: !eft.ptr<f32>, %x: f32, %i: i64) {
  // CHECK: llvm.store %arg1, %{{.*}} : f32, !llvm.ptr<3>
  // CHECK: nvvm.barrier0
  // CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
  %xs = eft.splat %x : f32 -> tensor<64xf32, #a>
  %is = eft.splat %i : i64 -> tensor<64xi64, #a>
  %y = eft.gather %xs[%is] axis 0 : tensor<64xf32, #a>, tensor<64xi64, #a> -> tensor<64xf32, #a>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>, #a>
  eft.store %ps, %y : tensor<64x!eft.ptr<f32>, #a>
  return
}

// -----

#large = #eft.layout<register = [[1], [2], [4], [512], [1024], [2048], [4096], [8192]],
                     lane = [[8], [16], [32], [64], [128]], warp = [[256]]>

// The block goes through shared memory in two rounds. Each round is a loop over the indices. The indices
// are in local memory, followed by the elements that are found.
// CHECK-LABEL: @gather_in_rounds
// CHECK: %[[AREA:.*]] = llvm.alloca %c2048_i32 x i8 {alignment = 16
// CHECK: %[[INDICES:.*]] = llvm.getelementptr %[[AREA]][0]
// CHECK: %[[FOUND:.*]] = llvm.getelementptr %[[AREA]][1024]
// CHECK: nvvm.barrier0
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %c256_i32
// CHECK: llvm.getelementptr %[[INDICES]][%[[I]]]
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK: nvvm.barrier0
// CHECK: scf.for
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK: arith.select
// CHECK-NOT: scf.for
// CHECK: return
func.func @gather_in_rounds(%p: !eft.ptr<f32>, %x: f32, %i: i32) {
  %xs = eft.splat %x : f32 -> tensor<16384xf32, #large>
  %is = eft.splat %i : i32 -> tensor<16384xi32, #large>
  %y = eft.gather %xs[%is] axis 0 : tensor<16384xf32, #large>, tensor<16384xi32, #large> -> tensor<16384xf32, #large>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<16384x!eft.ptr<f32>, #large>
  eft.store %ps, %y : tensor<16384x!eft.ptr<f32>, #large>
  return
}

// -----

#a = #eft.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128]]>
#b = #eft.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [128]], warp = [[64]]>

// CHECK-LABEL: @neighbours_stay_together
func.func @neighbours_stay_together(%p: !eft.ptr<i32>) {
  // CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
  // CHECK: nvvm.barrier0
  // CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
  %i = eft.arange 0 to 256 : tensor<256xi32, #a>
  %j = eft.convert_layout %i : tensor<256xi32, #a> -> tensor<256xi32, #b>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<256x!eft.ptr<i32>, #b>
  eft.store %ps, %j : tensor<256x!eft.ptr<i32>, #b>
  return
}

// -----

#a = #eft.layout<register = [[1], [2], [4], [8], [16], [32], [64]], lane = [[128], [256], [512], [1024], [2048]], warp = [[4096]]>
#b = #eft.layout<register = [[64], [128], [256], [512], [1024], [2048], [4096]], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>

// A block of 64 KiB goes through shared memory in two rounds.
// CHECK-LABEL: @more_than_shared_memory_holds
// CHECK-SAME: eft.shared_bytes = 32768
func.func @more_than_shared_memory_holds(%p: !eft.ptr<f64>, %x: f64) {
  // CHECK-COUNT-3: nvvm.barrier0
  // CHECK-NOT: nvvm.barrier0
  %xs = eft.splat %x : f64 -> tensor<8192xf64, #a>
  %y = eft.convert_layout %xs : tensor<8192xf64, #a> -> tensor<8192xf64, #b>
  %ps = eft.splat %p : !eft.ptr<f64> -> tensor<8192x!eft.ptr<f64>, #b>
  eft.store %ps, %y : tensor<8192x!eft.ptr<f64>, #b>
  return
}
