// RUN: eft-opt %s -split-input-file -eft-lower-to-cpu -verify-diagnostics

#rows = #eft.layout<lane = [[0, 1], [0, 2], [0, 4]], step = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>

func.func @narrow_factors(%x: f16, %y: f32) {
  %a = eft.splat %x : f16 -> tensor<16x16xf16, #rows>
  %c = eft.splat %y : f32 -> tensor<16x16xf32, #rows>
  // expected-error @+1 {{must have factors of its accumulator's type on a CPU; run eft-widen-dot first, got 'tensor<16x16xf16}}
  %d = eft.dot %a, %a, %c precision ieee : tensor<16x16xf16, #rows>, tensor<16x16xf16, #rows> -> tensor<16x16xf32, #rows>
  return
}
