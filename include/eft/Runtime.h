// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime: devices, streams, memory, kernels. CMake: eft::runtime. It has no LLVM, and opens
// the CUDA driver when a GPU is first used.
#pragma once

#include "eft/Buffer.h"
#include "eft/Device.h"
#include "eft/Error.h"
#include "eft/Kernel.h"
#include "eft/Stream.h"
