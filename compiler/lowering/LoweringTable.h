// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A target's lowering functions, found by the kind of the operation.
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <functional>

namespace eft {

class FragmentLowering;

/// A table of lowering functions, one for each kind of operation or for each interface.
///
/// A lowering function reads the fragments of the operation's operands from a `FragmentLowering`,
/// emits code in front of the operation, and sets the fragments of its results:
///
///     LogicalResult lowerGather(FragmentLowering &lowering, ImplicitLocOpBuilder &b, GatherOp op);
///
/// A lowering function that can't fail returns `void`. A function for a single target takes that
/// target's class (`GpuLowering`, `CpuLowering`) as its first parameter; only that target's table
/// may have it. Each file adds the rows for its functions in a function `populate…Lowerings`.
class LoweringTable {
public:
  using Lowering = std::function<mlir::LogicalResult(
      FragmentLowering &, mlir::ImplicitLocOpBuilder &, mlir::Operation *)>;

  /// Adds a row for the operation or interface that is the type of the function's last parameter. A
  /// row for an operation replaces an earlier one.
  template <typename Context, typename Op>
  void add(mlir::LogicalResult (*lower)(Context &, mlir::ImplicitLocOpBuilder &, Op)) {
    insert<Op>(
        [lower](FragmentLowering &lowering, mlir::ImplicitLocOpBuilder &b, mlir::Operation *op) {
          return lower(static_cast<Context &>(lowering), b, mlir::cast<Op>(op));
        });
  }

  template <typename Context, typename Op>
  void add(void (*lower)(Context &, mlir::ImplicitLocOpBuilder &, Op)) {
    insert<Op>(
        [lower](FragmentLowering &lowering, mlir::ImplicitLocOpBuilder &b, mlir::Operation *op) {
          lower(static_cast<Context &>(lowering), b, mlir::cast<Op>(op));
          return mlir::success();
        });
  }

  /// Adds one function for several operations.
  template <typename... Ops, typename Context>
  void addFor(mlir::LogicalResult (*lower)(Context &, mlir::ImplicitLocOpBuilder &,
                                           mlir::Operation *)) {
    auto call = [lower](FragmentLowering &lowering, mlir::ImplicitLocOpBuilder &b,
                        mlir::Operation *op) {
      return lower(static_cast<Context &>(lowering), b, op);
    };
    (insert<Ops>(call), ...);
  }

  /// Returns the function for an operation: that of the operation's own row, else that of an
  /// interface that the operation has, else null.
  const Lowering *find(mlir::Operation *op) const;

private:
  template <typename Op> void insert(Lowering lower) {
    if constexpr (std::is_base_of_v<mlir::OpState, Op> && requires { Op::getOperationName(); })
      ofOperations[mlir::TypeID::get<Op>()] = std::move(lower);
    else
      ofInterfaces.push_back({Op::getInterfaceID(), std::move(lower)});
  }

  llvm::DenseMap<mlir::TypeID, Lowering> ofOperations;
  llvm::SmallVector<std::pair<mlir::TypeID, Lowering>> ofInterfaces;
};

} // namespace eft
