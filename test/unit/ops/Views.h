// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of given shapes and strides, for tests that do not access their elements.
#pragma once

#include "eft/Tensor.h"

#include <algorithm>
#include <initializer_list>

namespace eft::testing {

inline Tensor view(std::initializer_list<int64_t> shape, std::initializer_list<int64_t> strides) {
  Tensor tensor;
  tensor.rank = unsigned(shape.size());
  std::ranges::copy(shape, tensor.shape.begin());
  std::ranges::copy(strides, tensor.strides.begin());
  return tensor;
}

} // namespace eft::testing
