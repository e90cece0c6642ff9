// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads tensor descriptors, objects of eft.TensorDescriptor, as arguments of a launch.
//
// A compiled kernel receives a descriptor in two parts. In the place of the parameter it receives
// the address. After all parameters it receives the extents and the strides, except the last
// stride, which is 1. All other facts about a descriptor are part of its type.
#pragma once

#include "frontend/bindings/runtime/ArrayReader.h"

namespace eft::python {

inline constexpr size_t maxDescriptorRank = 5;

struct DescriptorType {
  DataType element = DataType::I8;
  bool readOnly = false;
  bool padsWithNan = false;
  bool hasWideExtents = false; // an extent does not fit into 32 bits
  uint8_t rank = 0;
  std::array<uint8_t, maxDescriptorRank> logExtents =
      {}; // base-2 logarithms of the block's extents

  bool operator==(const DescriptorType &) const = default;
  // The name as in Triton, such as "tensordesc<fp16[128, 64]>". Read-only memory adds a "k" after
  // the "<"; padding with NaN adds ", nan" and wide extents add ", i64" before the ">".
  std::string name() const;
  uint64_t hash() const;
};

// The descriptors among a call's arguments, in order.
struct DescriptorArguments {
  std::vector<DescriptorType> types;
  std::vector<uint64_t> numbers; // for each descriptor its extents, then its strides but the last
};

// Sets the Python class of descriptors.
void setDescriptorType(PyObject *type);
bool isDescriptorType(PyTypeObject *type);

// Reads the array of a descriptor into `facts`, sets `reader` to the reader of the array, and adds
// the descriptor's type and numbers to `descriptors`. Returns false with an exception set if
// something is wrong. The class checks a descriptor when it is made, but its attributes may have
// changed since.
bool readDescriptor(PyObject *object, const Where &where, HeldObjects &held,
                    const TypeReader *&reader, ArrayFacts &facts, DescriptorArguments &descriptors);

} // namespace eft::python
