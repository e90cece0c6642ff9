// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ops/NormCompiled.h"

// Includes the headers that `python -m eft compile` made; see CMakeLists.txt.
#include "eft_norm_kernels.h"

#include <algorithm>
#include <initializer_list>

namespace eft::ops {
namespace {

/// Returns the index of the kernel for rows of this length: 0 to 3 for at most 1024, 2048, 4096 and
/// 8192 columns, and 4 for the kernel of longer rows.
size_t indexOfLength(int64_t columns) {
  size_t index = 0;
  for (int64_t most = 1024; index < 4 && columns > most; most *= 2)
    ++index;
  return index;
}

/// Returns the array, or `other` if the array is null: an array of the same shape, which the kernel
/// then loads and ignores.
auto orElse(const void *array, const void *other) { return address(array ? array : other); }

// The numbers that follow the pointers in the forward and in the backward.
#define EFT_NUMBERS                                                                                \
  what.rows, what.columns, int64_t(what.seed), what.threshold, what.mayKeep, float(what.scale)
#define EFT_FORWARD                                                                                \
  address(what.x), orElse(what.residual, what.x), address(what.weight),                            \
      orElse(what.bias, what.weight), address(what.z), address(what.y), what.mean, what.rstd,      \
      EFT_NUMBERS, what.eps, what.hasMean, what.residual != nullptr, what.bias != nullptr
#define EFT_BACKWARD                                                                               \
  address(what.dy), orElse(what.dz, what.dy), address(what.z), address(what.weight), what.mean,    \
      what.rstd, address(what.dx), address(what.dresidual), what.partial, EFT_NUMBERS,             \
      what.hasMean, what.dz != nullptr
#define EFT_SUMS                                                                                   \
  what.partial, address(what.dweight), address(what.dbias), programsOf(what), what.columns

// EFT_OF_ALL_LENGTHS: the kernels of one element type, by row length.
#define EFT_OF_ALL_LENGTHS(EFT_ON, name, What, ...)                                                \
  {EFT_ON(name##_1024, What, __VA_ARGS__), EFT_ON(name##_2048, What, __VA_ARGS__),                 \
   EFT_ON(name##_4096, What, __VA_ARGS__), EFT_ON(name##_8192, What, __VA_ARGS__),                 \
   EFT_ON(name##_long, What, __VA_ARGS__)}
#define EFT_OF_ALL_TYPES(EFT_ON, name, What, ...)                                                  \
  {EFT_OF_ALL_LENGTHS(EFT_ON, name##_fp16, What, __VA_ARGS__),                                     \
   EFT_OF_ALL_LENGTHS(EFT_ON, name##_bf16, What, __VA_ARGS__),                                     \
   EFT_OF_ALL_LENGTHS(EFT_ON, name##_fp32, What, __VA_ARGS__)}

constexpr GpuKernel<NormForwardWork> gpuForwards[][3][5] = {
    EFT_OF_ALL_TYPES(EFT_ON_GPU, eft_norm_forward, NormForwardWork, EFT_FORWARD),
    EFT_OF_ALL_TYPES(EFT_ON_GPU, eft_norm_forward_by8, NormForwardWork, EFT_FORWARD)};
constexpr GpuKernel<NormBackwardWork> gpuBackwards[][3][5] = {
    EFT_OF_ALL_TYPES(EFT_ON_GPU, eft_norm_backward, NormBackwardWork, EFT_BACKWARD),
    EFT_OF_ALL_TYPES(EFT_ON_GPU, eft_norm_backward_by8, NormBackwardWork, EFT_BACKWARD)};
constexpr CpuKernel<NormForwardWork> cpuForwards[][5] =
    EFT_OF_ALL_TYPES(EFT_ON_CPU, eft_norm_forward, NormForwardWork, EFT_FORWARD);
constexpr CpuKernel<NormBackwardWork> cpuBackwards[][5] =
    EFT_OF_ALL_TYPES(EFT_ON_CPU, eft_norm_backward, NormBackwardWork, EFT_BACKWARD);

#define EFT_SUMS_OF(EFT_ON)                                                                        \
  {EFT_ON(eft_norm_sums_fp16, NormBackwardWork, EFT_SUMS),                                         \
   EFT_ON(eft_norm_sums_bf16, NormBackwardWork, EFT_SUMS),                                         \
   EFT_ON(eft_norm_sums_fp32, NormBackwardWork, EFT_SUMS)}
constexpr GpuKernel<NormBackwardWork> gpuSums[] = EFT_SUMS_OF(EFT_ON_GPU);
constexpr CpuKernel<NormBackwardWork> cpuSums[] = EFT_SUMS_OF(EFT_ON_CPU);

/// Whether all arrays begin at multiples of 16 bytes and rows have a multiple of 8 columns. Then
/// every row begins at a multiple of 16 bytes. Arrays that are missing (null) count as aligned.
bool isAligned(int64_t columns, std::initializer_list<const void *> arrays) {
  constexpr int64_t columnsOfVector = vectorBytes / sizeof(uint16_t);
  return columns % columnsOfVector == 0 && std::ranges::all_of(arrays, isVectorAligned);
}

} // namespace

const GpuKernel<NormForwardWork> &gpuKernelFor(const NormForwardWork &what) {
  bool by8 =
      isAligned(what.columns, {what.x, what.residual, what.weight, what.bias, what.z, what.y});
  return gpuForwards[by8][indexOf(what.dtype)][indexOfLength(what.columns)];
}

const CpuKernel<NormForwardWork> &cpuKernelFor(const NormForwardWork &what) {
  return cpuForwards[indexOf(what.dtype)][indexOfLength(what.columns)];
}

const GpuKernel<NormBackwardWork> &gpuKernelFor(const NormBackwardWork &what) {
  bool by8 = isAligned(
      what.columns, {what.dy, what.dz, what.z, what.weight, what.dx, what.dresidual, what.partial});
  return gpuBackwards[by8][indexOf(what.dtype)][indexOfLength(what.columns)];
}

const CpuKernel<NormBackwardWork> &cpuKernelFor(const NormBackwardWork &what) {
  return cpuBackwards[indexOf(what.dtype)][indexOfLength(what.columns)];
}

const GpuKernel<NormBackwardWork> &gpuSumsFor(const NormBackwardWork &what) {
  return gpuSums[indexOf(what.dtype)];
}

const CpuKernel<NormBackwardWork> &cpuSumsFor(const NormBackwardWork &what) {
  return cpuSums[indexOf(what.dtype)];
}

} // namespace eft::ops
