// RUN: eft-opt %s -split-input-file -verify-diagnostics -eft-lower-to-gpu

#block = #eft.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>

func.func @scan() {
  %x = eft.buffer : <tensor<128xf32, #block>>
  // expected-error @+1 {{'eft.scan_into' op works on a CPU's memory, and has no lowering for a GPU}}
  eft.scan_into %x axis 0 : (!eft.buffer<tensor<128xf32, #block>>) {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  return
}
