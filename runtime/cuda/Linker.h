// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns PTX into a cubin in this process, by the linker inside the driver: no ptxas is needed.
#pragma once

#include "runtime/cuda/Gpu.h"

#include <string>
#include <string_view>

namespace eft::cuda {

// The cubin for `gpu` of the PTX of the kernel `name`. An error carries the linker's own log.
Expected<std::string> linkPtx(const Gpu &gpu, const std::string &ptx, std::string_view name);

} // namespace eft::cuda
