// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of 8-bit floats on a GPU, for compute capability 8.9 and newer. LLVM 19 has no
// intrinsics for them. An instruction converts two numbers; the lowering converts four fragments
// together, so that their codes are the four bytes of a word.
#include "compiler/lowering/gpu/GpuLowering.h"
#include "compiler/lowering/gpu/InlinePtx.h"
#include "compiler/lowering/gpu/TensorCores.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace eft {
namespace {

using Values = SmallVector<Value>;

constexpr unsigned codesOfWord = 4;

/// Emits PTX without side effects that computes a value of its operands. The braces limit the scope
/// of the registers `low` and `high`.
Value computeByPtx(ImplicitLocOpBuilder &b, Type result, ValueRange operands, const Twine &ptx,
                   StringRef constraints) {
  return emitPtx(b, result, operands, "{ .reg .b16 low, high; " + ptx + " }", constraints,
                 PtxEffects::None)
      .getResult(0);
}

/// Appends the elements of a word to `elements`.
void unpack(ImplicitLocOpBuilder &b, Value word, Type element, Values &elements) {
  const unsigned count = 32 / element.getIntOrFloatBitWidth();
  Value vector = b.create<LLVM::BitcastOp>(VectorType::get(count, element), word);
  for (unsigned i = 0; i < count; ++i)
    elements.push_back(
        b.create<LLVM::ExtractElementOp>(vector, b.create<arith::ConstantIntOp>(i, 32)));
}

/// Converts four codes to f16.
Values extendCodes(ImplicitLocOpBuilder &b, StringRef format, ArrayRef<Value> codes) {
  Type word = b.getI32Type();
  auto pair = LLVM::LLVMStructType::getLiteral(b.getContext(), {word, word});
  const std::string convert = ("cvt.rn.f16x2." + format + "x2 ").str();
  Value words = computeByPtx(
      b, pair, packWords(b, codes),
      "mov.b32 {low, high}, $2; " + convert + "$0, low; " + convert + "$1, high;", "=r,=r,r");
  Values halves;
  for (int64_t i : {0, 1})
    unpack(b, b.create<LLVM::ExtractValueOp>(words, i), b.getF16Type(), halves);
  return halves;
}

/// Converts four numbers of f16 or f32 to codes.
Values truncateToCodes(ImplicitLocOpBuilder &b, StringRef format, ArrayRef<Value> numbers) {
  const std::string convert = ("cvt.rn.satfinite." + format + "x2.").str();
  Value word;
  if (numbers.front().getType().isF32()) {
    // The first operand of the instruction becomes the upper byte.
    word = computeByPtx(b, b.getI32Type(), numbers,
                        convert + "f32 low, $2, $1; " + convert +
                            "f32 high, $4, $3; mov.b32 $0, {low, high};",
                        "=r,f,f,f,f");
  } else {
    Values pairs;
    for (Value halves : packWords(b, numbers))
      pairs.push_back(b.create<LLVM::BitcastOp>(b.getI32Type(), halves));
    word = computeByPtx(b, b.getI32Type(), pairs,
                        convert + "f16x2 low, $1; " + convert +
                            "f16x2 high, $2; mov.b32 $0, {low, high};",
                        "=r,r,r");
  }
  Values codes;
  unpack(b, word, b.getI8Type(), codes);
  return codes;
}

LogicalResult lowerFloat8(GpuLowering &lowering, ImplicitLocOpBuilder &b, Operation *op) {
  constexpr unsigned leastCapability = 89;
  auto extend = dyn_cast<ExtendFloat8Op>(op);
  auto truncation = dyn_cast<TruncateFloat8Op>(op);
  const StringRef format = ptxName(extend ? extend.getFormat() : truncation.getFormat());
  Type wide = getElementTypeOrSelf(extend ? extend.getType() : truncation.getOperand().getType());
  const bool isNative = extend ? wide.isF16() : !wide.isF64() && !truncation.getTowardZero();
  if (lowering.computeCapability < leastCapability || format.empty() || !isNative)
    return op->emitOpError("has no lowering on this target; run eft-expand-float8 first");
  FragmentLowering::Fragments operands(lowering.fragmentsOf(op->getOperand(0)));
  const size_t count = operands.size();
  Value zero = b.create<arith::ConstantOp>(b.getZeroAttr(operands.front().getType()));
  operands.resize(llvm::alignTo(count, codesOfWord), zero);
  FragmentLowering::Fragments results;
  for (size_t first = 0; first < count; first += codesOfWord) {
    ArrayRef<Value> part = ArrayRef(operands).slice(first, codesOfWord);
    llvm::append_range(results,
                       extend ? extendCodes(b, format, part) : truncateToCodes(b, format, part));
  }
  results.truncate(count);
  lowering.setFragments(op->getResult(0), std::move(results));
  return success();
}

} // namespace

StringRef ptxName(Float8 format) {
  return format == Float8::E4M3FN ? "e4m3" : format == Float8::E5M2 ? "e5m2" : "";
}

void populateGpuFloat8Lowerings(LoweringTable &table) {
  table.addFor<ExtendFloat8Op, TruncateFloat8Op>(lowerFloat8);
}

} // namespace eft
