// RUN: eft-opt %s -pass-pipeline='builtin.module(func.func(eft-keep-in-buffers{vector-bits=128}))' | FileCheck %s --check-prefix=KEEP
// RUN: eft-opt %s -pass-pipeline='builtin.module(func.func(eft-keep-in-buffers{vector-bits=128},eft-tile-blocks{dimension=step elements=8 vectors=1 split-prefix use-buffers}))' | FileCheck %s --check-prefix=STEPS
// RUN: eft-opt %s -pass-pipeline='builtin.module(func.func(eft-keep-in-buffers{vector-bits=128},eft-tile-blocks{dimension=step elements=8 vectors=1 split-prefix use-buffers}),eft-lower-to-cpu{vector-bits=128},cse)' | FileCheck %s --check-prefix=CPU

#rows = #eft.layout<lane = [[0, 1], [0, 2]], step = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#columns = #eft.layout<lane = [[1, 0], [2, 0]], step = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4], [0, 8]]>
#line = #eft.layout<lane = [[1], [2]], step = [[4], [8], [16], [32], [64], [128]]>
#half = #eft.layout<lane = [[1], [2]], step = [[4], [8], [16], [32], [64]]>
#pairs = #eft.layout<lane = [[0, 1], [1, 0]], step = [[2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]]>
#short = #eft.layout<lane = [[1], [2]], step = [[4], [8], [16]]>

// Two consecutive moves become one. The source is written to the buffer where it is loaded, and the
// result is read, from other places, where it is stored.
// KEEP-LABEL: @transposed
// KEEP: %[[B:.*]] = eft.buffer : <tensor<16x16xf32, #[[ROWS:.*]]>>
// KEEP-NOT: eft.buffer
// KEEP: %[[V:.*]] = eft.load
// KEEP: eft.buffer_write %[[V]], %[[B]]
// KEEP: %[[T:.*]] = eft.buffer_read %[[B]][%{{.*}}] of #[[COLUMNS:.*]] : <tensor<16x16xf32, #[[ROWS]]>> -> tensor<16x16xf32, #[[ROWS]]>
// KEEP-NEXT: eft.store %{{.*}}, %[[T]]
// STEPS-LABEL: @transposed
// STEPS: scf.for {{.*}} to %c32
// STEPS: eft.buffer_write %{{.*}}, %[[B:.*]][%{{.*}}] : tensor<1x8xf32
// STEPS: scf.for %[[STEP:.*]] = {{.*}} to %c32
// STEPS-NEXT: eft.buffer_read %[[B]][%[[STEP]]] of #{{.*}} : <tensor<16x16xf32, #{{.*}}>> -> tensor<1x8xf32
// STEPS: eft.store
// CPU-LABEL: @transposed.program
// CPU: %[[B:.*]] = llvm.alloca
// CPU: scf.for
// CPU: scf.for %[[STEP:.*]] = {{.*}} to %c32
// CPU: %[[AT:.*]] = llvm.getelementptr %[[B]][%{{.*}}] : (!llvm.ptr, i32) -> !llvm.ptr, f32
// CPU-NEXT: %[[LANES:.*]] = arith.constant dense<[0, 16, 32, 48]>
// CPU-NEXT: llvm.getelementptr %[[AT]][%[[LANES]]]
// CPU: llvm.intr.masked.gather
// CPU: dense<[64, 80, 96, 112]>
func.func @transposed(%x: !eft.ptr<f32>, %y: !eft.ptr<f32>) {
  %ps = eft.splat %x : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>, #rows>
  %qs = eft.splat %y : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>, #rows>
  %v = eft.load %ps : tensor<16x16x!eft.ptr<f32>, #rows>
  %c = eft.convert_layout %v : tensor<16x16xf32, #rows> -> tensor<16x16xf32, #columns>
  %t = eft.trans %c order [1, 0] : tensor<16x16xf32, #columns> -> tensor<16x16xf32, #rows>
  eft.store %qs, %t : tensor<16x16x!eft.ptr<f32>, #rows>
  return
}

