// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels in block IR, as text.
#pragma once

#include <string>

/// out[i] = x[i] * factor for i < n, with 256 elements for each program.
inline const std::string scaleText = R"(
func.func @scale(%x: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %out: !eft.ptr<f32>,
                 %factor: f32, %n: i32) {
  %c256 = arith.constant 256 : i32
  %pid = eft.program_id x
  %start = arith.muli %pid, %c256 : i32
  %range = eft.arange 0 to 256 : tensor<256xi32>
  %starts = eft.splat %start : i32 -> tensor<256xi32>
  %i = arith.addi %starts, %range : tensor<256xi32>
  %ns = eft.splat %n : i32 -> tensor<256xi32>
  %mask = arith.cmpi slt, %i, %ns : tensor<256xi32>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<256x!eft.ptr<f32>>
  %xp = eft.addptr %xs, %i : tensor<256x!eft.ptr<f32>>, tensor<256xi32>
  %v = eft.load %xp, mask %mask : tensor<256x!eft.ptr<f32>>
  %fs = eft.splat %factor : f32 -> tensor<256xf32>
  %w = arith.mulf %v, %fs : tensor<256xf32>
  %os = eft.splat %out : !eft.ptr<f32> -> tensor<256x!eft.ptr<f32>>
  %op = eft.addptr %os, %i : tensor<256x!eft.ptr<f32>>, tensor<256xi32>
  eft.store %op, %w, mask %mask : tensor<256x!eft.ptr<f32>>
  return
}
)";
