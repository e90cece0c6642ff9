// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state that all copies of one Kernel share.
#pragma once

#include "eft/Kernel.h"
#include "runtime/launch/AnyKernel.h"

namespace eft {

struct Kernel::State {
  std::shared_ptr<const void> owner; // owns the memory of code on the host; must be destroyed last
  std::unique_ptr<const AnyKernel> code;
  std::vector<Parameter> parameters;
};

} // namespace eft
