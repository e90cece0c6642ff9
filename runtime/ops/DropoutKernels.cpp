// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses among the compiled kernels and launches them.
#include "runtime/ops/DropoutKernels.h"

#include "runtime/cpu/Kernel.h"
#include "runtime/cuda/Gpu.h"
#include "runtime/launch/Grid.h"

// What `python -m eft compile` made; see CMakeLists.txt.
#include "eft_backward.h"
#include "eft_backward4.h"
#include "eft_medium.h"
#include "eft_medium4.h"
#include "eft_medium4_mask.h"
#include "eft_medium_mask.h"
#include "eft_narrow.h"
#include "eft_narrow4.h"
#include "eft_narrow4_mask.h"
#include "eft_narrow_mask.h"
#include "eft_small.h"
#include "eft_small4.h"
#include "eft_small4_mask.h"
#include "eft_small_mask.h"
#include "eft_wide.h"
#include "eft_wide4.h"
#include "eft_wide4_mask.h"
#include "eft_wide_mask.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace eft::ops {
namespace {

/// A compiled kernel: `launch` puts it into a stream of the current context, `host` is it on the
/// CPU, or null if there is no code for this one.
template <typename What> struct Variant {
  int64_t rows, columns; // of a program
  int64_t unit;          // what the number of columns, and all addresses / 4, must be divisible by
  int (*launch)(StreamHandle stream, const CheckedGrid &grid, const What &what);
  const char *(*errorText)(int code);
  const cpu::Kernel *(*host)();
};

template <typename T> uint64_t slot(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(value));
  return bits;
}

#define EFT_VARIANT(name, What, rows, columns, unit, ...)                                          \
  {rows,                                                                                           \
   columns,                                                                                        \
   unit,                                                                                           \
   [](StreamHandle stream, const CheckedGrid &grid, const What &what) {                            \
     return name##_launch(stream, grid.extents[0], grid.extents[1], grid.extents[2], __VA_ARGS__); \
   },                                                                                              \
   name##_error_string,                                                                            \
   []() -> const cpu::Kernel * {                                                                   \
     static HostFunction *const function = name##_host_function();                                 \
     static const cpu::Kernel kernel(function);                                                    \
     return function ? &kernel : nullptr;                                                          \
   }}
#define EFT_FORWARD(name, rowsEach, columnsEach, unit)                                             \
  EFT_VARIANT(name, Forward, rowsEach, columnsEach, unit, what.x, what.y, what.rows,               \
              what.columns / unit, int64_t(what.seed), what.threshold, what.mayKeep, what.scale)
#define EFT_FORWARD_MASK(name, rowsEach, columnsEach, unit)                                        \
  EFT_VARIANT(name, Forward, rowsEach, columnsEach, unit, what.x, what.y, what.mask, what.rows,    \
              what.columns / unit, int64_t(what.seed), what.threshold, what.mayKeep, what.scale)
#define EFT_BACKWARD(name, columnsEach, unit)                                                      \
  EFT_VARIANT(name, Backward, 1, columnsEach, unit, what.dy, what.mask, what.dx, what.count,       \
              what.scale)

// From narrow rows to wide ones, each for single elements and for vectors of four.
constexpr Variant<Forward> withoutMask[] = {
    EFT_FORWARD(eft_narrow, 32, 64, 1), EFT_FORWARD(eft_narrow4, 32, 64, 4),
    EFT_FORWARD(eft_small, 16, 128, 1), EFT_FORWARD(eft_small4, 16, 128, 4),
    EFT_FORWARD(eft_medium, 4, 256, 1), EFT_FORWARD(eft_medium4, 8, 256, 4),
    EFT_FORWARD(eft_wide, 1, 1024, 1),  EFT_FORWARD(eft_wide4, 1, 1024, 4),
};
constexpr Variant<Forward> withMask[] = {
    EFT_FORWARD_MASK(eft_narrow_mask, 32, 64, 1), EFT_FORWARD_MASK(eft_narrow4_mask, 32, 64, 4),
    EFT_FORWARD_MASK(eft_small_mask, 16, 128, 1), EFT_FORWARD_MASK(eft_small4_mask, 16, 128, 4),
    EFT_FORWARD_MASK(eft_medium_mask, 4, 256, 1), EFT_FORWARD_MASK(eft_medium4_mask, 8, 256, 4),
    EFT_FORWARD_MASK(eft_wide_mask, 1, 1024, 1),  EFT_FORWARD_MASK(eft_wide4_mask, 1, 1024, 4),
};
constexpr Variant<Backward> withGivenMask[] = {
    EFT_BACKWARD(eft_backward, 2048, 1),
    EFT_BACKWARD(eft_backward4, 2048, 4),
};

