// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ops/DropoutCompiled.h"

// Includes the headers that `python -m eft compile` made; see CMakeLists.txt.
#include "eft_dropout_kernels.h"

namespace eft::ops {
namespace {

// Each kernel exists for each element type. `float` or `double` is the type of the scale, in which
// the kernel computes.
#define EFT_FOR_DTYPES(ROW)                                                                        \
  {ROW(fp16, float), ROW(bf16, float), ROW(fp32, float), ROW(fp64, double)}

// The arguments of the forward kernels that follow the pointers.
#define EFT_FOR_BOTH(Scale)                                                                        \
  what.rows, what.columns, int64_t(what.seed), what.threshold, what.mayKeep, Scale(what.scale),    \
      what.division.factor, what.division.exponent, what.rowPrograms
#define EFT_FOR_GPU(Scale) EFT_FOR_BOTH(Scale), what.shift
#define EFT_FOR_CPU(Scale)                                                                         \
  EFT_FOR_BOTH(Scale), what.programRows, what.blockPrograms, what.programBlocks

#define EFT_X_Y address(what.x), address(what.y)
#define EFT_ROW(dtype, Scale)                                                                      \
  {EFT_ON_GPU(eft_forward_gpu_##dtype, GpuForward, EFT_X_Y, EFT_FOR_GPU(Scale)),                   \
   EFT_ON_GPU(eft_forward_gpu_mask_##dtype, GpuForward, EFT_X_Y, what.mask, EFT_FOR_GPU(Scale))}
constexpr GpuKernel<GpuForward> gpuForwards[][2] = EFT_FOR_DTYPES(EFT_ROW);
#undef EFT_ROW

// Kernels for 16-bit elements whose addresses allow wide accesses; see Alignment.
#define EFT_ROW(dtype)                                                                             \
  EFT_ON_GPU(eft_forward_aligned_##dtype, GpuForward, EFT_X_Y, EFT_FOR_GPU(float))
constexpr GpuKernel<GpuForward> alignedForwards[] = {EFT_ROW(fp16), EFT_ROW(bf16)};
#undef EFT_ROW
#define EFT_ROW(dtype)                                                                             \
  {EFT_ON_GPU(eft_forward_wide_##dtype, GpuForward, EFT_X_Y, EFT_FOR_BOTH(float)),                 \
   EFT_ON_GPU(eft_forward_wide_mask_##dtype, GpuForward, EFT_X_Y, what.mask, EFT_FOR_BOTH(float))}
constexpr GpuKernel<GpuForward> wideForwards[][2] = {EFT_ROW(fp16), EFT_ROW(bf16)};
#undef EFT_ROW

#define EFT_ROW(dtype, Scale)                                                                      \
  {EFT_ON_CPU(eft_forward_cpu_##dtype, CpuForward, EFT_X_Y, EFT_FOR_CPU(Scale)),                   \
   EFT_ON_CPU(eft_forward_cpu_mask_##dtype, CpuForward, EFT_X_Y, what.mask, EFT_FOR_CPU(Scale))}
constexpr CpuKernel<CpuForward> cpuForwards[][2] = EFT_FOR_DTYPES(EFT_ROW);
#undef EFT_ROW

#define EFT_BACKWARD(Scale)                                                                        \
  address(what.dy), what.mask, address(what.dx), what.count, Scale(what.scale)
#define EFT_ROW(dtype, Scale)                                                                      \
  {EFT_ON_GPU(eft_backward_##dtype, Backward, EFT_BACKWARD(Scale)),                                \
   EFT_ON_GPU(eft_backward_by4_##dtype, Backward, EFT_BACKWARD(Scale))}
constexpr GpuKernel<Backward> gpuBackwards[][2] = EFT_FOR_DTYPES(EFT_ROW);
#undef EFT_ROW

#define EFT_ROW(dtype, Scale) EFT_ON_CPU(eft_backward_##dtype, Backward, EFT_BACKWARD(Scale))
constexpr CpuKernel<Backward> cpuBackwards[] = EFT_FOR_DTYPES(EFT_ROW);
#undef EFT_ROW

// EFT_STRIDES: the strides of x, y and the mask along an axis. EFT_AXIS: the division and the jumps
// of one axis of rows.
#define EFT_STRIDES(strides) what.axes.strides[0], what.axes.strides[1], what.axes.strides[2]
#define EFT_AXIS(i)                                                                                \
  what.axes.axes[i].division.factor, what.axes.axes[i].division.exponent,                          \
      what.axes.axes[i].jumps[0], what.axes.axes[i].jumps[1], what.axes.axes[i].jumps[2]
#define EFT_STRIDED(Scale)                                                                         \
  EFT_STRIDES(row), EFT_STRIDES(column), what.rows, what.columns, int64_t(what.seed),              \
      what.threshold, what.mayKeep, Scale(what.scale), what.readsMask
#define EFT_NESTED                                                                                 \
  what.axes.rowAxes > shallowAxes, EFT_AXIS(0), EFT_AXIS(1), EFT_AXIS(2), EFT_AXIS(3),             \
      EFT_AXIS(4), EFT_AXIS(5)
// Indexed by the element type, then by whether there is more than one axis of rows.
#define EFT_ON_GPU_STRIDED(name, ...) EFT_ON_GPU(name, Strided, EFT_X_Y, what.mask, __VA_ARGS__)
#define EFT_ROW(dtype, Scale)                                                                      \
  {EFT_ON_GPU_STRIDED(eft_strided_gpu_##dtype, EFT_STRIDED(Scale), what.axes.alongRows),           \
   EFT_ON_GPU_STRIDED(eft_strided_nested_gpu_##dtype, EFT_STRIDED(Scale), what.axes.alongRows,     \
                      EFT_NESTED)}
constexpr GpuKernel<Strided> gpuStrided[][2] = EFT_FOR_DTYPES(EFT_ROW);
#undef EFT_ROW
#define EFT_ALONG(Scale) EFT_STRIDED(Scale), what.axes.alongRows, what.axes.isUnit
#define EFT_ROW(dtype, Scale)                                                                      \
  {EFT_ON_CPU(eft_strided_cpu_##dtype, Strided, EFT_X_Y, what.mask, EFT_ALONG(Scale)),             \
   EFT_ON_CPU(eft_strided_nested_cpu_##dtype, Strided, EFT_X_Y, what.mask, EFT_ALONG(Scale),       \
              EFT_NESTED)}
constexpr CpuKernel<Strided> cpuStrided[][2] = EFT_FOR_DTYPES(EFT_ROW);
#undef EFT_ROW

// Kernels for `hasUnits`, indexed by the element type, by whether tiles lie along the rows, and by
// whether there is more than one axis of rows.
#define EFT_ALIGNED(dtype, Scale, along)                                                           \
  {EFT_ON_GPU_STRIDED(eft_strided_aligned_plain_##along##_mask_##dtype, EFT_STRIDED(Scale)),       \
   EFT_ON_GPU_STRIDED(eft_strided_aligned_nested_##along##_mask_##dtype, EFT_STRIDED(Scale),       \
                      EFT_AXIS(0), EFT_AXIS(1))}
#define EFT_ROW(dtype, Scale) {EFT_ALIGNED(dtype, Scale, columns), EFT_ALIGNED(dtype, Scale, rows)}
constexpr GpuKernel<Strided> alignedStrided[][2][2] = EFT_FOR_DTYPES(EFT_ROW);
#undef EFT_ROW
#undef EFT_ALIGNED
#define EFT_ALIGNED(dtype, along)                                                                  \
  {EFT_ON_GPU(eft_strided_aligned_plain_##along##_##dtype, Strided, EFT_X_Y, EFT_STRIDED(float)),  \
   EFT_ON_GPU(eft_strided_aligned_nested_##along##_##dtype, Strided, EFT_X_Y, EFT_STRIDED(float),  \
              EFT_AXIS(0), EFT_AXIS(1))}
#define EFT_ROW(dtype) {EFT_ALIGNED(dtype, columns), EFT_ALIGNED(dtype, rows)}
constexpr GpuKernel<Strided> masklessStrided[][2][2] = {EFT_ROW(fp16), EFT_ROW(bf16)};
#undef EFT_ROW

// EFT_JUMPS: the division and the jumps of one axis in the order of memory.
#define EFT_JUMPS(i)                                                                               \
  what.memory->axes[i].factor, what.memory->axes[i].exponent, what.memory->axes[i].jumps[0],       \
      what.memory->axes[i].jumps[1], what.memory->axes[i].jumps[2], what.memory->axes[i].jumps[3], \
      what.memory->axes[i].jumps[4]
#define EFT_PERMUTED(Scale)                                                                        \
  EFT_X_Y, what.mask, int32_t(what.rows *what.columns), int64_t(what.seed), what.threshold,        \
      what.mayKeep, Scale(what.scale), what.readsMask, what.memory->steps[3],                      \
      what.memory->steps[4], EFT_JUMPS(0), EFT_JUMPS(1), EFT_JUMPS(2)
#define EFT_ROW(dtype, Scale) EFT_ON_GPU(eft_permuted_##dtype, Strided, EFT_PERMUTED(Scale))
constexpr GpuKernel<Strided> permuted[] = EFT_FOR_DTYPES(EFT_ROW);
#undef EFT_ROW

bool isAligned(const Backward &what) {
  return isVectorAligned(what.dy) && isVectorAligned(what.mask) && isVectorAligned(what.dx);
}

} // namespace

const GpuKernel<GpuForward> &kernelFor(const GpuForward &what) {
  size_t dtype = indexOf(what.dtype);
  switch (what.alignment) {
  case Alignment::Rows:
    return wideForwards[dtype][what.mask != nullptr];
  case Alignment::Arrays:
    return alignedForwards[dtype];
  default:
    return gpuForwards[dtype][what.mask != nullptr];
  }
}

const CpuKernel<CpuForward> &kernelFor(const CpuForward &what) {
  return cpuForwards[indexOf(what.dtype)][what.mask != nullptr];
}

const GpuKernel<Backward> &gpuKernelFor(const Backward &what) {
  return gpuBackwards[indexOf(what.dtype)][isAligned(what)];
}

const CpuKernel<Backward> &cpuKernelFor(const Backward &what) {
  return cpuBackwards[indexOf(what.dtype)];
}

const GpuKernel<Strided> &gpuKernelFor(const Strided &what) {
  const size_t dtype = indexOf(what.dtype);
  const bool isNested = what.axes.isNested();
  if (isPermuted(what))
    return permuted[dtype];
  if (!hasUnits(what))
    return gpuStrided[dtype][isNested];
  return !what.mask && dtype < std::size(masklessStrided)
             ? masklessStrided[dtype][what.axes.alongRows][isNested]
             : alignedStrided[dtype][what.axes.alongRows][isNested];
}

const CpuKernel<Strided> &cpuKernelFor(const Strided &what) {
  return cpuStrided[indexOf(what.dtype)][what.axes.isNested()];
}

} // namespace eft::ops
