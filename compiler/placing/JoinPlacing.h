// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the elements of joined blocks lie, so that no thread computes elements it does not need.
//
// `eft.join` interleaves two blocks. If neighbours of its result lie in different lanes, each lane
// needs an element of one source alone. It gets both: a source is required in the layout in which
// nothing moves, and that has copies, one for the lanes of each parity. With two joins, of four
// random words that are computed together, a lane keeps one of four. The same layout with the
// joined bits of the index in its registers has no copies. It differs by an exchange of register
// and lane bits, so the result gets to the layout that is required by shuffles.
#pragma once

#include "compiler/placing/PlacingRules.h"

namespace eft {

/// The layout in which the result of a move, which is required in `required`, is made on a GPU.
LayoutAttr layoutOfJoined(ElementMoveOpInterface move, LayoutAttr required);

} // namespace eft
