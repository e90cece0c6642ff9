// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operands of a loop's matrix products that copies can bring to shared memory, and what must be
// computed ahead for that.
//
// Warpgroups read factors of one and of four bytes an element with neighbours along k alone. If a
// factor's neighbours in memory lie along the other dimension, copies bring it as it is, and
// threads rewrite it. Factors whose neighbours form no run at all that a copy can move go through
// registers, if there are enough: they wait for memory while a product is under way.
//
// Addresses may be loaded themselves, as from a table of pages. These loads come still earlier.
//
// Beside them, copies bring blocks from which factors are computed, such as weights of one byte
// that are converted and scaled. They also bring blocks of which several threads need each element,
// such as a number for each column of a product's result: each thread would load it from memory,
// and wait for it.
#pragma once

#include "compiler/ir/EftDialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace eft {

/// The bytes of a slot, and of what lies between it and the next one.
uint64_t bytesOf(SharedType slot);

/// A block that a loop loads and that copies can bring to shared memory, and its place there.
struct LoopOperand {
  LoadOp load;
  SharedType slots; // with one slot
  // The block as threads read it from the slot; null if products alone use it, directly or through
  // conversions, and can read it themselves.
  mlir::RankedTensorType read;
  // The type of the slot to which threads rewrite the block, in the order that products read, with
  // one slot; null for other blocks.
  SharedType rewritten;

  bool isReadByProducts() const { return !read; }
};

class LoopOperands {
public:
  /// Finds the operands. There are none if the loop writes memory, or no product has one. Without
  /// `mayRewrite`, threads rewrite none. Without `mayCompute`, blocks from which factors are
  /// computed are none of the operands.
  LoopOperands(mlir::scf::ForOp loop, bool mayRewrite, bool mayCompute);

  llvm::ArrayRef<LoopOperand> all() const { return operands; }
  /// Whether factors are computed from some of the operands.
  bool haveComputed() const { return hasComputed; }
  /// The operand of the loop that a product uses here, and reads as copies bring it; null if it
  /// uses none.
  const LoopOperand *of(mlir::OpOperand &use) const;
  /// The operand that a product uses here once threads have rewritten it; null if it uses none.
  const LoopOperand *rewritten(mlir::OpOperand &use) const;
  /// Whether that operand is transposed between its conversion and the product.
  bool isTransposed(mlir::OpOperand &use) const;
  /// Operations of the loop's body, and arguments that the loop carries for them.
  struct Slice {
    llvm::SetVector<mlir::Operation *> ops;
    llvm::SetVector<mlir::BlockArgument> carried;
  };
  /// The arithmetic of the operands' addresses and masks, which uses the results of `loads`.
  const Slice &addresses() const { return slices.addresses; }
  /// Loads for addresses, as from a table of pages, and what they are computed from.
  const Slice &loads() const { return slices.loads; }

  /// The registers in which a thread has the elements, and their addresses, that copies can't move
  /// by the word: it loads them while other products are under way.
  int64_t registersForElements() const;
  /// The bytes of one slot for each operand.
  uint64_t slotBytes() const;
  /// The bytes of one slot for each operand that threads rewrite; 0 if there is none.
  uint64_t rewrittenBytes() const;

private:
  struct Slices {
    Slice addresses, loads;
  };

  std::optional<LoopOperand> rewrittenFactor(LoadOp load);
  bool hasRegistersForShortRuns();
  void addFactor(LoadOp load, int64_t minBytes);
  void addShared(LoadOp load);
  bool addRead(LoadOp load);
  bool add(const LoopOperand &operand);
  bool extend(Slices &extended, mlir::Value value);

  mlir::scf::ForOp loop;
  bool mayRewrite, hasComputed = false;
  llvm::SmallVector<LoopOperand> operands;
  /// The index in `operands` of what a product uses.
  llvm::DenseMap<mlir::OpOperand *, unsigned> numbers;
  Slices slices;
};

} // namespace eft
