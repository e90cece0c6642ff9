// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX of the atomic operations of a thread. LLVM's own have neither the order nor the scope in
// their code. Whether one works on floats or integers stands in its name, so all registers are of
// bits.
#include "compiler/ir/EftDialect.h"
#include "compiler/lowering/gpu/InlinePtx.h"
#include "compiler/lowering/gpu/PtxWords.h"

using namespace mlir;

namespace eft {

namespace {

using Values = SmallVector<Value>;

/// The words that have the bits of a value: neighbours of 16 bits share one.
Type wordsOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth());
  Type word = IntegerType::get(type.getContext(), 32);
  const int64_t count = vector.getNumElements() * vector.getElementTypeBitWidth() / 32;
  return count == 1 ? word : VectorType::get(count, word);
}

/// "add.f32", "add.noftz.bf16", "add.v4.f32", "add.noftz.v2.f16x2"
std::string sumOf(Type type) {
  const PtxWords words(wordsOf(type));
  Type element = getElementTypeOrSelf(type);
  const bool isNarrow = element.getIntOrFloatBitWidth() == 16;
  std::string name = isNarrow ? "add.noftz." : "add.";
  if (words.count() > 1)
    name += "v" + std::to_string(words.count()) + ".";
  name += (element.isBF16() ? "bf" : "f") + std::to_string(element.getIntOrFloatBitWidth());
  return name + (isNarrow && isa<VectorType>(type) ? "x2" : "");
}

/// PTX's name of the operation and of the type.
std::string nameOf(AtomicKind kind, Type type) {
  if (kind == AtomicKind::FAdd)
    return sumOf(type);
  std::string width = std::to_string(type.getIntOrFloatBitWidth());
  switch (kind) {
  case AtomicKind::Add:
    return "add.u" + width;
  case AtomicKind::Max:
    return "max.s" + width;
  case AtomicKind::Min:
    return "min.s" + width;
  case AtomicKind::UMax:
    return "max.u" + width;
  case AtomicKind::UMin:
    return "min.u" + width;
  case AtomicKind::And:
    return "and.b" + width;
  case AtomicKind::Or:
    return "or.b" + width;
  case AtomicKind::Xor:
    return "xor.b" + width;
  case AtomicKind::Exchange:
    return "exch.b" + width;
  case AtomicKind::FAdd:
    break;
  }
  llvm_unreachable("sums of floats are named above");
}

/// Whether the operation is to have no result. ptxas drops that of a single number itself.
bool dropsResult(ThreadAtomicRMWOp op) {
  return isa<VectorType>(op.getValue().getType()) && op.use_empty() &&
         (op.getOrder() == MemoryOrder::Relaxed || op.getOrder() == MemoryOrder::Release);
}
template <typename Op> bool dropsResult(Op) { return false; }

/// `atom.global.gpu.acq_rel.add.u32`. ptxas takes order and scope in any order, but tools and tests
/// search for this one, and for the other way round in `atom.global.acq_rel.gpu.cas.b32`.
std::string instructionOf(ThreadAtomicRMWOp op) {
  return ((dropsResult(op) ? "red" : "atom") + Twine(".global.") +
          stringifyMemoryScope(op.getScope()) + "." + stringifyMemoryOrder(op.getOrder()) + ".")
             .str() +
         nameOf(op.getKind(), op.getValue().getType());
}

/// The order and scope of an access, and its bits: `.acquire.gpu.global.b32`
template <typename Access> std::string qualifiersOf(Access access) {
  return ("." + stringifyMemoryOrder(access.getOrder()) + "." +
          stringifyMemoryScope(access.getScope()) + ".global.b")
             .str() +
         std::to_string(access.getWord().getType().getIntOrFloatBitWidth());
}

std::string instructionOf(ThreadAtomicCASOp op) {
  return ("atom.global." + stringifyMemoryOrder(op.getOrder()) + "." +
          stringifyMemoryScope(op.getScope()) + ".cas.b")
             .str() +
         std::to_string(op.getValue().getType().getIntOrFloatBitWidth());
}

std::string instructionOf(ThreadAtomicLoadOp op) { return "ld" + qualifiersOf(op); }

Values operandsOf(ThreadAtomicRMWOp op) { return {op.getValue()}; }
Values operandsOf(ThreadAtomicCASOp op) { return {op.getExpected(), op.getValue()}; }
Values operandsOf(ThreadAtomicLoadOp) { return {}; }

Value bitcast(ImplicitLocOpBuilder &b, Type type, Value value) {
  return value.getType() == type ? value : b.create<LLVM::BitcastOp>(type, value).getResult();
}

/// An operation with a result: an instruction, under a predicate if there is a condition.
template <typename Op> struct LowerWithResult : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    const Type type = op->getResult(0).getType(), bits = wordsOf(type);
    const PtxWords words(bits);
    const unsigned results = dropsResult(op) ? 0 : words.count();
    std::string text = instructionOf(op) + " ", preset;
    std::string constraints = "l";
    if (results != 0) {
      text += words.registers(0) + ", ";
      constraints = words.constraints(op.getCondition() ? "=&" : "=") + ",l";
    }
    text += "[$" + std::to_string(results) + "]";
    Values inputs = {op.getPointer()};
    for (Value operand : operandsOf(op)) {
      text += ", " + words.registers(results + inputs.size());
      constraints += "," + words.constraints();
      llvm::append_range(inputs, words.toRegisters(b, bitcast(b, bits, operand)));
    }
    text += ";";
    if (op.getCondition()) {
      for (unsigned i = 0; i < results; ++i)
        preset +=
            "mov.b" + std::to_string(words.registerWidth()) + " $" + std::to_string(i) + ", 0; ";
      text = preset + "@$" + std::to_string(results + inputs.size()) + " " + text;
      constraints += ",b";
      inputs.push_back(op.getCondition());
    }
    SmallVector<Type> types(results != 0 ? 1 : 0, words.resultType());
    auto ptx = emitPtx(b, types, inputs, text, constraints + ",~{memory}", PtxEffects::Some);
    if (results == 0)
      rewriter.eraseOp(op);
    else
      rewriter.replaceOp(op, bitcast(b, type, words.fromResult(b, ptx.getResult(0))));
    return success();
  }
};

struct LowerStore : OpRewritePattern<ThreadAtomicStoreOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ThreadAtomicStoreOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    const PtxWords word(op.getWord().getType());
    Values inputs = {op.getPointer(), word.toRegisters(b, op.getWord()).front()};
    std::string text = "st" + qualifiersOf(op) + " [$0], $1;";
    std::string constraints = "l," + word.constraints();
    if (op.getCondition()) {
      text = "@$2 " + text;
      constraints += ",b";
      inputs.push_back(op.getCondition());
    }
    emitPtx(b, TypeRange(), inputs, text, constraints + ",~{memory}", PtxEffects::Some);
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerFence : OpRewritePattern<ThreadFenceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ThreadFenceOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    emitPtx(b, TypeRange(), {}, "fence.acq_rel." + stringifyMemoryScope(op.getScope()) + ";",
            "~{memory}", PtxEffects::Some);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateThreadAtomicPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerWithResult<ThreadAtomicRMWOp>, LowerWithResult<ThreadAtomicCASOp>,
               LowerWithResult<ThreadAtomicLoadOp>, LowerStore, LowerFence>(patterns.getContext());
}

} // namespace eft
