// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that were compiled ahead of time, as values.
#pragma once

#include "eft/Dropout.h"
#include "runtime/cpu/Kernel.h"

#include <array>
#include <cstring>

namespace eft::ops {

/// The arguments of a kernel for the CPU.
struct Slots {
  std::array<uint64_t, 50> values;
  size_t count;
};

/// `launch` puts the kernel into a stream of the current context, and returns a code.
template <typename What> struct GpuKernel {
  int (*launch)(StreamHandle stream, uint32_t programs, const What &what);
  const char *(*errorText)(int code);
};

/// `kernel` is null if there is no code for this CPU.
template <typename What> struct CpuKernel {
  const cpu::Kernel *(*kernel)();
  Slots (*slots)(const What &what);
};

/// The place of the kernels for elements of this type in tables of all types of floats.
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

/// A thread's widest access to memory needs an address that is a multiple of this, in bytes.
constexpr uintptr_t vectorBytes = 16;

inline bool isVectorAligned(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer) % vectorBytes == 0;
}

/// A pointer to elements of any type, of which the kernel knows more.
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

// The kernels that `python -m eft compile` has made under a name; behind What their arguments.

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
