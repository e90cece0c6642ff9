// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shuffles: moving elements between the lanes of a warp, or of a SIMD vector.
//
// The problem
// ===========
// Every place of a result wants one element of a block that lies in other places. As long as both
// places are in one warp (a CPU has nothing else), an element can travel by an instruction that
// hands one fragment (register, vector) from lane to lane: all lanes give one, all lanes get one.
// So the work is to be cut into *turns*. In a turn, every lane gives the fragment that some other
// lane wants then. Two lanes that want different fragments of one lane must do so in different
// turns.
//
// The example to keep in mind is the transposition of 2 fragments in 2 lanes. Left: what is there;
// right: what is wanted.
//
//             lane 0  lane 1                lane 0  lane 1
//   fragment 0     a       b          fragment 0    a       c
//   fragment 1     c       d          fragment 1    b       d
//
// If both lanes fetch their fragment 0 in turn 0, lane 1 wants c of lane 0, which has to give a to
// itself. If lane 1 fetches its fragment 1 first, nobody is in the other's way, but what a lane
// gives and gets in a turn is then numbered differently in each lane:
//
//   before: lane 1 swaps its fragments        (a, c), (d, b)
//   turn 0: each lane takes its own fragment 0       a,  d
//   turn 1: each lane takes the other's fragment 1   b,  c
//   after:  lane 1 swaps its fragments        (a, b), (c, d)
//
// A swap is a choice between two fragments by a bit of the lane, and turn 0 moves nothing: one
// shuffle instead of two.
//
// The plan
// ========
// All maps are linear over bits (see LinearLayout.h), up to constants. Let the result's place
// (r, l), fragment r of lane l, want the element that lies in fragment C·r + D·l of lane A·r + B·l.
// Let F be some map from lanes to fragments; in turn t lane l fetches for its fragment r = t + F·l.
// It then looks in lane
//
//   A·t + (B + A·F)·l,   at fragment   C·t + (D + C·F)·l.
//
// If P = B + A·F is invertible, the lane that gives can compute l, and so which of its fragments is
// wanted: G·(its lane) + a constant of the turn, with G = (D + C·F)·P⁻¹. Such an F exists whenever
// every element is wanted once: P needs, for each vector of B's kernel, some A·r outside B's image.
//
// Where elements are wanted several times, P may keep a kernel. If lanes that differ by a vector of
// it want the same element, that is no harm: both look into the same lane. If they want different
// fragments of that lane, there is a turn for each of those, and lanes choose what they got.
//
// `before` does G, `after` does F, each as a list of swaps. Where F and G are zero, as in a
// butterfly, nothing is swapped.
#pragma once

#include "compiler/layout/LinearLayout.h"

namespace eft {

/// In threads (lanes, above them warps) whose number has an odd number of the bits `threads`,
/// fragment number q stands for fragment number q ^ `fragments`.
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
  std::vector<FragmentSwap> before;   ///< in the places that give
  std::vector<uint64_t> laneColumns;  ///< what each bit of the thread that takes adds to the lane
  std::vector<uint64_t> choices;      ///< bit i of the choice: the parity of these bits of the lane
  std::vector<std::vector<Turn>> got; ///< for each fragment, before `after`: a turn for each choice
  std::vector<FragmentSwap> after;    ///< in the places that take

  /// Every thread looks at itself in a turn with `lanes` of zero.
  bool keepsLanes() const;
  /// Nothing moves between lanes, nor is chosen by them: each fragment is another name of one.
  bool isRenaming() const;
};

/// Plans the shuffles that give each place p of `wanted` the element number wanted(p) ^ offset of
/// the block in the layout `from`. Both have places (fragment, lane) or (fragment, lane, warp), in
/// that order. Nothing if an element would have to come from another warp, or lies nowhere.
///
/// Of several places that hold an element, the plan reads the nearest: one of the same thread if
/// there is any.
std::optional<ShufflePlan> planShuffle(const LinearLayout &from, const LinearLayout &wanted,
                                       uint64_t offset = 0);

} // namespace eft
