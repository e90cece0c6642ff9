// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/gpu/InlinePtx.h"

#include "compiler/ir/EftDialect.h"

using namespace mlir;

namespace eft {

namespace {

using Values = SmallVector<Value>;

/// The words of an access: a vector, or one.
struct Words {
  explicit Words(Type type)
      : type(type), word(getElementTypeOrSelf(type)), width(word.getIntOrFloatBitWidth()) {
    if (auto vector = dyn_cast<VectorType>(type))
      count = vector.getNumElements();
  }

  bool isVector() const { return isa<VectorType>(type); }
  unsigned registerWidth() const { return eft::registerWidth(width); }
  /// ".v4.b32"
  std::string shape() const {
    return (count == 1 ? "" : ".v" + std::to_string(count)) + ".b" + std::to_string(width);
  }
  /// The operands of PTX from number `first` on: "{$0, $1, $2, $3}"
  std::string registers(unsigned first) const {
    std::string list;
    for (unsigned i = 0; i < count; ++i)
      list += (i == 0 ? "$" : ", $") + std::to_string(first + i);
    return count == 1 ? list : "{" + list + "}";
  }

  Type type, word;
  unsigned width, count = 1;
};

Value index(ImplicitLocOpBuilder &b, unsigned i) {
  return b.create<LLVM::ConstantOp>(b.getI32Type(), i);
}

Values unpack(ImplicitLocOpBuilder &b, Value packed, const Words &words) {
  if (!words.isVector())
    return {packed};
  Values all;
  for (unsigned i = 0; i < words.count; ++i)
    all.push_back(b.create<LLVM::ExtractElementOp>(packed, index(b, i)));
  return all;
}

Value toRegister(ImplicitLocOpBuilder &b, Value word, const Words &words) {
  if (words.width == words.registerWidth())
    return word;
  return b.create<LLVM::ZExtOp>(b.getIntegerType(words.registerWidth()), word);
}

/// The hints of an access, as a part of its name in PTX. A policy has no place beside a modifier.
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
    const Words words(load.getWords().getType());
    std::string text = "ld.global" + hintsOf(load) + words.shape() + " " + words.registers(0) +
                       ", [$" + std::to_string(words.count) + "];";
    Values operands = {load.getPointer()};
    std::string inputs = "l";
    if (load.getCondition()) {
      operands.push_back(load.getCondition());
      inputs += ",b";
      text = "@$" + std::to_string(words.count + 1) + " " + text;
      text = presetText(b, load, words, operands, inputs) + text;
    }
    rewriter.replaceOp(load,
                       emit(b, words, load.getCondition() != nullptr, operands, text, inputs));
    return success();
  }

private:
  /// Sets the results to the other words, or to zero, before the load.
  static std::string presetText(ImplicitLocOpBuilder &b, ThreadLoadOp load, const Words &words,
                                Values &operands, std::string &inputs) {
    std::string text;
    Values others = load.getOther() ? unpack(b, load.getOther(), words) : Values();
    for (unsigned i = 0; i < words.count; ++i) {
      std::string source = "0";
      if (!others.empty()) {
        source = "$" + std::to_string(operands.size() + words.count);
        operands.push_back(toRegister(b, others[i], words));
        inputs += "," + registerLetter(words.width);
      }
      text.insert(0, "mov.b" + std::to_string(words.registerWidth()) + " $" + std::to_string(i) +
                         ", " + source + "; ");
    }
    return text;
  }

  static Value emit(ImplicitLocOpBuilder &b, const Words &words, bool isPreset, ValueRange operands,
                    StringRef text, StringRef inputs) {
    // Words that are set in advance are written before the operands are all read.
    std::string constraints;
    for (unsigned i = 0; i < words.count; ++i)
      constraints += (isPreset ? "=&" : "=") + registerLetter(words.width) + ",";
    constraints += (inputs + ",~{memory}").str();
    Type inRegister = b.getIntegerType(words.registerWidth());
    SmallVector<Type> types(words.count, inRegister);
    Type result =
        words.count == 1 ? inRegister : LLVM::LLVMStructType::getLiteral(b.getContext(), types);
    Value loaded = emitPtx(b, result, operands, text, constraints, PtxEffects::Some).getResult(0);
    if (inRegister != words.word)
      return b.create<LLVM::TruncOp>(words.word, loaded);
    if (words.count == 1)
      return loaded;
    Value all = b.create<LLVM::UndefOp>(words.type);
    for (unsigned i = 0; i < words.count; ++i)
      all = b.create<LLVM::InsertElementOp>(all, b.create<LLVM::ExtractValueOp>(loaded, i),
                                            index(b, i));
    return all;
  }
};

struct LowerThreadStore : OpRewritePattern<ThreadStoreOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ThreadStoreOp store, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(store.getLoc(), rewriter);
    const Words words(store.getWords().getType());
    Values values = unpack(b, store.getWords(), words);
    for (Value &value : values)
      value = toRegister(b, value, words);
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
    constraints += "l";
    llvm::append_range(operands, values);
    for (unsigned i = 0; i < words.count; ++i)
      constraints += "," + registerLetter(words.width);
    emitPtx(b, TypeRange(), operands, text, constraints + ",~{memory}", PtxEffects::Some);
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
