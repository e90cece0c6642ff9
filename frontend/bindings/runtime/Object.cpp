// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sets Python exceptions, and describes Python objects for messages.
#include "frontend/bindings/runtime/Object.h"

namespace eft::python {

PyObject *cudaError = nullptr, *deviceAssertionError = nullptr;

void raise(const Error &error) {
  PyObject *type = error.kind == ErrorKind::InvalidArgument ? PyExc_ValueError
                   : error.kind == ErrorKind::Assertion     ? deviceAssertionError
                                                            : cudaError;
  PyErr_SetString(type, error.message.c_str());
}

void raise(PyObject *type, const std::string &message) {
  PyObject *causeType = nullptr, *cause = nullptr, *trace = nullptr;
  PyErr_Fetch(&causeType, &cause, &trace);
  PyErr_NormalizeException(&causeType, &cause, &trace);
  PyErr_SetString(type, message.c_str());
  if (cause) {
    if (trace)
      PyException_SetTraceback(cause, trace);
    PyObject *newType = nullptr, *made = nullptr, *newTrace = nullptr;
    PyErr_Fetch(&newType, &made, &newTrace);
    PyErr_NormalizeException(&newType, &made, &newTrace);
    PyException_SetCause(made, Py_NewRef(cause));
    PyErr_Restore(newType, made, newTrace);
  }
  Py_XDECREF(causeType);
  Py_XDECREF(cause);
  Py_XDECREF(trace);
}

void addNote(const std::string &note) {
  PyObject *type = nullptr, *raised = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &raised, &trace);
  PyErr_NormalizeException(&type, &raised, &trace);
  if (PyErr_GivenExceptionMatches(type, PyExc_Exception)) {
    Ref added = Ref::steal(PyObject_CallMethod(raised, "add_note", "s", note.c_str()));
    if (!added)
      PyErr_Clear(); // Python 3.10 has no notes: only the traceback shows the origin
  }
  PyErr_Restore(type, raised, trace);
}

std::string text(PyObject *object) {
  const char *bytes = object && PyUnicode_Check(object) ? PyUnicode_AsUTF8(object) : nullptr;
  if (!bytes)
    PyErr_Clear();
  return bytes ? bytes : "";
}

std::string typeName(PyTypeObject *type) {
  auto *object = reinterpret_cast<PyObject *>(type);
  std::string module = text(findAttribute(object, "__module__").get());
  std::string name = text(findAttribute(object, "__qualname__").get());
  if (name.empty())
    name = type->tp_name;
  return module.empty() || module == "builtins" ? name : module + "." + name;
}

std::string describe(PyObject *object) {
  PyObject *pendingType = nullptr, *pending = nullptr, *trace = nullptr;
  PyErr_Fetch(&pendingType, &pending, &trace);
  Ref shown = Ref::steal(PyObject_Repr(object));
  std::string words = shown ? text(shown.get()) : "an object of type " + typeName(object);
  if (!shown && PyLong_Check(object)) { // Python refuses to print very long ints
    PyErr_Clear();
    Ref bits = Ref::steal(PyObject_CallMethod(object, "bit_length", nullptr));
    words = "an int of " + (bits ? describe(bits.get()) : "many") + " bits";
  }
  PyErr_Restore(pendingType, pending, trace); // what repr() raised is dropped
  constexpr size_t most = 80;
  if (words.size() > most) {
    // Don't cut inside a UTF-8 character.
    size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(words[end]) & 0xC0) == 0x80)
      --end;
    words = words.substr(0, end) + "…";
  }
  return words;
}

std::string pendingWords() {
  PyObject *type = nullptr, *pending = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &pending, &trace);
  PyErr_NormalizeException(&type, &pending, &trace);
  Ref shown = Ref::steal(PyObject_Str(pending));
  std::string words = text(shown.get());
  PyErr_Restore(type, pending, trace); // what str() raised is dropped
  return words.substr(0, words.find('\n'));
}

Ref findAttribute(PyObject *object, const char *name) {
  Ref value = Ref::steal(PyObject_GetAttrString(object, name));
  if (!value && PyErr_ExceptionMatches(PyExc_AttributeError))
    PyErr_Clear();
  return value;
}

} // namespace eft::python
