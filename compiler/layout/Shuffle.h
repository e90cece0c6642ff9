// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shuffles: moving elements between the lanes of a warp, or of a SIMD vector.
//
// The problem
// ===========
// Every place of a result wants one element of a block that lies in other places. As long as both
// places are in one warp (a CPU has nothing else), an element can travel by an instruction that
// hands one piece (register, vector) from lane to lane: all lanes give one, all lanes get one. So
// the work is to be cut into *turns*. In a turn, every lane gives the piece that some other lane
// wants then. Two lanes that want different pieces of one lane must do so in different turns.
//
// The example to keep in mind is the transposition of 2 pieces in 2 lanes. Left: what is there;
// right: what is wanted.
//
//             lane 0  lane 1                lane 0  lane 1
//   piece 0     a       b          piece 0    a       c
//   piece 1     c       d          piece 1    b       d
//
// If both lanes fetch their piece 0 in turn 0, lane 1 wants c of lane 0, which has to give a to
// itself. If lane 1 fetches its piece 1 first, nobody is in the other's way, but what a lane gives
// and gets in a turn is then numbered differently in each lane:
//
//   before: lane 1 swaps its pieces        (a, c), (d, b)
//   turn 0: each lane takes its own piece 0       a,  d
//   turn 1: each lane takes the other's piece 1   b,  c
//   after:  lane 1 swaps its pieces        (a, b), (c, d)
//
// A swap is a choice between two pieces by a bit of the lane, and turn 0 moves nothing: one shuffle
// instead of two.
//
// The plan
// ========
// All maps are linear over bits (see LinearLayout.h), up to constants. Let the result's place
// (r, l), piece r of lane l, want the element that lies in piece C·r + D·l of lane A·r + B·l. Let
// F be some map from lanes to pieces; in turn t lane l fetches for its piece r = t + F·l. It then
// looks in lane
//
//   A·t + (B + A·F)·l,   at piece   C·t + (D + C·F)·l.
//
// If P = B + A·F is invertible, the lane that gives can compute l, and so which of its pieces is
// wanted: G·(its lane) + a constant of the turn, with G = (D + C·F)·P⁻¹. Such an F exists whenever
// every element is wanted once: P needs, for each vector of B's kernel, some A·r outside B's image.
//
// Where elements are wanted several times, P may keep a kernel. If lanes that differ by a vector of
// it want the same element, that is no harm: both look into the same lane. If they want different
// pieces of that lane, there is a turn for each of those, and lanes choose what they got.
//
// `before` does G, `after` does F, each as a list of swaps. Where F and G are zero, as in a
// butterfly, nothing is swapped.
#pragma once

#include "compiler/layout/LinearLayout.h"

namespace eft {

/// In threads (lanes, above them warps) whose number has an odd number of the bits `threads`, piece
/// number q stands for piece number q ^ `pieces`.
struct PieceSwap {
  uint64_t threads;
  uint64_t pieces;
  bool operator==(const PieceSwap &) const = default;
};

struct ShufflePlan {
  /// Every lane gives its piece `piece` and takes what lane (laneColumns · thread) ^ `lanes` gives.
  struct Turn {
    uint64_t piece;
    uint64_t lanes;
    auto operator<=>(const Turn &) const = default;
  };

  unsigned givingLaneBits, takingLaneBits;
  std::vector<PieceSwap> before;      ///< in the places that give
  std::vector<uint64_t> laneColumns;  ///< what each bit of the thread that takes adds to the lane
  std::vector<uint64_t> choices;      ///< bit i of the choice: the parity of these bits of the lane
  std::vector<std::vector<Turn>> got; ///< for each piece, before `after`: a turn for each choice
  std::vector<PieceSwap> after;       ///< in the places that take

  /// Every thread looks at itself in a turn with `lanes` of zero.
  bool keepsLanes() const;
  /// Nothing moves between lanes, nor is chosen by them: each piece is another name of one.
  bool isRenaming() const;
};

/// How to give each place p of `wanted` the element number wanted(p) ^ offset of the block that
/// lies in the places of `from`. Both have places (piece, lane) or (piece, lane, warp), in that
/// order. Nothing if an element would have to come from another warp, or lies nowhere.
///
/// Of several places that hold an element the nearest is taken: one of the same thread if there is
/// any.
std::optional<ShufflePlan> planShuffle(const LinearLayout &from, const LinearLayout &wanted,
                                       uint64_t offset = 0);

} // namespace eft
