// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between the layout attribute of the IR and the algebra in compiler/layout.
#pragma once

#include "compiler/ir/EftDialect.h"
#include "compiler/layout/LinearLayout.h"

namespace eft {

/// The bases that the attribute holds, in the form of `LinearLayout::create`.
std::vector<PlaceBases> placesOf(LayoutAttr attribute);

/// The layout that a block's type carries; nothing if it carries none.
std::optional<LinearLayout> layoutOf(mlir::Type type);

/// The map from each place to the element of the buffer's block that it reads, if `eft.buffer_read`
/// has one; nothing if every place reads the element that it wrote.
std::optional<LinearLayout> elementsOf(BufferReadOp read);

/// The attribute that says the same as `layout`.
LayoutAttr toAttribute(mlir::MLIRContext *context, const LinearLayout &layout);

/// The block's type with `layout` as its encoding.
mlir::RankedTensorType withLayout(mlir::RankedTensorType type, const LinearLayout &layout);

/// The same block in a layout without those bits of `dimension` that lead to no other element.
mlir::RankedTensorType withoutCopies(mlir::RankedTensorType block, llvm::StringRef dimension);

/// A layout with these dimensions of places and no others, in their order.
LinearLayout withPlaces(const LinearLayout &layout, llvm::ArrayRef<std::string_view> dimensions);

} // namespace eft
