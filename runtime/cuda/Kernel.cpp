// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loading code, and the one driver call that a launch is.
#include "runtime/cuda/Kernel.h"

#include <vector>

namespace eft::cuda {
namespace {

// Shared memory that a kernel gets without asking for more.
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
  char log[8192] = {};
  JitOption options[] = {errorLogBuffer, errorLogBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
  std::string copy(image); // PTX must end in a zero
  Result result = driver.cuModuleLoadDataEx(&module, copy.c_str(), 2, options, values);
  if (result != success) {
    module = nullptr;
    return driver.error(result, "cuModuleLoadDataEx", doing, log);
  }
  result = driver.cuModuleGetFunction(&function, module, name.c_str());
  if (result != success)
    return driver.error(result, "cuModuleGetFunction", doing);
  // The driver would put the loading off to the first launch, which may be one that must not wait.
  result = driver.cuFuncLoad(function);
  if (result != success)
    return driver.error(result, "cuFuncLoad", doing);
  // To ask for a symbol that isn't there would be an error, in the eyes of compute-sanitizer too.
  if (image.find(Assertions::symbol) != std::string_view::npos) {
    auto found = Assertions::of(driver, module, doing);
    if (!found.ok())
      return found.error();
    assertions = *std::move(found);
  }
  if (shape.sharedBytes <= sharedWithoutOptIn)
    return {};
  return driver.check(driver.cuFuncSetAttribute(function, maxDynamicSharedBytes, shape.sharedBytes),
                      "cuFuncSetAttribute", doing);
}

Kernel::~Kernel() {
  // In a forked child the module is the parent's. At the process's end the driver may be down
  // already, and what it answers then is of no interest.
  if (!module || forkedAfterStart()) {
    assertions.release();
    return;
  }
  auto scope = ContextScope::enter(*owner, "unloading a kernel");
  assertions.reset();
  if (scope.ok())
    owner->driver().cuModuleUnload(module);
}

Error Kernel::launchError(Result result, std::string_view call) const {
  return owner->driver().error(result, call, "launching kernel '" + name + "' on " + owner->name());
}

Status Kernel::launch(const std::array<uint32_t, 3> &grid, std::span<const uint64_t> slots,
                      StreamHandle stream, Interruption *interruption) const {
  if (forkedAfterStart())
    return cuda::driver().error();
  const Driver &driver = owner->driver();
  // The driver copies what the pointers show before it returns.
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

  // ContextScope in short: this is the hot path.
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
  if (assertions) {
    turn = assertions->beginLaunch(interruption);
    if (!turn) {
      if (previous != context)
        driver.cuCtxSetCurrent(previous);
      return {};
    }
  }
  result =
      driver.cuLaunchKernel(function, grid[0], grid[1], grid[2], threads, 1, 1,
                            static_cast<unsigned>(shape.sharedBytes), stream, parameters, nullptr);
  Status asserted;
  if (result == success && assertions)
    asserted =
        assertions->wait(stream, "running kernel '" + name + "' on " + owner->name(), interruption);
  if (previous != context)
    driver.cuCtxSetCurrent(previous);
  return result == success ? std::move(asserted) : Status(launchError(result, "cuLaunchKernel"));
}

} // namespace eft::cuda
