// RUN: eft-opt %s | eft-opt | FileCheck %s
// RUN: eft-opt %s -mlir-print-op-generic | eft-opt | FileCheck %s

#rows = #eft.layout<lane = [[0, 1], [0, 2], [0, 4], [0, 8]], step = [[1, 0], [2, 0], [4, 0], [8, 0]]>
#part = #eft.layout<lane = [[0, 1], [0, 2], [0, 4], [0, 8]], step = [[1, 0], [2, 0]]>

// CHECK-LABEL: func @buffers
func.func @buffers(%i: i32) {
  // CHECK: %[[A:.*]] = eft.buffer : <tensor<16x16xf32, #{{.*}}>>
  %a = eft.buffer : <tensor<16x16xf32, #rows>>
  %b = eft.buffer : <tensor<16x16xf32, #rows>>
  // CHECK: %[[X:.*]] = eft.take %[[A]][%{{.*}}] : <tensor<16x16xf32, #{{.*}}>> -> tensor<4x16xf32, #{{.*}}>
  %x = eft.take %a[%i] : <tensor<16x16xf32, #rows>> -> tensor<4x16xf32, #part>
  // CHECK: eft.put %[[X]], %[[A]][%{{.*}}] : tensor<4x16xf32, #{{.*}}>, <tensor<16x16xf32, #{{.*}}>>
  eft.put %x, %a[%i] : tensor<4x16xf32, #part>, <tensor<16x16xf32, #rows>>
  // CHECK: eft.dot_into %[[A]], %[[A]], %{{.*}} : <tensor<16x16xf32, #{{.*}}>>, <tensor<16x16xf32, #{{.*}}>>, <tensor<16x16xf32, #{{.*}}>>
  eft.dot_into %a, %a, %b : <tensor<16x16xf32, #rows>>, <tensor<16x16xf32, #rows>>, <tensor<16x16xf32, #rows>>
  // CHECK: eft.scan_into %[[A]], %{{.*}} axis 1 reverse : (!eft.buffer<tensor<16x16xf32, #{{.*}}>>, !eft.buffer<tensor<16x16xf32, #{{.*}}>>) {
  eft.scan_into %a, %b axis 1 reverse : (!eft.buffer<tensor<16x16xf32, #rows>>, !eft.buffer<tensor<16x16xf32, #rows>>) {
  ^bb0(%l: f32, %m: f32, %r: f32, %s: f32):
    %sum = arith.addf %l, %r : f32
    eft.yield %sum, %m : f32, f32
  }
  return
}
