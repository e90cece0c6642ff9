// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ops/DropoutCompiled.h"

// What `python -m eft compile` made; see CMakeLists.txt.
#include "eft_dropout_kernels.h"

#include <cstring>

namespace eft::ops {
namespace {

template <typename T> uint64_t slot(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(value));
  return bits;
}

template <typename... Ts> Slots slotsOf(Ts... values) {
  return {{slot(values)...}, sizeof...(values)};
}

// The kernels of these names; behind What their arguments.

#define EFT_ON_GPU(name, What, ...)                                                                \
  {[](StreamHandle stream, uint32_t programs, const What &what) {                                  \
     return name##_launch(stream, programs, 1, 1, __VA_ARGS__);                                    \
   },                                                                                              \
   name##_error_string}

#define EFT_ON_CPU(name, What, ...)                                                                \
  {[]() -> const cpu::Kernel * {                                                                   \
     static HostFunction *const function = name##_host_function();                                 \
     static const cpu::Kernel kernel(function);                                                    \
     return function ? &kernel : nullptr;                                                          \
   },                                                                                              \
   [](const What &what) { return slotsOf(__VA_ARGS__); }}

// What the forwards take behind the pointers.
#define EFT_NUMBERS                                                                                \
  what.rows, what.columns, int64_t(what.seed), what.threshold, what.mayKeep, what.scale
#define EFT_DIVISION what.division.factor, what.division.exponent
#define EFT_FOR_GPU EFT_NUMBERS, what.shift, what.rowPrograms, EFT_DIVISION
#define EFT_FOR_CPU                                                                                \
  EFT_NUMBERS, what.rowPrograms, what.programRows, what.blockPrograms, what.programBlocks,         \
      EFT_DIVISION

constexpr GpuKernel<GpuForward> gpuForwards[] = {
    EFT_ON_GPU(eft_forward_gpu, GpuForward, what.x, what.y, EFT_FOR_GPU),
    EFT_ON_GPU(eft_forward_gpu_mask, GpuForward, what.x, what.y, what.mask, EFT_FOR_GPU)};
constexpr CpuKernel<CpuForward> cpuForwards[] = {
    EFT_ON_CPU(eft_forward_cpu, CpuForward, what.x, what.y, EFT_FOR_CPU),
    EFT_ON_CPU(eft_forward_cpu_mask, CpuForward, what.x, what.y, what.mask, EFT_FOR_CPU)};

#define EFT_BACKWARD what.dy, what.mask, what.dx, what.count, what.scale
constexpr GpuKernel<Backward> gpuBackwards[] = {
    EFT_ON_GPU(eft_backward, Backward, EFT_BACKWARD),
    EFT_ON_GPU(eft_backward_by4, Backward, EFT_BACKWARD)};
constexpr CpuKernel<Backward> cpuBackwards[] = {
    EFT_ON_CPU(eft_backward, Backward, EFT_BACKWARD),
    EFT_ON_CPU(eft_backward_by4, Backward, EFT_BACKWARD)};

bool isAligned(const Backward &what) {
  auto address = [](const void *pointer) { return reinterpret_cast<uintptr_t>(pointer); };
  return (address(what.dy) | address(what.mask) | address(what.dx)) % 16 == 0;
}

} // namespace

const GpuKernel<GpuForward> &kernelFor(const GpuForward &what) {
  return gpuForwards[what.mask != nullptr];
}

const CpuKernel<CpuForward> &kernelFor(const CpuForward &what) {
  return cpuForwards[what.mask != nullptr];
}

const GpuKernel<Backward> &gpuKernelFor(const Backward &what) {
  return gpuBackwards[isAligned(what)];
}

const CpuKernel<Backward> &cpuKernelFor(const Backward &what) {
  return cpuBackwards[isAligned(what)];
}

} // namespace eft::ops
