// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// _runtime.KernelBase, from which eft.JITFunction derives, and what kernel[grid] gives: a Launcher.
#pragma once

#include "frontend/bindings/runtime/Object.h"

namespace eft::python {

// Adds both types to the module. False with an exception set if they can't be made.
bool makeKernelTypes(PyObject *module);

} // namespace eft::python
