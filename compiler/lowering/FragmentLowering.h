// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lowering of blocks to fragments: the part that GPU and CPU share.
//
// A placed block falls into *fragments*, one per index of one dimension of its layout. On a GPU
// that is `register`, and a fragment is a scalar of the thread at hand. On a CPU it is `step`, and
// a fragment is a vector of the lanes. An elementwise operation on blocks is the same operation on
// each of their fragments.
//
// Each other operation has a lowering function in a table (LoweringTable.h): one that works on
// fragments of any form, or one for each target. A new operation adds a function and its row. The
// targets define, by overriding, only the form of a fragment and the moves between places.
//
// Pointers become integers of 64 bits: blocks of addresses are lowered like any others.
#pragma once

#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/Shuffle.h"
#include "compiler/lowering/LoweringTable.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// A move of a block's elements: place p gets the element number wanted(p) ^ offset of a block in
/// the layout `from`. Both layouts have the places that `FragmentLowering::placesOf` gives. Every
/// move of elements between places is one of these.
struct Fetch {
  LinearLayout from;
  LinearLayout wanted;
  uint64_t offset = 0;
};

/// Lowers the operations of one kernel, in place: the functions of a `LoweringTable` do that, and
/// this is what they know. It has the fragments of each value, and moves elements between them.
class FragmentLowering {
public:
  using Fragments = llvm::SmallVector<mlir::Value>;

  virtual ~FragmentLowering() = default;

  /// Checks that the kernel has a body, no results, and scalars as its arguments.
  static mlir::LogicalResult checkKernel(mlir::func::FuncOp kernel);

  /// Adds an argument in lowered form for each pointer argument of the kernel's entry block.
  /// `dropArguments` removes the originals. Between the two calls the entry block has both.
  void takeArguments(mlir::func::FuncOp kernel);
  void dropArguments(mlir::func::FuncOp kernel);

  /// Lowers all of `body`. An operation that can't be lowered gets a diagnostic at its place.
  mlir::LogicalResult lower(mlir::Region &body);

  //===--- Values and types ------------------------------------------------------------------===//

  /// The fragments of a block, or the lowered form of a scalar alone.
  llvm::ArrayRef<mlir::Value> fragmentsOf(mlir::Value value);
  /// The lowered form of a scalar.
  mlir::Value scalarOf(mlir::Value value) { return fragmentsOf(value).front(); }
  /// Sets the fragments of a value. Copies of an element become one value.
  void setFragments(mlir::Value value, Fragments fragments);
  /// For each fragment the first of which it is a copy; itself if it is not a copy. Copies differ
  /// only in bits of the place that add nothing to the index.
  llvm::SmallVector<unsigned> originalsOf(mlir::Type type);

  /// The type that a scalar of this type is lowered to. It is the same type unless it is a pointer.
  mlir::Type scalarType(mlir::Type type);
  /// The type that a fragment of this type is lowered to.
  mlir::Type fragmentTypeOf(mlir::Type type);
  unsigned numFragments(mlir::Type block);
  unsigned placeBits(mlir::Type block, llvm::StringRef dimension);
  /// A layout with the target's place dimensions and no others, in the target's order.
  LinearLayout placesOf(const LinearLayout &layout) const;
  LinearLayout placesOf(mlir::Type block) const { return placesOf(*layoutOf(block)); }

  /// Emits the operation on one fragment of each operand, with results of the given types.
  llvm::SmallVector<mlir::Value> cloneOnFragments(mlir::ImplicitLocOpBuilder &b,
                                                  mlir::Operation *op, mlir::ValueRange operands,
                                                  llvm::ArrayRef<mlir::Type> types);

  //===--- Moves of elements: MoveLowering.cpp -----------------------------------------------===//

  /// Moves elements of blocks that have one layout. Each wanted element must lie in some place.
  llvm::SmallVector<Fragments> fetch(mlir::ImplicitLocOpBuilder &b,
                                     llvm::ArrayRef<Fragments> sources, const Fetch &fetch);

  //===--- The form of fragments, which each target defines ----------------------------------===//

