// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel: loading, and the facts about a loaded kernel.
#include "eft/Kernel.h"

#include "library/runtime/KernelState.h"

#include <bit>
#include <cstring>
#include <elf.h>

namespace eft {
namespace {

Error invalid(const KernelInfo &info, const std::string &what) {
  return {ErrorKind::InvalidArgument, "kernel '" + info.name + "' " + what};
}

Status checkInfo(const KernelInfo &info) {
  for (size_t i = 0; i < info.parameters.size(); ++i) {
    const Parameter &parameter = info.parameters[i];
    const std::string what = "has a parameter " + std::to_string(i) + " whose ";
    if (static_cast<unsigned>(parameter.type) >= numDataTypes)
      return invalid(info, what + "type must be one of DataType's " + std::to_string(numDataTypes) +
                               ", got number " +
                               std::to_string(static_cast<unsigned>(parameter.type)));
    if (!std::has_single_bit(parameter.divisibility))
      return invalid(info, what + "divisibility must be a power of two, got " +
                               std::to_string(parameter.divisibility));
  }
  return {};
}

// Whether the section and program headers of a cubin lie inside the image. The driver does not
// check the sizes that a cubin states, so it would read beyond the end of an image that is cut off.
bool isWholeElf(std::string_view image) {
  Elf64_Ehdr header;
  if (image.size() < sizeof(header))
    return false;
  std::memcpy(&header, image.data(), sizeof(header));
  auto lies = [&](uint64_t start, uint64_t bytes) {
    return start <= image.size() && bytes <= image.size() - start;
  };
  return header.e_ident[EI_CLASS] == ELFCLASS64 &&
         lies(header.e_shoff, uint64_t(header.e_shnum) * header.e_shentsize) &&
         lies(header.e_phoff, uint64_t(header.e_phnum) * header.e_phentsize);
}

} // namespace

Kernel::Kernel(std::shared_ptr<const State> state) : state(std::move(state)) {}

Expected<Kernel> Kernel::loadCuda(Device device, std::string_view image, KernelInfo info) {
  if (Status status = checkInfo(info); !status.ok())
    return std::move(status).error();
  if (device.isHost())
    return invalid(info, "is a cubin or PTX, which needs a GPU, got cpu");
  if (info.numWarps < 1 || info.numWarps > 32)
    return invalid(info, "must have 1 to 32 warps, got " + std::to_string(info.numWarps));
  if (info.sharedBytes > INT32_MAX)
    return invalid(info, "needs " + std::to_string(info.sharedBytes) +
                             " bytes of shared memory, which no GPU has");
  if (info.programsPerBlock < 1 || info.programsPerBlock > 32 / info.numWarps)
    return invalid(info, "must have 1 to " + std::to_string(32 / info.numWarps) +
                             " programs per block, because a block has at most 32 warps, got " +
                             std::to_string(info.programsPerBlock));
  if (info.programsPerBlock > 1 && info.sharedBytes > 0)
    return invalid(info, "uses shared memory, so it must have 1 program per block, got " +
                             std::to_string(info.programsPerBlock));
  if (image.empty())
    return invalid(info, "has no code: its image is empty");
  if (image.starts_with(ELFMAG) && !isWholeElf(image))
    return invalid(info, "has a cubin that is cut off");
  cuda::KernelShape shape{static_cast<int>(info.numWarps), static_cast<int>(info.sharedBytes),
                          static_cast<int>(info.programsPerBlock)};
  auto code = AnyKernel::loadCuda(device.index, image, info.name, shape, info.maxPrograms);
  if (!code.ok())
    return code.error();
  return Kernel(
      std::make_shared<const State>(State{nullptr, *std::move(code), std::move(info.parameters)}));
}

Expected<Kernel> Kernel::loadHost(HostFunction *function, KernelInfo info,
                                  std::shared_ptr<const void> owner) {
  if (Status status = checkInfo(info); !status.ok())
    return std::move(status).error();
  auto code = AnyKernel::loadHost(function, info.name, info.maxPrograms);
  if (!code.ok())
    return code.error();
  return Kernel(std::make_shared<const State>(
      State{std::move(owner), *std::move(code), std::move(info.parameters)}));
}

const std::string &Kernel::name() const {
  static const std::string none;
  return state ? state->code->name() : none;
}

Device Kernel::device() const { return state ? state->code->device() : Device(); }

std::span<const Parameter> Kernel::parameters() const {
  if (!state)
    return {};
  return state->parameters;
}

} // namespace eft
