// RUN: eft-opt %s -pass-pipeline='builtin.module(func.func(eft-keep-in-buffers{vector-bits=256}))' | FileCheck %s
// RUN: eft-opt %s -pass-pipeline='builtin.module(func.func(eft-keep-in-buffers{vector-bits=256},eft-tile-blocks{dimension=step elements=16 vectors=1 split-prefix use-buffers}))' | FileCheck %s --check-prefix=STEPS

#small = #eft.layout<lane = [[1], [2], [4]], step = [[8], [16], [32]]>
#block = #eft.layout<lane = [[1], [2], [4]], step = [[8], [16], [32], [64], [128], [256], [512]]>
#copies = #eft.layout<lane = [[0], [0], [0]], step = [[1], [2], [4], [0], [0], [0], [0]]>

// A block of eight registers stays in registers; copies don't count.
// CHECK-LABEL: @small_blocks
// CHECK-NOT: eft.buffer :
// CHECK: scf.for {{.*}} -> (tensor<64xf32
// CHECK: scf.for {{.*}} -> (tensor<8xf32
func.func @small_blocks(%x: !eft.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64xf32, #small>
  %one = arith.constant dense<1.0> : tensor<64xf32, #small>
  %zeros = arith.constant dense<0.0> : tensor<8xf32, #copies>
  %ones = arith.constant dense<1.0> : tensor<8xf32, #copies>
  %ps = eft.splat %x : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>, #small>
  %qs = eft.splat %x : !eft.ptr<f32> -> tensor<8x!eft.ptr<f32>, #copies>
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> tensor<64xf32, #small> : i32 {
    %next = arith.addf %a, %one : tensor<64xf32, #small>
    scf.yield %next : tensor<64xf32, #small>
  }
  %e = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zeros) -> tensor<8xf32, #copies> : i32 {
    %next = arith.addf %a, %ones : tensor<8xf32, #copies>
    scf.yield %next : tensor<8xf32, #copies>
  }
  eft.store %ps, %d : tensor<64x!eft.ptr<f32>, #small>
  eft.store %qs, %e : tensor<8x!eft.ptr<f32>, #copies>
  return
}

// A large block that a loop carries is in one buffer. The addend is loaded where it is added. The scalar
// that the loop also carries stays a loop argument.
// CHECK-LABEL: @sum
// CHECK: %[[BUFFER:.*]] = eft.buffer
// CHECK-NOT: eft.buffer :
// CHECK: eft.buffer_write %{{.*}}, %[[BUFFER]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (i32)
// CHECK: %[[ACC:.*]] = eft.buffer_read %[[BUFFER]]
// CHECK: %[[NEXT:.*]] = arith.addf %[[ACC]]
// CHECK: eft.buffer_write %[[NEXT]], %[[BUFFER]]
// CHECK-NEXT: scf.yield %{{.*}} : i32
// CHECK: %[[SUM:.*]] = eft.buffer_read %[[BUFFER]]
// CHECK: eft.store %{{.*}}, %[[SUM]]
// STEPS-LABEL: @sum
// STEPS: scf.for {{.*}} to %c64
// STEPS-NEXT: arith.constant dense<0.000000e+00> : tensor<16xf32
// STEPS-NEXT: eft.buffer_write
// STEPS: scf.for {{.*}} iter_args
// STEPS: scf.for %[[STEP:.*]] = {{.*}} to %c64
// STEPS-NEXT: %[[ACC:.*]] = eft.buffer_read %{{.*}}[%[[STEP]]]
// STEPS: %[[X:.*]] = eft.load %{{.*}} tensor<16x!eft.ptr<f32>
// STEPS-NEXT: %[[NEXT:.*]] = arith.addf %[[ACC]], %[[X]] : tensor<16xf32
// STEPS-NEXT: eft.buffer_write %[[NEXT]], %{{.*}}[%[[STEP]]]
// STEPS: scf.for %[[STEP:.*]] = {{.*}} to %c64
// STEPS-NEXT: %[[SUM:.*]] = eft.buffer_read %{{.*}}[%[[STEP]]]
// STEPS: eft.store %{{.*}}, %[[SUM]]
func.func @sum(%x: !eft.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<1024xf32, #block>
  %r = eft.arange 0 to 1024 : tensor<1024xi32, #block>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<1024x!eft.ptr<f32>, #block>
  %ps = eft.addptr %xs, %r : tensor<1024x!eft.ptr<f32>, #block>, tensor<1024xi32, #block>
  %d, %count = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %k = %c0) -> (tensor<1024xf32, #block>, i32) : i32 {
    %v = eft.load %ps {run = 8 : i32} : tensor<1024x!eft.ptr<f32>, #block>
    %next = arith.addf %a, %v : tensor<1024xf32, #block>
    %more = arith.addi %k, %c1 : i32
    scf.yield %next, %more : tensor<1024xf32, #block>, i32
  }
  eft.store %ps, %d {run = 8 : i32} : tensor<1024x!eft.ptr<f32>, #block>
  return
}

