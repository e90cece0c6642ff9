// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operators that are ready to be called. CMake: eft::ops.
#pragma once

#include "eft/Dropout.h"
#include "eft/Norm.h"
#include "eft/Tensor.h"
