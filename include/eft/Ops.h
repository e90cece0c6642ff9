// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Includes all headers of the operators, whose kernels are compiled ahead of time. The CMake target
// is eft::ops.
#pragma once

#include "eft/Dropout.h"
#include "eft/Norm.h"
#include "eft/Tensor.h"
