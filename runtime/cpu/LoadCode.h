// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads linked code of the host, without LLVM.
#pragma once

#include "eft/Error.h"
#include "eft/Signature.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eft::cpu {

// Eight bytes of the code, at `offset`, that are to hold the address of `symbol`, plus `addend`.
// The symbol is one of `hostSymbols()` or a function of the C library; "" is the code itself.
struct CodeAddress {
  uint64_t offset;
  std::string symbol;
  int64_t addend;
};

// Makes a copy of `code`, instructions and constants, that can run, and gives the function that
// begins at the offset `entry`. The copy stays for the life of the process: a thread may still run
// it when the process ends.
EFT_API Expected<HostFunction *> loadCode(std::string_view code, uint64_t entry,
                                          const std::vector<CodeAddress> &addresses);

} // namespace eft::cpu
