// RUN: eft-opt %s -split-input-file -verify-diagnostics -eft-lower-to-gpu=num-warps=1

#layout = #eft.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>

func.func @layout_of_more_warps(%x: f32) {
  // expected-error @+1 {{'eft.splat' op has a layout that is not one of whole blocks over 1 warps of 32 lanes}}
  %0 = eft.splat %x : f32 -> tensor<64xf32, #layout>
  return
}

// -----

#layout = #eft.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>

func.func @layout_of_half_a_block(%x: f32) {
  // expected-error @+1 {{'eft.splat' op has a layout that is not one of whole blocks over 1 warps of 32 lanes}}
  %0 = eft.splat %x : f32 -> tensor<64xf32, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[0]], lane = [[1], [2], [4], [8], [16]], warp = []>

func.func @print_of_copies(%x: f64) {
  %0 = eft.splat %x : f64 -> tensor<32xf64, #layout>
  // expected-error @+1 {{'eft.print' op must be done once for each element, but the layout has copies in a thread's registers, got 'tensor<32xf64, #eft.layout<register = [[0]]}}
  eft.print " x: " %0 : tensor<32xf64, #layout>
  return
}
