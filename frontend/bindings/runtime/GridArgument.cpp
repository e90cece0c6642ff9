// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the grid of a call: an int, a tuple or list of one to three ints, or a function of the
// arguments that returns one of these.
#include "frontend/bindings/runtime/Call.h"

namespace eft::python {
namespace {

bool raiseGrid(PyObject *type, const std::string &kernel, const std::string &words) {
  raise(type, "grid of kernel '" + kernel + "' " + words);
  return false;
}

bool readExtent(PyObject *object, const std::string &kernel, PyObject *whole, int64_t &extent) {
  // An array has the method __index__ too, but raises TypeError unless it is a single int.
  Ref number = PyIndex_Check(object) ? Ref::steal(PyNumber_Index(object)) : Ref();
  if (!number && (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_TypeError)))
    return raiseGrid(PyExc_TypeError, kernel,
                     "must be 1 to 3 ints, or a function that returns them, got " +
                         describe(whole));
  if (!number)
    return false;
  int overflow = 0;
  extent = PyLong_AsLongLongAndOverflow(number.get(), &overflow);
  if (overflow != 0)
    return raiseGrid(PyExc_ValueError, kernel,
                     "has " + describe(number.get()) +
                         " programs along one axis, expected 0 to 2147483647");
  return true;
}

bool readExtents(PyObject *object, const std::string &kernel, Grid &grid) {
  grid = {};
  if (!PyTuple_Check(object) && !PyList_Check(object))
    return readExtent(object, kernel, object, grid.x);
  Py_ssize_t count = PySequence_Fast_GET_SIZE(object);
  if (count < 1 || count > 3)
    return raiseGrid(PyExc_ValueError, kernel,
                     "must have 1 to 3 extents, got " + std::to_string(count));
  int64_t *const extents[] = {&grid.x, &grid.y, &grid.z};
  for (Py_ssize_t axis = 0; axis < count; ++axis) {
    // __index__ of an item may run Python code that changes the list.
    Ref item = Ref::steal(PySequence_GetItem(object, axis));
    if (!item || !readExtent(item.get(), kernel, object, *extents[axis]))
      return false;
  }
  return true;
}

// Adds a note to the pending exception: that the grid function raised it, and the names in the
// function's argument.
void noteGridFunction(const std::string &kernel, PyObject *arguments) {
  std::string names;
  PyObject *name = nullptr, *value = nullptr;
  for (Py_ssize_t position = 0; PyDict_Next(arguments, &position, &name, &value);)
    names += (names.empty() ? "" : ", ") + text(name);
  addNote("raised by the grid function of kernel '" + kernel + "', whose argument has " +
          (names.empty() ? "no names" : "the names " + names));
}

} // namespace

bool Call::readGrid(PyObject *object, Grid &grid) {
  const std::string &kernel = signature.kernelName();
  bool isFunction = !PyTuple_Check(object) && !PyLong_Check(object) && PyCallable_Check(object);
  if (!isFunction)
    return readExtents(object, kernel, grid);
  Ref arguments = signature.toDict(values.data());
  if (!arguments)
    return false;
  Ref result = Ref::steal(PyObject_CallOneArg(object, arguments.get()));
  if (!result)
    noteGridFunction(kernel, arguments.get());
  return result && readExtents(result.get(), kernel, grid);
}

} // namespace eft::python
