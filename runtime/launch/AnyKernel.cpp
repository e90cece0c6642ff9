// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loading and launching of kernels on a GPU or the host.
#include "runtime/launch/AnyKernel.h"

namespace eft {

Expected<std::unique_ptr<const AnyKernel>> AnyKernel::loadCuda(int ordinal, std::string_view image,
                                                               std::string name,
                                                               cuda::KernelShape shape,
                                                               const Grid &maxPrograms) {
  auto gpu = cuda::gpu(ordinal);
  if (!gpu.ok())
    return gpu.error();
  auto loaded = cuda::Kernel::load(**gpu, image, name, shape);
  if (!loaded.ok())
    return loaded.error();
  std::unique_ptr<AnyKernel> kernel(
      new AnyKernel(Device::cuda(ordinal), std::move(name), maxPrograms));
  kernel->onGpu = *std::move(loaded);
  return std::unique_ptr<const AnyKernel>(std::move(kernel));
}

Expected<std::unique_ptr<const AnyKernel>>
AnyKernel::loadHost(HostFunction *function, std::string name, const Grid &maxPrograms) {
  if (!function)
    return Error{ErrorKind::InvalidArgument, "kernel '" + name + "' has no code: its address is 0"};
  std::unique_ptr<AnyKernel> kernel(new AnyKernel(Device::host(), std::move(name), maxPrograms));
  kernel->onHost = std::make_unique<const cpu::Kernel>(function);
  return std::unique_ptr<const AnyKernel>(std::move(kernel));
}

Expected<CheckedGrid> AnyKernel::checkForDevice(const Grid &grid) const {
  const Grid &limits = onGpu ? onGpu->gpu().properties().maxGrid : hostGridLimits;
  return checkGrid(grid, limits, entry, place);
}

bool AnyKernel::hasTooManyPrograms(const Grid &grid) const {
  if (fits(grid, maxPrograms))
    return false;
  Expected<CheckedGrid> checked = checkForDevice(grid);
  return checked.ok() && checked->programs != 0;
}

Expected<CheckedGrid> AnyKernel::check(const Grid &grid) const {
  if (hasTooManyPrograms(grid))
    return tooManyPrograms(grid, maxPrograms, entry);
  return checkForDevice(grid);
}

Status AnyKernel::launch(const CheckedGrid &grid, std::span<const uint64_t> slots,
                         cuda::StreamHandle stream, Interruption *interruption) const {
  if (grid.programs == 0)
    return {};
  if (onGpu)
    return onGpu->launch(grid.extents, slots, stream, interruption);
  return onHost->launch(grid.extents, grid.programs, slots, interruption);
}

} // namespace eft
