// RUN: eft-opt %s --eft-lower-to-llvm | FileCheck %s

// A loop that runs at least once tests at the end of its body whether to continue.
// CHECK-LABEL: @known_to_run
// CHECK: llvm.br ^[[BODY:.*]](%{{.*}}, %{{.*}} : i32, f32)
// CHECK: ^[[BODY]](%[[I:.*]]: i32, %[[X:.*]]: f32):
// CHECK: %[[SUM:.*]] = llvm.fadd %[[X]], %[[X]]
// CHECK: %[[NEXT:.*]] = llvm.add %[[I]], %{{.*}} overflow<nsw>
// CHECK: %[[GOES_ON:.*]] = llvm.icmp "slt" %[[NEXT]]
// CHECK: llvm.cond_br %[[GOES_ON]], ^[[BODY]](%[[NEXT]], %[[SUM]] : i32, f32), ^[[REST:.*]]
// CHECK: ^[[REST]]:
// CHECK: llvm.return %[[SUM]]
func.func @known_to_run(%x: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> f32 : i32 {
    %b = arith.addf %a, %a : f32
    scf.yield %b : f32
  }
  return %r : f32
}

// A loop whose counter would overflow, or that may not run, tests before its body.
// CHECK-LABEL: @counts_to_the_largest_number
// CHECK: llvm.br ^[[HEADER:.*]](%{{.*}} : i8)
// CHECK: ^[[HEADER]](%[[I:.*]]: i8):
// CHECK: %[[RUNS:.*]] = llvm.icmp "slt" %[[I]]
// CHECK: llvm.cond_br %[[RUNS]], ^[[BODY:.*]], ^[[REST:.*]]
// CHECK: ^[[BODY]]:
// CHECK: llvm.store
// CHECK: llvm.br ^[[HEADER]]
// CHECK: ^[[REST]]:
// CHECK: llvm.return
func.func @counts_to_the_largest_number(%p: !llvm.ptr, %x: i8) {
  %c0 = arith.constant 0 : i8
  %c2 = arith.constant 2 : i8
  %c127 = arith.constant 127 : i8
  scf.for %i = %c0 to %c127 step %c2 : i8 {
    llvm.store %x, %p : i8, !llvm.ptr
  }
  return
}

// CHECK-LABEL: @may_not_run
// CHECK: llvm.br ^[[HEADER:.*]](%{{.*}} : i32)
// CHECK: ^[[HEADER]](%[[I:.*]]: i32):
// CHECK: %[[RUNS:.*]] = llvm.icmp "slt" %[[I]]
func.func @may_not_run(%p: !llvm.ptr, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    llvm.store %i, %p : i32, !llvm.ptr
  }
  return
}

// Nested and consecutive loops and conditionals.
// CHECK-LABEL: @nested
// CHECK-NOT: scf.
func.func @nested(%p: !llvm.ptr, %n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.while (%i = %n, %s = %c0) : (i32, i32) -> (i32, i32) {
    %go = arith.cmpi sgt, %i, %c0 : i32
    scf.condition(%go) %i, %s : i32, i32
  } do {
  ^bb0(%i: i32, %s: i32):
    %t = scf.for %k = %c0 to %i step %c1 iter_args(%u = %s) -> i32 : i32 {
      %odd = arith.trunci %k : i32 to i1
      %v = scf.if %odd -> i32 {
        %w = arith.addi %u, %k : i32
        scf.yield %w : i32
      } else {
        scf.yield %u : i32
      }
      scf.yield %v : i32
    }
    %next = arith.subi %i, %c1 : i32
    scf.yield %next, %t : i32, i32
  }
  // A loop whose whole body is in its condition region jumps back to itself.
  // CHECK: ^[[SPIN:bb[0-9]+]]({{[^,]*}}): // 2 preds: ^{{.*}}, ^[[SPIN]]
  // CHECK-NEXT: llvm.load volatile
  %last = scf.while (%i = %r#1) : (i32) -> i32 {
    %x = llvm.load volatile %p : !llvm.ptr -> i32
    %go = arith.cmpi slt, %x, %i : i32
    scf.condition(%go) %x : i32
  } do {
  ^bb0(%i: i32):
    scf.yield %i : i32
  }
  return %last : i32
}

// A GPU's loops test before their body, as upstream's conversion makes them.
// CHECK-LABEL: @of_a_gpu
// CHECK: llvm.br ^[[HEADER:.*]](%{{.*}} : i32)
// CHECK: ^[[HEADER]](%[[I:.*]]: i32):
// CHECK: llvm.icmp "slt" %[[I]]
func.func @of_a_gpu(%p: !llvm.ptr) attributes {eft.threads = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  scf.for %i = %c0 to %c4 step %c1 : i32 {
    llvm.store %i, %p : i32, !llvm.ptr
  }
  return
}

// A GPU's conditionals branch directly to the code after them, with their results.
// CHECK-LABEL: @choice_of_a_gpu
// CHECK: llvm.cond_br %{{.*}}, ^[[THEN:.*]], ^[[ELSE:.*]]
// CHECK: ^[[THEN]]:
// CHECK: llvm.br ^[[REST:.*]](%{{.*}} : i32)
// CHECK: ^[[ELSE]]:
// CHECK-NEXT: llvm.br ^[[REST]](%{{.*}} : i32)
// CHECK-NEXT: ^[[REST]](%[[CHOSEN:.*]]: i32):
// CHECK-NEXT: llvm.return %[[CHOSEN]]
func.func @choice_of_a_gpu(%condition: i1, %x: i32) -> i32 attributes {eft.threads = 32 : i32} {
  %chosen = scf.if %condition -> i32 {
    %sum = arith.addi %x, %x : i32
    scf.yield %sum : i32
  } else {
    scf.yield %x : i32
  }
  return %chosen : i32
}
