// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/gpu/InlinePtx.h"

#include "compiler/ir/EftDialect.h"
#include "compiler/lowering/gpu/PtxWords.h"

using namespace mlir;

namespace eft {

namespace {

using Values = SmallVector<Value>;

/// The cache hints of an access, as a part of its name in PTX. The name has no room for an eviction
/// policy beside a cache modifier.
template <typename Access> std::string hintsOf(Access access) {
  if (auto cache = access.getCache())
    return "." + stringifyCacheModifier(*cache).str();
  if (auto eviction = access.getEviction())
    return ".L1::" + stringifyEviction(*eviction).str();
  return "";
}

struct LowerThreadLoad : OpRewritePattern<ThreadLoadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ThreadLoadOp load, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(load.getLoc(), rewriter);
    const PtxWords words(load.getWords().getType());
    std::string text = "ld.global" + hintsOf(load) + words.shape() + " " + words.registers(0) +
                       ", [$" + std::to_string(words.count()) + "];";
    Values operands = {load.getPointer()};
    std::string inputs = "l";
    if (load.getCondition()) {
      operands.push_back(load.getCondition());
      inputs += ",b";
      text = "@$" + std::to_string(words.count() + 1) + " " + text;
      text = presetText(b, load, words, operands, inputs) + text;
    }
    // If there is a condition, the results are preset before all operands are read, so they must
    // not share registers with operands.
    const std::string constraints =
        words.constraints(load.getCondition() ? "=&" : "=") + "," + inputs + ",~{memory}";
    Value loaded =
        emitPtx(b, words.resultType(), operands, text, constraints, PtxEffects::Some).getResult(0);
    rewriter.replaceOp(load, words.fromResult(b, loaded));
    return success();
  }

private:
  /// Returns PTX that presets the results, before the load, to the words of the load's `other`, or
  /// to zero.
  static std::string presetText(ImplicitLocOpBuilder &b, ThreadLoadOp load, const PtxWords &words,
                                Values &operands, std::string &inputs) {
    std::string text;
    Values others = load.getOther() ? words.toRegisters(b, load.getOther()) : Values();
    for (unsigned i = 0; i < words.count(); ++i) {
      std::string source = "0";
      if (!others.empty()) {
        source = "$" + std::to_string(operands.size() + words.count());
        operands.push_back(others[i]);
      }
      text.insert(0, "mov.b" + std::to_string(words.registerWidth()) + " $" + std::to_string(i) +
                         ", " + source + "; ");
    }
    if (!others.empty())
      inputs += "," + words.constraints();
    return text;
  }
};

struct LowerThreadStore : OpRewritePattern<ThreadStoreOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ThreadStoreOp store, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(store.getLoc(), rewriter);
    const PtxWords words(store.getWords().getType());
    Values operands;
    std::string text, constraints;
    if (store.getCondition()) {
      operands.push_back(store.getCondition());
      text = "@$0 ";
      constraints = "b,";
    }
    const unsigned place = operands.size();
    text += "st.global" + hintsOf(store) + words.shape() + " [$" + std::to_string(place) + "], " +
            words.registers(place + 1) + ";";
    operands.push_back(store.getPointer());
    llvm::append_range(operands, words.toRegisters(b, store.getWords()));
    constraints += "l," + words.constraints() + ",~{memory}";
    emitPtx(b, TypeRange(), operands, text, constraints, PtxEffects::Some);
    rewriter.eraseOp(store);
    return success();
  }
};

} // namespace

LLVM::InlineAsmOp emitPtx(ImplicitLocOpBuilder &b, TypeRange results, ValueRange operands,
                          const Twine &ptx, StringRef constraints, PtxEffects effects) {
  return b.create<LLVM::InlineAsmOp>(results, operands, ptx.str(), constraints,
                                     /*has_side_effects=*/effects == PtxEffects::Some,
                                     /*is_align_stack=*/false, LLVM::AsmDialectAttr(), ArrayAttr());
}

void populateThreadAccessPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerThreadLoad, LowerThreadStore>(patterns.getContext());
}

} // namespace eft
