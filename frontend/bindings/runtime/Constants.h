// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides whether two constexpr values give the same code. Python's == can't decide it: 1, 1.0 and
// True are equal, and so are 0.0 and −0.0, but they give different code.
#pragma once

#include "frontend/bindings/runtime/Object.h"

namespace eft::python {

// Returns 1 if both values give the same code, 0 if they may not, and −1 with an exception set if a
// comparison failed. Values give the same code if they have the same type and are equal. Floats and
// complex numbers must also have the same bits. Elements of tuples and frozensets are compared by
// the same rules.
int sameConstant(PyObject *a, PyObject *b);

// Sets the class whose objects wrap a constexpr value in an attribute `value`. A launch unwraps
// such arguments.
void setConstexprType(PyObject *type);

// Returns the value of a constexpr object. Returns any other object itself. Returns null with an
// exception set if a constexpr object has no value.
Ref unwrapConstexpr(PyObject *object);
bool isConstexpr(PyObject *object);

} // namespace eft::python
