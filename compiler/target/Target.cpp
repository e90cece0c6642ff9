// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of targets. C++, Python and the tools all use this one parser.
#include "eft/Compiler.h"

#include <charconv>

namespace eft {
namespace {

// The oldest GPU that Eft compiles for: its PTX runs on all newer ones.
constexpr unsigned oldestCapability = 80;

/// Compute capabilities from 20.0 on are taken for mistakes. The newest GPUs have 12.1, and future
/// GPUs accept PTX for older GPUs.
constexpr unsigned endOfCapabilities = 200;

bool consume(std::string_view &text, std::string_view prefix) {
  if (!text.starts_with(prefix))
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

} // namespace

Expected<Target> Target::parse(std::string_view text) {
  Target target;
  if (text == "cpu" || text == "host")
    return target;
  std::string_view rest = text;
  if (consume(rest, "host:") && !rest.empty()) {
    size_t comma = rest.find(',');
    target.cpu = rest.substr(0, comma);
    if (comma != std::string_view::npos)
      target.features = rest.substr(comma + 1);
    return target;
  }
  target.kind = Kind::Cuda;
  target.computeCapability = oldestCapability;
  target.isPortable = text == "gpu" || consume(rest, "compute_");
  if (text == "gpu")
    return target;
  if (target.isPortable || consume(rest, "sm_") || consume(rest, "cuda:")) {
    const char *end = rest.data() + rest.size();
    auto [last, failure] = std::from_chars(rest.data(), end, target.computeCapability);
    if (failure == std::errc() && last == end && target.computeCapability < endOfCapabilities)
      return target;
    if (last == end && last != rest.data())
      return Error{ErrorKind::InvalidArgument,
                   "no GPU has compute capability " + std::string(rest.substr(0, rest.size() - 1)) +
                       "." + std::string(rest.substr(rest.size() - 1)) + ", which target '" +
                       std::string(text) + "' names"};
  }
  return Error{ErrorKind::InvalidArgument,
               "target must be 'sm_' or 'cuda:' with the compute capability times ten, such as "
               "'sm_90', 'gpu' for every GPU, 'host' or 'cpu' for the CPU at hand, or 'host:' with "
               "LLVM's name of a CPU, such as 'host:x86-64-v3', got '" +
                   std::string(text) + "'"};
}

std::string Target::name() const {
  if (kind == Kind::Cuda)
    return (isPortable ? "compute_" : "cuda:") + std::to_string(computeCapability);
  if (cpu.empty() && features.empty())
    return "cpu";
  return "host:" + cpu + (features.empty() ? "" : "," + features);
}

} // namespace eft
