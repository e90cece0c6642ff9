// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layout that the blocks of one shape get, unless another one is required.
//
// All blocks of one shape share it, so that elementwise work needs no values of other places. It
// is chosen for the function's accesses to memory in that shape: the dimension along which memory
// runs becomes the fastest, and on a GPU a thread holds as many neighbours as the widest access
// that any of them allows; on a CPU a vector has as many elements as a vector register holds of the
// widest type in memory.
//
// Where blocks of the shape are reduced, and memory runs along the last dimension as reductions do,
// the layout is the one in which reducing is cheapest (ReductionOrder.h). Blocks that are computed
// from matrix products are reduced where the products leave them, and do not count.
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
  bool hasWarpgroups = false;    // GPU: warpgroups multiply matrices
  bool hasVectorAtomics = false; // GPU: one atomic operation adds to neighbours of 16 bytes
  int64_t vectorBits = 256;      // CPU: bits of a vector register, a power of two

  /// The place dimension along whose lowest bits one access moves neighbours.
  llvm::StringRef accessDimension() const;
};

/// The length of the runs along the dimension that are neighbours in memory if no offset wraps
/// around. For runs that start at any index this is not known, so a layout may be chosen by it, but
/// no access may rely on it.
int64_t likelyContiguity(mlir::Value pointer, unsigned dim, const AxisInfos &infos);

class DefaultLayouts {
public:
  DefaultLayouts(mlir::func::FuncOp function, const AxisInfos &infos, const ProductBlocks &products,
                 PlacementTarget target);

  /// Whether the function accesses memory in this type's shape.
  bool isAccessed(mlir::RankedTensorType type) const;

  /// The layout of blocks of this type's shape.
  LayoutAttr of(mlir::RankedTensorType type);

  /// The layout that the shape would have if the load were the function's only access. A thread
  /// holds at least `leastNeighbours` neighbours.
  LayoutAttr ofAlone(LoadOp load, int64_t leastNeighbours, const AxisInfos &infos) const;

  /// The layout in which a block of this type is reduced, in the order of its shape.
  LayoutAttr ofReduced(mlir::RankedTensorType type) const;

private:
  /// No access moves more.
  static constexpr int64_t enoughElements = 16;

  /// A summary of the accesses in one shape.
  struct Accesses {
    llvm::SmallVector<int64_t> contiguity; // summed over the accesses, for each dimension
    llvm::SmallVector<int64_t> width;      // the most elements of one access, along each dimension
    // The most neighbours that a thread shall hold along each dimension: neighbouring threads'
    // stores and atomic operations are to work on neighbours.
    llvm::SmallVector<int64_t> mostNeighbours;
    int64_t narrowest = enoughElements; // elements of one access to rows of neighbours
    int64_t widestBits = 0;             // the bits of the widest element in memory
    // The bits of the widest element that is reduced; 0 if none is.
    int64_t reducedBits = 0;
  };

  void add(Accesses &accesses, mlir::Operation *access, const AxisInfos &infos,
           int64_t weight) const;
  void add(ReduceOp reduce);
  LayoutAttr choose(mlir::RankedTensorType type, const Accesses *accesses) const;

  PlacementTarget target;
  std::map<std::vector<int64_t>, Accesses> accesses;
  std::map<std::vector<int64_t>, LayoutAttr> chosen;
};

/// Neighbours along the lowest bits of the access dimension that are neighbours in memory and may
/// be moved by one access: on a GPU it must be aligned and at most 16 bytes, on a CPU it need not
/// be. The elements of an atomic operation's run have one mask.
struct AccessRun {
  int64_t length = 1;
  unsigned dim = 0;        // along which the block's indices grow
  bool isHeadless = false; // the first element may lie elsewhere (AxisInfo.h)
};

/// The run of an access, if its pointers are placed as in `pointerType`.
AccessRun accessRun(const AxisInfos &infos, mlir::Operation *access,
                    mlir::RankedTensorType pointerType, const PlacementTarget &target);

} // namespace eft
