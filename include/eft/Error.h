// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The failures of Eft. They are values, not exceptions, so that they serve callers from C++
// and from Python alike. No function of Eft ends the process, and none throws, but for
// std::bad_alloc where there is no memory left for a small object.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace eft {

/// The kinds of failures between which a caller would act differently.
enum class ErrorKind : uint8_t {
  InvalidArgument, ///< the caller's mistake: a grid beyond the device's limit, a bad setting
  NoDriver,        ///< there is no NVIDIA driver on this machine
  NoDevice,        ///< a GPU was asked for, and there is none that this process can use
  Cuda,            ///< a call of the CUDA driver failed
  OutOfMemory,     ///< there is not enough memory on the device
  Assertion,       ///< an assertion in a kernel failed
  Compilation, ///< block IR does not parse, does not verify, or can't be compiled for the target
};

/// A failure. A value: copy it, keep it.
struct Error {
  ErrorKind kind; ///< what a caller can decide by
  /// For people; it stands by itself: what was being done, what was found, what was expected. For
  /// `Compilation` it has a line `FILE:LINE:COLUMN: error: …` for each diagnostic.
  std::string message;
};

/// Success, or an Error. Success costs one null pointer.
class [[nodiscard]] Status {
public:
  /// Success.
  Status() = default;
  Status(Error error) : failure(std::make_unique<Error>(std::move(error))) {}

  bool ok() const { return failure == nullptr; }
  /// Only if not ok().
  const Error &error() const & { return *failure; }
  Error error() && { return std::move(*failure); }

private:
  std::unique_ptr<Error> failure;
};

/// A value, or the Error that stands in its place.
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) : content(std::in_place_index<0>, std::move(value)) {}
  Expected(Error error) : content(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return content.index() == 0; }
  /// The value; only if ok().
  T &operator*() & { return *std::get_if<0>(&content); }
  const T &operator*() const & { return *std::get_if<0>(&content); }
  T &&operator*() && { return std::move(*std::get_if<0>(&content)); }
  T *operator->() { return std::get_if<0>(&content); }
  const T *operator->() const { return std::get_if<0>(&content); }
  /// Only if not ok().
  const Error &error() const & { return *std::get_if<1>(&content); }
  Error error() && { return std::move(*std::get_if<1>(&content)); }

private:
  std::variant<T, Error> content;
};

} // namespace eft
