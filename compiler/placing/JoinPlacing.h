// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layouts of joined blocks, chosen so that no thread computes elements that it does not need.
//
// `eft.join` interleaves two blocks. Suppose that neighbours of its result lie in different lanes.
// The sources would get the layout in which no element moves. In that layout an even lane and the
// next, odd lane hold the same elements: both lanes compute an element of each source, although
// each lane needs the element of one source only. With two joins, as of the four random words that
// one call of Philox computes, a lane would keep one of every four words that it computes.
//
// The same happens if the sources are sums and differences of the parts of a split block, as in a
// Hadamard transform. Each lane would fetch both parts from other lanes, for both results.
//
// So the result of the join is made in another layout: the bits of the index that tell the sources
// apart are register bits, and no element is computed twice. This layout is the required one with
// some register bits and lane bits exchanged, so shuffles convert the result to the required
// layout.
#pragma once

#include "compiler/placing/PlacingRules.h"

namespace eft {

/// Returns the layout in which a GPU makes the result of an element move whose uses require the
/// layout `required`. It is `required` itself unless the move joins blocks that are expensive to
/// compute, or that are computed from the parts of a split block.
LayoutAttr layoutOfJoined(ElementMoveOpInterface move, LayoutAttr required);

} // namespace eft
