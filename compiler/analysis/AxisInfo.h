// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Axis information: what is known of a block's values along each of its dimensions.
//
// Whether a load may take 16 bytes at once, whether a mask is the same for a whole vector, which
// dimension should lie along the lanes: all this is asked of how values change from one index to
// the next. Three powers of two per dimension answer it. Let a *run* of length r be the indices k·r
// … k·r + r − 1 of the dimension, the other coordinates fixed.
//
//   contiguity     the longest run in which each value is the one before plus 1
//                  (for pointers: plus one element)
//   divisibility   what divides the value at the start of each such run
//                  (for pointers: the address in bytes)
//   constancy      the longest run in which all values are equal
//
//   value                                          contiguity   divisibility   constancy
//   eft.arange 0 to 1024                              1024          2^31            1
//   … plus a splat that is a multiple of 64           1024            64            1
//   … times 4                                            1             4            1
//   eft.splat of a multiple of 16 : 1024                 1            16         1024
//   eft.addptr of a splat (16 bytes) and the second   1024            16            1
//
// A fourth number is for remainders, which truncate: −16 … −9 modulo 16 are 0, −15, … −9. Nobody
// knows that the product of a program's number and an extent doesn't wrap around to below zero. So
// of `(pid * 64 + range) % n` only this is known: in each run all elements *but the first* follow
// each other, and the first belongs there unless the numbers are negative.
//
//   headless       the longest run in which each value from the third on is the one before plus 1;
//                  its length divides the one before the second (for pointers: its alignment is
//                  that of an access of so many elements)
//
// Only what moves a block as a whole keeps such runs. A GPU moves one by a single access, once it
// has seen at run time that the first element is where it should be (GpuMemory.cpp).
//
// Integers wrap around, and the analysis claims only what holds nevertheless. Contiguity is meant
// modulo 2^bits. A power of two that divides a sum or a product divides it after wrapping. A run
// whose start is a multiple of its length never wraps inside, whether read as signed or unsigned:
// `alignedRun` is its length, and all that a wider type, an address or a comparison may rely on.
#pragma once

#include "compiler/ir/EftDialect.h"

#include "mlir/Analysis/DataFlowFramework.h"

#include <optional>

namespace eft {

/// The facts that are known of one value. A scalar counts as a block of one element and one
/// dimension.
class AxisInfo {
public:
  struct Dim {
    int64_t contiguity = 1;
    int64_t divisibility = 1;
    int64_t constancy = 1;
    int64_t headless = 1;
    bool operator==(const Dim &) const = default;
  };

  /// No divisibility and no length of a run is larger.
  static constexpr int64_t maxPower = int64_t(1) << 62;
  /// The largest divisibility that is told apart in a type, and so that of zero: half of the
  /// numbers there are, because a run of more would wrap around when read as signed.
  static int64_t divisibilityOfZero(mlir::Type type);

  /// Nothing reached the value yet: the beginning of the analysis.
  AxisInfo() = default;
  AxisInfo(llvm::SmallVector<Dim, 2> dims, int64_t unit,
           std::optional<int64_t> constant = std::nullopt)
      : dims(std::move(dims)), unit(unit), constant(constant),
        nonNegative(constant && *constant >= 0) {}

  /// The facts that hold of any value of the type.
  static AxisInfo unknown(mlir::Type type);
  /// A value of the type, the same at every index, that `divisibility` divides.
  static AxisInfo uniform(mlir::Type type, int64_t divisibility);
  /// The same number at every index.
  static AxisInfo ofConstant(mlir::Type type, int64_t value);

  bool isReached() const { return !dims.empty(); }
  unsigned rank() const { return dims.size(); }
  const llvm::SmallVector<Dim, 2> &getDims() const { return dims; }
  int64_t contiguity(unsigned dim) const { return dims[dim].contiguity; }
  int64_t divisibility(unsigned dim) const { return dims[dim].divisibility; }
  int64_t constancy(unsigned dim) const { return dims[dim].constancy; }
  /// The number that every element is, sign-extended.
  std::optional<int64_t> getConstant() const { return constant; }
  /// Whether no element is below zero, read as a signed number.
  bool isNonNegative() const { return nonNegative; }
  AxisInfo withNonNegative(bool known) const {
    AxisInfo info = *this;
    info.nonNegative |= known;
    return info;
  }
  /// The distance between neighbours of a contiguous run: 1, or the bytes of a pointer's element.
  int64_t getUnit() const { return unit; }

  /// The greatest known power of two that divides the values at the starts of runs of this length.
  int64_t divisibilityOfRuns(unsigned dim, int64_t length) const {
    return length >= contiguity(dim) ? divisibility(dim)
                                     : std::min(divisibility(dim), length * unit);
  }
  /// The greatest known power of two that divides every element.
  int64_t divisibilityOfAll() const;
  /// The longest contiguous run whose start is a multiple of its own length (in bytes for
  /// pointers): one that doesn't wrap around, and the widest access that the address allows.
  int64_t alignedRun(unsigned dim) const {
    return std::min(contiguity(dim), std::max<int64_t>(1, divisibility(dim) / unit));
  }
  /// The longest aligned run, if the first element of each may be another than the one that belongs
  /// there. It doesn't wrap around either.
  int64_t headlessRun(unsigned dim) const { return std::max(alignedRun(dim), dims[dim].headless); }

  /// The same, with headless runs only where they are longer than aligned ones.
  AxisInfo withoutNeedlessHeadless() const;

  /// The facts that hold of both: those of a value that is one or the other.
  static AxisInfo join(const AxisInfo &left, const AxisInfo &right);
  bool operator==(const AxisInfo &) const = default;
  void print(llvm::raw_ostream &os) const;

private:
  llvm::SmallVector<Dim, 2> dims;
  int64_t unit = 1;
  std::optional<int64_t> constant;
  bool nonNegative = false;
};

/// The information on every value of a function, beginning with its arguments' `eft.divisibility`.
class AxisInfos {
public:
  /// Analyses everything inside the operation.
  explicit AxisInfos(mlir::Operation *top);
  ~AxisInfos();

  /// The facts about a value inside; none about one that was made after the analysis.
  AxisInfo of(mlir::Value value) const;

private:
  std::unique_ptr<mlir::DataFlowSolver> solver;
};

} // namespace eft
