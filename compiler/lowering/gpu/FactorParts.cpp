// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/gpu/FactorParts.h"

#include "compiler/lowering/LinearCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <map>

using namespace mlir;

namespace eft {

static Value constant(ImplicitLocOpBuilder &b, int64_t value) {
  return b.create<arith::ConstantIntOp>(value, 32);
}

ThreadCoordinates::ThreadCoordinates(ImplicitLocOpBuilder &b, const LinearLayout &layout,
                                     unsigned dimension)
    : registers(imagesOf(layout, "register", dimension)) {
  SmallVector<int64_t> images = imagesOf(layout, "lane", dimension);
  images.append(imagesOf(layout, "warp", dimension));
  ofThread = emitLinearMap(b, b.create<NVVM::ThreadIdXOp>(b.getI32Type()), images);
}

int64_t ThreadCoordinates::ofRegister(unsigned number) const {
  int64_t coordinate = 0;
  for (auto [bit, image] : llvm::enumerate(registers))
    coordinate ^= (number >> bit & 1) ? image : 0;
  return coordinate;
}

Value ThreadCoordinates::at(ImplicitLocOpBuilder &b, int64_t ofRegister) const {
  return b.create<arith::XOrIOp>(ofThread, constant(b, ofRegister));
}

Value PartOrder::numberOf(ImplicitLocOpBuilder &b, Value i, Value j) const {
  auto scaled = [&](Value index, int64_t stride) -> Value {
    return stride == 1 ? index : b.create<arith::MulIOp>(index, constant(b, stride));
  };
  Value first = scaled(i, strides[0]), second = scaled(j, strides[1]);
  Value number = b.create<arith::AddIOp>(first, second);
  return b.create<arith::AddIOp>(number, constant(b, start));
}

Value FactorParts::pointer(ImplicitLocOpBuilder &b, unsigned factor, Value i, Value j) {
  Value area = memory.buffer(b, unsigned(bytes));
  return b.create<LLVM::GEPOp>(area.getType(), element, area,
                               ValueRange{orders[factor].numberOf(b, i, j)});
}

SmallVector<Value> FactorParts::sum(ImplicitLocOpBuilder &b, const FactorFragments (&factors)[2],
                                    Values sums, llvm::function_ref<Values(Values sums)> addPart) {
  auto addOne = [&](Value first, Values before) {
    memory.beginWriting(b);
    for (unsigned factor : {0, 1})
      write(b, factor, factors[factor], first);
    memory.beginReading(b);
    return addPart(std::move(before));
  };
  if (part == depth)
    return addOne(Value(), std::move(sums));
  auto loop = b.create<scf::ForOp>(constant(b, 0), constant(b, depth), constant(b, part), sums);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Values after = addOne(loop.getInductionVar(), Values(loop.getRegionIterArgs()));
  b.create<scf::YieldOp>(after);
  return Values(loop.getResults());
}

namespace {

/// The registers of a thread whose elements are in one part. `upper` is the coordinate of these
/// elements along k, without the bits that the thread's number adds, and without the low bits,
/// which give the position inside the part. `upper` identifies the part.
struct PartOfRegisters {
  int64_t upper;
  SmallVector<unsigned> registers;
};

/// Emits a bisection that finds the part whose `upper` is `wanted`, and writes the registers of
/// this part. `parts` must be in ascending order of `upper`. LLVM would turn a plain sequence of
/// comparisons into a switch in each branch of the sequence.
class PartSelection {
public:
  PartSelection(ImplicitLocOpBuilder &b, Value wanted,
                llvm::function_ref<void(ArrayRef<unsigned> registers)> write)
      : b(b), wanted(wanted), write(write) {}

  /// `isThere` says whether one of the parts is known to have `wanted` as its `upper`. Otherwise
  /// the code may find that this thread has no registers to write.
  void emit(ArrayRef<PartOfRegisters> parts, bool isThere) {
    OpBuilder::InsertionGuard guard(b);
    if (parts.size() == 1 && isThere)
      return write(parts.front().registers);
    if (parts.size() == 1) {
      auto isPresent = ifHolds(arith::CmpIPredicate::eq, parts.front().upper, false);
      b.setInsertionPointToStart(isPresent.thenBlock());
      return write(parts.front().registers);
    }
    const size_t half = parts.size() / 2;
    auto isLower = ifHolds(arith::CmpIPredicate::ult, parts[half].upper, true);
    b.setInsertionPointToStart(isLower.thenBlock());
    emit(parts.take_front(half), isThere);
    b.setInsertionPointToStart(isLower.elseBlock());
    emit(parts.drop_front(half), isThere);
  }

private:
  scf::IfOp ifHolds(arith::CmpIPredicate predicate, int64_t bound, bool withElse) {
    Value holds = b.create<arith::CmpIOp>(predicate, wanted, constant(b, bound));
    return b.create<scf::IfOp>(holds, withElse);
  }

  ImplicitLocOpBuilder &b;
  Value wanted;
  llvm::function_ref<void(ArrayRef<unsigned> registers)> write;
};

} // namespace

/// Writes a thread's elements of the part that begins at `first` along k; all elements if `first`
/// is null. Threads that hold copies of an element write the same value.
void FactorParts::write(ImplicitLocOpBuilder &b, unsigned factor, const FactorFragments &from,
                        Value first) {
  ThreadCoordinates row(b, from.layout, 0), column(b, from.layout, 1);
  const ThreadCoordinates &alongK = factor == 0 ? column : row;
  std::map<int64_t, SmallVector<unsigned>> byPart;
  for (unsigned number = 0; number < from.fragments.size(); ++number)
    byPart[alongK.ofRegister(number) & ~(part - 1)].push_back(number);
  const unsigned alignment = element.getIntOrFloatBitWidth() / 8;
  auto writeRegisters = [&](ArrayRef<unsigned> numbers) {
    for (unsigned number : numbers) {
      Value i = row.at(b, row.ofRegister(number)), j = column.at(b, column.ofRegister(number));
      if (first)
        (factor == 0 ? j : i) = b.create<arith::AndIOp>(factor == 0 ? j : i, constant(b, part - 1));
      b.create<LLVM::StoreOp>(from.fragments[number], pointer(b, factor, i, j), alignment);
    }
  };
  if (!first)
    return writeRegisters(byPart.begin()->second);
  SmallVector<PartOfRegisters> parts;
  for (auto &[upper, numbers] : byPart)
    parts.push_back({upper, std::move(numbers)});
  Value upperOfThread = b.create<arith::AndIOp>(alongK.ofThread, constant(b, ~(part - 1)));
  Value wanted = b.create<arith::XOrIOp>(upperOfThread, first);
  PartSelection(b, wanted, writeRegisters).emit(parts, int64_t(parts.size()) * part == depth);
}

} // namespace eft
