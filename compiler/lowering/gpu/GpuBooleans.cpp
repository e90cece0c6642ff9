// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves of booleans inside a warp. A thread packs its fragments into one word, one bit for each
// fragment, and gets the words of the threads that hold the elements it needs. With the linear maps
// A, B, C and D of Shuffle.h, fragment r of lane l needs bit C·r + D·l of the word of lane A·r +
// B·l. So there is one shuffle for each value of A·r. If single fragments were shuffled, each r
// would need a shuffle, with choices between fragments before and after it.
#include "compiler/lowering/LinearCode.h"
#include "compiler/lowering/gpu/GpuLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace eft {

namespace {

constexpr size_t wordBits = 32;

/// For each place of the result, the place of its element in the source: a linear map and a
/// constant.
struct SourcePlaces {
  enum Dimension { fragment, lane, warp };

  LinearLayout map;
  uint64_t offset;

  /// The map for a fetch; nothing if an element would come from another warp.
  static std::optional<SourcePlaces> find(const LinearLayout &from, const LinearLayout &wanted,
                                          uint64_t offset) {
    std::optional<LinearLayout> placeOf = from.rightInverse();
    std::optional<LinearLayout> map = placeOf ? wanted.then(*placeOf) : std::nullopt;
    if (!map)
      return std::nullopt;
    SourcePlaces places{*map, placeOf->applyPacked(offset)};
    const uint64_t warps = from.source().mask(warp);
    for (unsigned bit = 0; bit < wanted.source().bits(); ++bit) {
      const uint64_t own = (uint64_t(1) << bit) & wanted.source().mask(warp);
      if ((map->applyPacked(uint64_t(1) << bit) & warps) >> from.source().dims()[warp].offset !=
          own >> wanted.source().dims()[warp].offset)
        return std::nullopt;
    }
    return (places.offset & warps) == 0 ? std::optional(places) : std::nullopt;
  }

  /// The part of a source's place in one dimension: its register, lane or warp.
  uint64_t part(uint64_t place, Dimension dimension) const {
    return (place & map.target().mask(dimension)) >> map.target().dims()[dimension].offset;
  }
  uint64_t ofFragment(uint64_t number, Dimension dimension) const {
    return part(map.applyPacked(number) ^ offset, dimension);
  }
  /// For each bit of a thread's number, the bits that it adds to `dimension` of the source's place.
  SmallVector<int64_t> ofThread(Dimension dimension) const {
    SmallVector<int64_t> images;
    for (unsigned bit = map.source().dims()[lane].offset; bit < map.source().bits(); ++bit)
      images.push_back(int64_t(part(map.applyPacked(uint64_t(1) << bit), dimension)));
    return images;
  }
};

} // namespace

GpuLowering::Fragments GpuLowering::shuffleBooleans(ImplicitLocOpBuilder &b, ArrayRef<Value> source,
                                                    const Fetch &fetch) {
  std::optional<SourcePlaces> places = SourcePlaces::find(fetch.from, fetch.wanted, fetch.offset);
  if (!places || source.size() > wordBits)
    return {};
  auto constant = [&](uint64_t value) {
    return b.create<arith::ConstantIntOp>(int64_t(int32_t(value)), 32);
  };
  Value word = constant(0);
  for (auto [number, fragment] : llvm::enumerate(source)) {
    Value bit = b.create<arith::SelectOp>(fragment, constant(uint64_t(1) << number), constant(0));
    word = b.create<arith::OrIOp>(word, bit);
  }
  Value thread = b.create<NVVM::ThreadIdXOp>(b.getI32Type());
  Value lane = emitLinearMap(b, thread, places->ofThread(SourcePlaces::lane));
  Value first = emitLinearMap(b, thread, places->ofThread(SourcePlaces::fragment));
  constexpr int64_t allLanes = -1, wholeWarp = 31;
  DenseMap<uint64_t, Value> words;
  Fragments result;
  for (uint64_t number = 0; number < uint64_t(1) << fetch.wanted.source().dims()[0].bits;
       ++number) {
    const uint64_t lanes = places->ofFragment(number, SourcePlaces::lane);
    Value &got = words[lanes];
    if (!got)
      got = b.create<NVVM::ShflOp>(b.getI32Type(), constant(allLanes), word,
                                   b.create<arith::XOrIOp>(lane, constant(lanes)),
                                   constant(wholeWarp), NVVM::ShflKind::idx, UnitAttr());
    Value bit = b.create<arith::XOrIOp>(
        first, constant(places->ofFragment(number, SourcePlaces::fragment)));
    Value shifted = b.create<arith::ShRUIOp>(got, bit);
    result.push_back(b.create<arith::TruncIOp>(b.getI1Type(), shifted));
  }
  return result;
}

} // namespace eft
