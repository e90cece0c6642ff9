// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes IR at random, such that the result often verifies and sometimes has another meaning.
#pragma once

#include "test/unit/corpus/Inputs.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <random>

namespace eft::test {

class Mutator {
public:
  explicit Mutator(uint64_t seed) : random(seed) {}

  /// A random number below `count`.
  size_t below(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random); }

  /// Returns the text of a mutant that parses and verifies, or nothing after 30 failed attempts.
  /// Calls `show` with each text before it is parsed.
  std::optional<std::string> mutate(const Input &input,
                                    llvm::function_ref<void(llvm::StringRef)> show);

private:
  // Changes of the text. Each may leave it unchanged.
  void changeText(std::string &text);
  void changeElementType(std::string &text);
  void changeExtent(std::string &text);
  void changeNumber(std::string &text);
  void changeLines(std::string &text);
  void dropAttributes(std::string &text);

  // Changes of operations. Each returns false if it changed nothing.
  bool changeOperation(mlir::ModuleOp module);
  bool erase(mlir::Operation *op);
  bool changeOperand(mlir::Operation *op);
  bool swapOperands(mlir::Operation *op);
  bool duplicate(mlir::Operation *op);
  bool move(mlir::Operation *op);
  bool changeAttribute(mlir::Operation *op);
  mlir::Attribute changed(mlir::Attribute attribute);
  int64_t changed(int64_t number);

  std::mt19937_64 random;
};

} // namespace eft::test
