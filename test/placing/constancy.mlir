// RUN: eft-opt %s -eft-place="target=gpu num-warps=1" | FileCheck %s
// RUN: eft-opt %s -eft-place="target=gpu num-warps=1" -eft-lower-to-gpu=num-warps=1 -cse | FileCheck %s --check-prefix=THREAD
// RUN: eft-opt %s -eft-place=target=cpu | FileCheck %s --check-prefix=CPU

// The number of columns is a multiple of 16. So the four neighbours of a thread are all inside or all
// outside of the row, and one comparison is enough for the four.
// CHECK-LABEL: @multiple
// CHECK: arith.cmpi slt, {{.*}} {eft.constancy = 4 : i32}
// THREAD-LABEL: @multiple
// THREAD-COUNT-2: arith.cmpi slt
// THREAD-NOT: arith.cmpi slt
// THREAD: arith.select
// CPU-NOT: eft.constancy
func.func @multiple(%p: !eft.ptr<f32> {eft.divisibility = 16 : i32},
                    %n: i32 {eft.divisibility = 16 : i32}) {
  %i = eft.arange 0 to 256 : tensor<256xi32>
  %ns = eft.splat %n : i32 -> tensor<256xi32>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<256x!eft.ptr<f32>>
  %at = eft.addptr %ps, %i : tensor<256x!eft.ptr<f32>>, tensor<256xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<256xi32>
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %x = eft.load %at : tensor<256x!eft.ptr<f32>>
  %y = arith.select %m, %x, %zero : tensor<256xi1>, tensor<256xf32>
  eft.store %at, %y : tensor<256x!eft.ptr<f32>>
  return
}

// CHECK-LABEL: @any
// CHECK-NOT: eft.constancy
// THREAD-LABEL: @any
// THREAD-COUNT-8: arith.cmpi slt
func.func @any(%p: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %n: i32) {
  %i = eft.arange 0 to 256 : tensor<256xi32>
  %ns = eft.splat %n : i32 -> tensor<256xi32>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<256x!eft.ptr<f32>>
  %at = eft.addptr %ps, %i : tensor<256x!eft.ptr<f32>>, tensor<256xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<256xi32>
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %x = eft.load %at : tensor<256x!eft.ptr<f32>>
  %y = arith.select %m, %x, %zero : tensor<256xi1>, tensor<256xf32>
  eft.store %at, %y : tensor<256x!eft.ptr<f32>>
  return
}

// Neighbours have the same quotient, so each thread divides once for each of its two runs.
// CHECK-LABEL: @quotients
// CHECK: arith.divui {{.*}} {eft.constancy = 4 : i32}
// CHECK: arith.shrui {{.*}} {eft.constancy = 4 : i32}
// THREAD-LABEL: @quotients
// THREAD-COUNT-2: arith.divui
// THREAD-NOT: arith.divui
// THREAD-COUNT-2: arith.shrui
// THREAD-NOT: arith.shrui
// THREAD-NOT: eft.constancy
func.func @quotients(%p: !eft.ptr<i32> {eft.divisibility = 16 : i32},
                     %n: i32 {eft.divisibility = 16 : i32}) {
  %i = eft.arange 0 to 256 : tensor<256xi32>
  %ns = eft.splat %n : i32 -> tensor<256xi32>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<256x!eft.ptr<i32>>
  %at = eft.addptr %ps, %i : tensor<256x!eft.ptr<i32>>, tensor<256xi32>
  %q = arith.divui %i, %ns : tensor<256xi32>
  %two = arith.constant dense<2> : tensor<256xi32>
  %s = arith.shrui %i, %two : tensor<256xi32>
  %y = arith.addi %q, %s : tensor<256xi32>
  eft.store %at, %y : tensor<256x!eft.ptr<i32>>
  return
}
