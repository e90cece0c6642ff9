// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of the machine that this process may use.
#pragma once

#include "eft/Error.h"

#include <optional>
#include <string>

namespace eft {

// The cores that this process may run on: its affinity mask, cut by the CPU quota of its control
// group, since threads beyond the quota only get the whole group stopped. At least 1.
unsigned usableCores();

// The quota in cores of the control groups that `membership`, the text of /proc/self/cgroup, names,
// read below `mount`, usually /sys/fs/cgroup. Nothing if none of them has one.
std::optional<double> controlGroupQuota(const std::string &membership, const std::string &mount);

// The threads that a kernel on the host runs on: EFT_NUM_THREADS, else one for each core.
Expected<unsigned> hostThreads(unsigned cores = usableCores());

// Parses EFT_NUM_THREADS.
Expected<unsigned> parseThreadCount(const std::string &text);

} // namespace eft
