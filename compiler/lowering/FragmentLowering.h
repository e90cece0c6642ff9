// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lowering of blocks to fragments: the part that GPU and CPU share.
//
// A placed block falls into *fragments*, one for each value of one place dimension. On a GPU this
// dimension is `register`, and a fragment is a scalar of the current thread. On a CPU it is `step`,
// and a fragment is a vector of the lanes. An elementwise operation on blocks becomes the same
// operation on each of their fragments.
//
// Loops and conditionals are lowered in RegionLowering.cpp. Every other operation that is not
// elementwise has a lowering function in a table (LoweringTable.h): one function that works on
// fragments of any form, or one for each target that has the operation. To add such an operation,
// add its function and a row of the table. The class of a target overrides only the form of a
// fragment and the moves between places.
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

/// A move of a block's elements. The source has the layout `from`. Place p of the result gets the
/// element with the packed index wanted(p) ^ offset. Both layouts have the target's place
/// dimensions in the target's order, as `FragmentLowering::placesOf` returns them. A move whose
/// indices are known only at run time is not a fetch, but a `FragmentLowering::gather`.
struct Fetch {
  LinearLayout from;
  LinearLayout wanted;
  uint64_t offset = 0;
};

/// Lowers the operations of one kernel, in place, by calling the functions of a `LoweringTable`. To
/// these functions it offers the fragments of each value, and moves of elements between fragments.
class FragmentLowering {
public:
  using Fragments = llvm::SmallVector<mlir::Value>;

  virtual ~FragmentLowering() = default;

  /// Checks that the kernel has a body, no results, and scalars as its arguments.
  static mlir::LogicalResult checkKernel(mlir::func::FuncOp kernel);

  /// Adds an argument in lowered form for each argument of the kernel's entry block.
  /// `dropArguments` removes the originals. Between the two calls the entry block has both.
  void takeArguments(mlir::func::FuncOp kernel);
  void dropArguments(mlir::func::FuncOp kernel);

  /// Lowers all operations in `body`. An operation that can't be lowered gets a diagnostic at its
  /// location.
  mlir::LogicalResult lower(mlir::Region &body);

  //===--- Values and types ------------------------------------------------------------------===//

  /// The fragments of a block. For a scalar, a single value: its lowered form.
  llvm::ArrayRef<mlir::Value> fragmentsOf(mlir::Value value);
  /// The lowered form of a scalar.
  mlir::Value scalarOf(mlir::Value value) { return fragmentsOf(value).front(); }
  /// Sets the fragments of a value. Fragments that hold the same elements become one SSA value.
  void setFragments(mlir::Value value, Fragments fragments);
  /// For each fragment, the number of the first fragment that holds the same elements; this may be
  /// its own number. Two fragments hold the same elements if their numbers differ only in bits that
  /// add nothing to the index.
  llvm::SmallVector<unsigned> originalsOf(mlir::Type type);
  /// The same for the first result of an operation, where fragments also hold the same elements if
  /// the attribute `eft.constancy` says so. Removes this attribute.
  llvm::SmallVector<unsigned> originalsOf(mlir::Operation *op);

  /// The type to which a scalar of this type is lowered: i64 for a pointer, else the same type.
  mlir::Type scalarType(mlir::Type type);
  /// The type to which each fragment of a block of this type is lowered. For the type of a scalar,
  /// `scalarType`.
  mlir::Type fragmentTypeOf(mlir::Type type);
  unsigned numFragments(mlir::Type block);
  unsigned placeBits(mlir::Type block, llvm::StringRef dimension);
  /// The same layout with exactly the target's place dimensions, in the target's order.
  LinearLayout placesOf(const LinearLayout &layout) const;
  LinearLayout placesOf(mlir::Type block) const { return placesOf(*layoutOf(block)); }

  /// Emits the operation on one fragment of each operand. The results have the given types.
  llvm::SmallVector<mlir::Value> cloneOnFragments(mlir::ImplicitLocOpBuilder &b,
                                                  mlir::Operation *op, mlir::ValueRange operands,
                                                  llvm::ArrayRef<mlir::Type> types);

  //===--- Moves of elements: MoveLowering.cpp -----------------------------------------------===//

