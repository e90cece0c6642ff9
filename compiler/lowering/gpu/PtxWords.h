// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words that an access of a thread moves, in the form of PTX operands.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// The words of an access: a vector of integers, or one integer. A PTX register has at least 16
/// bits, so a word of 8 bits is in a register of 16.
class PtxWords {
public:
  explicit PtxWords(mlir::Type type);

  unsigned count() const { return number; }
  /// The number of bits of the register that holds a word.
  unsigned registerWidth() const;
  /// The shape of the access in PTX, such as ".v4.b32".
  std::string shape() const;
  /// The words as PTX operands, the first with number `first`: "{$0, $1, $2, $3}"
  std::string registers(unsigned first) const;
  /// The constraints of the words as operands, each after a `prefix` such as "=": "r,r,r,r"
  std::string constraints(llvm::StringRef prefix = "") const;

  /// Returns the registers that hold `words`.
  llvm::SmallVector<mlir::Value> toRegisters(mlir::ImplicitLocOpBuilder &b,
                                             mlir::Value words) const;
  /// The type of the result of PTX that returns the words in registers: a structure if there are
  /// several words.
  mlir::Type resultType() const;
  /// Returns the words of a result of type `resultType`.
  mlir::Value fromResult(mlir::ImplicitLocOpBuilder &b, mlir::Value result) const;

private:
  mlir::Type type, word, inRegister;
  unsigned width, number = 1;
};

} // namespace eft
