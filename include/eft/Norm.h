// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dropout, the sum with a residual, and layer norm or root mean square norm, in one pass; and the
// gradients of that, from the seed. CMake: eft::ops.
//
//   Z = residual + mask ⊙ X · s          Y = (Z − mean) · rstd · weight + bias
//
// The mask and s are those of dropout (Dropout.h): it is the mask that `dropout_run` has for the
// same seed and p. mean and rstd are those of each row of Z as it is stored; a root mean square
// norm has the mean 0:
//
//   rstd = 1 / √(mean((Z − mean)²) + eps)
//
// Everything is computed in fp32. The order of the sums is fixed: the same arrays give the same
// bits on every device, in every call.
//
// X, residual, Z, Y, weight and bias and all gradients are of one type: fp32, fp16 or bf16. The
// statistics are fp32. All are row-major without gaps and on one device. The last axis of X is the
// columns; all others are the rows. Z may be X or residual. An array without elements is a success
// that launches nothing, but the gradients of the weight and the bias become 0.
//
// Threads, streams and memory are as in Dropout.h.
#pragma once

#include "eft/Dropout.h"

namespace eft {

enum class NormKind : uint8_t { Layer, RootMeanSquare };

struct NormAttrs {
  NormKind kind = NormKind::Layer;
  float eps = 1e-5f; ///< at least 0
  /// At p = 0 nothing is dropped, and no number is drawn.
  DropoutAttrs dropout = {.p = 0};
};

/// The arrays of the forward. Those that are pointers may be missing.
struct NormForward {
  const Tensor &X;
  const Tensor *residual; ///< has X's shape
  const Tensor &weight;   ///< [columns]
  const Tensor *bias;     ///< [columns]
  Tensor &Z, &Y;          ///< have X's shape
  Tensor *mean;           ///< fp32, [rows]; not for a root mean square norm
  Tensor &rstd;           ///< fp32, [rows]
};

/// The arrays of the backward. Those that are pointers may be missing.
struct NormBackward {
  const Tensor &dY;
  const Tensor *dZ; ///< the gradient of Z from elsewhere, of dY's shape
  const Tensor &Z, &weight;
  const Tensor *mean; ///< the forward's; not for a root mean square norm
  const Tensor &rstd;
  Tensor *dX, *dResidual;  ///< have dY's shape
  Tensor *dWeight, *dBias; ///< [columns]; both, or the weight's alone
  /// Room for partial sums, if dWeight is there: fp32, one axis, at least `normWorkspace` elements.
  Tensor *workspace;
};

/// The elements that the workspace of a backward must have.
EFT_API int64_t normWorkspace(int64_t rows, int64_t columns);

/// `usedSeed`, if given, gets the seed that was used, also where it is 0 in the attributes. Fails
/// with InvalidArgument for arrays and attributes that don't fit, else with NoDriver, NoDevice,
/// Cuda or OutOfMemory; then nothing was written.
EFT_API Status normForward(const NormForward &arrays, const NormAttrs &attrs, StreamHandle stream,
                           uint64_t *usedSeed = nullptr);

/// All attributes must be the forward's, the seed the one that it used. dX is bit by bit what
/// `dropout_seed_backward_run` makes of dResidual.
EFT_API Status normBackward(const NormBackward &arrays, const NormAttrs &attrs,
                            StreamHandle stream);

} // namespace eft
