// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits the atomic operations of a thread as PTX. LLVM's own atomic operations lose the memory
// order and the scope when they become PTX. In PTX, the name of an instruction says whether it
// works on floats or integers. So the registers of its operands need no such types: they hold plain
// bits.
#include "compiler/ir/EftDialect.h"
#include "compiler/lowering/gpu/InlinePtx.h"
#include "compiler/lowering/gpu/PtxWords.h"

using namespace mlir;

namespace eft {

namespace {

using Values = SmallVector<Value>;

/// The type of the words that hold the bits of a value. The words of a vector have 32 bits, so two
/// elements of 16 bits share a word.
Type wordsOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth());
  Type word = IntegerType::get(type.getContext(), 32);
  const int64_t count = vector.getNumElements() * vector.getElementTypeBitWidth() / 32;
  return count == 1 ? word : VectorType::get(count, word);
}

/// The name of a sum of floats in PTX, such as "add.f32", "add.noftz.bf16", "add.v4.f32",
/// "add.noftz.v2.f16x2".
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

/// The name of the operation and of its type in PTX.
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

/// True if the instruction for the operation is `red`, which has no result. It is used for vectors
/// only: for a single number, ptxas drops an unused result itself.
bool dropsResult(ThreadAtomicRMWOp op) {
  return isa<VectorType>(op.getValue().getType()) && op.use_empty() &&
         (op.getOrder() == MemoryOrder::Relaxed || op.getOrder() == MemoryOrder::Release);
}
template <typename Op> bool dropsResult(Op) { return false; }

/// The instruction's name with its qualifiers, such as `atom.global.gpu.acq_rel.add.u32`. ptxas
/// accepts the scope and the memory order in either sequence. Tools and tests search for names in
/// which the scope comes first. Only in the name of a compare-and-swap, such as
/// `atom.global.acq_rel.gpu.cas.b32`, do they expect the memory order first.
std::string instructionOf(ThreadAtomicRMWOp op) {
  return ((dropsResult(op) ? "red" : "atom") + Twine(".global.") +
          stringifyMemoryScope(op.getScope()) + "." + stringifyMemoryOrder(op.getOrder()) + ".")
             .str() +
         nameOf(op.getKind(), op.getValue().getType());
}

/// The order, the scope and the number of bits of an access: `.acquire.gpu.global.b32`
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

/// Replaces an atomic operation that has a result by PTX. If the operation has a condition, the
/// condition becomes the instruction's predicate, and the result is zero where the condition is
/// false.
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
