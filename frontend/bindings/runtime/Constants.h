// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When two constexpr values are the same for a compiled kernel. Python's == is too kind for that:
// it takes 1, 1.0 and True for one value, and 0.0 and −0.0.
#pragma once

#include "frontend/bindings/runtime/Object.h"

namespace eft::python {

// 1 if the same code comes of both, 0 if not, −1 with an exception set if a comparison failed.
// Of the same type all the way down through tuples and frozensets, and equal; floats to the bit.
int sameConstant(PyObject *a, PyObject *b);

// Sets the class whose objects wrap a constexpr value in an attribute `value`. They are unwrapped
// where a launch gets them.
void setConstexprType(PyObject *type);

// The value of a constexpr object, or the object itself. Null with an exception set if it has none.
Ref unwrapConstexpr(PyObject *object);
bool isConstexpr(PyObject *object);

} // namespace eft::python
