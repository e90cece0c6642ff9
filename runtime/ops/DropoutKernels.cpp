// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches the compiled kernels.
#include "runtime/ops/DropoutVariants.h"

#include "runtime/cuda/Gpu.h"

#include <atomic>

namespace eft::ops {
namespace {

// An empty matrix has no variant.
bool isEmpty(const Forward &what) { return what.rows == 0 || what.columns == 0; }
bool isEmpty(const Backward &what) { return what.count == 0; }

int64_t ceilDivide(int64_t number, int64_t by) { return number / by + (number % by != 0); }

/// Programs along a row in x; blocks of rows in y, and in z where these are too many for y. The
/// kernel passes over what y · z has too much.
Grid gridOf(const Forward &what, const Variant<Forward> &variant) {
  constexpr int64_t mostInY = 65535;
  int64_t blocks = ceilDivide(what.rows, rowsEach(what, variant));
  int64_t inZ = ceilDivide(blocks, mostInY);
  return {ceilDivide(what.columns + variant.lead, variant.columns), ceilDivide(blocks, inZ), inZ};
}

Grid gridOf(const Backward &what, const Variant<Backward> &variant) {
  return {ceilDivide(what.count, variant.columns), 1, 1};
}

template <typename What> Status runOnCpu(const What &what) {
  if (isEmpty(what))
    return {};
  const Variant<What> &variant = choose(what, DeviceKind::Host);
  auto grid = checkGrid(gridOf(what, variant), hostGridLimits, "dropout", "cpu");
  if (!grid.ok())
    return grid.error();
  const cpu::Kernel *kernel = variant.host();
  if (!kernel)
    return Error{ErrorKind::NoDevice, "dropout has no code that this CPU can run"};
  Slots slots = variant.slots(what);
  return kernel->launch(grid->extents, grid->programs, {slots.values.data(), slots.count});
}

/// The GPU of this number, found once.
Expected<const cuda::Gpu *> findGpu(int ordinal) {
  constexpr int most = 64;
  static std::atomic<const cuda::Gpu *> known[most];
  if (cuda::forkedAfterStart())
    return cuda::driver().error();
  bool fits = ordinal >= 0 && ordinal < most;
  if (const cuda::Gpu *gpu = fits ? known[ordinal].load(std::memory_order_acquire) : nullptr)
    return gpu;
  auto found = cuda::gpu(ordinal);
  if (found.ok() && fits)
    known[ordinal].store(*found, std::memory_order_release);
  return found;
}

template <typename What> Status runOnCuda(const What &what, int ordinal, StreamHandle stream) {
  auto gpu = findGpu(ordinal);
  if (!gpu.ok())
    return gpu.error();
  if (isEmpty(what))
    return {};
  const Variant<What> &variant = choose(what, DeviceKind::Cuda);
  auto grid =
      checkGrid(gridOf(what, variant), (*gpu)->properties().maxGrid, "dropout", (*gpu)->name());
  if (!grid.ok())
    return grid.error();
  auto scope = cuda::ContextScope::enter(**gpu, "launching dropout");
  if (!scope.ok())
    return scope.error();
  int code = variant.launch(stream, *grid, what);
  if (code == 0)
    return {};
  ErrorKind kind = code == cuda::errorOutOfMemory ? ErrorKind::OutOfMemory : ErrorKind::Cuda;
  return Error{kind, "launching dropout on " + (*gpu)->name() + " failed with code " +
                         std::to_string(code) + ": " + variant.errorText(code)};
}

} // namespace

Status launchOnCpu(const Forward &what) { return runOnCpu(what); }

Status launchOnCpu(const Backward &what) { return runOnCpu(what); }

Status launchOnCuda(const Forward &what, int ordinal, StreamHandle stream) {
  return runOnCuda(what, ordinal, stream);
}

Status launchOnCuda(const Backward &what, int ordinal, StreamHandle stream) {
  return runOnCuda(what, ordinal, stream);
}

} // namespace eft::ops
