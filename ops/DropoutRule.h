// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks the attributes of a dropout, and makes of them the numbers that kernels take.
#pragma once

#include "ops/DropoutKernels.h"
#include "ops/TensorChecks.h"

namespace eft::ops {

Verdict checkAttrs(const DropoutAttrs &attrs);

/// Returns the seed of the attributes, or a fresh one if it is 0.
uint64_t seedOf(const DropoutAttrs &attrs);

DropoutRule ruleOf(const DropoutAttrs &attrs, DataType dtype, uint64_t seed);

} // namespace eft::ops
