// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives Python the reader of a launch's arrays. Warmups, tensor descriptors and operators use it.
#include "frontend/bindings/runtime/ReadArray.h"

#include "frontend/bindings/runtime/ArrayReader.h"

namespace py = pybind11;
using namespace py::literals;

namespace eft::python {
namespace {

/// Returns the GPU's number, -1 for the host, or None if the place is unknown.
py::object placeOf(const ArrayFacts &facts) {
  switch (facts.place) {
  case Place::Unknown:
    return py::none();
  case Place::Host:
  case Place::Pinned:
    return py::int_(-1);
  case Place::Cuda:
    return py::int_(facts.index);
  }
  return py::none();
}

py::tuple readForPython(py::handle object, const std::string &words) {
  const Where where{nullptr, words.c_str()};
  const TypeReader *reader = readerOf(object.ptr());
  if (reader && reader->kind != TypeReader::Array)
    raise(PyExc_TypeError, where.message("must be an array, got " + typeName(object.ptr())));
  HeldObjects held;
  ArrayFacts facts;
  if (PyErr_Occurred() || !readArray(*reader, object.ptr(), where, held, facts))
    throw py::error_already_set();
  return py::make_tuple(facts.address, dataTypeName(facts.type), facts.readOnly, placeOf(facts));
}

} // namespace

void addReadArray(py::module_ &module) {
  module.def("read_array", readForPython, "array"_a, "words"_a,
             "Returns the address of an array, the name that signatures have for its elements'\n"
             "type, whether it is read-only, and its GPU's number: -1 on the host, None where\n"
             "nothing is known. It reads as a launch does. The words begin the message of the\n"
             "TypeError or ValueError for what kernels can't work on.");
}

} // namespace eft::python
