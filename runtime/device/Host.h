// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cores and threads of the machine that this process may use.
#pragma once

#include "eft/Error.h"

#include <optional>
#include <string>

namespace eft {

// The number of cores that this process may use: the cores of its affinity mask, but at most the
// CPU quota of its control group. With more threads than the quota, the system would pause the
// whole group from time to time. At least 1.
unsigned usableCores();

// The smallest CPU quota, in cores, of the control groups that `membership` names, and of their
// parents. `membership` is the text of /proc/self/cgroup, and `mount` is usually /sys/fs/cgroup.
// Nothing if no group has a quota.
std::optional<double> controlGroupQuota(const std::string &membership, const std::string &mount);

// The number of threads for kernels on the host: EFT_NUM_THREADS, or one for each core.
Expected<unsigned> hostThreads(unsigned cores = usableCores());

// Parses the value of EFT_NUM_THREADS.
Expected<unsigned> parseThreadCount(const std::string &text);

} // namespace eft
