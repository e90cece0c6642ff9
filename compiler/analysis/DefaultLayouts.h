// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layout that the blocks of one shape get, unless another one is required.
//
// All blocks of one shape share this layout, so that elementwise operations find their operands at
// the same places. The layout is chosen for the function's accesses to memory in that shape. The
// dimension with the longest runs of neighbours in memory becomes the fastest. On a GPU, a thread
// holds as many neighbours as the widest of these accesses moves, but no more than each store and
// atomic operation can move. On a CPU, a vector has as many elements of the widest element type in
// memory as a vector register holds.
//
// On a GPU, if blocks of the shape are reduced, and the last dimension is the fastest, the layout
// is the one in which reductions are cheapest (ReductionOrder.h). Reductions of blocks that are
// computed from matrix products do not count here: such blocks are reduced in the places where the
// products leave them.
#pragma once

#include "compiler/analysis/AxisInfo.h"
#include "compiler/analysis/ProductBlocks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>

namespace eft {

/// The machine that blocks are placed on.
struct PlacementTarget {
  enum class Kind { Gpu, Cpu } kind = Kind::Gpu;
  int64_t numWarps = 4;          // GPU: warps of a program, a power of two
  bool hasWarpgroups = false;    // GPU: warpgroups can multiply matrices
  bool hasVectorAtomics = false; // GPU: one atomic operation adds to up to 16 bytes
  int64_t vectorBits = 256;      // CPU: bits of a vector register, a power of two
  int64_t numStages = 3;         // GPU: stages of pipelined loops

  /// The name of the place dimension along whose lowest bits the elements of one access lie:
  /// registers on a GPU, lanes on a CPU.
  llvm::StringRef accessDimension() const;
};

/// The length of the runs along the dimension whose elements are neighbours in memory, provided
/// that no offset wraps around. The axis analysis can prove that only for aligned runs. So this
/// length may guide the choice of a layout, but no access may rely on it.
int64_t likelyContiguity(mlir::Value pointer, unsigned dim, const AxisInfos &infos);

class DefaultLayouts {
public:
  DefaultLayouts(mlir::func::FuncOp function, const AxisInfos &infos, const ProductBlocks &products,
                 PlacementTarget target);

  /// True if the function accesses memory through blocks of pointers of this type's shape.
  bool isAccessed(mlir::RankedTensorType type) const;

  /// The layout of blocks of this type's shape.
  LayoutAttr of(mlir::RankedTensorType type);

  /// The layout that the shape would have if the load were the function's only access. A thread
  /// holds at least `leastNeighbours` neighbours.
  LayoutAttr ofAlone(LoadOp load, int64_t leastNeighbours, const AxisInfos &infos) const;

  /// The layout in which a block of this type is reduced at the least cost, in the order of
  /// combination that its shape fixes (ReductionOrder.h).
  LayoutAttr ofReduced(mlir::RankedTensorType type) const;

private:
  /// The most elements that one access moves.
  static constexpr int64_t enoughElements = 16;

  /// A summary of the accesses in one shape.
  struct Accesses {
    llvm::SmallVector<int64_t> contiguity; // summed over the accesses, for each dimension
    llvm::SmallVector<int64_t> width;      // the most elements of one access, along each dimension
    // The most neighbours that a thread may hold along each dimension. A thread holds no more than
    // one store or atomic operation can move, so that neighbouring threads access neighbouring
    // memory.
    llvm::SmallVector<int64_t> mostNeighbours;
    int64_t narrowest = enoughElements; // the fewest elements of an access with contiguous rows
    int64_t widestBits = 0;             // the bits of the widest element in memory
    // The bits of the widest element type that is reduced in a fixed order, and in any order; 0 if
    // nothing is reduced so.
    int64_t reducedBits = 0;
    int64_t freelyReducedBits = 0;
  };

  void add(Accesses &accesses, mlir::Operation *access, const AxisInfos &infos,
           int64_t weight) const;
  void add(ReduceOp reduce);
  LayoutAttr choose(mlir::RankedTensorType type, const Accesses *accesses) const;
  int64_t bitsForReductions(llvm::ArrayRef<int64_t> shape, const Accesses &accesses) const;

  PlacementTarget target;
  std::map<std::vector<int64_t>, Accesses> accesses;
  std::map<std::vector<int64_t>, LayoutAttr> chosen;
};

/// A run of elements that one access may move: neighbours along the lowest bits of the access
/// dimension that are neighbours in memory, too. On a GPU, the run must be aligned and at most 16
/// bytes long. On a CPU, neither is necessary. All elements of an atomic operation's run have the
/// same mask.
struct AccessRun {
  int64_t length = 1;
  unsigned dim = 0;        // the dimension of the block along which the run lies
  bool isHeadless = false; // the first element may lie elsewhere (AxisInfo.h)
};

/// The longest run of an access whose pointers have the layout of `pointerType`. Its length is 1 if
/// the type has no layout.
AccessRun accessRun(const AxisInfos &infos, mlir::Operation *access,
                    mlir::RankedTensorType pointerType, const PlacementTarget &target);

} // namespace eft
