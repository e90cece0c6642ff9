// RUN: eft-opt %s -split-input-file -verify-diagnostics -eft-lower-to-gpu=num-warps=1 -cse | FileCheck %s --check-prefix=GPU
// RUN: sed -e 's/register = \[\[1\]\], lane = .*>/lane = [[1], [2]], step = [[4], [8], [16], [32]]>/' %s | eft-opt -split-input-file -verify-diagnostics -eft-lower-to-cpu -cse | FileCheck %s --check-prefix=CPU

#layout = #eft.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>

// Each element takes one branch.
// GPU-LABEL: @branches
// GPU-COUNT-2: scf.if %{{.*}} -> (f32)
// GPU-NOT: scf.if
// GPU-NOT: arith.select
// CPU-LABEL: @branches
// CPU: %[[ALL:.*]] = scf.for %[[LANE:.*]] = %c0{{.*}} to %c4{{.*}} iter_args(%[[SOME:.*]] = %{{.*}}) -> (vector<4xf32>)
// CPU: %[[X:.*]] = llvm.extractelement %{{.*}}[%[[LANE]] : i32] : vector<4xf32>
// CPU: %[[Y:.*]] = scf.if %{{.*}} -> (f32)
// CPU: arith.addf %[[X]], %[[X]]
// CPU: llvm.insertelement %[[Y]], %[[SOME]][%[[LANE]] : i32]
func.func @branches(%x: f32, %p: !eft.ptr<f32>) {
  %xs = eft.splat %x : f32 -> tensor<64xf32, #layout>
  %i = eft.arange 0 to 64 : tensor<64xi32, #layout>
  %f = arith.sitofp %i : tensor<64xi32, #layout> to tensor<64xf32, #layout>
  %0 = eft.map %xs, %f pack 1 : (tensor<64xf32, #layout>, tensor<64xf32, #layout>) -> tensor<64xf32, #layout> {
  ^bb0(%a: f32, %b: f32):
    %less = arith.cmpf olt, %a, %b : f32
    %r = scf.if %less -> f32 {
      %twice = arith.addf %a, %a : f32
      scf.yield %twice : f32
    } else {
      scf.yield %b : f32
    }
    eft.yield %r : f32
  }
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>, #layout>
  eft.store %ps, %0 : tensor<64x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>

// GPU-LABEL: @pairs
// GPU: arith.addi %[[A:[0-9a-z_]+]], %[[B:[0-9a-z_]+]] : i32
// GPU: arith.subi %[[A]], %[[B]] : i32
// GPU-NOT: arith.subi
// CPU-LABEL: @pairs
// CPU-COUNT-2: llvm.insertelement
// CPU: scf.yield %{{.*}}, %{{.*}} : vector<4xi32>, vector<4xi32>
func.func @pairs(%p: !eft.ptr<i32>) {
  %i = eft.arange 0 to 64 : tensor<64xi32, #layout>
  %0 = eft.map %i pack 2 : (tensor<64xi32, #layout>) -> tensor<64xi32, #layout> {
  ^bb0(%a: i32, %b: i32):
    %sum = arith.addi %a, %b : i32
    %difference = arith.subi %a, %b : i32
    eft.yield %sum, %difference : i32, i32
  }
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<64x!eft.ptr<i32>, #layout>
  eft.store %ps, %0 : tensor<64x!eft.ptr<i32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>

func.func @block_inside() {
  %i = eft.arange 0 to 64 : tensor<64xi32, #layout>
  %0 = eft.map %i pack 1 : (tensor<64xi32, #layout>) -> tensor<64xi32, #layout> {
  ^bb0(%a: i32):
    // expected-error @+1 {{this can't be a part of a mapped function, which computes with its numbers alone, without blocks and memory}}
    %b = eft.program_id x
    eft.yield %b : i32
  }
  return
}
