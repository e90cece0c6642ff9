// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Failure: an Error as a C++ exception. Functions of the extension modules throw a Failure, and
// pybind11 translates it to a Python exception when the call returns to Python.
#pragma once

// Python.h must be included before the standard headers.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "eft/Error.h"

#include <pybind11/pybind11.h>

#include <memory>
#include <stdexcept>

namespace eft::python {

/// An Error that is thrown. A module that does not call translateFailures() raises a RuntimeError
/// for it.
class Failure : public std::runtime_error {
public:
  explicit Failure(Error error)
      : std::runtime_error(error.message), error(std::make_shared<const Error>(std::move(error))) {}

  const Error &get() const { return *error; }

private:
  std::shared_ptr<const Error> error; // copies of exceptions must not throw
};

/// Returns a Failure of kind InvalidArgument, for a mistake of the caller.
inline Failure mistake(const std::string &message) {
  return Failure({ErrorKind::InvalidArgument, message});
}

/// Returns the value, or throws the Error as a Failure. A Status has no value.
template <typename T> T unwrap(Expected<T> result) {
  if (!result.ok())
    throw Failure(std::move(result).error());
  return *std::move(result);
}

inline void unwrap(Status status) {
  if (!status.ok())
    throw Failure(std::move(status).error());
}

/// Sets the Python exception for an error: a ValueError for InvalidArgument, else a RuntimeError.
inline void setException(const Error &error) {
  PyErr_SetString(error.kind == ErrorKind::InvalidArgument ? PyExc_ValueError : PyExc_RuntimeError,
                  error.message.c_str());
}

/// Registers a translator of Failures for the module that is being made. It calls `set`, which sets
/// the Python exception for the Failure's error.
template <void (*set)(const Error &) = setException> void translateFailures() {
  pybind11::register_local_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown)
        std::rethrow_exception(thrown);
    } catch (const Failure &failure) {
      set(failure.get());
    }
  });
}

} // namespace eft::python
