// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes code that can run from an object for the host.
//
// `linkHostObject` links the object for a runtime that has no LLVM. Launches from Python load
// kernels in this way, unless `EFT_SHOW_CODE` is set. `HostCode` makes LLVM load the object, so
// that debuggers and profilers can be told of the code.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace llvm::orc {
class JITDylib;
}

namespace eft {

/// Names and addresses of functions.
using HostSymbols = std::vector<std::pair<std::string, uintptr_t>>;

/// A function of an object with everything that it needs, linked so that it can be loaded at any
/// address.
struct LinkedObject {
  std::string code;   ///< instructions and constants; running it never writes to it
  uint64_t entry = 0; ///< the function's offset in the code

  /// A place in the code: the eight bytes at `offset` must hold the address of `symbol`, plus
  /// `addend`. The symbol "" means the beginning of the code.
  struct Address {
    uint64_t offset;
    std::string symbol;
    int64_t addend;
  };
  std::vector<Address> addresses;
};

/// Links the function `name` of an object. `runtime/cpu/LoadCode.h` loads the result.
llvm::Expected<LinkedObject> linkHostObject(llvm::StringRef object, llvm::StringRef name);

/// An object that is loaded into this process as long as the `HostCode` lives. Several threads may
/// load and destroy objects at the same time.
class HostCode {
public:
  /// Loads an object in order to call its function `name`. `symbols` are functions of the process
  /// that the code may call, in addition to those of the C library.
  static llvm::Expected<std::unique_ptr<const HostCode>>
  load(llvm::StringRef object, llvm::StringRef name, const HostSymbols &symbols);
  ~HostCode();
  HostCode(const HostCode &) = delete;

  /// The address of the function.
  uintptr_t address() const { return function; }

private:
  HostCode(llvm::orc::JITDylib *library, uintptr_t function)
      : library(library), function(function) {}

  llvm::orc::JITDylib *library;
  uintptr_t function;
};

/// Loads an object in the same way and returns the address of its function `name`. The code stays
/// loaded until the process ends. May be called from several threads.
llvm::Expected<uintptr_t> loadHostObject(llvm::StringRef object, llvm::StringRef name,
                                         const HostSymbols &symbols = {});

} // namespace eft