  /// The type of a fragment of `block` if its elements had the type `element` (never a pointer).
  virtual mlir::Type fragmentType(mlir::RankedTensorType block, mlir::Type element) = 0;
  /// A fragment with `scalar` at every index.
  virtual mlir::Value splat(mlir::ImplicitLocOpBuilder &b, mlir::Value scalar,
                            mlir::Type fragment) = 0;
  /// The scalar that all lanes of a fragment hold.
  virtual mlir::Value scalarOfFragment(mlir::ImplicitLocOpBuilder &b, mlir::Value fragment) = 0;
  /// True, in the code, if the number of a thread (its lane, and above that its warp) has an odd
  /// number of the bits `threads`: a condition for selects between fragments with 2^laneBits lanes.
  virtual mlir::Value isOdd(mlir::ImplicitLocOpBuilder &b, uint64_t threads, unsigned laneBits) = 0;
  /// Does a turn of the plan: each lane gets `fragment` of the lane (laneColumns · thread) ^
  /// `lanes`.
  virtual mlir::Value shuffleLanes(mlir::ImplicitLocOpBuilder &b, mlir::Value fragment,
                                   const ShufflePlan &plan, uint64_t lanes) = 0;
  /// `fetch` for booleans that shuffles can move, if the target has a better way; else none.
  virtual Fragments shuffleBooleans(mlir::ImplicitLocOpBuilder &, llvm::ArrayRef<mlir::Value>,
                                    const Fetch &) {
    return {};
  }
  /// The packed index, as i32, that the layout gives to the places of one fragment.
  virtual mlir::Value indexAt(mlir::ImplicitLocOpBuilder &b, const LinearLayout &layout,
                              unsigned fragment) = 0;
  /// Fragments of the elements with the packed indices `indices`, of blocks in the layout `from`.
  virtual llvm::SmallVector<Fragments> gather(mlir::ImplicitLocOpBuilder &b,
                                              llvm::ArrayRef<Fragments> sources,
                                              const LinearLayout &from,
                                              llvm::ArrayRef<mlir::Value> indices) = 0;
  /// `fetch` for moves that shuffles can't do.
  virtual llvm::SmallVector<Fragments> fetchThroughMemory(mlir::ImplicitLocOpBuilder &b,
                                                          llvm::ArrayRef<Fragments> sources,
                                                          const Fetch &fetch);

  /// Lowers an elementwise operation fragment by fragment, as all are that have no row in the
  /// table.
  mlir::LogicalResult lowerElementwise(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op);

protected:
  /// `targetName` stands in diagnostics ("a GPU"). `placeDimensions` are those of a place: first
  /// the one that counts the fragments, then the lanes.
  FragmentLowering(mlir::MLIRContext *context, const LoweringTable &table,
                   llvm::StringLiteral targetName, llvm::ArrayRef<llvm::StringRef> placeDimensions)
      : context(context), table(table), targetName(targetName),
        placeDimensions(placeDimensions.begin(), placeDimensions.end()),
        fragmentDimension(placeDimensions.front()) {}

  mlir::MLIRContext *context;

private:
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lowerOp(mlir::Operation *op);
  bool isOwnOp(mlir::Operation *op) const;
  mlir::LogicalResult checkTypes(mlir::Operation *op, mlir::TypeRange types);
  static bool isLoweredType(mlir::Type type);

  // RegionLowering.cpp: loops and conditionals.
  mlir::LogicalResult lowerRegions(mlir::Operation *op);
  mlir::LogicalResult lowerBodies(mlir::Operation *op);
  void takeApartArguments(mlir::Block &block);
  llvm::SmallVector<mlir::Type> carriedTypes(mlir::Type type);
  llvm::SmallVector<mlir::Value> carriedFragments(mlir::ValueRange values);
  void setCarried(mlir::Value value, mlir::ValueRange &carried);

  const LoweringTable &table;
  llvm::StringLiteral targetName;
  llvm::SmallVector<std::string> placeDimensions;
  std::string fragmentDimension;
  llvm::DenseMap<mlir::Value, Fragments> fragments;
  llvm::SmallVector<mlir::Operation *> replaced;
  unsigned replacedArguments = 0;
  llvm::SmallVector<std::pair<mlir::Block *, unsigned>> replacedBlockArguments;
};

/// Adds the lowerings that are the same for all targets, on fragments of any form.
void populateValueLowerings(LoweringTable &table);
void populateMoveLowerings(LoweringTable &table);
void populateBufferLowerings(LoweringTable &table);
void populateReduceLowerings(LoweringTable &table);
void populateScanLowerings(LoweringTable &table);
void populateMapLowerings(LoweringTable &table);

/// Two of these lowerings by themselves, for targets that lower only some such operations
/// otherwise.
mlir::LogicalResult lowerMove(FragmentLowering &lowering, mlir::ImplicitLocOpBuilder &b,
                              ElementMoveOpInterface op);
mlir::LogicalResult lowerBufferRead(FragmentLowering &lowering, mlir::ImplicitLocOpBuilder &b,
                                    BufferReadOp op);

} // namespace eft
