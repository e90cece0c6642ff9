// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between the layout attribute of the IR and the class LinearLayout.
#pragma once

#include "compiler/ir/EftDialect.h"
#include "compiler/layout/LinearLayout.h"

namespace eft {

/// Returns the bases of the attribute, in the form that `LinearLayout::create` takes.
std::vector<PlaceBases> placesOf(LayoutAttr attribute);

/// Returns the layout in the encoding of a block's type; nothing if the type has no layout.
std::optional<LinearLayout> layoutOf(mlir::Type type);

/// Returns the map after `of` in an `eft.buffer_read`: from each place to the element of the
/// buffer's block that the place reads. Returns nothing if there is no `of`: every place then reads
/// the elements that it wrote.
std::optional<LinearLayout> elementsOf(BufferReadOp read);

/// Returns the attribute with the bases of `layout`.
LayoutAttr toAttribute(mlir::MLIRContext *context, const LinearLayout &layout);

/// Returns the block's type with `layout` as its encoding.
mlir::RankedTensorType withLayout(mlir::RankedTensorType type, const LinearLayout &layout);

/// Returns true if several threads of a GPU hold the same element of the block; false if the type
/// has no layout.
bool isHeldBySeveralThreads(mlir::Type block);

/// Returns the block's type in a layout without those bits of `dimension` whose basis is zero. Such
/// bits only make copies of elements.
mlir::RankedTensorType withoutCopies(mlir::RankedTensorType block, llvm::StringRef dimension);

/// Returns the layout with these dimensions of places alone, in this order. A dimension that
/// `layout` lacks gets no bits.
LinearLayout withPlaces(const LinearLayout &layout, llvm::ArrayRef<std::string_view> dimensions);

} // namespace eft
