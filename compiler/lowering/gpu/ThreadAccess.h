// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores of the elements of a block that one thread of a GPU holds.
#pragma once

#include "compiler/ir/EftDialect.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// The cache hints of an access, or the mark that it is volatile. A volatile access has no hints.
struct Qualifiers {
  std::optional<CacheModifier> cache;
  std::optional<Eviction> eviction;
  bool isVolatile = false;

  Qualifiers(std::optional<CacheModifier> cache, std::optional<Eviction> eviction,
             bool isVolatile = false)
      : isVolatile(isVolatile) {
    if (isVolatile)
      return;
    this->cache = cache;
    this->eviction = eviction;
  }

  bool hasHints() const { return cache || eviction; }
};

/// Loads or stores a thread's elements of a block by accesses of up to 128 bits. Each element has
/// its own address.
class ThreadAccess {
public:
  using Fragments = llvm::SmallVector<mlir::Value>;

  /// Each sequence of `run` addresses points to neighbours in memory that are aligned for one
  /// access. If the runs are `headless`, the first address of each run may point elsewhere.
  ThreadAccess(mlir::ImplicitLocOpBuilder &b, mlir::Type element, Fragments addresses, unsigned run,
               Qualifiers qualifiers, bool headless = false);

  /// The number of elements that one access moves.
  unsigned width() const { return perAccess; }
  /// The type of the value that one access moves: words, or a single element.
  mlir::Type runType() const { return perAccess == 1 ? element : wordsType(); }
  /// Returns a condition that is true if in every headless run the first address directly precedes
  /// the second. Null if the runs are not headless.
  mlir::Value areWhole();

  Fragments loadAll() { return unpackRuns(loadRuns()); }
  /// Loads each run if the mask of its first element is true. Otherwise the run's elements are
  /// those of `others`.
  Fragments loadRunsUnder(llvm::ArrayRef<mlir::Value> masks, llvm::ArrayRef<mlir::Value> others);
  /// Loads the runs as machine words. A branch that yields runs should yield these words, so that
  /// they need not be unpacked and packed again.
  Fragments loadRuns();
  Fragments packRuns(llvm::ArrayRef<mlir::Value> values);
  Fragments unpackRuns(llvm::ArrayRef<mlir::Value> runs);
  void storeAll(llvm::ArrayRef<mlir::Value> values);
  /// Stores all runs if `condition` is true. Each store has `condition` as its predicate; there is
  /// no branch. If there were a branch, LLVM would move arithmetic whose results only the stores
  /// use into it, away from other arithmetic that could overlap with it.
  void storeAllIf(mlir::Value condition, llvm::ArrayRef<mlir::Value> values);
  /// Stores each run if the condition of its first element is true.
  void storeRunsIf(llvm::ArrayRef<mlir::Value> conditions, llvm::ArrayRef<mlir::Value> values);

  mlir::Value loadOne(unsigned fragment);
  /// Loads the element if its mask is true or null; otherwise returns `other`.
  mlir::Value loadOneUnder(unsigned fragment, mlir::Value mask, mlir::Value other);
  /// The address in global memory at which the access of the run with the first fragment `first`
  /// begins.
  mlir::Value globalPointer(unsigned first) { return runPointer(first); }
  void storeOne(unsigned fragment, mlir::Value value);

private:
  unsigned bytes(unsigned elements) const { return elements * element.getIntOrFloatBitWidth() / 8; }
  mlir::Type vectorType() const { return mlir::VectorType::get(perAccess, element); }
  mlir::Type wordsType() const;
  mlir::Type bitsOf(mlir::Type type) { return b.getIntegerType(type.getIntOrFloatBitWidth()); }
  mlir::Value index(unsigned i);
  mlir::Value pointer(unsigned fragment);
  mlir::Value runPointer(unsigned first);

  mlir::Value loadRun(unsigned first);
  void replaceHeads(Fragments &runs, llvm::ArrayRef<mlir::Value> masks,
                    llvm::ArrayRef<mlir::Value> others);
  void storeRun(unsigned first, llvm::ArrayRef<mlir::Value> values);
  void storeRunIf(mlir::Value condition, unsigned first, llvm::ArrayRef<mlir::Value> values);
  mlir::Value pack(llvm::ArrayRef<mlir::Value> values);

  mlir::Value emitLoad(mlir::Value pointer, mlir::Type type, mlir::Value condition = {},
                       llvm::ArrayRef<mlir::Value> others = {});
  void emitStore(mlir::Value condition, mlir::Value pointer, mlir::Value packed);
  CacheModifierAttr cacheAttribute() const;
  EvictionAttr evictionAttribute() const;

  mlir::ImplicitLocOpBuilder &b;
  mlir::Type element;
  Fragments addresses;
  Qualifiers qualifiers;
  unsigned perAccess;
  bool headless;
};

} // namespace eft
