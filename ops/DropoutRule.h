// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the attributes of a dropout mean for its kernels.
#pragma once

#include "ops/DropoutKernels.h"
#include "ops/TensorChecks.h"

namespace eft::ops {

Verdict checkAttrs(const DropoutAttrs &attrs);

/// The seed of the attributes, or a fresh one.
uint64_t seedOf(const DropoutAttrs &attrs);

DropoutRule ruleOf(const DropoutAttrs &attrs, DataType dtype, uint64_t seed);

} // namespace eft::ops
