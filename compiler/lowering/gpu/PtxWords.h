// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words that an access of a thread moves, as operands of PTX.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// The words of an access: a vector of integers, or one. A register has at least 16 bits, and so a
/// word of 8 is in a wider one.
class PtxWords {
public:
  explicit PtxWords(mlir::Type type);

  unsigned count() const { return number; }
  /// The bits of the register that has a word.
  unsigned registerWidth() const;
  /// ".v4.b32"
  std::string shape() const;
  /// The operands of PTX from number `first` on: "{$0, $1, $2, $3}"
  std::string registers(unsigned first) const;
  /// The constraints of the words as operands, each behind a `prefix` such as "=": "r,r,r,r"
  std::string constraints(llvm::StringRef prefix = "") const;

  /// The registers that have the words.
  llvm::SmallVector<mlir::Value> toRegisters(mlir::ImplicitLocOpBuilder &b,
                                             mlir::Value words) const;
  /// The type of the result of PTX that gives the words in registers: a structure if there are
  /// several.
  mlir::Type resultType() const;
  /// The words from a result of that type.
  mlir::Value fromResult(mlir::ImplicitLocOpBuilder &b, mlir::Value result) const;

private:
  mlir::Type type, word, inRegister;
  unsigned width, number = 1;
};

} // namespace eft
