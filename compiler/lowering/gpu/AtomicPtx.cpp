// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX of the atomic operations of a thread. LLVM's own have neither the order nor the scope in
// their code. Whether one works on floats or integers stands in its name, so all registers are of
// bits.
#include "compiler/ir/EftDialect.h"
#include "compiler/lowering/gpu/InlinePtx.h"

using namespace mlir;

namespace eft {

namespace {

using Values = SmallVector<Value>;

/// PTX's name of the operation and of the type.
std::string nameOf(AtomicKind kind, Type type) {
  std::string width = std::to_string(type.getIntOrFloatBitWidth());
  switch (kind) {
  case AtomicKind::Add:
    return "add.u" + width;
  case AtomicKind::FAdd:
    return type.isBF16() ? "add.noftz.bf16" : (type.isF16() ? "add.noftz.f" : "add.f") + width;
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
  }
}

/// `atom.global.gpu.acq_rel.add.u32`. ptxas takes order and scope in any order, but tools and tests
/// search for this one, and for the other way round in `atom.global.acq_rel.gpu.cas.b32`.
std::string instructionOf(ThreadAtomicRMWOp op) {
  return ("atom.global." + stringifyMemoryScope(op.getScope()) + "." +
          stringifyMemoryOrder(op.getOrder()) + ".")
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

Value asBits(ImplicitLocOpBuilder &b, Value value) {
  Type bits = b.getIntegerType(value.getType().getIntOrFloatBitWidth());
  return value.getType() == bits ? value : b.create<LLVM::BitcastOp>(bits, value).getResult();
}

/// An operation with a result: an instruction, under a predicate if there is a condition.
template <typename Op> struct LowerWithResult : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type type = op->getResult(0).getType(), bits = b.getIntegerType(type.getIntOrFloatBitWidth());
    const unsigned width = registerWidth(bits.getIntOrFloatBitWidth());
    const std::string letter = registerLetter(width);
    std::string text = instructionOf(op) + " $0, [$1]";
    std::string constraints = (op.getCondition() ? "=&" : "=") + letter + ",l";
    Values inputs = {op.getPointer()};
    for (Value operand : operandsOf(op)) {
      text += ", $" + std::to_string(inputs.size() + 1);
      constraints += "," + letter;
      inputs.push_back(asBits(b, operand));
    }
    text += ";";
    if (op.getCondition()) {
      text = "mov.b" + std::to_string(width) + " $0, 0; @$" + std::to_string(inputs.size() + 1) +
             " " + text;
      constraints += ",b";
      inputs.push_back(op.getCondition());
    }
    Value result = emitPtx(b, b.getIntegerType(width), inputs, text, constraints + ",~{memory}",
                           PtxEffects::Some)
                       .getResult(0);
    if (result.getType() != bits)
      result = b.create<LLVM::TruncOp>(bits, result);
    if (result.getType() != type)
      result = b.create<LLVM::BitcastOp>(type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct LowerStore : OpRewritePattern<ThreadAtomicStoreOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ThreadAtomicStoreOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    const unsigned width = op.getWord().getType().getIntOrFloatBitWidth();
    Value word = op.getWord();
    if (registerWidth(width) != width)
      word = b.create<LLVM::ZExtOp>(b.getIntegerType(registerWidth(width)), word);
    Values inputs = {op.getPointer(), word};
    std::string text = "st" + qualifiersOf(op) + " [$0], $1;";
    std::string constraints = "l," + registerLetter(width);
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

} // namespace

void populateThreadAtomicPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerWithResult<ThreadAtomicRMWOp>, LowerWithResult<ThreadAtomicCASOp>,
               LowerWithResult<ThreadAtomicLoadOp>, LowerStore>(patterns.getContext());
}

} // namespace eft
