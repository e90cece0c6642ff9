// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The element types that kernels work on, and their names.
#pragma once

#include "eft/Export.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace eft {

enum class DataType : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F16,
  BF16,
  F32,
  F64,
  F8E4NV,
  F8E5,
  F8E4B8,
  F8E5B16,
  F8E4B15
};

inline constexpr unsigned numDataTypes = 18;

/// "i32", "fp16", "bf16" …: the names that Triton's signatures use; "unknown" for a number that is
/// none of DataType's. Any thread.
EFT_API std::string_view dataTypeName(DataType type);

/// The type with this name in signatures. Nothing for another name. Any thread.
EFT_API std::optional<DataType> dataTypeFromName(std::string_view name);

/// Bits of an element in memory. A boolean takes a whole byte there. 0 for a number that is none
/// of DataType's. Any thread.
EFT_API unsigned bitsInMemory(DataType type);

/// The type with this name in the words of array libraries: "float32", "bool", "bfloat16", "uint8"
/// … Nothing for a type that kernels have no use for, such as "complex64". Any thread.
EFT_API std::optional<DataType> dataTypeFromArrayName(std::string_view name);

} // namespace eft
