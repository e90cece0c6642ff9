// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Owned references to Python objects, and functions that set Python exceptions. All of them need
// the GIL.
#pragma once

// Python.h must be included before the standard headers.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "eft/Error.h"

#include <string>
#include <utility>

namespace eft::python {

// An owned reference to a Python object, or null. A function that returns a null Ref has set a
// Python exception, unless its comment says otherwise.
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

// The exception class eft.CudaError, derived from RuntimeError. A borrowed reference, set when the
// module is made.
extern PyObject *cudaError;
// The exception class eft.DeviceAssertionError, derived from AssertionError. Likewise borrowed.
extern PyObject *deviceAssertionError;

// Sets the Python exception for `error`: ValueError for InvalidArgument, DeviceAssertionError for
// Assertion, CudaError for all other kinds.
void raise(const Error &error);

// Sets an exception of the given type. A pending exception becomes its cause.
void raise(PyObject *type, const std::string &message);

// Adds a note to the pending exception if it derives from Exception. Python 3.11 and later shows
// notes below the message.
void addNote(const std::string &note);

// The subject of a message: an argument of a launch. If `kernel` is null, `argument` describes the
// subject in words.
struct Where {
  const char *kernel;
  const char *argument;

  // Returns "kernel 'dropout': argument 'x' " + words.
  std::string message(const std::string &words) const {
    std::string subject = argument;
    if (kernel)
      subject = std::string("kernel '") + kernel + "': argument '" + argument + "'";
    return subject + " " + words;
  }
};

// Returns the name of a type with its module, such as "numpy.ndarray", or "int" for builtins.
std::string typeName(PyTypeObject *type);
inline std::string typeName(PyObject *object) { return typeName(Py_TYPE(object)); }

// Returns repr() of an object, shortened for messages. Never fails, and keeps a pending exception.
std::string describe(PyObject *object);

// Returns the first line of the pending exception's message. The exception stays pending.
std::string pendingWords();

// Returns the text of a str object, or "" if the object is null or not a str.
std::string text(PyObject *object);

// Returns an attribute. Returns null without an exception if there is none, and null with an
// exception if the look-up fails in another way.
Ref findAttribute(PyObject *object, const char *name);

} // namespace eft::python
