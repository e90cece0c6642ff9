// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dropout operator and its backward, on a GPU and on the CPU. CMake: eft::ops. The kernels are
// compiled ahead of time, and nothing is compiled at run time. On a GPU that is too new for the
// machine code, the driver assembles the PTX.
//
//   Y = mask ⊙ X · s       dX = mask ⊙ dY · s       s = 1 / (1 − p), or 1
//
// mask is 1 where a random number in [0, 1) is at least p. That number is a function of the seed,
// the row and the column alone: the same on every device, in every shape that has the element. So a
// seed is as good as a mask, and takes no memory. What is dropped is +0, whatever stood there.
//
// X, Y, dX and dY are of one type, fp16, bf16, fp32 or fp64, and the mask is int32. All of them are
// on one device and of one shape, of up to 8 axes, which may have more than 2³¹ elements. The last
// axis is the columns; all others are the rows, in row-major order of their indices. Each may have
// any strides; only in what is written, each element must have memory of its own. The random
// numbers don't depend on the strides. Arrays that are row-major without gaps are the fastest.
//
// A product is rounded once to fp32, and once more to the type of the arrays; in fp64 it is one of
// fp64, with an s of fp64. Y may be X, and dX may be dY; what is written shares no other memory
// with another tensor of the call. An array without elements is a success that launches nothing.
//
// All functions may be called from several threads. On a GPU they return at once, and the work
// stands in the stream, which belongs to the device's primary context (the one of the CUDA runtime
// and PyTorch; null is the legacy default stream); the tensors' memory must stay until it is done.
// On the CPU they return when the work is done, by the calling thread and a pool (EFT_NUM_THREADS),
// and ignore the stream.
#pragma once

#include "eft/Tensor.h"

/// The type that CUDA's CUstream and cudaStream_t point to.
struct CUstream_st;

namespace eft {

using StreamHandle = CUstream_st *;

struct DropoutAttrs {
  float p = 0.5f; ///< the probability of dropping an element, from 0 (none) to 1 (all, with s = 0)
  bool scale_in_train = true; ///< whether s is 1 / (1 − p); otherwise it is 1
  /// The seed. For 0 the forward takes a fresh one: 2⁶³ + 1, 2⁶³ + 2 and so on, in the order of the
  /// calls in this process. The backward from a seed takes no 0.
  uint64_t seed = 0;
};

/// The codes that the `_run` functions return. Nothing was written if it is not `DropoutSuccess`.
enum DropoutCode : int {
  DropoutSuccess = 0,
  DropoutBadAttribute = -1, ///< p is not from 0 to 1, or a seed is missing
  DropoutBadTensor = -2,    ///< a dtype, device, layout or rank; an output that overlaps
  DropoutBadShape = -3,     ///< shapes that differ
  DropoutRuntimeError = -7, ///< no such GPU, no code for it, an error of the driver's
};

/// Forward. `mask` may be null: then none is written. `usedSeed`, if given, gets the seed that was
/// used, also where `attrs.seed` is 0. Fails with InvalidArgument where `dropout_run` would return
/// a code from −1 to −3, else with NoDriver, NoDevice, Cuda or OutOfMemory.
EFT_API Status DropoutCudaLaunch(const Tensor &X, Tensor &Y, Tensor *mask,
                                 const DropoutAttrs &attrs, StreamHandle stream,
                                 uint64_t *usedSeed = nullptr);
EFT_API Status DropoutCpuLaunch(const Tensor &X, Tensor &Y, Tensor *mask, const DropoutAttrs &attrs,
                                StreamHandle stream = nullptr, uint64_t *usedSeed = nullptr);

/// Backward with the mask that the forward has written. An element that is not 0 counts as 1. `p`
/// and `scale_in_train` must be the forward's; the seed is not used.
EFT_API Status DropoutCudaBackwardLaunch(const Tensor &dY, const Tensor &mask, Tensor &dX,
                                         const DropoutAttrs &attrs, StreamHandle stream);
EFT_API Status DropoutCpuBackwardLaunch(const Tensor &dY, const Tensor &mask, Tensor &dX,
                                        const DropoutAttrs &attrs, StreamHandle stream = nullptr);

/// Backward with the forward's seed, and the same bits. All attributes must be the forward's, the
/// seed the one that it used.
EFT_API Status DropoutCudaSeedBackwardLaunch(const Tensor &dY, Tensor &dX,
                                             const DropoutAttrs &attrs, StreamHandle stream);
EFT_API Status DropoutCpuSeedBackwardLaunch(const Tensor &dY, Tensor &dX, const DropoutAttrs &attrs,
                                            StreamHandle stream = nullptr);

/// The same for callers that want a code: X's, or dY's, device says where. They return a
/// `DropoutCode`, and leave the words for a failure in `dropout_message()`.
EFT_API int dropout_run(const Tensor &X, Tensor &Y, Tensor *mask, const DropoutAttrs &attrs,
                        StreamHandle stream, uint64_t *usedSeed = nullptr);
EFT_API int dropout_backward_run(const Tensor &dY, const Tensor &mask, Tensor &dX,
                                 const DropoutAttrs &attrs, StreamHandle stream);
EFT_API int dropout_seed_backward_run(const Tensor &dY, Tensor &dX, const DropoutAttrs &attrs,
                                      StreamHandle stream);

/// The failure of this thread's last call of a `_run` function: the tensor, what was found and
/// what was expected. Empty after a success. Valid until the thread's next such call.
EFT_API const char *dropout_message();

} // namespace eft
