// eft-opt can parse the output of each pass again. The pipeline has a name. Wrong options are errors.
// RUN: eft-opt %s -eft-pipeline=target=sm_90 | eft-opt | FileCheck %s --check-prefixes=LLVM,GPU
// RUN: eft-opt %s -eft-pipeline='target=sm_80 num-warps=2 max-registers=64' | eft-opt | FileCheck %s --check-prefixes=LLVM,SMALL
// RUN: eft-opt %s -eft-pipeline=target=host:x86-64-v3 | eft-opt | FileCheck %s --check-prefixes=LLVM,CPU
// RUN: eft-opt %s -eft-pipeline | eft-opt | FileCheck %s --check-prefix=LLVM
// RUN: eft-opt %s -eft-place -eft-lower-to-gpu | eft-opt | FileCheck %s --check-prefix=THREADS
// RUN: eft-opt %s -eft-place=target=cpu -eft-lower-to-cpu | eft-opt | FileCheck %s --check-prefix=VECTORS
// RUN: not eft-opt %s -eft-pipeline=target=tpu 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not eft-opt %s -eft-pipeline=target=sm_75 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not eft-opt %s -eft-pipeline='target=sm_90 num-warps=3' 2>&1 | FileCheck %s --check-prefix=WARPS
// RUN: not eft-opt %s -eft-pipeline=max-registers=256 2>&1 | FileCheck %s --check-prefix=REGISTERS

// CPU: vector<8xf32>
// LLVM: llvm.func @sum
// GPU: nvvm.reqntid = array<i32: 128, 1, 1>
// GPU: nvvm.read.ptx.sreg.tid.x
// SMALL-SAME: nvvm.maxnreg = 64
// SMALL-SAME: nvvm.reqntid = array<i32: 64, 1, 1>
// THREADS: nvvm.shfl.sync
// VECTORS: vector.shuffle
// TARGET: error: target must be 'sm_'
// OLD: error: a GPU of compute capability 7.5 is too old: 8.0 is needed
// WARPS: error: number of warps must be a power of two from 1 to 32, got 3
// REGISTERS: error: number of registers must be at most 255, got 256
func.func @sum(%x: !eft.ptr<f32>) {
  %i = eft.arange 0 to 256 : tensor<256xi32>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<256x!eft.ptr<f32>>
  %p = eft.addptr %xs, %i : tensor<256x!eft.ptr<f32>>, tensor<256xi32>
  %v = eft.load %p : tensor<256x!eft.ptr<f32>>
  %s = eft.reduce %v axis 0 : (tensor<256xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    eft.yield %c : f32
  }
  eft.store %x, %s : !eft.ptr<f32>
  return
}