// Booleans move as bytes. A move of lanes within one vector is a load and a shuffle.
// KEEP-LABEL: @chain
// KEEP: arith.extui %{{.*}} to tensor<16x16xi8
// KEEP: %[[T:.*]] = eft.buffer_read %{{.*}} of #{{.*}} xor 5 : <tensor<16x16xi8, #{{.*}}>> -> tensor<256xi8
// KEEP: arith.trunci %[[T]] : {{.*}} to tensor<256xi1
// CPU-LABEL: @chain.program
// CPU: scf.for
// CPU: scf.for
// CPU: %[[AT:.*]] = llvm.getelementptr %{{.*}} : (!llvm.ptr, i32) -> !llvm.ptr, i8
// CPU-NEXT: llvm.getelementptr %[[AT]][4]
// CPU-NEXT: %[[V:.*]] = llvm.load %{{.*}} -> vector<4xi8>
// CPU-NEXT: vector.shuffle %[[V]], %[[V]] [1, 0, 3, 2]
func.func @chain(%x: !eft.ptr<i32>, %y: !eft.ptr<i32>, %n: i32) {
  %ps = eft.splat %x : !eft.ptr<i32> -> tensor<16x16x!eft.ptr<i32>, #rows>
  %qs = eft.splat %y : !eft.ptr<i32> -> tensor<256x!eft.ptr<i32>, #line>
  %ns = eft.splat %n : i32 -> tensor<16x16xi32, #rows>
  %v = eft.load %ps : tensor<16x16x!eft.ptr<i32>, #rows>
  %b = arith.cmpi eq, %v, %ns : tensor<16x16xi32, #rows>
  %e = eft.exchange %b axis 1 mask 5 : tensor<16x16xi1, #rows>
  %r = eft.reshape %e : tensor<16x16xi1, #rows> -> tensor<256xi1, #line>
  %w = arith.extui %r : tensor<256xi1, #line> to tensor<256xi32, #line>
  eft.store %qs, %w : tensor<256x!eft.ptr<i32>, #line>
  return
}

// Each result vector takes every second element of two vectors.
// KEEP-LABEL: @halves
// KEEP: eft.buffer_read %[[B:.*]][%{{.*}}] of #[[L:.*]] : <tensor<256xf32, #{{.*}}>> -> tensor<128xf32
// KEEP: eft.buffer_read %[[B]][%{{.*}}] of #[[L]] xor 1 : <tensor<256xf32, #{{.*}}>> -> tensor<128xf32
// CPU-LABEL: @halves.program
// CPU: vector.shuffle %{{.*}} [1, 3, 5, 7]
func.func @halves(%x: !eft.ptr<f32>, %y: !eft.ptr<f32>) {
  %ps = eft.splat %x : !eft.ptr<f32> -> tensor<256x!eft.ptr<f32>, #line>
  %qs = eft.splat %y : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>, #half>
  %v = eft.load %ps : tensor<256x!eft.ptr<f32>, #line>
  %p = eft.reshape %v : tensor<256xf32, #line> -> tensor<128x2xf32, #pairs>
  %a, %b = eft.split %p : tensor<128x2xf32, #pairs> -> tensor<128xf32, #half>
  %d = arith.subf %a, %b : tensor<128xf32, #half>
  eft.store %qs, %d : tensor<128x!eft.ptr<f32>, #half>
  return
}

// Each place selects the source of its element.
// KEEP-LABEL: @joined
// KEEP: %[[I:.*]] = eft.arange 0 to 2
// KEEP: arith.cmpi eq
// KEEP: arith.select
// KEEP-NOT: eft.join
// KEEP: return
// STEPS-LABEL: @joined
// STEPS: scf.for {{.*}} to %c32
// STEPS: arith.select {{.*}} tensor<4x2xf32
func.func @joined(%x: !eft.ptr<f32>, %y: !eft.ptr<f32>) {
  %ps = eft.splat %x : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>, #half>
  %qs = eft.splat %y : !eft.ptr<f32> -> tensor<128x2x!eft.ptr<f32>, #pairs>
  %v = eft.load %ps : tensor<128x!eft.ptr<f32>, #half>
  %j = eft.join %v, %v : tensor<128xf32, #half> -> tensor<128x2xf32, #pairs>
  eft.store %qs, %j : tensor<128x2x!eft.ptr<f32>, #pairs>
  return
}

