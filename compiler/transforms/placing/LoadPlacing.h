// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layouts in which a load may be made.
//
// Memory is read best in the layout that was chosen for it. Another one may be as good, and saves a
// conversion: a short vector that is used as a row and as a column is loaded twice, from the cache.
#pragma once

#include "compiler/analysis/DefaultLayouts.h"

namespace eft {

/// True if a load may be made in `layout`, which may differ from its shape's default `standard`. It
/// may not if a store to blocks of that shape may come before or after the load: only loads in the
/// store's layout are ordered with it. Nor may it if the memory traffic would grow much.
bool canLoadIn(LoadOp load, LayoutAttr layout, LayoutAttr standard, const AxisInfos &infos,
               const PlacementTarget &target);

} // namespace eft
