// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loading kernels and launching them.
#include "runtime/cuda/Kernel.h"

#include "runtime/cuda/Occupancy.h"

#include <vector>

namespace eft::cuda {
namespace {

// The shared memory, in bytes, that a kernel may use without opting in to more.
constexpr int sharedWithoutOptIn = 48 * 1024;

} // namespace

Expected<std::unique_ptr<const Kernel>> Kernel::load(const Gpu &gpu, std::string_view image,
                                                     const std::string &name, KernelShape shape) {
  if (shape.sharedBytes > gpu.properties().maxSharedPerBlock)
    return Error{ErrorKind::InvalidArgument,
                 "kernel '" + name + "' needs " + std::to_string(shape.sharedBytes) +
                     " bytes of shared memory, but " + gpu.name() + " has " +
                     std::to_string(gpu.properties().maxSharedPerBlock) +
                     " for a block: smaller blocks of values need less"};
  std::string doing = "loading kernel '" + name + "' on " + gpu.name();
  auto context = gpu.context();
  if (!context.ok())
    return context.error();
  auto scope = ContextScope::enter(gpu, doing);
  if (!scope.ok())
    return scope.error();
  CaptureAllowance allowance(gpu.driver());
  std::unique_ptr<Kernel> kernel(new Kernel(gpu, name, shape, *context));
  if (Status status = kernel->prepare(image); !status.ok())
    return std::move(status).error();
  return std::unique_ptr<const Kernel>(std::move(kernel));
}

Status Kernel::prepare(std::string_view image) {
  const Driver &driver = owner->driver();
  std::string doing = "loading kernel '" + name + "' on " + owner->name();
  auto loaded = Module::load(driver, image, name, doing);
  if (!loaded.ok())
    return loaded.error();
  module = *std::move(loaded);
  if (Status status = fitRegisters(image, doing); !status.ok())
    return status;
  // Asking the driver for a missing symbol is an error, which compute-sanitizer reports. So the
  // symbol is searched for in the image first.
  if (image.find(Assertions::symbol) != std::string_view::npos) {
    auto found = Assertions::of(driver, module.handle(), shape.assertionsTrap, doing);
    if (!found.ok())
      return found.error();
    assertions = *std::move(found);
  }
  if (shape.sharedBytes <= sharedWithoutOptIn)
    return {};
  return driver.check(
      driver.cuFuncSetAttribute(module.function(), maxDynamicSharedBytes, shape.sharedBytes),
      "cuFuncSetAttribute", doing);
}

// Loads the kernel again with a register limit, if there is one with which it may be faster. Keeps
// the limited kernel only if it spills no more than the limit allows.
Status Kernel::fitRegisters(std::string_view image, std::string_view doing) {
  auto found = module.resources(doing);
  if (!found.ok())
    return found.error();
  used = *found;
  const int local = declaredLocalBytes(image);
  auto limit = registerLimit(owner->properties(), {shape.numWarps * 32, used.registers,
                                                   shape.sharedBytes, used.stackBytes - local});
  auto text = limit ? withRegisterLimit(image, limit->registers) : std::nullopt;
  if (!text)
    return {};
  // If the limited kernel can't be loaded, the original one is used.
  auto other = Module::load(owner->driver(), *text, name, doing);
  if (!other.ok())
    return {};
  auto needed = other->resources(doing);
  if (needed.ok() && needed->registers <= limit->registers &&
      needed->stackBytes - local <= limit->spilledBytes) {
    module = *std::move(other);
    used = *needed;
  }
  return {};
}

Kernel::~Kernel() {
  // In a forked child, the module belongs to the parent. At the end of the process, the driver may
  // have shut down already; errors are then ignored.
  if (!module.handle() || forkedAfterStart()) {
    assertions.release();
    module.release();
    return;
  }
  auto scope = ContextScope::enter(*owner, "unloading a kernel");
  assertions.reset();
  if (scope.ok())
    module.unload();
  else
    module.release();
}

Error Kernel::launchError(Result result, std::string_view call) const {
  return owner->driver().error(result, call, "launching kernel '" + name + "' on " + owner->name());
}

Status Kernel::launch(const std::array<uint32_t, 3> &grid, std::span<const uint64_t> slots,
                      StreamHandle stream, Interruption *interruption) const {
  if (forkedAfterStart())
    return cuda::driver().error();
  const Driver &driver = owner->driver();
  // The driver copies the values to which the pointers point before it returns.
  constexpr size_t few = 64;
  void *onStack[few];
  std::vector<void *> onHeap;
  void **parameters = onStack;
  if (slots.size() > few) {
    onHeap.resize(slots.size());
    parameters = onHeap.data();
  }
  for (size_t i = 0; i < slots.size(); ++i)
    parameters[i] = const_cast<uint64_t *>(&slots[i]);

  // The same as ContextScope, but faster: this is the hot path.
  ContextHandle previous = nullptr;
  Result result = driver.cuCtxGetCurrent(&previous);
  if (result != success)
    return launchError(result, "cuCtxGetCurrent");
  if (previous != context) {
    result = driver.cuCtxSetCurrent(context);
    if (result != success)
      return launchError(result, "cuCtxSetCurrent");
  }
  unsigned threads = static_cast<unsigned>(shape.numWarps) * 32;
  std::unique_lock<std::mutex> turn;
  const bool waits = assertions && !assertions->trap();
  if (waits) {
    turn = assertions->beginLaunch(interruption);
    if (!turn) {
      if (previous != context)
        driver.cuCtxSetCurrent(previous);
      return {};
    }
  }
  const unsigned programs = programsOfBlock(owner->properties(), grid, shape.programsPerBlock);
  result = driver.cuLaunchKernel(module.function(), grid[0] / programs, grid[1], grid[2], threads,
                                 programs, 1, static_cast<unsigned>(shape.sharedBytes), stream,
                                 parameters, nullptr);
  Status asserted;
  if (result != success && assertions && assertions->trap())
    asserted = assertions->failure();
  else if (result == success && waits)
    asserted =
        assertions->wait(stream, "running kernel '" + name + "' on " + owner->name(), interruption);
  if (previous != context)
    driver.cuCtxSetCurrent(previous);
  if (result == success || !asserted.ok())
    return asserted;
  return launchError(result, "cuLaunchKernel");
}

} // namespace eft::cuda
