// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In which layouts a load may be made.
//
// Memory is read best in the layout that was chosen for it. Another one may do as well, and saves a
// conversion: a short vector that is used as a row and as a column is loaded twice, from the cache.
#pragma once

#include "compiler/analysis/DefaultLayouts.h"

namespace eft {

/// Whether a load may be made in a layout that is not its shape's default. It may not where a store
/// to blocks of that shape may come before or after it, for only the places that share the store's
/// layout are ordered with it; nor where it would touch memory in many more pieces.
bool canLoadIn(LoadOp load, LayoutAttr layout, LayoutAttr standard, const AxisInfos &infos,
               const PlacementTarget &target);

} // namespace eft
