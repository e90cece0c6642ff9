// RUN: eft-opt %s | eft-opt | FileCheck %s
// RUN: eft-opt %s -mlir-print-op-generic | eft-opt | FileCheck %s

#rows = #eft.layout<lane = [[0, 1], [0, 2], [0, 4], [0, 8]], step = [[1, 0], [2, 0], [4, 0], [8, 0]]>
#line = #eft.layout<lane = [[1], [2], [4], [8]], step = []>
#long = #eft.layout<lane = [[1], [2]], step = [[4], [8]]>
#part = #eft.layout<lane = [[0, 1], [0, 2], [0, 4], [0, 8]], step = [[1, 0], [2, 0]]>

// CHECK-LABEL: func @buffers
func.func @buffers(%i: i32) {
  // CHECK: %[[A:.*]] = eft.buffer : <tensor<16x16xf32, #{{.*}}>>
  %a = eft.buffer : <tensor<16x16xf32, #rows>>
  %b = eft.buffer : <tensor<16x16xf32, #rows>>
  // CHECK: %[[X:.*]] = eft.buffer_read %[[A]][%{{.*}}] : <tensor<16x16xf32, #{{.*}}>> -> tensor<4x16xf32, #{{.*}}>
  %x = eft.buffer_read %a[%i] : <tensor<16x16xf32, #rows>> -> tensor<4x16xf32, #part>
  // CHECK: eft.buffer_write %[[X]], %[[A]][%{{.*}}] : tensor<4x16xf32, #{{.*}}>, <tensor<16x16xf32, #{{.*}}>>
  eft.buffer_write %x, %a[%i] : tensor<4x16xf32, #part>, <tensor<16x16xf32, #rows>>
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

// CHECK-LABEL: func @elements_elsewhere
func.func @elements_elsewhere(%i: i32, %n: tensor<16xi32, #line>) {
  %a = eft.buffer : <tensor<16x16xf32, #rows>>
  // CHECK: eft.buffer_read %{{.*}}[%{{.*}}] of #{{.*}} : <tensor<16x16xf32, #{{.*}}>> -> tensor<16x16xf32, #{{.*}}>
  %t = eft.buffer_read %a[%i] of <lane = [[1, 0], [2, 0], [4, 0], [8, 0]], step = [[0, 1], [0, 2], [0, 4], [0, 8]]> : <tensor<16x16xf32, #rows>> -> tensor<16x16xf32, #rows>
  // CHECK: eft.buffer_read %{{.*}}[%{{.*}}] of #{{.*}} xor 15 : <tensor<16x16xf32, #{{.*}}>> -> tensor<4x16xf32, #{{.*}}>
  %f = eft.buffer_read %a[%i] of <lane = [[0, 1], [0, 2], [0, 4], [0, 8]], step = [[1, 0], [2, 0], [4, 0], [8, 0]]> xor 15 : <tensor<16x16xf32, #rows>> -> tensor<4x16xf32, #part>
  // CHECK: eft.buffer_gather %{{.*}}[%{{.*}}] : <tensor<16x16xf32, #{{.*}}>>, tensor<16xi32, #{{.*}}> -> tensor<16xf32, #{{.*}}>
  %p = eft.buffer_gather %a[%n] : <tensor<16x16xf32, #rows>>, tensor<16xi32, #line> -> tensor<16xf32, #line>
  return
}

// CHECK-LABEL: func @sorted_and_printed
func.func @sorted_and_printed(%x: tensor<16xi64>) {
  // CHECK: eft.sort %{{.*}} axis 0 stages 1 to 4 : tensor<16xi64>
  %s = eft.sort %x axis 0 stages 1 to 4 : tensor<16xi64>
  // CHECK: eft.sort %{{.*}} axis 0 stages 4 to 4 descending unsigned : tensor<16xi64>
  %t = eft.sort %s axis 0 stages 4 to 4 descending unsigned : tensor<16xi64>
  %b = eft.buffer : <tensor<16xi64, #long>>
  // CHECK: eft.sort_into %{{.*}} axis 0 stages 1 to 4 unsigned : <tensor<16xi64, #{{.*}}>>
  eft.sort_into %b axis 0 stages 1 to 4 unsigned : <tensor<16xi64, #long>>
  // CHECK: eft.print " x: " %{{.*}} hex 8 : !eft.buffer<tensor<16xi64, #{{.*}}>>
  eft.print " x: " %b hex 8 : !eft.buffer<tensor<16xi64, #long>>
  return
}
