// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes that take placed block IR to scalars and vectors. Passes.td describes them.
#pragma once

#include "compiler/ir/Accesses.h"
#include "compiler/ir/EftDialect.h"

#include "mlir/Pass/Pass.h"

namespace eft {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/lowering/Passes.h.inc"

} // namespace eft
