// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers that kernels need for the attributes of a dropout.
#pragma once

#include "ops/DropoutKernels.h"
#include "ops/TensorChecks.h"

namespace eft::ops {

Verdict checkAttrs(const DropoutAttrs &attrs);

/// The seed of the attributes, or a fresh one.
uint64_t seedOf(const DropoutAttrs &attrs);

DropoutRule ruleOf(const DropoutAttrs &attrs, DataType dtype, uint64_t seed);

} // namespace eft::ops
