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

/// Returns the name of a type in Triton's signatures: "i32", "fp16", "bf16" and so on. Returns
/// "unknown" if `type` is not one of the enumerators. Any thread.
EFT_API std::string_view dataTypeName(DataType type);

/// Returns the type with this name in signatures, or nothing if no type has the name. Any thread.
EFT_API std::optional<DataType> dataTypeFromName(std::string_view name);

/// Returns the bits that one element takes in memory: 8 for a boolean. Returns 0 if `type` is not
/// one of the enumerators. Any thread.
EFT_API unsigned bitsInMemory(DataType type);

/// Returns the type that array libraries give this name: "float32", "bool", "bfloat16", "uint8" and
/// so on. Returns nothing for a type that kernels don't have, such as "complex64". Any thread.
EFT_API std::optional<DataType> dataTypeFromArrayName(std::string_view name);

} // namespace eft
