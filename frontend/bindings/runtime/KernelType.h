// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Python types _runtime.KernelBase, from which eft.JITFunction derives, and _runtime.Launcher,
// the type of kernel[grid].
#pragma once

#include "frontend/bindings/runtime/Object.h"

namespace eft::python {

// Adds both types to the module. Returns false with an exception set on failure.
bool makeKernelTypes(PyObject *module);

} // namespace eft::python