// The position of an element in the buffer is 16 times the gathered row, plus the place's own column.
// KEEP-LABEL: @gathered
// KEEP: %[[ROW:.*]] = arith.muli %{{.*}}, %{{.*}} : tensor<16x16xi32
// KEEP: %[[COLUMN:.*]] = arith.muli %{{.*}}, %{{.*}} : tensor<16x16xi32
// KEEP: %[[N:.*]] = arith.xori %[[ROW]], %[[COLUMN]]
// KEEP-NEXT: eft.buffer_gather %{{.*}}[%[[N]]]
// STEPS-LABEL: @gathered
// STEPS: eft.buffer_write
// STEPS: scf.for {{.*}} to %c32
// STEPS: eft.buffer_gather %{{.*}}[%{{.*}}] : <tensor<16x16xf32, #{{.*}}>>, tensor<1x8xi32
// CPU-LABEL: @gathered.program
// CPU: scf.for
// CPU: scf.for
// CPU: %[[N:.*]] = arith.xori %{{.*}} : vector<4xi32>
// CPU: llvm.getelementptr %{{.*}}[%[[N]]] : (!llvm.ptr, vector<4xi32>)
// CPU: llvm.intr.masked.gather
func.func @gathered(%x: !eft.ptr<f32>, %y: !eft.ptr<f32>, %n: i32) {
  %ps = eft.splat %x : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>, #rows>
  %qs = eft.splat %y : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>, #rows>
  %ns = eft.splat %n : i32 -> tensor<16x16xi32, #rows>
  %v = eft.load %ps : tensor<16x16x!eft.ptr<f32>, #rows>
  %g = eft.gather %v[%ns] axis 0 : tensor<16x16xf32, #rows>, tensor<16x16xi32, #rows> -> tensor<16x16xf32, #rows>
  eft.store %qs, %g : tensor<16x16x!eft.ptr<f32>, #rows>
  return
}

// Prints of one type share a buffer. A loop prints a block that is stored by columns in row-major order.
// KEEP-LABEL: @printed
// KEEP: %[[B:.*]] = eft.buffer
// KEEP-NOT: eft.buffer
// KEEP: eft.buffer_write %[[V:.*]], %[[B]]
// KEEP-NEXT: eft.print " x: " %[[B]]
// KEEP: eft.buffer_write %[[V]], %[[B]]
// KEEP-NEXT: eft.print " again: " %[[B]]
// CPU-LABEL: @printed.program
// CPU: scf.for %[[I:.*]] = {{.*}} to %c256
// CPU: arith.shrui %[[I]], %c4
// CPU: llvm.call @eft$print
// CPU: scf.for {{.*}} to %c32
// CPU: scf.for {{.*}} to %c256
// CPU: llvm.call @eft$print
func.func @printed(%x: !eft.ptr<i64>) {
  %ps = eft.splat %x : !eft.ptr<i64> -> tensor<16x16x!eft.ptr<i64>, #columns>
  %v = eft.load %ps : tensor<16x16x!eft.ptr<i64>, #columns>
  eft.print " x: " %v : tensor<16x16xi64, #columns>
  eft.print " again: " %v : tensor<16x16xi64, #columns>
  return
}

// A block of eight vectors is moved in registers.
// KEEP-LABEL: @small
// KEEP-NOT: eft.buffer
// KEEP: eft.exchange
func.func @small(%x: !eft.ptr<f32>, %v: f32) {
  %ps = eft.splat %x : !eft.ptr<f32> -> tensor<32x!eft.ptr<f32>, #short>
  %v0 = eft.load %ps : tensor<32x!eft.ptr<f32>, #short>
  %e = eft.exchange %v0 axis 0 mask 31 : tensor<32xf32, #short>
  eft.store %ps, %e : tensor<32x!eft.ptr<f32>, #short>
  return
}

