// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From blocks to what one thread holds of them: the part of the lowering that GPU and CPU share.
//
// A placed block falls into *pieces*, one per index of one dimension of its layout. On a GPU that
// is `register`, and a piece is a scalar of the thread at hand. On a CPU it is `step`, and a piece
// is a vector of the lanes. An elementwise operation on blocks is the same operation on each of
// their pieces; what differs between the targets is what a piece is, how an index is computed, and
// how memory is reached. Those the target says, by overriding.
//
// Pointers become integers of 64 bits on the way: an address block is computed with like any other.
#pragma once

#include "compiler/ir/LayoutConversion.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// Lowers the operations of one kernel, in place.
class PieceLowering {
public:
  using Pieces = llvm::SmallVector<mlir::Value>;

  virtual ~PieceLowering() = default;

  /// Gives pointer arguments of the kernel's entry block their lowered form, in place of which
  /// `dropArguments` leaves the kernel with lowered types only. In between the entry block has
  /// both.
  void takeArguments(mlir::func::FuncOp kernel);
  void dropArguments(mlir::func::FuncOp kernel);

  /// Lowers all of `body`. What can't be lowered gets a diagnostic at its place.
  mlir::LogicalResult lower(mlir::Region &body);

protected:
  /// `pieceDimension` is the dimension of the layouts that counts the pieces.
  PieceLowering(mlir::MLIRContext *context, llvm::StringRef pieceDimension)
      : context(context), pieceDimension(pieceDimension) {}

  //===--- What a target says
  //---------------------------------------------------------------------===//

  /// The type of a piece of a block with such elements (never pointers).
  virtual mlir::Type pieceType(mlir::RankedTensorType block, mlir::Type element) = 0;
  /// A piece with `scalar` at every index.
  virtual mlir::Value splat(mlir::ImplicitLocOpBuilder &b, mlir::Value scalar,
                            mlir::Type piece) = 0;
  /// The pieces of the coordinates along the only dimension of `block`, from `start` on.
  virtual Pieces arange(mlir::ImplicitLocOpBuilder &b, mlir::RankedTensorType block,
                        int64_t start) = 0;
  virtual mlir::LogicalResult lowerLoad(mlir::ImplicitLocOpBuilder &b, LoadOp load) = 0;
  virtual mlir::LogicalResult lowerStore(mlir::ImplicitLocOpBuilder &b, StoreOp store) = 0;
  /// `eft.atomic_rmw` or `eft.atomic_cas`.
  virtual mlir::LogicalResult lowerAtomic(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op) = 0;
  virtual Pieces uniformDiv(mlir::ImplicitLocOpBuilder &b, UniformDivOp division) = 0;
  virtual mlir::Value programId(mlir::ImplicitLocOpBuilder &b, Axis axis) = 0;
  virtual mlir::Value numPrograms(mlir::ImplicitLocOpBuilder &b, Axis axis) = 0;

  //===--- What it may use
  //------------------------------------------------------------------------===//

  /// The pieces of a block, or the lowered form of a scalar alone.
  llvm::ArrayRef<mlir::Value> piecesOf(mlir::Value value);
  /// The lowered form of a scalar.
  mlir::Value scalarOf(mlir::Value value) { return piecesOf(value).front(); }
  void setPieces(mlir::Value value, Pieces pieces);

  /// A type of the block IR without pointers: what a scalar of this type is lowered to.
  mlir::Type scalarType(mlir::Type type);
  unsigned numPieces(mlir::Type block);
  unsigned placeBits(mlir::Type block, llvm::StringRef dimension);

  mlir::MLIRContext *context;
  std::string pieceDimension;

private:
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lowerOp(mlir::Operation *op);
  mlir::LogicalResult lowerOwnOp(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op);
  mlir::LogicalResult lowerReshape(mlir::Operation *op, mlir::Value source, mlir::Value result);
  mlir::LogicalResult lowerConstant(mlir::ImplicitLocOpBuilder &b, mlir::arith::ConstantOp op);
  mlir::LogicalResult lowerElementwise(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op);
  void lowerAddPtr(mlir::ImplicitLocOpBuilder &b, AddPtrOp op);
  mlir::Type pieceTypeOf(mlir::Type type);
  bool needsLowering(mlir::Operation *op);
  mlir::LogicalResult checkTypes(mlir::Operation *op, mlir::TypeRange types);
  static bool isLoweredType(mlir::Type type);

  // RegionLowering.cpp: loops and conditionals.
  mlir::LogicalResult lowerRegions(mlir::Operation *op);
  mlir::LogicalResult lowerBodies(mlir::Operation *op);
  void takeApartArguments(mlir::Block &block);
  llvm::SmallVector<mlir::Type> carriedTypes(mlir::Type type);
  llvm::SmallVector<mlir::Value> carriedPieces(mlir::ValueRange values);
  void setCarried(mlir::Value value, mlir::ValueRange &carried);

  llvm::DenseMap<mlir::Value, Pieces> pieces;
  llvm::SmallVector<mlir::Operation *> replaced;
  unsigned replacedArguments = 0;
  llvm::SmallVector<std::pair<mlir::Block *, unsigned>> replacedBlockArguments;
};

} // namespace eft
