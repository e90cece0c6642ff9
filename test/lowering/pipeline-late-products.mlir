// RUN: eft-opt %s -pass-pipeline='builtin.module(eft-place{target=sm_90 num-warps=4}, func.func(eft-pipeline-copies{num-stages=3 max-bytes=232448}))' | FileCheck %s

// An iteration begins the first product of the next iteration, then its own second product. The
// exponentials are computed while the second product is under way; the following iteration waits for it.
// The code before the loop waits for the first product only, and the last second product follows the
// loop. The copies begin one iteration ahead, into three slots, because one slot is read for an
// iteration longer.
// CHECK-LABEL: @weighted
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %c0_i32, %[[N:.*]] : i32
// CHECK: scf.if %[[ANY]] -> (tensor<64x128xf32
// CHECK-COUNT-2: eft.alloc_shared : <3, tensor<64x128xf16
// CHECK: eft.wait_copies pending 0
// CHECK: %[[S0:.*]] = eft.dot_async %[[Q:.*]], %{{.*}}[%{{.*}}] transposed
// CHECK: eft.wait_dots %[[S0]] pending 0
// CHECK: %[[P0:.*]] = math.exp2
// CHECK: %[[END:.*]] = arith.subi %[[N]], %c1_i32
// CHECK: %[[LOOP:.*]]:{{[0-9]+}} = scf.for %{{.*}} = %c0_i32 to %[[END]] step %c1_i32 iter_args(%[[ACC:[a-z0-9]*]] = {{.*}}%[[P:[a-z0-9]*]] = %[[P0]]
// CHECK: %[[DONE:.*]]:2 = eft.wait_dots %[[ACC]], %[[P]] pending 0
// CHECK-NEXT: %[[HALF:.*]] = arith.truncf %[[DONE]]#1
// CHECK-NEXT: eft.wait_copies pending 0
// CHECK: %[[S:.*]] = eft.dot_async %[[Q]], %{{.*}}[%{{.*}}] transposed
// CHECK: %[[SCALED:.*]] = arith.mulf %[[DONE]]#0
// CHECK: %[[O:.*]] = eft.dot_async %[[HALF]], %{{.*}}[%{{.*}}], %[[SCALED]]
// CHECK-COUNT-2: eft.copy_async
// CHECK: eft.commit_copies
// CHECK: eft.wait_dots %[[S]] pending 1
// CHECK: %[[NEXT:.*]] = math.exp2
// CHECK: scf.yield %[[O]]{{.*}}%[[NEXT]]
// CHECK: %[[LAST:.*]]:2 = eft.wait_dots %[[LOOP]]#0, %[[LOOP]]#{{[0-9]+}} pending 0
// CHECK: %[[O2:.*]] = eft.dot_async
// CHECK: eft.wait_dots %[[O2]] pending 0
// CHECK: eft.wait_copies pending 0
// CHECK-COUNT-2: eft.dealloc_shared
// CHECK: } else {
func.func @weighted(%p: !eft.ptr<f16> {eft.divisibility = 16 : i32}, %o: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %n: i32, %w: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %none = arith.constant dense<0.0> : tensor<64x64xf32>
  %width = arith.constant dense<128> : tensor<64x1xi32>
  %far = arith.constant dense<8192> : tensor<64x128xi32>
  %ws = eft.splat %w : f32 -> tensor<64x128xf32>
  %i = eft.arange 0 to 64 : tensor<64xi32>
  %d = eft.arange 0 to 128 : tensor<128xi32>
  %rows = eft.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %across = eft.expand_dims %d axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %a0 = arith.muli %rows, %width : tensor<64x1xi32>
  %a1 = eft.broadcast %a0 : tensor<64x1xi32> -> tensor<64x128xi32>
  %a2 = eft.broadcast %across : tensor<1x128xi32> -> tensor<64x128xi32>
  %at = arith.addi %a1, %a2 : tensor<64x128xi32>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<64x128x!eft.ptr<f16>>
  %pq = eft.addptr %ps, %at : tensor<64x128x!eft.ptr<f16>>, tensor<64x128xi32>
  %pv = eft.addptr %pq, %far : tensor<64x128x!eft.ptr<f16>>, tensor<64x128xi32>
  %os = eft.splat %o : !eft.ptr<f32> -> tensor<64x128x!eft.ptr<f32>>
  %po = eft.addptr %os, %at : tensor<64x128x!eft.ptr<f32>>, tensor<64x128xi32>
  %q = eft.load %pq : tensor<64x128x!eft.ptr<f16>>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32>) : i32 {
    %k = eft.load %pq : tensor<64x128x!eft.ptr<f16>>
    %kt = eft.trans %k order [1, 0] : tensor<64x128xf16> -> tensor<128x64xf16>
    %s = eft.dot %q, %kt, %none precision ieee : tensor<64x128xf16>, tensor<128x64xf16> -> tensor<64x64xf32>
    %e = math.exp2 %s : tensor<64x64xf32>
    %h = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xf16>
    %v = eft.load %pv : tensor<64x128x!eft.ptr<f16>>
    %scaled = arith.mulf %acc, %ws : tensor<64x128xf32>
    %x = eft.dot %h, %v, %scaled precision ieee : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
    scf.yield %x : tensor<64x128xf32>
  }
  eft.store %po, %r : tensor<64x128x!eft.ptr<f32>>
  return
}

