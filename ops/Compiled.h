// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of kernels that were compiled ahead of time: an entry for a GPU or a CPU, and macros that
// make the entries.
#pragma once

#include "eft/Dropout.h"
#include "runtime/cpu/Kernel.h"

#include <array>
#include <cstring>

namespace eft::ops {

/// The arguments of a kernel for the CPU, one in each slot. No kernel has more than 50.
struct Slots {
  std::array<uint64_t, 50> values;
  size_t count;
};

/// A kernel for GPUs. `What` is the type of its work: arrays, extents and numbers. `launch` puts it
/// into a stream of the current context and returns an error code, 0 for success. `errorText`
/// explains a code.
template <typename What> struct GpuKernel {
  int (*launch)(StreamHandle stream, uint32_t programs, const What &what);
  const char *(*errorText)(int code);
};

/// A kernel for CPUs. `kernel()` returns null if there is no code for this CPU. `slots()` makes the
/// kernel's arguments from a `What`.
template <typename What> struct CpuKernel {
  const cpu::Kernel *(*kernel)();
  Slots (*slots)(const What &what);
};

/// Returns the index of a float type in tables whose order is fp16, bf16, fp32, fp64.
inline size_t indexOf(DataType dtype) {
  switch (dtype) {
  case DataType::F16:
    return 0;
  case DataType::BF16:
    return 1;
  case DataType::F64:
    return 3;
  default:
    return 2;
  }
}

/// The bytes of a thread's widest memory access, whose address must be a multiple of this number.
constexpr uintptr_t vectorBytes = 16;

inline bool isVectorAligned(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer) % vectorBytes == 0;
}

/// A pointer that converts to a pointer to any type: the kernel's declaration decides the type.
struct Address {
  void *pointer;

  template <typename T> operator T *() const { return static_cast<T *>(pointer); }
};

inline Address address(const void *pointer) { return {const_cast<void *>(pointer)}; }

template <typename T> uint64_t slot(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(value));
  return bits;
}

template <typename... Ts> Slots slotsOf(Ts... values) {
  return {{slot(values)...}, sizeof...(values)};
}

} // namespace eft::ops

// Initializers of a GpuKernel or CpuKernel for the functions that `python -m eft compile` made with
// `--name name`. The arguments after What are the kernel's arguments, as expressions of `what`.

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
