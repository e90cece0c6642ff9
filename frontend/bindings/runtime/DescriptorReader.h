// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor descriptors as arguments of a launch: objects of eft.TensorDescriptor.
//
// The compiled kernel gets one as an address, in the place of the parameter, and, behind all other
// parameters, the extents and the strides but the last one, which is 1. The rest is part of the
// type, as the elements' type is.
#pragma once

#include "frontend/bindings/runtime/ArrayReader.h"

namespace eft::python {

inline constexpr size_t maxDescriptorRank = 5;

struct DescriptorType {
  DataType element = DataType::I8;
  bool readOnly = false;
  bool padsWithNan = false;
  bool hasWideExtents = false; // extents that 32 bits do not hold
  uint8_t rank = 0;
  std::array<uint8_t, maxDescriptorRank> logExtents = {}; // the block's extents, as powers of two

  bool operator==(const DescriptorType &) const = default;
  // "tensordesc<fp16[128, 64]>", as in Triton; with "k" for memory that is only read, and ", nan"
  // and ", i64" before the end
  std::string name() const;
  uint64_t hash() const;
};

// The descriptors among a call's arguments, in order.
struct DescriptorArguments {
  std::vector<DescriptorType> types;
  std::vector<uint64_t> numbers; // extents and strides of each
};

// Names the class of descriptors.
void setDescriptorType(PyObject *type);
bool isDescriptorType(PyTypeObject *type);

// Reads the array of a descriptor, and adds the rest of it to `descriptors`. False with an
// exception set if something can't be: the descriptor has checked itself when it was made, and may
// have been changed since.
bool readDescriptor(PyObject *object, const Where &where, HeldObjects &held,
                    const TypeReader *&reader, ArrayFacts &facts, DescriptorArguments &descriptors);

} // namespace eft::python
