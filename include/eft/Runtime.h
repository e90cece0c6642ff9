// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Includes all headers of the runtime: devices, streams, memory and kernels. The CMake target is
// eft::runtime. The library contains no LLVM. It opens the CUDA driver at the first use of a GPU.
#pragma once

#include "eft/Buffer.h"
#include "eft/Device.h"
#include "eft/Error.h"
#include "eft/Kernel.h"
#include "eft/Stream.h"
