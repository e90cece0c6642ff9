// RUN: eft-opt %s --split-input-file --eft-outline-parts="max-operations=4 operations-per-value=1" | FileCheck %s
// RUN: eft-opt %s --split-input-file --eft-outline-parts="max-operations=4 operations-per-value=1" --eft-lower-to-llvm | FileCheck %s --check-prefix=LLVM
// RUN: eft-opt %s --split-input-file --eft-outline-parts="max-operations=4 operations-per-value=5" | FileCheck %s --check-prefix=FEW

// A part ends where few values are live: one value after %c, two after %b and %d.
// CHECK-LABEL: func.func private @chain.part0
// CHECK-SAME: (%[[A:.*]]: f32, %[[RECORD:.*]]: !llvm.ptr)
// CHECK-SAME: eft.convergent
// CHECK-SAME: passthrough = ["noinline"]
// LLVM: llvm.func internal @chain.part0({{.*}}passthrough = ["noinline", "convergent"]
// CHECK: %[[ONE:.*]] = arith.constant 1.0
// CHECK: arith.addf %[[A]], %[[ONE]]
// CHECK: arith.mulf
// CHECK: %[[C:.*]] = arith.addf
// CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[RECORD]][0, 0]
// CHECK: llvm.store %[[C]], %[[FIELD]]
// CHECK: return
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[A:.*]]: f32
// CHECK: %[[MEMORY:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(f32)>
// CHECK: call @chain.part0(%[[A]], %[[MEMORY]])
// CHECK: %[[C:.*]] = llvm.load
// CHECK: %[[D:.*]] = arith.mulf %[[C]], %{{.*}}
// CHECK: %[[E:.*]] = arith.addf %[[D]], %[[C]]
// CHECK: return %[[E]]
func.func @chain(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %a = arith.addf %x, %one : f32
  %b = arith.mulf %a, %x : f32
  %c = arith.addf %a, %b : f32
  %d = arith.mulf %c, %one : f32
  %e = arith.addf %d, %c : f32
  return %e : f32
}

// -----

// Long code in a loop is cut inside the loop. A part may call another part.
// CHECK-LABEL: func.func private @loop.part0
// CHECK-NOT: scf.for
// CHECK-LABEL: func.func private @loop.part1
// CHECK: scf.for
// CHECK: func.call @loop.part0
// CHECK: scf.yield
// CHECK-LABEL: func.func @loop(
// CHECK: call @loop.part1
func.func @loop(%x: f32, %n: i32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> f32 : i32 {
    %b = arith.addf %a, %a : f32
    %c = arith.addf %b, %a : f32
    %d = arith.addf %c, %c : f32
    %e = arith.addf %d, %d : f32
    %f = arith.addf %e, %e : f32
    %g = arith.addf %f, %f : f32
    scf.yield %g : f32
  }
  return %sum : f32
}

// -----

// An array that only one part uses moves into the part. Other arrays are passed by address, and their
// lifetime markers stay outside.
// CHECK-LABEL: func.func private @arrays.part0
// CHECK: %[[OWN:.*]] = llvm.alloca
// CHECK-NOT: alloca
// CHECK-NOT: lifetime
// CHECK: llvm.store %{{.*}}, %[[OWN]]
// CHECK: llvm.load %[[OWN]]
// CHECK: return
// CHECK-LABEL: func.func @arrays(
// CHECK: %[[SHARED:.*]] = llvm.alloca
// CHECK-NOT: alloca
// CHECK: llvm.intr.lifetime.start 4, %[[SHARED]]
// CHECK: call @arrays.part0(%{{.*}}, %[[SHARED]])
// CHECK: llvm.load %[[SHARED]]
// CHECK: llvm.intr.lifetime.end 4, %[[SHARED]]
func.func @arrays(%x: f32) -> f32 {
  %c1 = arith.constant 1 : i32
  %own = llvm.alloca %c1 x f32 : (i32) -> !llvm.ptr
  %shared = llvm.alloca %c1 x f32 : (i32) -> !llvm.ptr
  llvm.intr.lifetime.start 4, %shared : !llvm.ptr
  llvm.store %x, %own : f32, !llvm.ptr
  %a = llvm.load %own : !llvm.ptr -> f32
  llvm.store %a, %shared : f32, !llvm.ptr
  %b = llvm.load %shared : !llvm.ptr -> f32
  llvm.intr.lifetime.end 4, %shared : !llvm.ptr
  return %b : f32
}

// -----

