// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The traits and interfaces by which operations describe themselves. EftInterfaces.td defines their
// meaning.
#pragma once

#include "compiler/layout/LinearLayout.h"

#include "mlir/IR/OpDefinition.h"

namespace eft {

/// For a result of an element move: the index in the source of each element of the result.
struct ElementMove {
  /// A map between indices of blocks. The result's element with the packed index i is the source's
  /// element with the packed index map(i) ^ flipped.
  LinearLayout map;
  uint64_t flipped = 0;
  /// For a move of two sources, a mask with one bit of the result's packed index. Where the bit is
  /// set in an index, the element comes from the second source. 0 for a move of one source.
  uint64_t secondSource = 0;
};

template <typename ConcreteType>
class FetchesElements : public mlir::OpTrait::TraitBase<ConcreteType, FetchesElements> {};

template <typename ConcreteType>
class ComputesInPlace : public mlir::OpTrait::TraitBase<ConcreteType, ComputesInPlace> {};

template <typename ConcreteType>
class KeepsNumbers : public mlir::OpTrait::TraitBase<ConcreteType, KeepsNumbers> {};

template <typename ConcreteType>
class MayCall : public mlir::OpTrait::TraitBase<ConcreteType, MayCall> {};

} // namespace eft

#include "compiler/ir/EftInterfaces.h.inc"