// A loop that swaps two blocks does so a tile at a time: both tiles are read before either is written.
// CHECK-LABEL: @swap
// CHECK: %[[X:.*]] = eft.buffer_read %[[B:.*]][
// CHECK: %[[Y:.*]] = eft.buffer_read %[[A:.*]][
// CHECK: eft.buffer_write %[[X]], %[[A]]
// CHECK: eft.buffer_write %[[Y]], %[[B]]
// STEPS-LABEL: @swap
// STEPS: scf.for {{.*}} to %c64
// STEPS-COUNT-2: eft.buffer_write
// STEPS: scf.for {{.*}} to %arg3
// STEPS: scf.for {{.*}} to %c64
// STEPS: %[[X:.*]] = eft.buffer_read %[[A:.*]][
// STEPS-NEXT: %[[Y:.*]] = eft.buffer_read %[[B:.*]][
// STEPS-NEXT: eft.buffer_write %[[Y]], %[[A]]
// STEPS-NEXT: eft.buffer_write %[[X]], %[[B]]
func.func @swap(%x: !eft.ptr<f32>, %y: f32, %z: f32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ys = eft.splat %y : f32 -> tensor<1024xf32, #block>
  %zs = eft.splat %z : f32 -> tensor<1024xf32, #block>
  %ps = eft.splat %x : !eft.ptr<f32> -> tensor<1024x!eft.ptr<f32>, #block>
  %d:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %ys, %b = %zs) -> (tensor<1024xf32, #block>, tensor<1024xf32, #block>) : i32 {
    scf.yield %b, %a : tensor<1024xf32, #block>, tensor<1024xf32, #block>
  }
  eft.store %ps, %d#0 : tensor<1024x!eft.ptr<f32>, #block>
  eft.store %ps, %d#1 : tensor<1024x!eft.ptr<f32>, #block>
  return
}

// An inner loop and a conditional write their results to the outer loop's buffer. The branch that
// changes nothing has no code.
// CHECK-LABEL: @nested
// CHECK: %[[BUFFER:.*]] = eft.buffer
// CHECK-NOT: eft.buffer :
// CHECK: eft.buffer_write %{{.*}}, %[[BUFFER]]
// CHECK: scf.for
// CHECK-NOT: eft.buffer_write
// CHECK: scf.for
// CHECK: eft.buffer_read %[[BUFFER]]
// CHECK: eft.buffer_write %{{.*}}, %[[BUFFER]]
// CHECK: }
// CHECK-NOT: eft.buffer_write
// CHECK: scf.if
// CHECK: eft.buffer_write %{{.*}}, %[[BUFFER]]
// CHECK: else
// CHECK-NOT: eft.buffer_write
// CHECK: eft.buffer_read %[[BUFFER]]
// CHECK: eft.store
func.func @nested(%x: !eft.ptr<f32>, %c: i1, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<1024xf32, #block>
  %ps = eft.splat %x : !eft.ptr<f32> -> tensor<1024x!eft.ptr<f32>, #block>
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%a = %one) -> tensor<1024xf32, #block> : i32 {
    %inner = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> tensor<1024xf32, #block> : i32 {
      %next = arith.addf %b, %one : tensor<1024xf32, #block>
      scf.yield %next : tensor<1024xf32, #block>
    }
    %chosen = scf.if %c -> tensor<1024xf32, #block> {
      %twice = arith.addf %inner, %inner : tensor<1024xf32, #block>
      scf.yield %twice : tensor<1024xf32, #block>
    } else {
      scf.yield %inner : tensor<1024xf32, #block>
    }
    scf.yield %chosen : tensor<1024xf32, #block>
  }
  eft.store %ps, %d : tensor<1024x!eft.ptr<f32>, #block>
  return
}

