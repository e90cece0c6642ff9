// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the elements of joined blocks lie, so that no thread computes elements it does not need.
//
// `eft.join` interleaves two blocks. If neighbours of its result lie in different lanes, each lane
// needs an element of only one source. But it would compute an element of each. For the sources get
// the layout in which nothing moves, and in that layout an even lane and the odd one beside it hold
// the same element. With two joins, of four random words that are computed together, a lane would
// keep one of four.
//
// So the result is made in another layout: the joined bits of the index are in its registers, and
// nothing is computed twice. It differs from the required layout by an exchange of register and
// lane bits, so shuffles bring the result there.
#pragma once

#include "compiler/placing/PlacingRules.h"

namespace eft {

/// The layout in which a GPU makes the result of a move that is required in `required`.
LayoutAttr layoutOfJoined(ElementMoveOpInterface move, LayoutAttr required);

} // namespace eft
