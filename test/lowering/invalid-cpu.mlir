// RUN: eft-opt %s -split-input-file -verify-diagnostics -eft-lower-to-cpu

#half = #eft.layout<lane = [[1], [2]], step = []>
#whole = #eft.layout<lane = [[1], [2]], step = [[4]]>

func.func @layout_of_half_a_block(%x: f32) {
  %0 = eft.splat %x : f32 -> tensor<8xf32, #half>
  // expected-error @+1 {{'eft.convert_layout' op has a layout that does not cover the block, got 'tensor<8xf32}}
  %1 = eft.convert_layout %0 : tensor<8xf32, #half> -> tensor<8xf32, #whole>
  return
}

// -----

#layout = #eft.layout<register = [[8]], lane = [[1], [2], [4]]>

func.func @layout_of_a_gpu() {
  // expected-error @+1 {{'eft.arange' op has a layout that puts elements elsewhere than in lanes and steps, got 'tensor<16xi32, #eft.layout<register = [[8]], lane = [[1], [2], [4]]>>'}}
  %0 = eft.arange 0 to 16 : tensor<16xi32, #layout>
  return
}

// -----

#warps = #eft.layout<lane = [[1], [2]], step = [[4]], warp = [[8]]>

func.func @buffer_of_a_gpu(%i: i32) {
  // expected-error @+1 {{'eft.buffer' op has a layout that puts elements elsewhere than in lanes and steps, got '!eft.buffer<tensor<16xi64}}
  %b = eft.buffer : <tensor<16xi64, #warps>>
  eft.print "x" %b : !eft.buffer<tensor<16xi64, #warps>>
  return
}

// -----

#warps = #eft.layout<lane = [[1], [2]], step = [[4]], warp = [[8]]>
#own = #eft.layout<lane = [[1], [2]], step = [[4]]>

func.func @elements_taken_of_other_warps(%i: i32) {
  // expected-error @+1 {{'eft.buffer' op has a layout that puts elements elsewhere than in lanes and steps, got '!eft.buffer<tensor<16xf32}}
  %b = eft.buffer : <tensor<16xf32, #warps>>
  %0 = eft.buffer_read %b[%i] of <lane = [[1], [2]], step = [[8]]> : <tensor<16xf32, #warps>> -> tensor<8xf32, #own>
  return
}

// -----

func.func @shared_memory_of_a_gpu() {
  // expected-error @+1 {{'eft.commit_copies' op has no lowering for a CPU}}
  eft.commit_copies
  return
}

// -----

func.func @assembly_of_a_gpu(%x: i32, %p: !eft.ptr<i32>) {
  // expected-error @+1 {{inline assembly is for GPUs, and can't run on a CPU}}
  %0 = eft.inline_asm "mov.b32 $0, $1;" constraints "=r,r" pure pack 1 %x : (i32) -> i32
  eft.store %p, %0 : !eft.ptr<i32>
  return
}
