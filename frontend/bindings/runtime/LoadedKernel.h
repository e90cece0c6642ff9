// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Python type _runtime.LoadedKernel: code that is loaded on a device. eft.CompiledKernel
// derives from it.
#pragma once

#include "frontend/bindings/runtime/Object.h"
#include "runtime/launch/AnyKernel.h"

namespace eft::python {

struct LoadedKernelObject {
  PyObject_HEAD std::unique_ptr<const AnyKernel> kernel;
  PyObject *keepAlive; // the object that owns the code's memory, or null
};

// The Python type, a borrowed reference. makeLoadedKernelType() sets it.
extern PyTypeObject *loadedKernelType;

// Makes the type and adds it to the module. Returns false with an exception set on failure.
bool makeLoadedKernelType(PyObject *module);

// Returns the kernel of an object, which must be a LoadedKernel.
inline const AnyKernel &kernelOf(PyObject *object) {
  return *reinterpret_cast<LoadedKernelObject *>(object)->kernel;
}

} // namespace eft::python
