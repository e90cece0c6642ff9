// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shuffles: moving elements between the lanes of a warp, or of a SIMD vector.
//
// The problem
// ===========
// Every place of a result needs one element of a block, which may lie in another place. If both
// places are in one warp, a shuffle instruction can move the element: in one shuffle, every lane
// gives one fragment and takes one fragment. On a CPU the lanes are those of a SIMD vector, so both
// places are always reachable. The movement is divided into *turns*. In each turn, every lane gives
// a fragment that some lane needs in this turn. Two lanes that need different fragments of the same
// lane must get them in different turns.
//
// As an example, take the transposition of 2 fragments in 2 lanes. On the left is the source, on
// the right the result.
//
//             lane 0  lane 1                lane 0  lane 1
//   fragment 0     a       b          fragment 0    a       c
//   fragment 1     c       d          fragment 1    b       d
//
// Suppose that both lanes fetch their fragment 0 in turn 0. Then lane 0 must give a to itself, and
// c to lane 1: a conflict. There is no conflict if lane 1 fetches its fragment 1 first. But then,
// the fragments that a lane gives and takes in one turn have different numbers in each lane:
//
//   before: lane 1 swaps its fragments        (a, c), (d, b)
//   turn 0: each lane takes its own fragment 0       a,  d
//   turn 1: each lane takes the other's fragment 1   b,  c
//   after:  lane 1 swaps its fragments        (a, b), (c, d)
//
// A swap is a selection between two fragments by a bit of the lane. Turn 0 moves nothing between
// lanes, so the transposition takes one shuffle instead of two.
//
// The plan
// ========
// All maps are linear over bits (see LinearLayout.h), up to constants. Let fragment r of lane l of
// the result need the element that lies in fragment C·r + D·l of lane A·r + B·l. Choose some map F
// from lanes to fragments. In turn t, lane l fetches the element for its fragment r = t + F·l. That
// element lies in lane
//
//   A·t + (B + A·F)·l,   at fragment   C·t + (D + C·F)·l.
//
// Let P = B + A·F. If P is invertible, the lane that gives can compute l from its own number, and
// so the fragment that it must give: G·(its lane) + a constant of the turn, with G = (D + C·F)·P⁻¹.
// If every element is needed exactly once, an F with an invertible P exists: for each vector of B's
// kernel, there is some A·r outside B's image.
//
// If some elements are needed several times, P may have a kernel. Two lanes that differ by a vector
// of this kernel look into the same lane. If they need the same fragment of it, one turn serves
// both. If they need different fragments, there is one turn for each of these, and each lane
// chooses between the fragments that it got.
//
// The plan applies G in `before` and F in `after`, each as a list of swaps. If F and G are zero, as
// in a butterfly, there are no swaps.
#pragma once

#include "compiler/layout/LinearLayout.h"

namespace eft {

/// A renumbering of the fragments of some threads. The bits of a thread's number are its lane's
/// bits and, above them, its warp's bits. If a thread's number contains an odd number of the bits
/// `threads`, its fragment q becomes fragment q ^ `fragments`. Other threads keep their fragments.
struct FragmentSwap {
  uint64_t threads;
  uint64_t fragments;
  bool operator==(const FragmentSwap &) const = default;
};

struct ShufflePlan {
  /// Every lane gives its fragment `fragment` and takes what lane (laneColumns · thread) ^ `lanes`
  /// gives.
  struct Turn {
    uint64_t fragment;
    uint64_t lanes;
    auto operator<=>(const Turn &) const = default;
  };

  unsigned givingLaneBits, takingLaneBits;
  std::vector<FragmentSwap> before; ///< in the threads that give
  /// For each bit of the taking thread's number: the xor that it adds to the giving lane's number.
  std::vector<uint64_t> laneColumns;
  std::vector<uint64_t> choices; ///< bit i of a lane's choice is the parity of lane & choices[i]
  /// The turns, by fragment (its number before `after` is applied) and by the lane's choice.
  std::vector<std::vector<Turn>> got;
  std::vector<FragmentSwap> after; ///< in the threads that take

  /// Whether every thread takes from itself in a turn whose `lanes` is zero.
  bool keepsLanes() const;
  /// Whether the plan only renames fragments: no element moves between lanes, and no lane swaps or
  /// chooses fragments.
  bool isRenaming() const;
};

/// Plans the shuffles that give each place p of `wanted` the element with the packed index
/// wanted(p) ^ `offset`. The elements come from a block in the layout `from`. Both layouts have
/// places (fragment, lane) or (fragment, lane, warp), in that order. Returns nothing if an element
/// would have to come from another warp, or has no place.
///
/// Of several places that hold an element, the plan reads the nearest: a place of the same thread
/// if there is one.
std::optional<ShufflePlan> planShuffle(const LinearLayout &from, const LinearLayout &wanted,
                                       uint64_t offset = 0);

} // namespace eft
