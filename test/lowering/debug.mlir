// RUN: eft-opt %s -eft-lower-to-cpu -cse | FileCheck %s --check-prefix=CPU
// RUN: eft-opt %s -eft-lower-to-cpu -cse -eft-lower-to-llvm | FileCheck %s --check-prefix=LLVM

#layout = #eft.layout<lane = [[1], [2]], step = [[4]]>

// CPU-DAG: llvm.func @eft$print(!llvm.ptr, !llvm.ptr) -> i32
// CPU-DAG: llvm.func @eft$fail(!llvm.ptr, i32, i32, i32)
// CPU-DAG: constant @eft.text.{{[0-9]}}("pid (%llu, %llu, %llu) idx (%1llu) 5%% x: %lld\0A\00")
// CPU-DAG: constant @eft.text.{{[0-9]}}("{{.*}}debug.mlir:[[# @LINE + 18]]: too large\00")

// CPU-LABEL: func.func private @debug.program
// CPU: %[[MEMORY:.*]] = llvm.alloca %{{.*}} x i64
func.func @debug(%n: i64, %p: !eft.ptr<i64>) {
  // CPU: scf.for %[[LANE:.*]] = %c0{{.*}} to %c4
  // CPU: %[[INDEX:.*]] = arith.andi %[[LANE]], %c3
  // CPU: %[[VALUE:.*]] = llvm.extractelement %{{.*}}[%[[LANE]] : i32] : vector<4xi64>
  // CPU: llvm.store %[[VALUE]]
  // CPU: llvm.call @eft$print(%{{.*}}, %[[MEMORY]])
  // The second vector begins at 4.
  // CPU: arith.xori %{{.*}}, %c4
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
