// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operator that fuses dropout, the sum with a residual, and a layer norm or a root mean square
// norm; and its gradients, which are computed from the seed. The CMake target is eft::ops.
//
//   Z = residual + mask ⊙ X · s          Y = (Z − mean) · rstd · weight + bias
//
// s and the mask are those of Dropout.h: for the same seed and p, `dropout_run` writes the same
// mask. mean and rstd are computed for each row of Z, after Z was rounded to its type. A root mean
// square norm takes 0 as the mean:
//
//   rstd = 1 / √(mean((Z − mean)²) + eps)
//
// All arithmetic is in fp32. The order of the sums is fixed, so the same arrays give the same bits
// on every device and in every call.
//
// X, residual, Z, Y, weight, bias and all gradients have one type: fp32, fp16 or bf16. mean and
// rstd are fp32. All arrays are row-major without gaps and on one device. The last axis of X is the
// columns; all other axes together are the rows. Z may be X or residual itself. A call on an X
// without elements succeeds and computes nothing, except that the backward sets the gradients of
// the weight and the bias to 0.
//
// The rules of Dropout.h on threads, streams and the lifetime of memory apply here, too.
#pragma once

#include "eft/Dropout.h"

namespace eft {

enum class NormKind : uint8_t { Layer, RootMeanSquare };

struct NormAttrs {
  NormKind kind = NormKind::Layer;
  float eps = 1e-5f; ///< at least 0
  /// At p = 0, the default here, no element is dropped and no random number is drawn.
  DropoutAttrs dropout = {.p = 0};
};

/// The arrays of the forward. `residual` and `bias` may be null.
struct NormForward {
  const Tensor &X;
  const Tensor *residual; ///< has X's shape
  const Tensor &weight;   ///< [columns]
  const Tensor *bias;     ///< [columns]
  Tensor &Z, &Y;          ///< have X's shape
  Tensor *mean;           ///< fp32, [rows]; null if and only if the norm is a root mean square norm
  Tensor &rstd;           ///< fp32, [rows]
};

/// The arrays of the backward. `dZ` may be null, and so may each output; an output that is null is
/// not computed.
struct NormBackward {
  const Tensor &dY;
  const Tensor *dZ; ///< the gradient of Z from its other uses, of dY's shape
  const Tensor &Z, &weight;
  const Tensor *mean; ///< the forward's; null if and only if the norm is a root mean square norm
  const Tensor &rstd;
  Tensor *dX, *dResidual;  ///< have dY's shape
  Tensor *dWeight, *dBias; ///< [columns]; dBias needs dWeight
  /// Memory for partial sums: fp32, one axis, at least `normWorkspace` elements. Required with
  /// dWeight, and ignored without it.
  Tensor *workspace;
};

/// Returns the smallest number of elements that the workspace of a backward may have.
EFT_API int64_t normWorkspace(int64_t rows, int64_t columns);

/// Writes Z, Y and the statistics. `usedSeed`, unless null, receives the seed that was used: the
/// fresh seed if the attributes have 0. Fails with InvalidArgument for invalid arrays or
/// attributes; other failures are NoDriver, NoDevice, Cuda and OutOfMemory. After a failure no
/// output was written.
EFT_API Status normForward(const NormForward &arrays, const NormAttrs &attrs, StreamHandle stream,
                           uint64_t *usedSeed = nullptr);

/// Writes the gradients. All attributes must be those of the forward, and the seed must be the one
/// that the forward used; at p = 0 the seed may be 0. dX has the same bits as
/// `dropout_seed_backward_run` computes from dResidual.
EFT_API Status normBackward(const NormBackward &arrays, const NormAttrs &attrs,
                            StreamHandle stream);

} // namespace eft
