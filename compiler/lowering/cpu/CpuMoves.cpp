// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads of buffers in which a place reads an element that another place wrote. A map gives the
// element's number in the buffer, or the number is computed at run time.
//
// With a map, the numbers of the elements that the lanes of one vector read are known at compile
// time, up to a term that depends on the number of the tile. If the elements lie in one or two
// aligned vectors of the buffer, these vectors are loaded and shuffled. If at least four lanes at a
// time read neighbours, each such run is loaded. Otherwise the elements are gathered.
#include "compiler/layout/Placement.h"
#include "compiler/lowering/LinearCode.h"
#include "compiler/lowering/PlaceMaps.h"
#include "compiler/lowering/cpu/CpuLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace eft {

namespace {

using Fragments = FragmentLowering::Fragments;

/// The fewest neighbours that are loaded as a run.
constexpr int64_t longRun = 4;

/// Emits a gather of the elements with the numbers `numbers`, a vector of i32.
Value gatherFrom(ImplicitLocOpBuilder &b, Value memory, VectorType type, Value numbers) {
  Type pointers = LLVM::getFixedVectorType(memory.getType(), type.getNumElements());
  Value from = b.create<LLVM::GEPOp>(pointers, type.getElementType(), memory, ValueRange{numbers});
  auto masks = VectorType::get(type.getShape(), b.getI1Type());
  Value all = b.create<arith::ConstantOp>(DenseElementsAttr::get(masks, true));
  Value unused = b.create<arith::ConstantOp>(b.getZeroAttr(type));
  return b.create<LLVM::masked_gather>(type, from, all, ValueRange{unused},
                                       b.getI32IntegerAttr(type.getElementTypeBitWidth() / 8));
}

/// Emits loads of vectors from a buffer, with lanes at constant distances from one address.
class Taker {
public:
  Taker(ImplicitLocOpBuilder &b, VectorType type, int64_t elements)
      : b(b), type(type), lanes(type.getNumElements()), elements(elements) {}

  /// Emits the load of a vector whose lane i is the element at memory + numbers[i]. The distance of
  /// `memory` from the buffer's start is a multiple of `aligned` elements.
  Value take(Value memory, ArrayRef<int64_t> numbers, int64_t aligned) {
    const int64_t run = runOf(numbers);
    if (run == lanes)
      return load(memory, numbers.front(), lanes);
    if (lanes <= aligned && lanes <= elements)
      if (Value shuffled = shuffle(memory, numbers))
        return shuffled;
    if (run >= longRun)
      return joinRuns(memory, numbers, run);
    SmallVector<int32_t> words(numbers.begin(), numbers.end());
    auto wordsType = VectorType::get(type.getShape(), b.getI32Type());
    Value offsets = b.create<arith::ConstantOp>(DenseElementsAttr::get(wordsType, ArrayRef(words)));
    return gatherFrom(b, memory, type, offsets);
  }

private:
  /// The largest power of two, n, such that the lanes i·n to i·n + n − 1 are neighbours in memory
  /// for every i.
  int64_t runOf(ArrayRef<int64_t> numbers) const {
    auto isRun = [&](int64_t length) {
      for (int64_t lane = 0; lane < lanes; ++lane)
        if (numbers[lane] != numbers[lane - lane % length] + lane % length)
          return false;
      return true;
    };
    int64_t run = lanes;
    while (!isRun(run))
      run /= 2;
    return run;
  }

  /// Loads the elements from one or two vectors of the buffer; null if they lie in more vectors.
  Value shuffle(Value memory, ArrayRef<int64_t> numbers) {
    SmallVector<int64_t> starts, mask;
    for (int64_t number : numbers) {
      const int64_t start = number - number % lanes;
      if (!llvm::is_contained(starts, start))
        starts.push_back(start);
      mask.push_back((llvm::find(starts, start) - starts.begin()) * lanes + number % lanes);
    }
    if (starts.size() > 2)
      return {};
    Value first = load(memory, starts.front(), lanes), last = first;
    if (starts.size() > 1)
      last = load(memory, starts.back(), lanes);
    return b.create<vector::ShuffleOp>(first, last, mask);
  }

  /// Loads the runs, and joins them in pairs, then the results in pairs, and so on: each lane then
  /// takes part in few shuffles.
  Value joinRuns(Value memory, ArrayRef<int64_t> numbers, int64_t run) {
    SmallVector<Value> parts;
    for (int64_t lane = 0; lane < lanes; lane += run)
      parts.push_back(load(memory, numbers[lane], run));
    for (int64_t length = run; parts.size() > 1; length *= 2) {
      auto both = llvm::to_vector(llvm::seq<int64_t>(0, 2 * length));
      for (size_t i = 0; i < parts.size(); i += 2)
        parts[i / 2] = b.create<vector::ShuffleOp>(parts[i], parts[i + 1], both);
      parts.resize(parts.size() / 2);
    }
    return parts.front();
  }

