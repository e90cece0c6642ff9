// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asks PyTorch and CuPy for their current stream. Neither is imported for this purpose: a library
// that is not loaded has no arrays and no stream.
#include "frontend/bindings/runtime/Stream.h"

namespace eft::python {
namespace {

enum class Answer { Found, NotLoaded, Failed };

PyObject *loadedModule(const char *name) { // borrowed
  PyObject *modules = PyImport_GetModuleDict();
  return modules ? PyDict_GetItemString(modules, name) : nullptr;
}

Ref attributePath(PyObject *object, std::initializer_list<const char *> names) {
  Ref value = Ref::borrow(object);
  for (const char *name : names) {
    if (!value)
      break;
    value = findAttribute(value.get(), name);
  }
  return value;
}

Answer number(Ref value, uint64_t &stream) {
  if (value)
    stream = PyLong_AsUnsignedLongLong(value.get());
  return PyErr_Occurred() ? Answer::Failed : Answer::Found;
}

Answer torchStream(int device, uint64_t &stream) {
  PyObject *torch = loadedModule("torch");
  Ref current = torch ? attributePath(torch, {"_C", "_cuda_getCurrentRawStream"}) : Ref();
  if (!current) // a build without CUDA has no streams
    return PyErr_Occurred() ? Answer::Failed : Answer::NotLoaded;
  return number(Ref::steal(PyObject_CallFunction(current.get(), "i", device)), stream);
}

Answer cupyStream(int device, uint64_t &stream) {
  PyObject *cupy = loadedModule("cupy");
  Ref current = cupy ? attributePath(cupy, {"cuda", "get_current_stream"}) : Ref();
  if (!current)
    return PyErr_Occurred() ? Answer::Failed : Answer::NotLoaded;
  Ref object = Ref::steal(PyObject_CallFunction(current.get(), "i", device));
  if (!object)
    return Answer::Failed;
  return number(Ref::steal(PyObject_GetAttrString(object.get(), "ptr")), stream);
}

} // namespace

bool StreamChoice::find(int device, uint64_t &found) const {
  found = 0;
  if (exchange) {
    void *current = nullptr;
    if (exchange->currentStream(dlpack::cuda, device, &current) != 0)
      return false;
    found = reinterpret_cast<uint64_t>(current);
    return true;
  }
  Answer answer = Answer::NotLoaded;
  if (library == Library::Torch)
    answer = torchStream(device, found);
  else if (library == Library::CuPy)
    answer = cupyStream(device, found);
  if (answer == Answer::NotLoaded && named) {
    found = stream;
    return true;
  }
  if (answer == Answer::NotLoaded)
    answer = torchStream(device, found);
  if (answer == Answer::NotLoaded)
    answer = cupyStream(device, found);
  return answer != Answer::Failed;
}

} // namespace eft::python
