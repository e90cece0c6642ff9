// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ops/DropoutVariants.h"

// What `python -m eft compile` made; see CMakeLists.txt.
#include "eft_dropout_kernels.h"

#include <cstring>

namespace eft::ops {
namespace {

template <typename T> uint64_t slot(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(value));
  return bits;
}

template <typename... Ts> Slots slotsOf(Ts... values) {
  return {{slot(values)...}, sizeof...(values)};
}

template <typename... Pointers> bool areAligned(Pointers... pointers) {
  return ((reinterpret_cast<uintptr_t>(pointers) | ...) % 16) == 0;
}

// What `narrow` takes beside the others' arguments.

constexpr int64_t narrowBlock = 2048;
int32_t eights(const Forward &what) { return int32_t(narrowBlock / what.columns / 8); }
int32_t reciprocal(const Forward &what) {
  return int32_t(((1 << 20) + what.columns - 1) / what.columns);
}

/// What the kernels for unaligned rows take beside them: y's place in its 64 bytes.
int32_t shift(const Forward &what) { return int32_t(reinterpret_cast<uintptr_t>(what.y) % 64 / 4); }

#define EFT_VARIANT(name, What, rows, columns, lead, ...)                                          \
  {rows,                                                                                           \
   columns,                                                                                        \
   lead,                                                                                           \
   [](StreamHandle stream, const CheckedGrid &grid, const What &what) {                            \
     return name##_launch(stream, grid.extents[0], grid.extents[1], grid.extents[2], __VA_ARGS__); \
   },                                                                                              \
   name##_error_string,                                                                            \
   []() -> const cpu::Kernel * {                                                                   \
     static HostFunction *const function = name##_host_function();                                 \
     static const cpu::Kernel kernel(function);                                                    \
     return function ? &kernel : nullptr;                                                          \
   },                                                                                              \
   [](const What &what) { return slotsOf(__VA_ARGS__); }}

// The arguments after the pointers.
#define EFT_DRAW int64_t(what.seed), what.threshold, what.mayKeep, what.scale
#define EFT_NARROW what.rows, int32_t(what.columns), EFT_DRAW, eights(what), reciprocal(what)
#define EFT_BY_ONE what.rows, what.columns, EFT_DRAW
#define EFT_BY_FOUR what.rows, what.columns / 4, EFT_DRAW
#define EFT_UNALIGNED EFT_BY_ONE, shift(what)

/// The variants of the forward, as they stand in its tables. A 4 at the end is for 16-byte vectors.
/// `Block64` to `Block1024By4` are for the CPU, and the second of them for GPUs, too; `Rows33` to
/// `Line` are for GPUs.
enum Form {
  Narrow16,
  Narrow16By4,
  Narrow24By4,
  Block64,
  Block64By4,
  Block128,
  Block128By4,
  Block256,
  Block256By4,
  Block1024,
  Block1024By4,
  Rows33,
  Rows64,
  Rows128,
  Rows256,
  Strips,
  Line,
};

/// The table for the kernels with this end of their names and with these pointers.
#define EFT_FORMS(end, ...)                                                                        \
  {EFT_VARIANT(eft_narrow16##end, Forward, 0, 16, 0, __VA_ARGS__, EFT_NARROW),                     \
   EFT_VARIANT(eft_narrow16_by4##end, Forward, 0, 16, 0, __VA_ARGS__, EFT_NARROW),                 \
   EFT_VARIANT(eft_narrow24_by4##end, Forward, 0, 24, 0, __VA_ARGS__, EFT_NARROW),                 \
   EFT_VARIANT(eft_block64##end, Forward, 32, 64, 0, __VA_ARGS__, EFT_BY_ONE),                     \
   EFT_VARIANT(eft_block64_by4##end, Forward, 32, 64, 0, __VA_ARGS__, EFT_BY_FOUR),                \
   EFT_VARIANT(eft_block128##end, Forward, 16, 128, 0, __VA_ARGS__, EFT_BY_ONE),                   \
   EFT_VARIANT(eft_block128_by4##end, Forward, 16, 128, 0, __VA_ARGS__, EFT_BY_FOUR),              \
   EFT_VARIANT(eft_block256##end, Forward, 4, 256, 0, __VA_ARGS__, EFT_BY_ONE),                    \
   EFT_VARIANT(eft_block256_by4##end, Forward, 8, 256, 0, __VA_ARGS__, EFT_BY_FOUR),               \
   EFT_VARIANT(eft_block1024##end, Forward, 1, 1024, 0, __VA_ARGS__, EFT_BY_ONE),                  \
   EFT_VARIANT(eft_block1024_by4##end, Forward, 1, 1024, 0, __VA_ARGS__, EFT_BY_FOUR),             \
   EFT_VARIANT(eft_rows33##end, Forward, 16, 33, 0, __VA_ARGS__, EFT_UNALIGNED),                   \
   EFT_VARIANT(eft_rows64##end, Forward, 16, 64, 0, __VA_ARGS__, EFT_UNALIGNED),                   \
   EFT_VARIANT(eft_rows128##end, Forward, 8, 128, 0, __VA_ARGS__, EFT_UNALIGNED),                  \
   EFT_VARIANT(eft_rows256##end, Forward, 8, 256, 0, __VA_ARGS__, EFT_UNALIGNED),                  \
   EFT_VARIANT(eft_strips##end, Forward, 8, 256, 15, __VA_ARGS__, EFT_UNALIGNED),                  \
   EFT_VARIANT(eft_line##end, Forward, 1, 2048, 15, __VA_ARGS__, EFT_UNALIGNED)}

constexpr Variant<Forward> withoutMask[] = EFT_FORMS(, what.x, what.y);
constexpr Variant<Forward> withMask[] = EFT_FORMS(_mask, what.x, what.y, what.mask);

#define EFT_BACKWARD(name)                                                                         \
  EFT_VARIANT(name, Backward, 1, 2048, 0, what.dy, what.mask, what.dx, what.count, what.scale)
constexpr Variant<Backward> withGivenMask[] = {EFT_BACKWARD(eft_backward),
                                               EFT_BACKWARD(eft_backward_by4)};

/// The narrowest block that a row fits in, or else the widest.
Form blockOf(int64_t columns, bool byFour) {
  Form form = columns <= 64    ? Block64
              : columns <= 128 ? Block128
              : columns <= 256 ? Block256
                               : Block1024;
  return Form(form + byFour);
}

Form unalignedOf(const Forward &what) {
  if (what.columns > 256)
    return what.rows < 8 ? Line : Strips;
  return what.columns <= 33    ? Rows33
         : what.columns <= 64  ? Rows64
         : what.columns <= 128 ? Rows128
                               : Rows256;
}

Form formOf(const Forward &what, DeviceKind device) {
  bool aligned = areAligned(what.x, what.y, what.mask), byFour = aligned && what.columns % 4 == 0;
  bool countsRows = what.rows < int64_t(1) << 32; // as `narrow` does
  if (what.columns <= 16 && countsRows)
    return aligned && device == DeviceKind::Cuda ? Narrow16By4 : Narrow16;
  if (device == DeviceKind::Host)
    return blockOf(what.columns, byFour);
  if (what.columns <= 24 && aligned && countsRows)
    return Narrow24By4;
  // Wider rows go faster by turns, even where they could be read in vectors: all loads are on their
  // way before the first draw.
  return what.columns <= 32 && byFour ? Block64By4 : unalignedOf(what);
}

} // namespace

const Variant<Forward> &choose(const Forward &what, DeviceKind device) {
  return (what.mask ? withMask : withoutMask)[formOf(what, device)];
}

const Variant<Backward> &choose(const Backward &what, DeviceKind) {
  return withGivenMask[areAligned(what.dy, what.mask, what.dx)];
}

int64_t rowsEach(const Forward &what, const Variant<Forward> &variant) {
  return variant.rows ? variant.rows : 8 * eights(what);
}

} // namespace eft::ops
