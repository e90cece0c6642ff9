// RUN: eft-opt %s -split-input-file -eft-lower-to-gpu=num-warps=1 -verify-diagnostics

#rows = #eft.layout<register = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0]], warp = []>

func.func @not_laid_out_in_tiles(%x: f16, %y: f32) {
  %a = eft.splat %x : f16 -> tensor<16x16xf16, #rows>
  %c = eft.splat %y : f32 -> tensor<16x16xf32, #rows>
  // expected-error @+1 {{has operands in other layouts than those of a tensor core's tiles}}
  %d = eft.dot %a, %a, %c precision ieee : tensor<16x16xf16, #rows>, tensor<16x16xf16, #rows> -> tensor<16x16xf32, #rows>
  return
}