// The condition passes on the block that it tests: nothing is copied.
// CHECK-LABEL: @while
// CHECK: %[[BUFFER:.*]] = eft.buffer
// CHECK-NOT: eft.buffer :
// CHECK: scf.while : () -> ()
// CHECK: %[[X:.*]] = eft.buffer_read %[[BUFFER]]
// CHECK: eft.reduce %[[X]]
// CHECK-NOT: eft.buffer_write
// CHECK: scf.condition(%{{.*}})
// CHECK: %[[Y:.*]] = eft.buffer_read %[[BUFFER]]
// CHECK: %[[NEXT:.*]] = arith.addf %[[Y]]
// CHECK: eft.buffer_write %[[NEXT]], %[[BUFFER]]
// CHECK: scf.yield
// CHECK: eft.buffer_read %[[BUFFER]]
func.func @while(%x: !eft.ptr<f32>, %most: f32) {
  %one = arith.constant dense<1.0> : tensor<1024xf32, #block>
  %ps = eft.splat %x : !eft.ptr<f32> -> tensor<1024x!eft.ptr<f32>, #block>
  %d = scf.while (%a = %one) : (tensor<1024xf32, #block>) -> tensor<1024xf32, #block> {
    %sum = eft.reduce %a axis 0 steps 8 tree [1, 2, 4, 8, 16, 32, 64] : (tensor<1024xf32, #block>) -> f32 {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      eft.yield %s : f32
    }
    %goesOn = arith.cmpf olt, %sum, %most : f32
    scf.condition(%goesOn) %a : tensor<1024xf32, #block>
  } do {
  ^bb0(%a: tensor<1024xf32, #block>):
    %next = arith.addf %a, %one : tensor<1024xf32, #block>
    scf.yield %next : tensor<1024xf32, #block>
  }
  eft.store %ps, %d : tensor<1024x!eft.ptr<f32>, #block>
  return
}

// A block that is still used after it changes is copied before the change.
// STEPS-LABEL: @before_and_after
// STEPS: scf.for {{.*}} : i32 {
// STEPS: %[[OLD:.*]] = eft.buffer_read %[[BUFFER:.*]][
// STEPS-NEXT: eft.buffer_write %[[OLD]], %[[COPY:.*]][
// STEPS: scf.for
// STEPS: eft.buffer_write %{{.*}}, %[[BUFFER]][
// STEPS: eft.buffer_read %[[COPY]][
func.func @before_and_after(%x: !eft.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<1024xf32, #block>
  %ps = eft.splat %x : !eft.ptr<f32> -> tensor<1024x!eft.ptr<f32>, #block>
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%a = %one) -> tensor<1024xf32, #block> : i32 {
    %inner = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> tensor<1024xf32, #block> : i32 {
      %next = arith.addf %b, %one : tensor<1024xf32, #block>
      scf.yield %next : tensor<1024xf32, #block>
    }
    eft.store %ps, %a : tensor<1024x!eft.ptr<f32>, #block>
    scf.yield %inner : tensor<1024xf32, #block>
  }
  eft.store %ps, %d : tensor<1024x!eft.ptr<f32>, #block>
  return
}

// An iteration reads its tiles before it writes, so a read after a write is in another loop.
// STEPS-LABEL: @taken_behind_a_put
// STEPS: scf.for
// STEPS: eft.buffer_read
// STEPS: eft.buffer_write
// STEPS: scf.for
// STEPS-NOT: eft.buffer_write
// STEPS: eft.buffer_read
// STEPS: eft.store
func.func @taken_behind_a_put(%x: !eft.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %buffer = eft.buffer : <tensor<1024xf32, #block>>
  %ps = eft.splat %x : !eft.ptr<f32> -> tensor<1024x!eft.ptr<f32>, #block>
  %before = eft.buffer_read %buffer[%c0] : <tensor<1024xf32, #block>> -> tensor<1024xf32, #block>
  %twice = arith.addf %before, %before : tensor<1024xf32, #block>
  eft.buffer_write %twice, %buffer[%c0] : tensor<1024xf32, #block>, <tensor<1024xf32, #block>>
  %behind = eft.buffer_read %buffer[%c0] : <tensor<1024xf32, #block>> -> tensor<1024xf32, #block>
  eft.store %ps, %behind : tensor<1024x!eft.ptr<f32>, #block>
  return
}

// A function without a body has no blocks.
// CHECK-LABEL: func.func private @declared
// STEPS-LABEL: func.func private @declared
func.func private @declared(!eft.ptr<f32>)
