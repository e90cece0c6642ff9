// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Owned references to Python objects, and errors for Python. All of this needs the GIL.
#pragma once

// Python wants to be included before the standard headers.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "eft/Error.h"

#include <string>
#include <utility>

namespace eft::python {

// Owns a reference, or none. A null Ref that a function returns stands for a Python exception.
class Ref {
public:
  Ref() = default;
  static Ref steal(PyObject *object) { return Ref(object); }
  static Ref borrow(PyObject *object) {
    Py_XINCREF(object);
    return Ref(object);
  }
  Ref(Ref &&other) noexcept : object(std::exchange(other.object, nullptr)) {}
  Ref &operator=(Ref &&other) noexcept {
    Ref old(std::exchange(object, std::exchange(other.object, nullptr)));
    return *this;
  }
  ~Ref() { Py_XDECREF(object); }

  PyObject *get() const { return object; }
  PyObject *release() { return std::exchange(object, nullptr); }
  explicit operator bool() const { return object != nullptr; }

private:
  explicit Ref(PyObject *object) : object(object) {}
  PyObject *object = nullptr;
};

// eft.CudaError, a RuntimeError. Borrowed; set when the module is made.
extern PyObject *cudaError;
// eft.DeviceAssertionError, an AssertionError. Likewise.
extern PyObject *deviceAssertionError;

// Sets the Python exception that stands for `error`.
void raise(const Error &error);

// Sets an exception of the given type. A pending exception becomes its cause.
void raise(PyObject *type, const std::string &message);

// Adds a note to the pending exception, if it is an Exception. From 3.11 on, Python shows it below
// the message.
void addNote(const std::string &note);

// The value that a message is about: an argument of a launch; with a null kernel, whatever
// `argument` names in words.
struct Where {
  const char *kernel;
  const char *argument;

  // "kernel 'dropout': argument 'x' " + words
  std::string message(const std::string &words) const {
    std::string subject = argument;
    if (kernel)
      subject = std::string("kernel '") + kernel + "': argument '" + argument + "'";
    return subject + " " + words;
  }
};

// "numpy.ndarray", "int"
std::string typeName(PyTypeObject *type);
inline std::string typeName(PyObject *object) { return typeName(Py_TYPE(object)); }

// repr(), shortened, for messages. Never fails, and leaves a pending exception as it is.
std::string describe(PyObject *object);

// The first line of the pending exception's message. Leaves the exception pending.
std::string pendingWords();

// A string's text; empty if it is none.
std::string text(PyObject *object);

// Looks an attribute up. Null without an exception if there is none.
Ref findAttribute(PyObject *object, const char *name);

} // namespace eft::python
