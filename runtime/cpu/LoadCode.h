// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads linked machine code for the host, without LLVM.
#pragma once

#include "eft/Error.h"
#include "eft/Signature.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eft::cpu {

// A relocation: the eight bytes of the code at `offset` must hold the address of `symbol` plus
// `addend`. The symbol is one of `hostSymbols()` or a function of the C library; "" is the start of
// the code.
struct CodeAddress {
  uint64_t offset;
  std::string symbol;
  int64_t addend;
};

// Copies `code`, which has instructions and constants, to executable memory, and returns the
// function that begins at the offset `entry`. The copy is never freed, because a thread may still
// run it when the process ends.
EFT_API Expected<HostFunction *> loadCode(std::string_view code, uint64_t entry,
                                          const std::vector<CodeAddress> &addresses);

} // namespace eft::cpu
