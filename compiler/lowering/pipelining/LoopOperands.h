// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The blocks that a loop with matrix products loads and that asynchronous copies can bring to
// shared memory, and the operations that must run iterations ahead for these copies.
//
// Warpgroups read a factor whose elements have one or four bytes only if neighbours along k are
// neighbours in shared memory. If the factor's neighbours in global memory are along the other
// dimension, copies bring the factor as it is, and threads rewrite it in the other order. A factor
// may have no runs that are long enough for a copy. The loop loads such a factor to registers, if a
// thread has enough of them: the loads wait for memory while a product is under way.
//
// The addresses may themselves be loaded, for example from a table of pages. These loads run
// further ahead than the copies.
//
// Copies also bring two other kinds of blocks: blocks from which factors are computed, such as
// weights of one byte that are converted and scaled; and blocks of which several threads need each
// element, such as a number for each column of a product's result. Without a copy, each of these
// threads would load the element from memory, and wait for it.
#pragma once

#include "compiler/ir/EftDialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace eft {

/// The bytes that a slot takes up in shared memory, with the padding up to the next slot.
uint64_t bytesOf(SharedType slot);

/// A block that a loop loads and that copies can bring to shared memory, and the types of its
/// slots.
struct LoopOperand {
  LoadOp load;
  SharedType slots; // the type of one slot
  // The type of the block that threads read from the slot: of the loaded block, or of the block to
  // which the loop converts it. Null if only products use the block, directly or through
  // conversions, and read it from the slot themselves.
  mlir::RankedTensorType read;
  // The type of one slot in which threads rewrite the block in the order that products read. Null
  // if threads do not rewrite the block.
  SharedType rewritten;

  bool isReadByProducts() const { return !read; }
  /// True if the loop never needs the block in the layout of the load, and threads do not rewrite
  /// it: either products read the slot, or all uses convert the block to `read`.
  bool readsAsConverted() const { return !rewritten && read != LoadOp(load).getType(); }
};

class LoopOperands {
public:
  /// Finds the operands in the loop's body. There are none if the loop writes memory, or if copies
  /// can bring no block for a product. If `mayRewrite` is false, no operand is rewritten by
  /// threads. If `mayCompute` is false, blocks from which factors are computed are not operands.
  LoopOperands(mlir::scf::ForOp loop, bool mayRewrite, bool mayCompute);

  llvm::ArrayRef<LoopOperand> all() const { return operands; }
  /// True if factors are computed from one of the operands.
  bool haveComputed() const { return hasComputed; }
  /// The operand whose slots a product reads as its factor `use`, without threads that rewrite the
  /// block first; else null.
  const LoopOperand *of(mlir::OpOperand &use) const;
  /// The operand that is the factor `use` of a product, if threads rewrite it for the product; else
  /// null.
  const LoopOperand *rewritten(mlir::OpOperand &use) const;
  /// True if the factor `use` is transposed between its conversion and the product.
  bool isTransposed(mlir::OpOperand &use) const;
  /// A set of operations of the loop's body, and the arguments that the loop carries for them.
  struct Slice {
    llvm::SetVector<mlir::Operation *> ops;
    llvm::SetVector<mlir::BlockArgument> carried;
  };
  /// The operations that compute the addresses and masks of the operands' copies. They may use
  /// results of the loads in `loads`, but do not include these loads.
  const Slice &addresses() const { return slices.addresses; }
  /// The loads whose results are used to compute addresses or masks, for example loads from a table
  /// of pages, and the operations that compute the addresses and masks of these loads.
  const Slice &loads() const { return slices.loads; }
  /// Adds the loads of scalars in the loop to `loads()`, up to a limit, if the loop does not yield
  /// them and their addresses do not depend on products. The other operations of an iteration then
  /// need not wait for these loads.
  void addScalars();
  /// Returns the loads that `addScalars` has added.
  llvm::ArrayRef<LoadOp> scalars() const { return loadedScalars; }

  /// The number of registers that a thread needs for factors of which copies can't move at least 4
  /// bytes at a time. The thread loads their elements while other products are under way. It needs
  /// a register for each element and one for the element's address.
  int64_t registersForElements() const;
  /// The sum of the bytes of one slot for each operand.
  uint64_t slotBytes() const;
  /// The sum of the bytes of one slot for each operand that threads rewrite; 0 if there is none.
  uint64_t rewrittenBytes() const;

private:
  struct Slices {
    Slice addresses, loads;
  };

  std::optional<LoopOperand> rewrittenFactor(LoadOp load);
  bool hasRegistersForShortRuns();
  void addFactor(LoadOp load, int64_t minBytes);
  void addShared(LoadOp load);
  bool addRead(LoadOp load, mlir::RankedTensorType read);
  bool add(const LoopOperand &operand);
  bool extend(Slices &extended, mlir::Value value);

  mlir::scf::ForOp loop;
  bool mayRewrite, hasComputed = false;
  llvm::SmallVector<LoopOperand> operands;
  /// For each factor of a product that is an operand: the index of the operand in `operands`.
  llvm::DenseMap<mlir::OpOperand *, unsigned> numbers;
  Slices slices;
  llvm::SmallVector<LoadOp> loadedScalars;
};

} // namespace eft
