// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <pybind11/pybind11.h>

namespace eft::python {

// Adds the function `read_array`.
void addReadArray(pybind11::module_ &module);

} // namespace eft::python
