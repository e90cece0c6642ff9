// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TypeCode: the type of an argument in one byte, for comparing calls with variants.
#pragma once

#include "eft/DataType.h"

#include <array>
#include <cstdint>
#include <string>

namespace eft::python {

using TypeCode = uint8_t; // a DataType, with flags

inline constexpr TypeCode typeBits = 0x1F;
inline constexpr TypeCode pointerFlag = 0x20;
inline constexpr TypeCode readOnlyFlag = 0x40; // set together with pointerFlag
// The code of an argument that the compiled kernel does not receive: a constexpr, or None.
inline constexpr TypeCode constantCode = 0x80;
// The code of a tensor descriptor. Its type does not fit into a byte and is a DescriptorType; see
// DescriptorReader.h.
inline constexpr TypeCode descriptorCode = 0x81;

constexpr TypeCode scalarCode(DataType type) { return static_cast<TypeCode>(type); }
constexpr TypeCode pointerCode(DataType type, bool readOnly) {
  return static_cast<TypeCode>(scalarCode(type) | pointerFlag | (readOnly ? readOnlyFlag : 0));
}
constexpr bool isPointer(TypeCode code) { return code & pointerFlag; }
constexpr bool isConstant(TypeCode code) { return code == constantCode; }
constexpr bool isDescriptor(TypeCode code) { return code == descriptorCode; }
constexpr bool isInteger(TypeCode code) {
  return !isPointer(code) && !isConstant(code) && code >= scalarCode(DataType::I8) &&
         code <= scalarCode(DataType::U64);
}

// Returns the type's name in signatures: "fp32", "*fp32", or "*kfp32" for read-only memory.
inline std::string typeCodeName(TypeCode code) {
  std::string name = isPointer(code) ? (code & readOnlyFlag ? "*k" : "*") : "";
  return name.append(dataTypeName(static_cast<DataType>(code & typeBits)));
}

} // namespace eft::python
