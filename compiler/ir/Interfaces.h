// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The properties by which operations describe themselves; EftInterfaces.td says what they mean.
#pragma once

#include "compiler/layout/LinearLayout.h"

#include "mlir/IR/OpDefinition.h"

namespace eft {

/// The indices at which a result of an operation that moves elements finds them in its source.
struct ElementMove {
  /// A map between indices of blocks. The result's element with the packed index i is the source's
  /// element with the packed index map(i) ^ flipped.
  LinearLayout map;
  uint64_t flipped = 0;
  /// Of two sources: the bit of the result's packed index that is 1 where the element comes from
  /// the second one. 0 if there is one source.
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