  Value load(Value memory, int64_t number, int64_t count) {
    Type element = type.getElementType();
    Value from =
        b.create<LLVM::GEPOp>(memory.getType(), element, memory, LLVM::GEPArg(int32_t(number)));
    return b.create<LLVM::LoadOp>(VectorType::get(count, element), from,
                                  element.getIntOrFloatBitWidth() / 8);
  }

  ImplicitLocOpBuilder &b;
  VectorType type;
  int64_t lanes, elements;
};

/// The numbers of the elements that the places of a whole block read. The number for a place is the
/// exclusive or of `first` and of what the bits of its lane and step add.
struct TakenNumbers {
  SmallVector<int64_t> lanes, steps; // the numbers that their bits add
  int64_t first = 0;

  explicit TakenNumbers(BufferReadOp take) {
    LinearLayout elements = numbered(*elementsOf(take));
    LinearLayout places =
        *numbered(*layoutOf(take.getBuffer().getType().getBlock())).rightInverse();
    const unsigned laneBits = elements.placeBits("lane");
    for (unsigned bit = 0; bit < elements.source().bits(); ++bit) {
      uint64_t number = places.applyPacked(elements.applyPacked(bitNumber(bit)));
      (bit < laneBits ? lanes : steps).push_back(int64_t(number));
    }
    first = int64_t(places.applyPacked(uint64_t(take.getFlipped().value_or(0))));
  }

  static int64_t all(ArrayRef<int64_t> images) {
    int64_t bits = 0;
    for (int64_t image : images)
      bits |= image;
    return bits;
  }

  static int64_t sum(ArrayRef<int64_t> images, int64_t number) {
    int64_t result = 0;
    for (auto [bit, image] : llvm::enumerate(images))
      result ^= (number >> bit & 1) != 0 ? image : 0;
    return result;
  }
};

void lowerMovedRead(CpuLowering &lowering, ImplicitLocOpBuilder &b, BufferReadOp take) {
  const TakenNumbers numbers(take);
  auto type = cast<VectorType>(
      lowering.fragmentType(take.getType(), lowering.scalarType(take.getType().getElementType())));
  const unsigned keptBits = lowering.placeBits(take.getType(), place::step);
  const ArrayRef<int64_t> inPart = ArrayRef(numbers.steps).take_front(keptBits),
                          above = ArrayRef(numbers.steps).drop_front(keptBits);
  Value start = emitLinearMap(b, lowering.scalarOf(take.getStep()), above);
  Value buffer = lowering.scalarOf(take.getBuffer());
  const int64_t moving = TakenNumbers::all(above);
  const bool isApart = (moving & TakenNumbers::all(numbers.lanes)) == 0;
  Taker taker(b, type, take.getBuffer().getType().getBlock().getNumElements());
  Fragments fragments;
  for (int64_t fragment = 0; fragment < int64_t(1) << keptBits; ++fragment) {
    const int64_t own = numbers.first ^ TakenNumbers::sum(inPart, fragment);
    SmallVector<int64_t> lanes;
    for (int64_t lane = 0; lane < type.getNumElements(); ++lane)
      lanes.push_back(TakenNumbers::sum(numbers.lanes, lane) ^ (isApart ? own & ~moving : own));
    if (isApart) {
      Value at = b.create<arith::XOrIOp>(start, b.create<arith::ConstantIntOp>(own & moving, 32));
      Value memory = b.create<LLVM::GEPOp>(buffer.getType(), type.getElementType(), buffer, at);
      fragments.push_back(taker.take(memory, lanes, moving == 0 ? INT64_MAX : moving & -moving));
      continue;
    }
    SmallVector<int32_t> words(lanes.begin(), lanes.end());
    auto wordsType = VectorType::get(type.getShape(), b.getI32Type());
    Value offsets = b.create<arith::ConstantOp>(DenseElementsAttr::get(wordsType, ArrayRef(words)));
    offsets = b.create<arith::XOrIOp>(offsets, b.create<vector::SplatOp>(wordsType, start));
    fragments.push_back(gatherFrom(b, buffer, type, offsets));
  }
  lowering.setFragments(take, std::move(fragments));
}

LogicalResult lowerRead(CpuLowering &lowering, ImplicitLocOpBuilder &b, BufferReadOp read) {
  if (!read.getElements())
    return lowerBufferRead(lowering, b, read);
  return lowerMovedRead(lowering, b, read), success();
}

void lowerBufferGather(CpuLowering &lowering, ImplicitLocOpBuilder &b, BufferGatherOp pick) {
  Value buffer = lowering.scalarOf(pick.getBuffer());
  RankedTensorType block = pick.getResult().getType();
  auto type =
      cast<VectorType>(lowering.fragmentType(block, lowering.scalarType(block.getElementType())));
  Fragments results;
  for (Value numbers : Fragments(lowering.fragmentsOf(pick.getNumbers())))
    results.push_back(gatherFrom(b, buffer, type, numbers));
  lowering.setFragments(pick, std::move(results));
}

} // namespace

void populateCpuMoveLowerings(LoweringTable &table) {
  table.add(lowerRead);
  table.add(lowerBufferGather);
}

} // namespace eft