// If an array's address were a result, the array would be in use until the function ends.
// CHECK-LABEL: func.func private @address.part0
// CHECK-LABEL: func.func @address(
// CHECK: %[[ARRAY:.*]] = llvm.alloca
// CHECK-NOT: alloca
// CHECK: call @address.part0(%{{.*}}, %[[ARRAY]])
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[ARRAY]][1]
// CHECK: llvm.load %[[SECOND]]
func.func @address(%x: f32) -> f32 {
  %c2 = arith.constant 2 : i32
  %array = llvm.alloca %c2 x f32 : (i32) -> !llvm.ptr
  llvm.store %x, %array : f32, !llvm.ptr
  %second = llvm.getelementptr %array[1] : (!llvm.ptr) -> !llvm.ptr, f32
  llvm.store %x, %second : f32, !llvm.ptr
  llvm.store %x, %array : f32, !llvm.ptr
  %a = llvm.load %second : !llvm.ptr -> f32
  %b = arith.addf %a, %a : f32
  return %b : f32
}

// -----

// Vectors are passed in memory.
// CHECK-LABEL: func.func private @vectors.part0
// CHECK-SAME: (%[[RECORD:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr)
// CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[RECORD]][0, 0]
// CHECK: llvm.load %[[FIELD]] : !llvm.ptr -> vector<8xf32>
// CHECK-LABEL: func.func @vectors(
// CHECK-SAME: %[[X:.*]]: vector<8xf32>
// CHECK: llvm.store %[[X]]
// CHECK: call @vectors.part0
func.func @vectors(%x: vector<8xf32>) -> vector<8xf32> {
  %a = arith.addf %x, %x : vector<8xf32>
  %b = arith.addf %a, %x : vector<8xf32>
  %c = arith.addf %b, %b : vector<8xf32>
  %d = arith.addf %c, %c : vector<8xf32>
  %e = arith.addf %d, %d : vector<8xf32>
  return %e : vector<8xf32>
}

// -----

// A part that may stop the kernel returns whether it did.
// CHECK-LABEL: func.func private @stops.part0
// CHECK-SAME: -> i1
// CHECK: eft.stop
// CHECK: %[[NO:.*]] = arith.constant false
// CHECK: return %[[NO]]
// CHECK-LABEL: func.func @stops(
// LLVM-LABEL: llvm.func internal @stops.part0
// LLVM: llvm.cond_br %{{.*}}, ^[[STOP:.*]], ^
// LLVM: ^[[STOP]]:
// LLVM-NEXT: %[[YES:.*]] = llvm.mlir.constant(true) : i1
// LLVM-NEXT: llvm.return %[[YES]] : i1
// LLVM: %[[NO:.*]] = llvm.mlir.constant(false) : i1
// LLVM: llvm.return %[[NO]] : i1
// CHECK: %[[STOPPED:.*]] = call @stops.part0
// CHECK-NEXT: scf.if %[[STOPPED]]
// CHECK-NEXT: eft.stop
func.func @stops(%x: i32, %p: !llvm.ptr, %c: i1) {
  %a = arith.addi %x, %x : i32
  scf.if %c {
    eft.stop
  }
  %b = arith.addi %a, %a : i32
  llvm.store %b, %p : i32, !llvm.ptr
  return
}

// -----

// A part ends after an operation that is long by itself, such as a conditional whose two branches are
// each as long as a function may be.
// CHECK-LABEL: func.func private @branches.part0
// CHECK: scf.if
// CHECK: } else {
// CHECK: return
// CHECK-LABEL: func.func private @branches.part1
// CHECK: scf.if
// CHECK: } else {
// CHECK: return
// CHECK-LABEL: func.func @branches(
// CHECK-NOT: scf.if
// CHECK: call @branches.part0
// CHECK: call @branches.part1
func.func @branches(%x: f32, %c: i1) -> f32 {
  %w = arith.addf %x, %x : f32
  %a = scf.if %c -> f32 {
    %0 = arith.addf %w, %x : f32
    %1 = arith.addf %0, %0 : f32
    %2 = arith.addf %1, %1 : f32
    scf.yield %2 : f32
  } else {
    %0 = arith.mulf %w, %x : f32
    %1 = arith.mulf %0, %0 : f32
    %2 = arith.mulf %1, %1 : f32
    scf.yield %2 : f32
  }
  %b = scf.if %c -> f32 {
    %0 = arith.addf %a, %x : f32
    %1 = arith.addf %0, %0 : f32
    %2 = arith.addf %1, %1 : f32
    scf.yield %2 : f32
  } else {
    %0 = arith.mulf %a, %x : f32
    %1 = arith.mulf %0, %0 : f32
    %2 = arith.mulf %1, %1 : f32
    scf.yield %2 : f32
  }
  return %b : f32
}

