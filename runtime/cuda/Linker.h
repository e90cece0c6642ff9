// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assembles PTX to a cubin with the driver's own linker, so that no ptxas is needed.
#pragma once

#include "runtime/cuda/Gpu.h"

#include <string>
#include <string_view>

namespace eft::cuda {

// Returns the cubin for `gpu` of a kernel's PTX; `name` is the kernel's name, for errors. An error
// contains the linker's log.
Expected<std::string> linkPtx(const Gpu &gpu, const std::string &ptx, std::string_view name);

} // namespace eft::cuda