// Twice as many rows need more registers than a thread has. So the first factor from before the loop is
// written to shared memory, and an iteration waits for its second product.
// CHECK-LABEL: @many_registers
// CHECK-NOT: scf.if
// CHECK: %[[Q:.*]] = eft.load
// CHECK: %[[SLOT:.*]] = eft.alloc_shared : <1, tensor<128x128xf16
// CHECK-NEXT: eft.write_shared %[[Q]], %[[SLOT]]
// CHECK-NEXT: eft.barrier
// CHECK-COUNT-2: eft.alloc_shared : <3, tensor<64x128xf16
// CHECK: scf.for
// CHECK: eft.dot_async %[[SLOT]][%{{.*}}], %{{.*}}[%{{.*}}] transposed
// CHECK-NEXT: eft.wait_dots %{{.*}} pending 0
// CHECK: eft.dot_async
// CHECK-NEXT: eft.wait_dots %{{.*}} pending 0
// CHECK-NEXT: scf.yield
// CHECK-COUNT-2: eft.dealloc_shared
// CHECK: eft.dealloc_shared %[[SLOT]]
func.func @many_registers(%p: !eft.ptr<f16> {eft.divisibility = 16 : i32}, %o: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %n: i32, %w: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %none = arith.constant dense<0.0> : tensor<128x64xf32>
  %width = arith.constant dense<128> : tensor<64x1xi32>
  %far = arith.constant dense<8192> : tensor<64x128xi32>
  %ws = eft.splat %w : f32 -> tensor<128x128xf32>
  %i = eft.arange 0 to 64 : tensor<64xi32>
  %d = eft.arange 0 to 128 : tensor<128xi32>
  %rows = eft.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %across = eft.expand_dims %d axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %a0 = arith.muli %rows, %width : tensor<64x1xi32>
  %a1 = eft.broadcast %a0 : tensor<64x1xi32> -> tensor<64x128xi32>
  %a2 = eft.broadcast %across : tensor<1x128xi32> -> tensor<64x128xi32>
  %at = arith.addi %a1, %a2 : tensor<64x128xi32>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<64x128x!eft.ptr<f16>>
  %pq = eft.addptr %ps, %at : tensor<64x128x!eft.ptr<f16>>, tensor<64x128xi32>
  %pv = eft.addptr %pq, %far : tensor<64x128x!eft.ptr<f16>>, tensor<64x128xi32>
  %i2 = eft.arange 0 to 128 : tensor<128xi32>
  %widths = arith.constant dense<128> : tensor<128x1xi32>
  %rows2 = eft.expand_dims %i2 axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %b0 = arith.muli %rows2, %widths : tensor<128x1xi32>
  %b1 = eft.broadcast %b0 : tensor<128x1xi32> -> tensor<128x128xi32>
  %b2 = eft.broadcast %across : tensor<1x128xi32> -> tensor<128x128xi32>
  %from = arith.addi %b1, %b2 : tensor<128x128xi32>
  %qs = eft.splat %p : !eft.ptr<f16> -> tensor<128x128x!eft.ptr<f16>>
  %pf = eft.addptr %qs, %from : tensor<128x128x!eft.ptr<f16>>, tensor<128x128xi32>
  %q = eft.load %pf : tensor<128x128x!eft.ptr<f16>>
  %os = eft.splat %o : !eft.ptr<f32> -> tensor<128x128x!eft.ptr<f32>>
  %po = eft.addptr %os, %from : tensor<128x128x!eft.ptr<f32>>, tensor<128x128xi32>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
    %k = eft.load %pq : tensor<64x128x!eft.ptr<f16>>
    %kt = eft.trans %k order [1, 0] : tensor<64x128xf16> -> tensor<128x64xf16>
    %s = eft.dot %q, %kt, %none precision ieee : tensor<128x128xf16>, tensor<128x64xf16> -> tensor<128x64xf32>
    %e = math.exp2 %s : tensor<128x64xf32>
    %h = arith.truncf %e : tensor<128x64xf32> to tensor<128x64xf16>
    %v = eft.load %pv : tensor<64x128x!eft.ptr<f16>>
    %scaled = arith.mulf %acc, %ws : tensor<128x128xf32>
    %x = eft.dot %h, %v, %scaled precision ieee : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %x : tensor<128x128xf32>
  }
  eft.store %po, %r : tensor<128x128x!eft.ptr<f32>>
  return
}

