// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of Eft on their way to Python: functions of the extension modules throw a Failure, and the
// module's border makes it a Python exception.
#pragma once

// Python wants to be included before the standard headers.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "eft/Error.h"

#include <pybind11/pybind11.h>

#include <memory>
#include <stdexcept>

namespace eft::python {

/// An Error, thrown. pybind11 would make it a RuntimeError, which is right for most kinds.
class Failure : public std::runtime_error {
public:
  explicit Failure(Error error)
      : std::runtime_error(error.message), error(std::make_shared<const Error>(std::move(error))) {}

  const Error &get() const { return *error; }

private:
  std::shared_ptr<const Error> error; // copies of exceptions must not throw
};

/// The failure that is the caller's mistake.
inline Failure mistake(const std::string &message) {
  return Failure({ErrorKind::InvalidArgument, message});
}

/// The value.
template <typename T> T unwrap(Expected<T> result) {
  if (!result.ok())
    throw Failure(std::move(result).error());
  return *std::move(result);
}

inline void unwrap(Status status) {
  if (!status.ok())
    throw Failure(std::move(status).error());
}

/// Sets the Python exception for an error: a ValueError for the caller's mistake.
inline void setException(const Error &error) {
  PyErr_SetString(error.kind == ErrorKind::InvalidArgument ? PyExc_ValueError : PyExc_RuntimeError,
                  error.message.c_str());
}

/// Has the module that is being made raise `set` of a Failure's error.
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