  /// Emits a move for each of several blocks in the layout `fetch.from`, and returns their new
  /// fragments. Each wanted element must lie in some place of `fetch.from`.
  llvm::SmallVector<Fragments> fetch(mlir::ImplicitLocOpBuilder &b,
                                     llvm::ArrayRef<Fragments> sources, const Fetch &fetch);

  //===--- The form of fragments, which each target defines ----------------------------------===//

  /// The type that a fragment of `block` would have if its elements had the type `element`, which
  /// is never a pointer.
  virtual mlir::Type fragmentType(mlir::RankedTensorType block, mlir::Type element) = 0;
  /// A fragment with `scalar` at every index.
  virtual mlir::Value splat(mlir::ImplicitLocOpBuilder &b, mlir::Value scalar,
                            mlir::Type fragment) = 0;
  /// The scalar that all lanes of a fragment hold.
  virtual mlir::Value scalarOfFragment(mlir::ImplicitLocOpBuilder &b, mlir::Value fragment) = 0;
  /// Emits a condition for selects between fragments with 2^laneBits lanes. The condition is true
  /// in threads whose number has an odd number of the bits `threads` set. The low bits of a
  /// thread's number are its lane, those above are its warp.
  virtual mlir::Value isOdd(mlir::ImplicitLocOpBuilder &b, uint64_t threads, unsigned laneBits) = 0;
  /// Emits a turn of a shuffle plan (Shuffle.h). The lane of each thread gets the value that
  /// `fragment` has in the lane (plan.laneColumns · thread) ^ `lanes`, where `thread` is the
  /// thread's number.
  virtual mlir::Value shuffleLanes(mlir::ImplicitLocOpBuilder &b, mlir::Value fragment,
                                   const ShufflePlan &plan, uint64_t lanes) = 0;
  /// Emits a `fetch` of booleans in a better way than by shuffles. Returns no fragments if the
  /// target has no such way.
  virtual Fragments shuffleBooleans(mlir::ImplicitLocOpBuilder &, llvm::ArrayRef<mlir::Value>,
                                    const Fetch &) {
    return {};
  }
  /// Emits an instruction that combines the values of a fragment in all lanes by the operation
  /// `function`, which has two operands. Every lane gets the result. Returns null if the target has
  /// no such instruction.
  virtual mlir::Value combineLanes(mlir::ImplicitLocOpBuilder &, mlir::Value /*fragment*/,
                                   mlir::Operation * /*function*/) {
    return {};
  }
  /// Emits the packed index, as i32, of the element in each place of one fragment.
  virtual mlir::Value indexAt(mlir::ImplicitLocOpBuilder &b, const LinearLayout &layout,
                              unsigned fragment) = 0;
  /// Emits reads of the elements with the packed indices `indices` from blocks in the layout
  /// `from`. `indices` has one value for each fragment of a result. Returns one list of fragments
  /// for each source: those of its result.
  virtual llvm::SmallVector<Fragments> gather(mlir::ImplicitLocOpBuilder &b,
                                              llvm::ArrayRef<Fragments> sources,
                                              const LinearLayout &from,
                                              llvm::ArrayRef<mlir::Value> indices) = 0;
  /// Emits a `fetch` that shuffles can't do. The default is a `gather` with computed indices.
  virtual llvm::SmallVector<Fragments> fetchThroughMemory(mlir::ImplicitLocOpBuilder &b,
                                                          llvm::ArrayRef<Fragments> sources,
                                                          const Fetch &fetch);

  /// Lowers an elementwise operation fragment by fragment. Operations on blocks or pointers with
  /// neither regions nor a row in the table are lowered in this way; those that are not
  /// elementwise get an error.
  mlir::LogicalResult lowerElementwise(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op);

protected:
  /// `targetName` is used in diagnostics ("a GPU"). `placeDimensions` are the dimensions of a
  /// place: first the one that numbers the fragments, then the lanes, then any others.
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

/// Two of these lowerings as functions. A target with its own lowering of the same operations calls
/// them in the cases that its own lowering does not handle.
mlir::LogicalResult lowerMove(FragmentLowering &lowering, mlir::ImplicitLocOpBuilder &b,
                              ElementMoveOpInterface op);
mlir::LogicalResult lowerBufferRead(FragmentLowering &lowering, mlir::ImplicitLocOpBuilder &b,
                                    BufferReadOp op);

} // namespace eft
