// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// _runtime.LoadedKernel: code on a device, ready to be launched. eft.CompiledKernel derives from
// it.
#pragma once

#include "frontend/bindings/runtime/Object.h"
#include "runtime/launch/AnyKernel.h"

namespace eft::python {

struct LoadedKernelObject {
  PyObject_HEAD std::unique_ptr<const AnyKernel> kernel;
  PyObject *keepAlive; // the object that owns the code's memory, or null
};

// Borrowed; set by makeLoadedKernelType().
extern PyTypeObject *loadedKernelType;

// False with an exception set if the type can't be made.
bool makeLoadedKernelType(PyObject *module);

// The kernel of an object that is a LoadedKernel.
inline const AnyKernel &kernelOf(PyObject *object) {
  return *reinterpret_cast<LoadedKernelObject *>(object)->kernel;
}

} // namespace eft::python
