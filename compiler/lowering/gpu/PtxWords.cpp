// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/gpu/PtxWords.h"

#include <algorithm>

using namespace mlir;

namespace eft {

static Value index(ImplicitLocOpBuilder &b, unsigned i) {
  return b.create<LLVM::ConstantOp>(b.getI32Type(), i);
}

PtxWords::PtxWords(Type type)
    : type(type), word(getElementTypeOrSelf(type)), width(word.getIntOrFloatBitWidth()) {
  inRegister = IntegerType::get(type.getContext(), registerWidth());
  if (auto vector = dyn_cast<VectorType>(type))
    number = vector.getNumElements();
}

unsigned PtxWords::registerWidth() const { return std::max(width, 16u); }

std::string PtxWords::shape() const {
  return (number == 1 ? "" : ".v" + std::to_string(number)) + ".b" + std::to_string(width);
}

std::string PtxWords::registers(unsigned first) const {
  std::string list;
  for (unsigned i = 0; i < number; ++i)
    list += (i == 0 ? "$" : ", $") + std::to_string(first + i);
  return number == 1 ? list : "{" + list + "}";
}

std::string PtxWords::constraints(StringRef prefix) const {
  const std::string letter = width == 64 ? "l" : width == 32 ? "r" : "h";
  std::string all;
  for (unsigned i = 0; i < number; ++i)
    all += (i == 0 ? "" : ",") + prefix.str() + letter;
  return all;
}

SmallVector<Value> PtxWords::toRegisters(ImplicitLocOpBuilder &b, Value words) const {
  SmallVector<Value> all;
  for (unsigned i = 0; i < number; ++i)
    all.push_back(isa<VectorType>(type) ? b.create<LLVM::ExtractElementOp>(words, index(b, i))
                                        : words);
  for (Value &each : all)
    if (inRegister != word)
      each = b.create<LLVM::ZExtOp>(inRegister, each);
  return all;
}

Type PtxWords::resultType() const {
  return number == 1 ? inRegister
                     : LLVM::LLVMStructType::getLiteral(type.getContext(),
                                                        SmallVector<Type>(number, inRegister));
}

Value PtxWords::fromResult(ImplicitLocOpBuilder &b, Value result) const {
  if (inRegister != word)
    return b.create<LLVM::TruncOp>(word, result);
  if (number == 1)
    return result;
  Value all = b.create<LLVM::UndefOp>(type);
  for (unsigned i = 0; i < number; ++i)
    all = b.create<LLVM::InsertElementOp>(all, b.create<LLVM::ExtractValueOp>(result, i),
                                          index(b, i));
  return all;
}

} // namespace eft