// A block that a loop carries is copied before its elements are written back to other places.
// KEEP-LABEL: @turned_in_place
// KEEP: scf.for
// KEEP: %[[A:.*]] = eft.buffer_read %[[CARRIED:.*]][
// KEEP: eft.buffer_write %[[A]], %[[COPY:.*]][
// KEEP: %[[E:.*]] = eft.buffer_read %[[COPY]][%{{.*}}] of #{{.*}} xor 255
// KEEP: %[[NEXT:.*]] = arith.subi %[[E]], %[[A]]
// KEEP: eft.buffer_write %[[NEXT]], %[[CARRIED]]
func.func @turned_in_place(%x: !eft.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ps = eft.splat %x : !eft.ptr<i32> -> tensor<256x!eft.ptr<i32>, #line>
  %v = eft.load %ps : tensor<256x!eft.ptr<i32>, #line>
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> tensor<256xi32, #line> : i32 {
    %e = eft.exchange %a axis 0 mask 255 : tensor<256xi32, #line>
    %next = arith.subi %e, %a : tensor<256xi32, #line>
    scf.yield %next : tensor<256xi32, #line>
  }
  eft.store %ps, %d : tensor<256x!eft.ptr<i32>, #line>
  return
}

// A loop over the stages of sorting contains a loop for each bit of the index, the highest first, and a
// loop for the two bits of the lanes.
// KEEP-LABEL: @sorted
// KEEP: eft.buffer_write %{{.*}}, %[[B:.*]][
// KEEP-NEXT: eft.sort_into %[[B]] axis 0 stages 1 to 8
// KEEP: eft.buffer_read %[[B]]
// CPU-LABEL: @sorted.program
// CPU: scf.for {{.*}} to %c64_i32{{.*}} step %c2_i32
// CPU: scf.for %[[STAGE:.*]] = %c3_i32{{.*}} to %c9_i32
// CPU: arith.cmpi ugt, %[[STAGE]], %c7_i32
// CPU-NEXT: scf.if
// CPU: scf.for {{.*}} to %c16_i32
// CPU: scf.for {{.*}} to %c64_i32{{.*}} step %c2_i32
// CPU: return
func.func @sorted(%x: !eft.ptr<i32>) {
  %ps = eft.splat %x : !eft.ptr<i32> -> tensor<256x!eft.ptr<i32>, #line>
  %v = eft.load %ps : tensor<256x!eft.ptr<i32>, #line>
  %s = eft.sort %v axis 0 stages 1 to 8 : tensor<256xi32, #line>
  eft.store %ps, %s : tensor<256x!eft.ptr<i32>, #line>
  return
}

// A group whose writes would overwrite elements that later iterations read reads from a copy.
// STEPS-LABEL: @overwritten
// STEPS: eft.buffer_write
// STEPS: scf.for %[[STEP:.*]] = {{.*}} to %c32
// STEPS-NEXT: %[[E:.*]] = eft.buffer_read %[[B:.*]][%[[STEP]]] of #{{.*}} xor 255
// STEPS-NEXT: eft.buffer_write %[[E]], %[[COPY:.*]][%[[STEP]]]
// STEPS: scf.for %[[STEP:.*]] = {{.*}} to %c32
// STEPS-NEXT: %[[E:.*]] = eft.buffer_read %[[COPY]][%[[STEP]]]
// STEPS-NEXT: eft.buffer_write %[[E]], %[[B]][%[[STEP]]]
func.func @overwritten(%x: !eft.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %b = eft.buffer : <tensor<256xi32, #line>>
  %ps = eft.splat %x : !eft.ptr<i32> -> tensor<256x!eft.ptr<i32>, #line>
  %v = eft.load %ps : tensor<256x!eft.ptr<i32>, #line>
  eft.buffer_write %v, %b[%c0] : tensor<256xi32, #line>, <tensor<256xi32, #line>>
  %e = eft.buffer_read %b[%c0] of #line xor 255 : <tensor<256xi32, #line>> -> tensor<256xi32, #line>
  eft.buffer_write %e, %b[%c0] : tensor<256xi32, #line>, <tensor<256xi32, #line>>
  %w = eft.buffer_read %b[%c0] : <tensor<256xi32, #line>> -> tensor<256xi32, #line>
  eft.store %ps, %w : tensor<256x!eft.ptr<i32>, #line>
  return
}
