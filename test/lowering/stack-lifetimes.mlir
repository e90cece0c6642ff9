// RUN: eft-opt %s --eft-lower-to-cpu=vector-bits=512 | FileCheck %s

#row = #eft.layout<lane = [[1], [2], [4], [8]], step = [[16]]>
#part = #eft.layout<lane = [[1], [2], [4], [8]], step = []>

// The first array's last use precedes the second array's first use, so they may share memory. The
// program stays a function of its own, so that a stopped launch can return from it.
// CHECK-LABEL: @one_after_the_other.program
// CHECK-SAME: passthrough = ["noinline"]
// CHECK: %[[FIRST:.*]] = llvm.alloca
// CHECK: %[[SECOND:.*]] = llvm.alloca
// CHECK: llvm.intr.lifetime.start 128, %[[FIRST]]
// CHECK: llvm.intr.lifetime.end 128, %[[FIRST]]
// CHECK: llvm.intr.lifetime.start 128, %[[SECOND]]
// CHECK: llvm.intr.lifetime.end 128, %[[SECOND]]
func.func @one_after_the_other() {
  %c0 = arith.constant 0 : i32
  %x = arith.constant dense<1.0> : tensor<16xf32, #part>
  %a = eft.buffer : <tensor<32xf32, #row>>
  %b = eft.buffer : <tensor<32xf32, #row>>
  eft.buffer_write %x, %a[%c0] : tensor<16xf32, #part>, <tensor<32xf32, #row>>
  eft.buffer_write %x, %b[%c0] : tensor<16xf32, #part>, <tensor<32xf32, #row>>
  return
}

// An array that is written before a loop is in use until the loop ends.
// CHECK-LABEL: @used_in_a_loop.program
// CHECK-SAME: passthrough = ["alwaysinline"]
// CHECK: llvm.intr.lifetime.start
// CHECK: scf.for
// CHECK-NOT: lifetime
// CHECK: }
// CHECK: llvm.intr.lifetime.end
func.func @used_in_a_loop(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = arith.constant dense<1.0> : tensor<16xf32, #part>
  %a = eft.buffer : <tensor<32xf32, #row>>
  eft.buffer_write %x, %a[%c0] : tensor<16xf32, #part>, <tensor<32xf32, #row>>
  scf.for %i = %c0 to %n step %c1 : i32 {
    eft.buffer_write %x, %a[%c0] : tensor<16xf32, #part>, <tensor<32xf32, #row>>
  }
  return
}

// If all uses of two arrays are in a loop, they may share memory in each iteration, too.
// CHECK-LABEL: @used_in_each_iteration
// CHECK: %[[FIRST:.*]] = llvm.alloca
// CHECK: %[[SECOND:.*]] = llvm.alloca
// CHECK-NOT: lifetime
// CHECK: scf.for
// CHECK: llvm.intr.lifetime.start 128, %[[FIRST]]
// CHECK: llvm.intr.lifetime.end 128, %[[FIRST]]
// CHECK: llvm.intr.lifetime.start 128, %[[SECOND]]
// CHECK: scf.if
// CHECK-NOT: lifetime
// CHECK: }
// CHECK: llvm.intr.lifetime.end 128, %[[SECOND]]
// CHECK: }
// CHECK-NOT: lifetime
func.func @used_in_each_iteration(%n: i32, %p: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = arith.constant dense<1.0> : tensor<16xf32, #part>
  %a = eft.buffer : <tensor<32xf32, #row>>
  %b = eft.buffer : <tensor<32xf32, #row>>
  scf.for %i = %c0 to %n step %c1 : i32 {
    eft.buffer_write %x, %a[%c0] : tensor<16xf32, #part>, <tensor<32xf32, #row>>
    eft.buffer_write %x, %b[%c0] : tensor<16xf32, #part>, <tensor<32xf32, #row>>
    scf.if %p {
      eft.buffer_write %x, %b[%c1] : tensor<16xf32, #part>, <tensor<32xf32, #row>>
    }
  }
  return
}

// Types of LLVM have sizes, too. An array whose type has no size is in use everywhere.
// CHECK-LABEL: @types_of_llvm
// CHECK-NOT: llvm.intr.lifetime.start
// CHECK: llvm.intr.lifetime.start 24, %{{.*}} : !llvm.ptr
// CHECK: llvm.intr.lifetime.start 32, %{{.*}} : !llvm.ptr
// CHECK: llvm.intr.lifetime.start 64, %{{.*}} : !llvm.ptr
// CHECK: llvm.intr.lifetime.start 14, %{{.*}} : !llvm.ptr
// CHECK-NOT: llvm.intr.lifetime.start
// CHECK: return
func.func @types_of_llvm(%x: f32) {
  %c2 = arith.constant 2 : i32
  %negative = arith.constant -2 : i32
  %nested = llvm.alloca %c2 x !llvm.array<1 x array<3 x f32>> : (i32) -> !llvm.ptr
  %vectors = llvm.alloca %c2 x vector<3xf32> : (i32) -> !llvm.ptr
  %record = llvm.alloca %c2 x !llvm.struct<(i8, array<3 x f32>, vector<16xi1>, ptr)> : (i32) -> !llvm.ptr
  %packed = llvm.alloca %c2 x !llvm.struct<packed (i8, f32, i16)> : (i32) -> !llvm.ptr
  %scalable = llvm.alloca %c2 x vector<[4]xf32> : (i32) -> !llvm.ptr
  %opaque = llvm.alloca %c2 x !llvm.struct<(!llvm.struct<"opaque", opaque>)> : (i32) -> !llvm.ptr
  %recursive = llvm.alloca %c2 x !llvm.struct<"again", (f32, struct<"again">)> : (i32) -> !llvm.ptr
  %none = llvm.alloca %negative x f32 : (i32) -> !llvm.ptr
  llvm.store %x, %nested : f32, !llvm.ptr
  llvm.store %x, %vectors : f32, !llvm.ptr
  llvm.store %x, %record : f32, !llvm.ptr
  llvm.store %x, %packed : f32, !llvm.ptr
  llvm.store %x, %scalable : f32, !llvm.ptr
  llvm.store %x, %opaque : f32, !llvm.ptr
  llvm.store %x, %recursive : f32, !llvm.ptr
  llvm.store %x, %none : f32, !llvm.ptr
  return
}
