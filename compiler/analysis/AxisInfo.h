// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Axis information: what is known of a block's values along each of its dimensions.
//
// May a load take 16 bytes at once? Is a mask the same for a whole vector? Which dimension should
// lie along the lanes? The answers depend on how values change from one index to the next. Three
// powers of two per dimension describe this change. A *run* of length r is a group of r indices
// k·r … k·r + r − 1 of the dimension, with the other coordinates fixed.
//
//   contiguity     the largest r such that in every run of length r each value is its predecessor
//                  plus 1 (for pointers: plus one element)
//   divisibility   the largest known power of two that divides the value at the start of each such
//                  run (for pointers: the address in bytes)
//   constancy      the largest r such that in every run of length r all values are equal
//
//   value                                          contiguity   divisibility   constancy
//   eft.arange 0 to 1024                              1024          2^31            1
//   … plus a splat that is a multiple of 64           1024            64            1
//   … times 4                                            1             4            1
//   eft.splat of a multiple of 16 : 1024                 1            16         1024
//   eft.addptr of a splat (16 bytes) and line 2       1024            16            1
//
// A fourth number describes signed remainders, which have the sign of the dividend: the remainders
// of −16 … −9 modulo 16 are 0, −15, … −9. The product of a program's number and an extent may wrap
// around to a negative number. So only this is known of `(pid * 64 + range) % n`: in each run,
// every element from the third on is its predecessor plus 1. The second element follows the first
// in the same way, unless the dividends are negative.
//
//   headless       the largest r such that in every run of length r each value from the third on is
//                  its predecessor plus 1, and r divides the second value minus 1 (for pointers:
//                  the size of r elements divides the second address minus one element)
//
// The quotients `(pid * 64 + range) / n` are not constant in the same way: the first may differ
// from the others. A fifth number describes that.
//
//   tailConstancy  the largest r such that in every run of length r all values from the second on
//                  are equal
//
// The sum of such quotients, times a multiple of r, and a headless run is a headless run.
//
// An operation keeps headless runs if it adds one number to all elements of a run, selects between
// such runs, or leaves the elements as they are. A product, for example, does not keep them. A GPU
// moves a headless run by one access if a check at run time finds the first element where it should
// be (GpuMemory.cpp).
//
// Integers wrap around, and all facts hold nevertheless. Contiguity is modulo 2^bits. A power of
// two that divides a sum or a product still divides the wrapped result. A run whose start is a
// multiple of its length never wraps around inside the run, read as signed or as unsigned.
// `alignedRun` is the length of such runs. Only these runs are safe to extend to a wider type, to
// use in an address, or to compare.
#pragma once

#include "compiler/analysis/UpperBound.h"
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
    int64_t tailConstancy = 1;
    bool operator==(const Dim &) const = default;
  };

  /// The upper bound of every divisibility and of every run's length.
  static constexpr int64_t maxPower = int64_t(1) << 62;
  /// The largest divisibility that the analysis gives to a value of the type; zero has it. It is
  /// 2^(bits − 1), at most 2^62: a run of more numbers would wrap around when read as signed.
  static int64_t divisibilityOfZero(mlir::Type type);

  /// The initial state of the analysis: no fact has reached the value yet.
  AxisInfo() = default;
  AxisInfo(llvm::SmallVector<Dim, 2> dims, int64_t unit,
           std::optional<int64_t> constant = std::nullopt)
      : dims(std::move(dims)), unit(unit), constant(constant), bound(boundOf(constant)) {}

  /// The facts that hold of any value of the type.
  static AxisInfo unknown(mlir::Type type);
  /// The facts about a value that is the same number, a multiple of `divisibility`, at every index.
  static AxisInfo uniform(mlir::Type type, int64_t divisibility);
  /// The facts about a value that is the number `value` at every index.
  static AxisInfo ofConstant(mlir::Type type, int64_t value);

  bool isReached() const { return !dims.empty(); }
  unsigned rank() const { return dims.size(); }
  const llvm::SmallVector<Dim, 2> &getDims() const { return dims; }
  int64_t contiguity(unsigned dim) const { return dims[dim].contiguity; }
  int64_t divisibility(unsigned dim) const { return dims[dim].divisibility; }
  int64_t constancy(unsigned dim) const { return dims[dim].constancy; }
  /// The number that every element is, sign-extended; nothing if it is not known.
  std::optional<int64_t> getConstant() const { return constant; }
  /// True if every element is known to be non-negative when read as a signed number.
  bool isNonNegative() const { return bound.has_value(); }
  /// An upper bound of every element, if every element is known to be non-negative; else nothing.
  const std::optional<UpperBound> &getBound() const { return bound; }
  /// Returns the same facts, and this bound if none is known yet.
  AxisInfo withBound(const std::optional<UpperBound> &known) const {
    AxisInfo info = *this;
    if (!info.bound)
      info.bound = known;
    return info;
  }
  /// The difference between neighbours in a contiguous run: 1 for integers, the size of an element
  /// in bytes for pointers.
  int64_t getUnit() const { return unit; }

  /// The greatest known power of two that divides the values at the starts of runs of this length.
  int64_t divisibilityOfRuns(unsigned dim, int64_t length) const {
    return length >= contiguity(dim) ? divisibility(dim)
                                     : std::min(divisibility(dim), length * unit);
  }
  /// The greatest known power of two that divides every element.
  int64_t divisibilityOfAll() const;
  /// The length of the longest contiguous runs whose start is a multiple of this length (for
  /// pointers: of the run's size in bytes). They do not wrap around. For a pointer, this is also
  /// the number of elements of the widest access that the address allows.
  int64_t alignedRun(unsigned dim) const {
    return std::min(contiguity(dim), std::max<int64_t>(1, divisibility(dim) / unit));
  }
  /// The length of the longest runs that are aligned, or that would be aligned if the first element
  /// of each were its second minus 1. These runs do not wrap around either.
  int64_t headlessRun(unsigned dim) const { return std::max(alignedRun(dim), dims[dim].headless); }

  /// The length of the longest runs that are constant, except perhaps for their first elements.
  int64_t tailConstancy(unsigned dim) const {
    return std::max(constancy(dim), dims[dim].tailConstancy);
  }

  /// Returns the same facts, with `headless` reset to 1 in the dimensions in which headless runs
  /// are no longer than aligned runs, and `tailConstancy` where it is not above `constancy`.
  AxisInfo withoutNeedlessHeadless() const;

  /// Returns the facts that hold of both `left` and `right`, and so of a value that is one of the
  /// two.
  static AxisInfo join(const AxisInfo &left, const AxisInfo &right);
  bool operator==(const AxisInfo &) const = default;
  void print(llvm::raw_ostream &os) const;

private:
  static std::optional<UpperBound> boundOf(std::optional<int64_t> constant) {
    return constant && *constant >= 0 ? std::optional(UpperBound{{}, *constant}) : std::nullopt;
  }

  llvm::SmallVector<Dim, 2> dims;
  int64_t unit = 1;
  std::optional<int64_t> constant;
  std::optional<UpperBound> bound;
};

/// The axis information of every value in an operation. It is computed from the divisibility of
/// function arguments (their attribute `eft.divisibility`) and from the operations.
class AxisInfos {
public:
  /// Analyses everything inside the operation.
  explicit AxisInfos(mlir::Operation *top);
  ~AxisInfos();

  /// The facts about a value in the operation. For a value that was created after the analysis,
  /// `AxisInfo::unknown`.
  AxisInfo of(mlir::Value value) const;

private:
  std::unique_ptr<mlir::DataFlowSolver> solver;
};

} // namespace eft
