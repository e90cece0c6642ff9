// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementary functions that the math dialect lacks.

#ifndef EFT_OPS_ELEMENTARY
#define EFT_OPS_ELEMENTARY

include "compiler/ir/ops/Types.td"

// Includes vectors, as the functions of the math dialect take vectors, too.
def Eft_FloatLike : Type<And<[
    Or<[Eft_Value.predicate, CPred<"::llvm::isa<::mlir::VectorType>($_self)">]>,
    CPred<"::llvm::isa<::mlir::FloatType>(::mlir::getElementTypeOrSelf($_self))">]>,
    "float or block of floats">;

class Eft_UnaryFunction<string mnemonic> : Eft_Op<mnemonic,
    !listconcat([Pure, SameOperandsAndResultType], ElementwiseMappable.traits)> {
  let arguments = (ins Eft_FloatLike:$operand);
  let results = (outs Eft_FloatLike:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Eft_Exp10Op : Eft_UnaryFunction<"exp10"> {
  let summary = "10 to the power of a number";
  let description = [{
    10 to the power of every element. `eft-expand-math` says how accurate it is.

    ```mlir
    %y = eft.exp10 %x : tensor<1024xf32>
    ```
  }];
}

def Eft_ErfcOp : Eft_UnaryFunction<"erfc"> {
  let summary = "The complement of the error function";
  let description = [{
    1 - erf(x). The relative accuracy is the same for results close to 0 as for all others.

    ```mlir
    %y = eft.erfc %x : tensor<1024xf32>
    ```
  }];
}

def Eft_SigmoidOp : Eft_UnaryFunction<"sigmoid"> {
  let summary = "1 / (1 + exp(-x))";
  let description = [{
    The logistic function. The relative accuracy is the same for results close to 0 as for all
    others. If it is `approximate`, a GPU may use its approximations of 2^x and 1 / x, as it may for
    `math.exp` with `fastmath<afn>`.

    ```mlir
    %y = eft.sigmoid %x : tensor<1024xf32>
    ```
  }];
  let arguments = (ins Eft_FloatLike:$operand, UnitAttr:$approximate);
  let assemblyFormat = "$operand (`approximate` $approximate^)? attr-dict `:` type($result)";
}

class Eft_MinMaxNumber<string mnemonic> : Eft_Op<mnemonic,
    !listconcat([Pure, Commutative, SameOperandsAndResultType], ElementwiseMappable.traits)> {
  let arguments = (ins Eft_FloatLike:$a, Eft_FloatLike:$b);
  let results = (outs Eft_FloatLike:$result);
  let assemblyFormat = "$a `,` $b attr-dict `:` type($result)";
}

def Eft_MinNumOp : Eft_MinMaxNumber<"min_num"> {
  let summary = "The smaller of two numbers, or the one that is a number";
  let description = [{
    If one operand is NaN, the result is the other operand. -0 is less than +0. `arith.minnumf` is meant
    to be the same operation, but its folder is wrong for NaN. The folder replaces the minimum of `x` and
    +inf by `x`. If `x` is NaN, the minimum is +inf.

    ```mlir
    %m = eft.min_num %a, %b : tensor<1024xf32>
    ```
  }];
}

def Eft_MaxNumOp : Eft_MinMaxNumber<"max_num"> {
  let summary = "The greater of two numbers, or the one that is a number";
  let description = [{
    If one operand is NaN, the result is the other operand. -0 is less than +0. `arith.maxnumf` is meant
    to be the same operation, but its folder is wrong for NaN. The folder replaces the maximum of `x` and
    -inf by `x`. If `x` is NaN, the maximum is -inf.

    ```mlir
    %m = eft.max_num %a, %b : tensor<1024xf32>
    ```
  }];
}

def Eft_HypotOp : Eft_Op<"hypot",
    !listconcat([Pure, SameOperandsAndResultType], ElementwiseMappable.traits)> {
  let summary = "The square root of the sum of two squares";
  let description = [{
    √(a² + b²), without overflow or underflow of the squares. If an operand is infinite, the result is
    infinite, even if the other operand is NaN.

    ```mlir
    %y = eft.hypot %a, %b : tensor<1024xf32>
    ```
  }];
  let arguments = (ins Eft_FloatLike:$a, Eft_FloatLike:$b);
  let results = (outs Eft_FloatLike:$result);
  let assemblyFormat = "$a `,` $b attr-dict `:` type($result)";
}

#endif
