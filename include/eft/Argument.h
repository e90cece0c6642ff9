// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An argument of a launch: a value and its type, in 16 bytes.
#pragma once

#include "eft/Buffer.h"
#include "eft/Signature.h"

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace eft {

/// The bits of an IEEE half, for a parameter of type `fp16`. C++20 has no half type.
struct Half {
  uint16_t bits = 0;
};

/// The upper 16 bits of a float, for a parameter of type `bf16`.
struct BFloat16 {
  uint16_t bits = 0;
};

/// Returns the DataType of the C++ type T, or nothing if kernels have no such type. Of an integer,
/// the size and the signedness decide.
template <typename T> constexpr std::optional<DataType> dataTypeOf() {
  if constexpr (std::same_as<T, bool>)
    return DataType::I1;
  else if constexpr (std::integral<T> && sizeof(T) <= 8)
    return static_cast<DataType>(
        static_cast<unsigned>(std::is_signed_v<T> ? DataType::I8 : DataType::U8) +
        static_cast<unsigned>(std::countr_zero(sizeof(T))));
  else if constexpr (std::same_as<T, float>)
    return DataType::F32;
  else if constexpr (std::same_as<T, double>)
    return DataType::F64;
  else if constexpr (std::same_as<T, Half>)
    return DataType::F16;
  else if constexpr (std::same_as<T, BFloat16>)
    return DataType::BF16;
  else
    return std::nullopt;
}

/// One argument of a launch. Kernel::launch makes an Argument from each value that the caller
/// passes. An Argument owns no memory: what a pointer or a Buffer refers to must stay valid until
/// the kernel is done, which on a GPU is later than the return of the launch.
///
/// | parameter | accepted argument |
/// |---|---|
/// | `i1` | `bool` |
/// | `i8` … `i64` | an integer of that size, signed or unsigned; `i8` takes no `bool` |
/// | `fp32`, `fp64`, `fp16`, `bf16` | `float`, `double`, `Half`, `BFloat16` |
/// | `fp8e4nv` and the other 8-bit floats | the number's bits, as `uint8_t` or `int8_t` |
/// | `*T` | a pointer to T as above; `void *`, `std::byte *`, `nullptr`; a Buffer |
///
/// Booleans in memory are bytes, so `*i8` takes a `bool *` too. No argument is converted: `i64`
/// takes int64_t(1), but not 1, which is an `int`. A pointer to const is accepted like any other
/// pointer; the const does not keep the kernel from writing.
class Argument {
public:
  /// The form in which the caller passed the argument. It decides whether type() or device() is
  /// known.
  enum class Kind : uint8_t { Value, Pointer, UntypedPointer, Buffer };

  template <typename T>
    requires(dataTypeOf<T>().has_value())
  Argument(T value) : dataType(*dataTypeOf<T>()) {
    std::memcpy(&slot, &value, sizeof(value));
  }

  template <typename T> Argument(T *pointer) : slot(reinterpret_cast<uintptr_t>(pointer)) {
    using Pointee = std::remove_cv_t<T>;
    constexpr bool untyped = std::is_void_v<Pointee> || std::same_as<Pointee, std::byte>;
    kindOfValue = untyped ? Kind::UntypedPointer : Kind::Pointer;
    if constexpr (!untyped) {
      static_assert(dataTypeOf<Pointee>().has_value(),
                    "kernels have no type for what this points to: pass it as void *");
      dataType = *dataTypeOf<Pointee>();
    }
  }

  Argument(std::nullptr_t) : kindOfValue(Kind::UntypedPointer) {}

  Argument(const eft::Buffer &buffer)
      : slot(reinterpret_cast<uintptr_t>(buffer.data())), deviceIndex(buffer.device().index),
        deviceKind(buffer.device().kind), kindOfValue(Kind::Buffer) {}

  /// The value in the low bytes, or the address.
  uint64_t bits() const { return slot; }
  Kind kind() const { return kindOfValue; }
  /// The type of a Value, or of the elements that a Pointer points to. Meaningless for the other
  /// kinds.
  DataType type() const { return dataType; }
  /// The device of a Buffer. Meaningless for the other kinds.
  Device device() const { return {deviceKind, deviceIndex}; }

private:
  uint64_t slot = 0;
  int32_t deviceIndex = 0;
  DeviceKind deviceKind = DeviceKind::Host;
  Kind kindOfValue = Kind::Value;
  DataType dataType = DataType::I8;
};

} // namespace eft
