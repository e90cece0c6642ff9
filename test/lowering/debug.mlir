// RUN: eft-opt %s -eft-lower-to-cpu -cse | FileCheck %s --check-prefix=CPU
// RUN: eft-opt %s -eft-lower-to-cpu -cse -eft-lower-to-llvm | FileCheck %s --check-prefix=LLVM

#layout = #eft.layout<lane = [[1], [2]], step = [[4]]>

// CPU-DAG: llvm.func @eft$print(!llvm.ptr, !llvm.ptr) -> i32
// CPU-DAG: llvm.func @eft$fail(!llvm.ptr, i32, i32, i32)
// CPU-DAG: constant @eft.text.{{[0-9]}}("pid (%llu, %llu, %llu) idx (%1llu) 5%% x: %lld\0A\00")
// CPU-DAG: constant @eft.text.{{[0-9]}}("{{.*}}debug.mlir:[[# @LINE + 20]]: too large\00")

// CPU-LABEL: func.func private @debug.program
// CPU: %[[BLOCK:.*]] = llvm.alloca %c8{{.*}} x i64
// CPU: %[[MEMORY:.*]] = llvm.alloca %c5{{.*}} x i64
func.func @debug(%n: i64, %p: !eft.ptr<i64>) {
  // The block is written to the stack, and a loop prints it in row-major order.
  // CPU-COUNT-2: llvm.store %{{.*}}, %{{.*}} : vector<4xi64>, !llvm.ptr
  // CPU: scf.for %[[NUMBER:.*]] = %c0{{.*}} to %c8
  // CPU: arith.remui %{{.*}}, %c8
  // CPU: %[[ELEMENT:.*]] = llvm.getelementptr %[[BLOCK]][%[[NUMBER]]]
  // CPU: %[[VALUE:.*]] = llvm.load %[[ELEMENT]] : !llvm.ptr -> i64
  // CPU: llvm.store %[[VALUE]]
  // CPU: llvm.call @eft$print(%{{.*}}, %[[MEMORY]])
  %x = eft.splat %n : i64 -> tensor<8xi64, #layout>
  eft.print " 5% x: " %x : tensor<8xi64, #layout>
  %zero = arith.constant dense<0> : tensor<8xi64, #layout>
  %c = arith.cmpi slt, %x, %zero : tensor<8xi64, #layout>
  // CPU: vector.reduction <and>, %{{.*}} : vector<4xi1> into i1
  // CPU: eft.stop
  eft.assert %c, "too large" : tensor<8xi1, #layout>
  // LLVM: llvm.call @eft$fail
  // LLVM-NEXT: llvm.return
  // LLVM: llvm.store %{{.*}} : i64
  // LLVM: llvm.return
  eft.store %p, %n : !eft.ptr<i64>
  return
}
