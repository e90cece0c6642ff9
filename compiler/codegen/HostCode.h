// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From an object for the host to code that can run.
//
// `linkHostObject` links it for a runtime that has no LLVM, which is how kernels get from the disk
// cache into a process. `HostCode` has LLVM load it: so debuggers and profilers can be told of it.
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

/// A function of an object with all that it needs, linked for no address in particular.
struct LinkedObject {
  std::string code;   ///< instructions and constants; running it never writes to it
  uint64_t entry = 0; ///< the function's offset in the code

  /// Eight bytes of the code that are to hold the address of `symbol`, plus `addend`. The symbol
  /// "" is the code itself.
  struct Address {
    uint64_t offset;
    std::string symbol;
    int64_t addend;
  };
  std::vector<Address> addresses;
};

/// Links an object whose function `name` is wanted. `runtime/cpu/LoadCode.h` loads the result.
llvm::Expected<LinkedObject> linkHostObject(llvm::StringRef object, llvm::StringRef name);

/// An object that was loaded into this process, for as long as it lives. May be made and destroyed
/// in several threads.
class HostCode {
public:
  /// Loads an object whose function `name` is wanted. `symbols` are functions of the process that
  /// the code may call, beside those of the C library.
  static llvm::Expected<std::unique_ptr<const HostCode>>
  load(llvm::StringRef object, llvm::StringRef name, const HostSymbols &symbols);
  ~HostCode();
  HostCode(const HostCode &) = delete;

  /// The function's.
  uintptr_t address() const { return function; }

private:
  HostCode(llvm::orc::JITDylib *library, uintptr_t function)
      : library(library), function(function) {}

  llvm::orc::JITDylib *library;
  uintptr_t function;
};

/// Loads an object in the same way and gives the address of its function `name`. The code stays
/// for the life of the process. May be called from several threads.
llvm::Expected<uintptr_t> loadHostObject(llvm::StringRef object, llvm::StringRef name,
                                         const HostSymbols &symbols = {});

} // namespace eft
