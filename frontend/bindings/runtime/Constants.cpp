// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparison of constexpr values.
#include "frontend/bindings/runtime/Constants.h"

#include <cstring>

namespace eft::python {
namespace {

PyObject *constexprType = nullptr;

bool sameBits(double a, double b) { return std::memcmp(&a, &b, sizeof(double)) == 0; }

int sameTuple(PyObject *a, PyObject *b) {
  if (PyTuple_GET_SIZE(a) != PyTuple_GET_SIZE(b))
    return 0;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(a); ++i) {
    int same = sameConstant(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i));
    if (same <= 0)
      return same;
  }
  return 1;
}

// Returns 1 if both sets have the same size and every element of `a` is the same constant as one of
// `b`. The quadratic search is fine because sets in kernels are small.
int sameSet(PyObject *a, PyObject *b) {
  Ref left = Ref::steal(PySequence_Tuple(a)), right = Ref::steal(PySequence_Tuple(b));
  if (!left || !right)
    return -1;
  Py_ssize_t count = PyTuple_GET_SIZE(left.get());
  if (count != PyTuple_GET_SIZE(right.get()))
    return 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    int same = 0;
    for (Py_ssize_t j = 0; j < count && same == 0; ++j)
      same = sameConstant(PyTuple_GET_ITEM(left.get(), i), PyTuple_GET_ITEM(right.get(), j));
    if (same <= 0)
      return same;
  }
  return 1;
}

} // namespace

int sameConstant(PyObject *a, PyObject *b) {
  if (a == b)
    return 1;
  if (Py_TYPE(a) != Py_TYPE(b))
    return 0;
  if (PyFloat_CheckExact(a))
    return sameBits(PyFloat_AS_DOUBLE(a), PyFloat_AS_DOUBLE(b));
  if (PyComplex_CheckExact(a)) {
    Py_complex x = PyComplex_AsCComplex(a), y = PyComplex_AsCComplex(b);
    return sameBits(x.real, y.real) && sameBits(x.imag, y.imag);
  }
  if (PyTuple_Check(a))
    return sameTuple(a, b);
  if (PyFrozenSet_CheckExact(a))
    return sameSet(a, b);
  return PyObject_RichCompareBool(a, b, Py_EQ);
}

void setConstexprType(PyObject *type) {
  Py_XINCREF(type);
  Py_XSETREF(constexprType, type);
}

bool isConstexpr(PyObject *object) {
  return constexprType && reinterpret_cast<PyObject *>(Py_TYPE(object)) == constexprType;
}

Ref unwrapConstexpr(PyObject *object) {
  if (!isConstexpr(object))
    return Ref::borrow(object);
  return Ref::steal(PyObject_GetAttrString(object, "value"));
}

} // namespace eft::python
