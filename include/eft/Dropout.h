// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dropout operator and its backward, on a GPU and on the CPU. The CMake target is eft::ops. The
// kernels are compiled ahead of time; Eft compiles nothing at run time. On a GPU that is newer than
// the machine code supports, the driver assembles the kernels' PTX.
//
//   Y = mask ⊙ X · s       dX = mask ⊙ dY · s       s = 1 / (1 − p), or 1
//
// mask is 1 where a random number in [0, 1) is at least p, else 0. The random number is a function
// of the seed, the row and the column only. It is the same on every device and for every shape that
// has this row and column. So the seed can replace the mask and takes no memory. A dropped element
// of Y is +0, even where X is negative, infinite or NaN.
//
// X, Y, dX and dY have one type: fp16, bf16, fp32 or fp64. The mask is int32. All arrays of a call
// are on one device and have one shape, of up to 8 axes and possibly more than 2³¹ elements. The
// last axis is the columns. All other axes together are the rows, numbered in row-major order of
// their indices. Each array may have any strides, but in an array that is written no two elements
// may share memory. The random numbers don't depend on the strides. Arrays that are row-major
// without gaps are the fastest.
//
// The product with s is computed in fp32 and then rounded to the type of the arrays. For fp64
// arrays, s and the product are fp64. Y may be X itself, and dX may be dY itself, with equal
// strides. Otherwise an array that is written must not overlap another array of the call. A call on
// arrays without elements succeeds and launches nothing.
//
// All functions may be called from several threads. On a GPU they put the work into the stream and
// return at once; the tensors' memory must stay valid until the work is done. The stream must
// belong to the device's primary context, which the CUDA runtime and PyTorch use too; null is the
// legacy default stream. On the CPU they ignore the stream and return when the work is done. The
// calling thread and a thread pool do the work there; EFT_NUM_THREADS sets the number of threads.
#pragma once

#include "eft/Tensor.h"

/// The type that CUDA's CUstream and cudaStream_t point to.
struct CUstream_st;

namespace eft {

using StreamHandle = CUstream_st *;

struct DropoutAttrs {
  float p = 0.5f; ///< the probability of dropping an element, from 0 (none) to 1 (all, with s = 0)
  bool scale_in_train = true; ///< whether s is 1 / (1 − p); otherwise it is 1
  /// The seed. If it is 0, the forward takes a fresh seed: 2⁶³ + 1 in the first such call of the
  /// process, 2⁶³ + 2 in the next, and so on. The backward from a seed refuses 0.
  uint64_t seed = 0;
};

/// The codes that the `_run` functions return. After any code but `DropoutSuccess`, no output was
/// written.
enum DropoutCode : int {
  DropoutSuccess = 0,
  DropoutBadAttribute = -1, ///< p is not from 0 to 1, or a seed is missing
  DropoutBadTensor = -2,    ///< a wrong dtype, device, rank, strides or address; an overlap
  DropoutBadShape = -3,     ///< the shapes differ
  DropoutRuntimeError = -7, ///< no such GPU, no code for the device, or an error of the driver
};

/// The forward: writes Y, and the mask unless `mask` is null. `usedSeed`, unless null, receives the
/// seed that was used: the fresh seed if `attrs.seed` is 0. Fails with InvalidArgument where
/// `dropout_run` returns a code from −1 to −3, if X is on the other kind of device, and if the
/// launch needs more programs than the device can have. Other failures are NoDriver, NoDevice, Cuda
/// and OutOfMemory.
EFT_API Status DropoutCudaLaunch(const Tensor &X, Tensor &Y, Tensor *mask,
                                 const DropoutAttrs &attrs, StreamHandle stream,
                                 uint64_t *usedSeed = nullptr);
EFT_API Status DropoutCpuLaunch(const Tensor &X, Tensor &Y, Tensor *mask, const DropoutAttrs &attrs,
                                StreamHandle stream = nullptr, uint64_t *usedSeed = nullptr);

/// The backward from the mask that the forward wrote. Any mask element other than 0 counts as 1.
/// `p` and `scale_in_train` must be those of the forward; the seed is not used.
EFT_API Status DropoutCudaBackwardLaunch(const Tensor &dY, const Tensor &mask, Tensor &dX,
                                         const DropoutAttrs &attrs, StreamHandle stream);
EFT_API Status DropoutCpuBackwardLaunch(const Tensor &dY, const Tensor &mask, Tensor &dX,
                                        const DropoutAttrs &attrs, StreamHandle stream = nullptr);

/// The backward from the seed. It gives the same bits as the backward from the mask. `p` and
/// `scale_in_train` must be those of the forward, and the seed must be the one that the forward
/// used (its `usedSeed`).
EFT_API Status DropoutCudaSeedBackwardLaunch(const Tensor &dY, Tensor &dX,
                                             const DropoutAttrs &attrs, StreamHandle stream);
EFT_API Status DropoutCpuSeedBackwardLaunch(const Tensor &dY, Tensor &dX, const DropoutAttrs &attrs,
                                            StreamHandle stream = nullptr);

/// The same three operators for callers that need an error code. They run on the device of X or of
/// dY, and return a `DropoutCode`. `dropout_message()` describes a failure.
EFT_API int dropout_run(const Tensor &X, Tensor &Y, Tensor *mask, const DropoutAttrs &attrs,
                        StreamHandle stream, uint64_t *usedSeed = nullptr);
EFT_API int dropout_backward_run(const Tensor &dY, const Tensor &mask, Tensor &dX,
                                 const DropoutAttrs &attrs, StreamHandle stream);
EFT_API int dropout_seed_backward_run(const Tensor &dY, Tensor &dX, const DropoutAttrs &attrs,
                                      StreamHandle stream);

/// Returns the message for this thread's last call of a `_run` function. It names the tensor, what
/// was found and what was expected. It is empty after a success. The pointer is valid until the
/// thread's next call of a `_run` function.
EFT_API const char *dropout_message();

} // namespace eft
