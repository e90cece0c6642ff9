// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Error, Status and Expected: how functions of Eft report failures. Failures are values and not
// exceptions, so that C++ and Python callers can use the same functions. No function of Eft ends
// the process. The only exception that a function throws is std::bad_alloc, if there is no memory
// for a small object.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace eft {

/// The kinds of failures. A caller may react to each kind in a different way.
enum class ErrorKind : uint8_t {
  InvalidArgument, ///< the caller's mistake: a grid beyond the device's limit, a bad setting
  NoDriver,        ///< there is no NVIDIA driver on this machine
  NoDevice,        ///< this process can use no such GPU
  Cuda,            ///< a call of the CUDA driver failed
  OutOfMemory,     ///< there is not enough memory on the device
  Assertion,       ///< an assertion in a kernel failed
  Compilation, ///< block IR does not parse, does not verify, or can't be compiled for the target
};

/// A failure: a plain value that may be copied and kept.
struct Error {
  ErrorKind kind; ///< decides how a caller may react
  /// A message for people, complete in itself. It says what was being done, what was found and what
  /// was expected. For `Compilation` it has a line `FILE:LINE:COLUMN: error: …` for each
  /// diagnostic.
  std::string message;
};

/// Success, or an Error. A success is a null pointer and allocates nothing.
class [[nodiscard]] Status {
public:
  /// Success.
  Status() = default;
  Status(Error error) : failure(std::make_unique<Error>(std::move(error))) {}

  bool ok() const { return failure == nullptr; }
  /// The error. Call it only if ok() is false.
  const Error &error() const & { return *failure; }
  Error error() && { return std::move(*failure); }

private:
  std::unique_ptr<Error> failure;
};

/// A value, or the Error that explains why there is none.
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) : content(std::in_place_index<0>, std::move(value)) {}
  Expected(Error error) : content(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return content.index() == 0; }
  /// The value. Use it only if ok() is true.
  T &operator*() & { return *std::get_if<0>(&content); }
  const T &operator*() const & { return *std::get_if<0>(&content); }
  T &&operator*() && { return std::move(*std::get_if<0>(&content)); }
  T *operator->() { return std::get_if<0>(&content); }
  const T *operator->() const { return std::get_if<0>(&content); }
  /// The error. Call it only if ok() is false.
  const Error &error() const & { return *std::get_if<1>(&content); }
  Error error() && { return std::move(*std::get_if<1>(&content)); }

private:
  std::variant<T, Error> content;
};

} // namespace eft
