// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves of elements between the threads of a GPU: by shuffles inside a warp, and through shared
// memory between warps. Reductions of integers over a warp.
#include "compiler/lowering/LinearCode.h"
#include "compiler/lowering/gpu/GpuLowering.h"
#include "compiler/lowering/gpu/Staging.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace eft {

namespace {

constexpr unsigned wordBits = 32; // the bits that one shuffle moves
constexpr int64_t allLanes = -1;

Value constant(ImplicitLocOpBuilder &b, int64_t value, unsigned width = 32) {
  return b.create<arith::ConstantIntOp>(value, width);
}

Value threadId(ImplicitLocOpBuilder &b) { return b.create<NVVM::ThreadIdXOp>(b.getI32Type()); }

/// Returns the bits of a value as words of 32 bits, the low word first.
SmallVector<Value> toWords(ImplicitLocOpBuilder &b, Value value) {
  unsigned width = value.getType().getIntOrFloatBitWidth();
  if (isa<FloatType>(value.getType()))
    value = b.create<arith::BitcastOp>(b.getIntegerType(width), value);
  if (width == wordBits)
    return {value};
  Type word = b.getIntegerType(wordBits);
  if (width < wordBits)
    return {b.create<arith::ExtUIOp>(word, value)};
  Value upper = b.create<arith::ShRUIOp>(value, constant(b, wordBits, width));
  return {b.create<arith::TruncIOp>(word, value), b.create<arith::TruncIOp>(word, upper)};
}

Value fromWords(ImplicitLocOpBuilder &b, ArrayRef<Value> words, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(width);
  Value value = words.front();
  if (width < wordBits)
    value = b.create<arith::TruncIOp>(integer, value);
  if (width > wordBits) {
    Value lower = b.create<arith::ExtUIOp>(integer, words[0]);
    Value upper = b.create<arith::ShLIOp>(b.create<arith::ExtUIOp>(integer, words[1]),
                                          constant(b, wordBits, width));
    value = b.create<arith::OrIOp>(lower, upper);
  }
  return isa<FloatType>(type) ? b.create<arith::BitcastOp>(type, value).getResult() : value;
}

/// Returns the kind of `redux.sync` that combines integers as an operation does. Returns nothing if
/// the operation is another one.
std::optional<NVVM::ReduxKind> reduxKind(Operation *function) {
  using Kind = NVVM::ReduxKind;
  return llvm::TypeSwitch<Operation *, std::optional<Kind>>(function)
      .Case([](arith::AddIOp) { return Kind::ADD; })
      .Case([](arith::AndIOp) { return Kind::AND; })
      .Case([](arith::OrIOp) { return Kind::OR; })
      .Case([](arith::XOrIOp) { return Kind::XOR; })
      .Case([](arith::MaxSIOp) { return Kind::MAX; })
      .Case([](arith::MinSIOp) { return Kind::MIN; })
      .Case([](arith::MaxUIOp) { return Kind::UMAX; })
      .Case([](arith::MinUIOp) { return Kind::UMIN; })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace

Value GpuLowering::isOdd(ImplicitLocOpBuilder &b, uint64_t threads, unsigned) {
  Value bits = b.create<arith::AndIOp>(threadId(b), constant(b, int64_t(threads)));
  if (!llvm::isPowerOf2_64(threads))
    bits = b.create<arith::AndIOp>(b.create<math::CtPopOp>(bits), constant(b, 1));
  return b.create<arith::CmpIOp>(arith::CmpIPredicate::ne, bits, constant(b, 0));
}

Value GpuLowering::shuffleLanes(ImplicitLocOpBuilder &b, Value fragment, const ShufflePlan &plan,
                                uint64_t lanes) {
  NVVM::ShflKind kind = NVVM::ShflKind::bfly;
  Value lane = constant(b, int64_t(lanes));
  if (!plan.keepsLanes()) {
    kind = NVVM::ShflKind::idx;
    SmallVector<int64_t> columns(plan.laneColumns.begin(), plan.laneColumns.end());
    lane = b.create<arith::XOrIOp>(emitLinearMap(b, threadId(b), columns), lane);
  }
  constexpr int64_t wholeWarp = 31;
  SmallVector<Value> words = toWords(b, fragment);
  for (Value &word : words)
    word = b.create<NVVM::ShflOp>(word.getType(), constant(b, allLanes), word, lane,
                                  constant(b, wholeWarp), kind, UnitAttr());
  return fromWords(b, words, fragment.getType());
}

Value GpuLowering::combineLanes(ImplicitLocOpBuilder &b, Value fragment, Operation *function) {
  std::optional<NVVM::ReduxKind> kind = reduxKind(function);
  const unsigned width = fragment.getType().getIntOrFloatBitWidth();
  if (!kind || width > wordBits)
    return {};
  Type word = b.getI32Type();
  Value value = fragment;
  if (width < wordBits)
    value = isa<arith::MaxSIOp, arith::MinSIOp>(function)
                ? b.create<arith::ExtSIOp>(word, fragment).getResult()
                : b.create<arith::ExtUIOp>(word, fragment).getResult();
  value = b.create<NVVM::ReduxOp>(word, value, *kind, constant(b, allLanes));
  return width < wordBits ? b.create<arith::TruncIOp>(fragment.getType(), value).getResult()
                          : value;
}

Value GpuLowering::indexAt(ImplicitLocOpBuilder &b, const LinearLayout &layout, unsigned fragment) {
  SmallVector<int64_t> columns;
  for (unsigned bit = layout.source().dims()[1].offset; bit < layout.source().bits(); ++bit)
    columns.push_back(int64_t(layout.applyPacked(uint64_t(1) << bit)));
  Value index = emitLinearMap(b, threadId(b), columns);
  return b.create<arith::XOrIOp>(index, constant(b, int64_t(layout.applyPacked(fragment))));
}

SmallVector<FragmentLowering::Fragments> GpuLowering::gather(ImplicitLocOpBuilder &b,
                                                             ArrayRef<Fragments> sources,
                                                             const LinearLayout &from,
                                                             ArrayRef<Value> indices) {
  // The threads that will read an element are not known at compile time. So the order in shared
  // memory is chosen for writes without bank conflicts.
  return Staging(shared, from, from, 0, sources).pick(b, indices, local);
}

SmallVector<FragmentLowering::Fragments>
GpuLowering::fetchThroughMemory(ImplicitLocOpBuilder &b, ArrayRef<Fragments> sources,
                                const Fetch &fetch) {
  return Staging(shared, fetch.from, fetch.wanted, fetch.offset, sources).fetch(b);
}

} // namespace eft
