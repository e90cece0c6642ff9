// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of element types.
#include "eft/DataType.h"

namespace eft {
namespace {

struct Row {
  std::string_view name;
  std::string_view arrayName;
  unsigned bits;
};

// In the order of the enumeration.
constexpr Row table[numDataTypes] = {
    {"i1", "bool", 8},
    {"i8", "int8", 8},
    {"i16", "int16", 16},
    {"i32", "int32", 32},
    {"i64", "int64", 64},
    {"u8", "uint8", 8},
    {"u16", "uint16", 16},
    {"u32", "uint32", 32},
    {"u64", "uint64", 64},
    {"fp16", "float16", 16},
    {"bf16", "bfloat16", 16},
    {"fp32", "float32", 32},
    {"fp64", "float64", 64},
    {"fp8e4nv", "float8_e4m3fn", 8},
    {"fp8e5", "float8_e5m2", 8},
    {"fp8e4b8", "float8_e4m3fnuz", 8},
    {"fp8e5b16", "float8_e5m2fnuz", 8},
    {"fp8e4b15", "float8e4b15", 8}, // array libraries have no such type
};

constexpr Row unknown = {"unknown", "", 0};

/// The row of a type. An enumeration may hold any number, so this checks the range.
const Row &row(DataType type) {
  unsigned number = static_cast<unsigned>(type);
  return number < numDataTypes ? table[number] : unknown;
}

/// The type whose row has this name in the given column.
std::optional<DataType> find(std::string_view Row::*column, std::string_view name) {
  for (unsigned i = 0; i < numDataTypes; ++i)
    if (table[i].*column == name)
      return static_cast<DataType>(i);
  return std::nullopt;
}

} // namespace

std::string_view dataTypeName(DataType type) { return row(type).name; }

unsigned bitsInMemory(DataType type) { return row(type).bits; }

std::optional<DataType> dataTypeFromName(std::string_view name) { return find(&Row::name, name); }

std::optional<DataType> dataTypeFromArrayName(std::string_view name) {
  return find(&Row::arrayName, name);
}

} // namespace eft