template <typename... Pointers> bool areAligned(Pointers... pointers) {
  return ((reinterpret_cast<uintptr_t>(pointers) | ...) % 16) == 0;
}

/// The narrowest that a row fits in, or else the widest.
const Variant<Forward> &choose(const Forward &what) {
  const Variant<Forward> *variant = what.mask ? withMask : withoutMask;
  const Variant<Forward> *widest = variant + std::size(withMask) - 2;
  while (variant != widest && variant->columns < what.columns)
    variant += 2;
  bool byFour = what.columns % 4 == 0 && areAligned(what.x, what.y, what.mask);
  return variant[byFour];
}

const Variant<Backward> &choose(const Backward &what) {
  return withGivenMask[areAligned(what.dy, what.mask, what.dx)];
}

int64_t ceilDivide(int64_t number, int64_t by) { return number / by + (number % by != 0); }

/// Programs along a row in x; blocks of rows in y, and in z where these are too many for y. The
/// kernel passes over what y · z has too much.
Grid gridOf(int64_t rows, int64_t columns, int64_t rowsEach, int64_t columnsEach) {
  constexpr int64_t mostInY = 65535;
  int64_t blocks = ceilDivide(rows, rowsEach);
  int64_t inZ = ceilDivide(blocks, mostInY);
  return {ceilDivide(columns, columnsEach), inZ ? ceilDivide(blocks, inZ) : 0, inZ};
}

Grid gridOf(const Forward &what, const Variant<Forward> &variant) {
  return gridOf(what.rows, what.columns, variant.rows, variant.columns);
}

Grid gridOf(const Backward &what, const Variant<Backward> &variant) {
  return {ceilDivide(what.count, variant.columns), 1, 1};
}

/// The arguments for the CPU.
struct Slots {
  std::array<uint64_t, 9> values;
  size_t count;
};

Slots slotsOf(const Forward &what, int64_t unit) {
  Slots slots{{slot(what.x), slot(what.y)}, 2};
  auto add = [&](uint64_t value) { slots.values[slots.count++] = value; };
  if (what.mask)
    add(slot(what.mask));
  add(slot(what.rows));
  add(slot(what.columns / unit));
  add(slot(what.seed));
  add(slot(what.threshold));
  add(slot(what.mayKeep));
  add(slot(what.scale));
  return slots;
}

Slots slotsOf(const Backward &what, int64_t) {
  return {{slot(what.dy), slot(what.mask), slot(what.dx), slot(what.count), slot(what.scale)}, 5};
}

template <typename What> Status runOnCpu(const What &what) {
  const Variant<What> &variant = choose(what);
  auto grid = checkGrid(gridOf(what, variant), hostGridLimits, "dropout", "cpu");
  if (!grid.ok())
    return grid.error();
  if (grid->programs == 0)
    return {};
  const cpu::Kernel *kernel = variant.host();
  if (!kernel)
    return Error{ErrorKind::NoDevice, "dropout has no code that this CPU can run"};
  Slots slots = slotsOf(what, variant.unit);
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
  const Variant<What> &variant = choose(what);
  auto gpu = findGpu(ordinal);
  if (!gpu.ok())
    return gpu.error();
  auto grid =
      checkGrid(gridOf(what, variant), (*gpu)->properties().maxGrid, "dropout", (*gpu)->name());
  if (!grid.ok())
    return grid.error();
  if (grid->programs == 0)
    return {};
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
