// RUN: eft-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(eft-tile-blocks{dimension=step elements=32 vectors=1 use-buffers}),eft-lower-to-cpu)'

#long = #eft.layout<lane = [[1], [2], [4], [8]], step = [[16], [32], [64], [128], [256], [512], [1024], [2048], [4096], [8192], [16384], [32768], [65536], [131072], [262144], [524288], [1048576]]>

// The row must be kept on the stack, because a store is between its two uses.
// expected-error @+1 {{kernel needs 8390912 bytes of stack for its blocks, more than 4194304; use smaller blocks}}
func.func @row_is_too_long_to_be_kept(%x: !eft.ptr<f32>, %y: !eft.ptr<f32>) {
  %i = eft.arange 0 to 2097152 : tensor<2097152xi32, #long>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<2097152x!eft.ptr<f32>, #long>
  %ps = eft.addptr %xs, %i : tensor<2097152x!eft.ptr<f32>, #long>, tensor<2097152xi32, #long>
  %v = eft.load %ps {run = 16 : i32} : tensor<2097152x!eft.ptr<f32>, #long>
  %s = eft.reduce %v axis 0 steps 4096 tree [1, 2, 4, 8, 16, 32, 64, 128, 256] : (tensor<2097152xf32, #long>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  eft.store %y, %s : !eft.ptr<f32>
  %ss = eft.splat %s : f32 -> tensor<2097152xf32, #long>
  %d = arith.subf %v, %ss : tensor<2097152xf32, #long>
  eft.store %ps, %d {run = 16 : i32} : tensor<2097152x!eft.ptr<f32>, #long>
  return
}

// -----

#rows = #eft.layout<lane = [[0, 1], [0, 2], [0, 4], [0, 8]], step = [[0, 16], [0, 32], [0, 64], [0, 128], [0, 256], [1, 0], [2, 0], [4, 0], [8, 0]]>
#wide = #eft.layout<lane = [[0, 1], [0, 2], [0, 4], [0, 8]], step = [[0, 16], [0, 32], [0, 64], [0, 128], [0, 256], [0, 512], [1, 0], [2, 0], [4, 0], [8, 0]]>
#columns = #eft.layout<lane = [[1, 0], [2, 0], [4, 0], [8, 0]], step = [[16, 0], [32, 0], [64, 0], [128, 0], [256, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128], [0, 256], [0, 512]]>

// The buffers are still needed, so the copy of the second factor by rows takes more stack.
// expected-error @+1 {{kernel needs 4292608 bytes of stack for its blocks, more than 4194304; use smaller blocks}}
func.func @buffers_and_a_copy() {
  %a = eft.buffer : <tensor<16x512xf32, #rows>>
  %b = eft.buffer : <tensor<512x1024xf32, #columns>>
  %c = eft.buffer : <tensor<16x1024xf32, #wide>>
  eft.dot_into %a, %b, %c : <tensor<16x512xf32, #rows>>, <tensor<512x1024xf32, #columns>>, <tensor<16x1024xf32, #wide>>
  eft.dot_into %a, %b, %c : <tensor<16x512xf32, #rows>>, <tensor<512x1024xf32, #columns>>, <tensor<16x1024xf32, #wide>>
  return
}
