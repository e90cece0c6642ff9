// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A matrix in the memory of a CPU's thread.
#pragma once

#include "compiler/ir/LayoutConversion.h"

#include <array>

namespace eft {

/// A matrix whose element (i, j) lies at memory + i · strides[0] + j · strides[1]. Strides are in
/// elements.
struct StackMatrix {
  mlir::Value memory;
  mlir::Type element;
  std::array<int64_t, 2> strides;

  StackMatrix transposed() const { return {memory, element, {strides[1], strides[0]}}; }
};

/// The strides of a block of two dimensions whose vectors (lane, step) are stored one after the
/// other. Nothing if the elements do not lie at constant strides.
std::optional<std::array<int64_t, 2>> plainStrides(const LinearLayout &layout);

} // namespace eft
