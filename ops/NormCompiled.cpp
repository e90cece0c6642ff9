// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ops/NormCompiled.h"

// What `python -m eft compile` made; see CMakeLists.txt.
#include "eft_norm_kernels.h"

namespace eft::ops {
namespace {

size_t indexOf(DataType dtype) {
  return dtype == DataType::F16 ? 0 : dtype == DataType::BF16 ? 1 : 2;
}

/// The kernel for rows of this length. The last one takes rows of any.
size_t indexOf(int64_t columns) {
  size_t index = 0;
  for (int64_t most = 1024; index < 4 && columns > most; most *= 2)
    ++index;
  return index;
}

// What both directions take behind the pointers.
#define EFT_NUMBERS                                                                                \
  what.rows, what.columns, int64_t(what.seed), what.threshold, what.mayKeep, float(what.scale)
#define EFT_FORWARD                                                                                \
  address(what.x), address(what.residual), address(what.weight), address(what.bias),               \
      address(what.z), address(what.y), what.mean, what.rstd, EFT_NUMBERS, what.eps, what.hasMean
#define EFT_BACKWARD                                                                               \
  address(what.dy), address(what.dz), address(what.z), address(what.weight), what.mean, what.rstd, \
      address(what.dx), address(what.dresidual), what.partial, EFT_NUMBERS, what.hasMean
#define EFT_SUMS                                                                                   \
  what.partial, address(what.dweight), address(what.dbias), programsOf(what), what.columns

#define EFT_ON_BOTH(name, What, ...)                                                               \
  {EFT_ON_GPU(name, What, __VA_ARGS__), EFT_ON_CPU(name, What, __VA_ARGS__)}
#define EFT_OF_ALL_LENGTHS(name, What, ...)                                                        \
  {EFT_ON_BOTH(name##_1024, What, __VA_ARGS__), EFT_ON_BOTH(name##_2048, What, __VA_ARGS__),       \
   EFT_ON_BOTH(name##_4096, What, __VA_ARGS__), EFT_ON_BOTH(name##_8192, What, __VA_ARGS__),       \
   EFT_ON_BOTH(name##_long, What, __VA_ARGS__)}

constexpr CompiledKernel<NormForwardWork> forwards[][5] = {
    EFT_OF_ALL_LENGTHS(eft_norm_forward_fp16, NormForwardWork, EFT_FORWARD),
    EFT_OF_ALL_LENGTHS(eft_norm_forward_bf16, NormForwardWork, EFT_FORWARD),
    EFT_OF_ALL_LENGTHS(eft_norm_forward_fp32, NormForwardWork, EFT_FORWARD)};
constexpr CompiledKernel<NormBackwardWork> backwards[][5] = {
    EFT_OF_ALL_LENGTHS(eft_norm_backward_fp16, NormBackwardWork, EFT_BACKWARD),
    EFT_OF_ALL_LENGTHS(eft_norm_backward_bf16, NormBackwardWork, EFT_BACKWARD),
    EFT_OF_ALL_LENGTHS(eft_norm_backward_fp32, NormBackwardWork, EFT_BACKWARD)};
constexpr CompiledKernel<NormBackwardWork> sums[] = {
    EFT_ON_BOTH(eft_norm_sums_fp16, NormBackwardWork, EFT_SUMS),
    EFT_ON_BOTH(eft_norm_sums_bf16, NormBackwardWork, EFT_SUMS),
    EFT_ON_BOTH(eft_norm_sums_fp32, NormBackwardWork, EFT_SUMS)};

} // namespace

const CompiledKernel<NormForwardWork> &kernelFor(const NormForwardWork &what) {
  return forwards[indexOf(what.dtype)][indexOf(what.columns)];
}

const CompiledKernel<NormBackwardWork> &kernelFor(const NormBackwardWork &what) {
  return backwards[indexOf(what.dtype)][indexOf(what.columns)];
}

const CompiledKernel<NormBackwardWork> &sumsFor(const NormBackwardWork &what) {
  return sums[indexOf(what.dtype)];
}

} // namespace eft::ops
