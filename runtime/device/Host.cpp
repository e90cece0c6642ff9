// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts usable cores from the affinity mask, the CPU quotas of control groups (versions 1 and 2),
// and EFT_NUM_THREADS.
#include "runtime/device/Host.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <thread>
#include <vector>

namespace eft {
namespace {

// Counts the cores in the affinity mask. The call fails if the mask is too small for the machine's
// cores, so the mask grows until the call succeeds.
unsigned affinityCores() {
  for (int cores = 1024; cores <= 1 << 20; cores *= 2) {
    size_t size = CPU_ALLOC_SIZE(cores);
    cpu_set_t *mask = CPU_ALLOC(cores);
    if (!mask)
      break;
    int count = sched_getaffinity(0, size, mask) == 0 ? CPU_COUNT_S(size, mask) : 0;
    CPU_FREE(mask);
    if (count > 0)
      return static_cast<unsigned>(count);
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

std::string readAll(const std::string &path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The quota of a control group of version 2: one file "cpu.max" with "QUOTA PERIOD" or "max
// PERIOD".
std::optional<double> unifiedQuota(const std::string &folder) {
  std::istringstream text(readAll(folder + "/cpu.max"));
  double quota = 0, period = 0;
  if (!(text >> quota >> period) || quota <= 0 || period <= 0)
    return std::nullopt;
  return quota / period;
}

// The quota of a control group of version 1: two files. A quota of -1 means that there is none.
std::optional<double> splitQuota(const std::string &folder) {
  std::istringstream quotaText(readAll(folder + "/cpu.cfs_quota_us"));
  std::istringstream periodText(readAll(folder + "/cpu.cfs_period_us"));
  double quota = 0, period = 0;
  if (!(quotaText >> quota) || !(periodText >> period) || quota <= 0 || period <= 0)
    return std::nullopt;
  return quota / period;
}

bool hasController(const std::string &controllers, const std::string &wanted) {
  std::istringstream list(controllers);
  for (std::string name; std::getline(list, name, ',');)
    if (name == wanted)
      return true;
  return false;
}

} // namespace

std::optional<double> controlGroupQuota(const std::string &membership, const std::string &mount) {
  std::optional<double> least;
  std::istringstream lines(membership);
  // A line is "ID:CONTROLLERS:PATH". Version 2 leaves CONTROLLERS empty.
  for (std::string line; std::getline(lines, line);) {
    size_t first = line.find(':');
    size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos)
      continue;
    std::string controllers = line.substr(first + 1, second - first - 1);
    bool unified = controllers.empty();
    if (!unified && !hasController(controllers, "cpu"))
      continue;
    // The quotas of all parent groups apply too. Inside a container the path may not exist below
    // the mount; the mount's root is then the container's own group.
    for (std::string path = line.substr(second + 1);; path.resize(path.rfind('/'))) {
      while (!path.empty() && path.back() == '/')
        path.pop_back();
      std::optional<double> quota =
          unified ? unifiedQuota(mount + path) : splitQuota(mount + "/cpu" + path);
      if (quota && (!least || *quota < *least))
        least = quota;
      if (path.rfind('/') == std::string::npos)
        break;
    }
  }
  return least;
}

unsigned usableCores() {
  unsigned cores = affinityCores();
  if (auto quota = controlGroupQuota(readAll("/proc/self/cgroup"), "/sys/fs/cgroup"))
    cores = std::min(cores, static_cast<unsigned>(std::ceil(*quota)));
  return std::max(1u, cores);
}

Expected<unsigned> parseThreadCount(const std::string &text) {
  constexpr unsigned most = 4096;
  unsigned count = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (failure != std::errc() || end != text.data() + text.size() || count < 1 || count > most)
    return Error{ErrorKind::InvalidArgument, "EFT_NUM_THREADS must be an integer from 1 to " +
                                                 std::to_string(most) + ", got '" + text + "'"};
  return count;
}

Expected<unsigned> hostThreads(unsigned cores) {
  if (const char *text = std::getenv("EFT_NUM_THREADS"); text && *text)
    return parseThreadCount(text);
  return cores;
}

} // namespace eft