// ptxas compiles a division as a call, after which it does not preserve the registers of a first factor
// from before the loop. So this factor is in shared memory.
// CHECK-LABEL: @divided
// CHECK: %[[Q:.*]] = eft.load
// CHECK: %[[SLOT:.*]] = eft.alloc_shared : <1, tensor<64x128xf16
// CHECK-NEXT: eft.write_shared %[[Q]], %[[SLOT]]
// CHECK: scf.for
// CHECK: eft.dot_async %[[SLOT]][%{{.*}}], %{{.*}}[%{{.*}}] transposed
func.func @divided(%p: !eft.ptr<f16> {eft.divisibility = 16 : i32}, %o: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %n: i32, %w: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %none = arith.constant dense<0.0> : tensor<64x64xf32>
  %width = arith.constant dense<128> : tensor<64x1xi32>
  %far = arith.constant dense<8192> : tensor<64x128xi32>
  %ws = eft.splat %w : f32 -> tensor<64x128xf32>
  %i = eft.arange 0 to 64 : tensor<64xi32>
  %d = eft.arange 0 to 128 : tensor<128xi32>
  %rows = eft.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %across = eft.expand_dims %d axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %a0 = arith.muli %rows, %width : tensor<64x1xi32>
  %a1 = eft.broadcast %a0 : tensor<64x1xi32> -> tensor<64x128xi32>
  %a2 = eft.broadcast %across : tensor<1x128xi32> -> tensor<64x128xi32>
  %at = arith.addi %a1, %a2 : tensor<64x128xi32>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<64x128x!eft.ptr<f16>>
  %pq = eft.addptr %ps, %at : tensor<64x128x!eft.ptr<f16>>, tensor<64x128xi32>
  %pv = eft.addptr %pq, %far : tensor<64x128x!eft.ptr<f16>>, tensor<64x128xi32>
  %os = eft.splat %o : !eft.ptr<f32> -> tensor<64x128x!eft.ptr<f32>>
  %po = eft.addptr %os, %at : tensor<64x128x!eft.ptr<f32>>, tensor<64x128xi32>
  %q = eft.load %pq : tensor<64x128x!eft.ptr<f16>>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32>) : i32 {
    %k = eft.load %pq : tensor<64x128x!eft.ptr<f16>>
    %kt = eft.trans %k order [1, 0] : tensor<64x128xf16> -> tensor<128x64xf16>
    %s = eft.dot %q, %kt, %none precision ieee : tensor<64x128xf16>, tensor<128x64xf16> -> tensor<64x64xf32>
    %e = math.exp2 %s : tensor<64x64xf32>
    %h = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xf16>
    %v = eft.load %pv : tensor<64x128x!eft.ptr<f16>>
    %scaled = arith.divf %acc, %ws : tensor<64x128xf32>
    %x = eft.dot %h, %v, %scaled precision ieee : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
    scf.yield %x : tensor<64x128xf32>
  }
  eft.store %po, %r : tensor<64x128x!eft.ptr<f32>>
  return
}