// -----

// An index has no size in LLVM.
// CHECK-LABEL: func.func private @indices.part0
// CHECK: arith.index_cast %{{.*}} : index to i64
// LLVM-LABEL: llvm.func internal @indices.part0
// LLVM: llvm.store %{{.*}} : i64, !llvm.ptr
func.func @indices(%x: i32) -> i32 {
  %0 = arith.index_cast %x : i32 to index
  %1 = arith.addi %0, %0 : index
  %2 = arith.addi %1, %1 : index
  %3 = arith.addi %2, %2 : index
  %4 = arith.addi %3, %3 : index
  %5 = arith.index_cast %4 : index to i32
  return %5 : i32
}

// -----

// A kernel with products of warpgroups stays whole.
// CHECK-LABEL: func.func @warpgroups(
// CHECK-NOT: call
func.func @warpgroups(%x: f32) -> f32 attributes {eft.warpgroups} {
  %a = arith.addf %x, %x : f32
  %b = arith.addf %a, %a : f32
  %c = arith.addf %b, %b : f32
  %d = arith.addf %c, %c : f32
  %e = arith.addf %d, %d : f32
  return %e : f32
}

// -----

// A part continues where many values are live, until it is so long that passing them in memory is
// worthwhile.
// CHECK-LABEL: func.func private @many_values.part0
// CHECK-COUNT-3: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK-NEXT: llvm.getelementptr
// FEW-LABEL: func.func private @many_values.part0
// FEW-COUNT-3: arith.mulf
// FEW-COUNT-2: arith.addf
// FEW-NEXT: llvm.getelementptr
// FEW-NEXT: llvm.store
// FEW-NEXT: return
// FEW-LABEL: func.func @many_values(
func.func @many_values(%x: f32) -> f32 {
  %a = arith.mulf %x, %x : f32
  %b = arith.mulf %a, %x : f32
  %c = arith.mulf %b, %x : f32
  %d = arith.addf %a, %b : f32
  %e = arith.addf %d, %c : f32
  %f = arith.addf %e, %x : f32
  %g = arith.subf %f, %x : f32
  %h = arith.subf %g, %x : f32
  %i = arith.subf %h, %x : f32
  return %i : f32
}

// -----

// A function stays whole if little code would remain after its longer part.
// FEW-LABEL: func.func @many_values_to_the_end(
// FEW-NOT: call
func.func @many_values_to_the_end(%x: f32) -> f32 {
  %a = arith.mulf %x, %x : f32
  %b = arith.mulf %a, %x : f32
  %c = arith.mulf %b, %x : f32
  %d = arith.addf %a, %b : f32
  %e = arith.addf %d, %c : f32
  %f = arith.subf %e, %x : f32
  return %f : f32
}

// -----

// If many values are live everywhere, no part continues past such a point.
// FEW-LABEL: func.func private @values_that_live_everywhere.part0
// FEW-COUNT-3: arith.mulf
// FEW-NOT: arith.mulf
// FEW: return
// FEW-LABEL: func.func private @values_that_live_everywhere.part1
// FEW-LABEL: func.func private @values_that_live_everywhere.part2
// FEW-LABEL: func.func private @values_that_live_everywhere.part3
// FEW-LABEL: func.func private @values_that_live_everywhere.part4
// FEW-NOT: .part5
func.func @values_that_live_everywhere(%x: f32) -> f32 {
  %0 = arith.mulf %x, %x : f32
  %1 = arith.mulf %x, %x : f32
  %2 = arith.mulf %x, %x : f32
  %3 = arith.mulf %x, %x : f32
  %4 = arith.mulf %x, %x : f32
  %5 = arith.mulf %x, %x : f32
  %6 = arith.mulf %x, %x : f32
  %7 = arith.mulf %x, %x : f32
  %8 = arith.mulf %x, %x : f32
  %9 = arith.mulf %x, %x : f32
  %10 = arith.mulf %x, %x : f32
  %11 = arith.mulf %x, %x : f32
  %12 = arith.addf %0, %1 : f32
  %13 = arith.addf %12, %2 : f32
  %14 = arith.addf %13, %3 : f32
  %15 = arith.addf %14, %4 : f32
  %16 = arith.addf %15, %5 : f32
  %17 = arith.addf %16, %6 : f32
  %18 = arith.addf %17, %7 : f32
  %19 = arith.addf %18, %8 : f32
  %20 = arith.addf %19, %9 : f32
  %21 = arith.addf %20, %10 : f32
  %22 = arith.addf %21, %11 : f32
  return %22 : f32
}
