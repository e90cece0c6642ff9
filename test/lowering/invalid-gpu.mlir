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

// -----

#order = #eft.layout<offset = [[1], [2]]>

func.func @slots_freed_out_of_order() {
  %s = eft.alloc_shared : !eft.shared<1, tensor<4xf32, #order>>
  %t = eft.alloc_shared : !eft.shared<1, tensor<4xf32, #order>>
  // expected-error @+1 {{'eft.dealloc_shared' op frees others than the slots that were allocated last}}
  eft.dealloc_shared %s : !eft.shared<1, tensor<4xf32, #order>>
  return
}

// -----

#large = #eft.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128], [0, 256], [0, 512], [0, 1024], [0, 2048], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0], [128, 0], [256, 0], [512, 0], [1024, 0], [2048, 0]]>

func.func @slots_of_more_than_a_gigabyte() {
  %0 = eft.alloc_shared : !eft.shared<1, tensor<4096x4096xf64, #large>>
  %1 = eft.alloc_shared : !eft.shared<1, tensor<4096x4096xf64, #large>>
  %2 = eft.alloc_shared : !eft.shared<1, tensor<4096x4096xf64, #large>>
  %3 = eft.alloc_shared : !eft.shared<1, tensor<4096x4096xf64, #large>>
  %4 = eft.alloc_shared : !eft.shared<1, tensor<4096x4096xf64, #large>>
  %5 = eft.alloc_shared : !eft.shared<1, tensor<4096x4096xf64, #large>>
  %6 = eft.alloc_shared : !eft.shared<1, tensor<4096x4096xf64, #large>>
  %7 = eft.alloc_shared : !eft.shared<1, tensor<4096x4096xf64, #large>>
  // expected-error @+1 {{'eft.alloc_shared' op needs 134217728 bytes of shared memory beside others, of at most 1073741824 for all}}
  %8 = eft.alloc_shared : !eft.shared<1, tensor<4096x4096xf64, #large>>
  return
}

// -----

#keys = #eft.layout<register = [[4], [8]], lane = [[1], [2], [4], [0], [0]], warp = []>
#bins = #eft.layout<register = [], lane = [[1], [2], [4], [0], [0]], warp = []>

func.func @counts_copies(%k: i32) {
  %keys = eft.splat %k : i32 -> tensor<16xi32, #keys>
  // expected-error @+1 {{'eft.histogram' op must be done once for each element, but the layout has copies of another kind than whole threads, got 'tensor<16xi32}}
  %counts = eft.histogram %keys : tensor<16xi32, #keys> -> tensor<8xi32, #bins>
  return
}
