// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The transforms of the block IR. compiler/pipeline/Passes.cpp has the order in which they run.

#ifndef EFT_TRANSFORMS_PASSES
#define EFT_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def AddDebugScopes : Pass<"eft-add-debug-scopes"> {
  let summary = "Notes the function of each place, for debuggers and profilers";
  let description = [{
    A location has a file, a line and a column. Debuggers and profilers also need the function, so each
    location becomes one with the scope of its function. Inlining keeps both, with the places of the calls.
    PTX gets its lines from them (`.loc`), and an object for a CPU its tables of lines and functions.

    It is the first pass, because a kernel is one function later on. Functions without a place get no
    scope, nor do locations that have a scope or a call already.

    ```mlir
    %0 = arith.addf %a, %b : f32 loc("kernels.py":3:5)
    ```
    in a function `f` becomes
    ```mlir
    #f = #llvm.di_subprogram<…, name = "f", file = <"kernels.py" in "">, line = 1, …>
    %0 = arith.addf %a, %b : f32 loc(fused<#f>["kernels.py":3:5])
    ```
  }];
  let options = [
    Option<"linesOnly", "lines-only", "bool", "false",
           "The code has lines, and no tables of functions: that of a GPU">,
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ExtendHints : Pass<"eft-extend-hints"> {
  let summary = "Lets a hint hold for all later uses of its source";
  let description = [{
    A kernel may call `multiple_of` and its like for their results, or as a statement, and go on with the
    value that it had. So what uses the source of an `eft.hint` behind it, in its block or inside of
    operations there, uses the result instead.

    It is the first of the transforms: hints without uses are dead, and would be erased by others.

    ```mlir
    %1 = eft.hint %0 divisibility [16] : i32
    eft.store %p, %0 : !eft.ptr<i32>
    ```
    becomes
    ```mlir
    %1 = eft.hint %0 divisibility [16] : i32
    eft.store %p, %1 : !eft.ptr<i32>
    ```
  }];
  let dependentDialects = ["::eft::EftDialect"];
}

def FuseMultiplyAdd : Pass<"eft-fuse-multiply-add"> {
  let summary = "Rounds a * b + c once";
  let description = [{
    An addition or subtraction of f32 or f64 becomes one `math.fma` if an operand is a product that has
    no other use. If both operands are such products, the left one is fused. This rule is part of a
    kernel's meaning.

    | source | result |
    |---|---|
    | `a * b + c` | `fma(a, b, c)` |
    | `c + a * b` | `fma(a, b, c)` |
    | `a * b - c` | `fma(a, b, -c)` |
    | `c - a * b` | `fma(-a, b, c)` |

    The negation is exact, and part of the instruction on both targets. A product that is converted,
    splatted or broadcast before it is added is not fused, nor is anything of f16 or bf16.

    `x + dot(a, b, 0)` becomes `dot(a, b, x)` if the matrix product has no other use and is in the same
    block, also where `x` is a product itself.

    This pass runs before those that make additions and products of their own: these must not be fused.
    Dead operations are erased first; they must not count as uses of a product.

    ```mlir
    %p = arith.mulf %a, %b : tensor<1024xf32>
    %s = arith.addf %p, %c : tensor<1024xf32>
    ```
    becomes
    ```mlir
    %s = math.fma %a, %b, %c : tensor<1024xf32>
    ```
  }];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def OrderReductions : Pass<"eft-order-reductions"> {
  let summary = "Writes on each reduction the order in which it combines, before targets differ";
  let description = [{
    A reduction gets its order, `steps` and `tree`, as `docs/language.md` has it: that of a program of
    `num-warps` warps. One that is `order_free`, or has an order, stays as it is.

    The order of a block that is computed element by element from a matrix product is another one than that
    of other blocks. So this pass runs before all that differs between targets: what a block is computed
    from is then the same for all of them.

    ```mlir
    %1 = eft.reduce %0 axis 1 : (tensor<64x64xf32>) -> tensor<64xf32> {
    ```
    becomes, if `%0` is computed from a product,
    ```mlir
    %1 = eft.reduce %0 axis 1 steps 1 tree [32, 16, 8, 1, 4, 2] : (tensor<64x64xf32>) -> tensor<64xf32> {
    ```
  }];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", /*default=*/"4", "warps of a program">
  ];
  let dependentDialects = ["::eft::EftDialect"];
}

def AllowApproximation : Pass<"eft-allow-approximation"> {
  let summary = "Allows the hardware's exponential for what tensor cores have summed";
  let description = [{
    `math.exp` and `math.exp2` become `fastmath<afn>` where their operand is computed, by whatever way
    through operations, loops and conditionals, from a product of floats that a tensor core may sum:
    `eft.dot` of f16, bf16, or f32 with a precision other than `ieee`. Such a product has other bits on
    each target, so its exponential needs not be the same everywhere either.

    `eft-expand-math` decides whether a target makes use of it. A CPU does not.

    ```mlir
    %s = eft.dot %q, %k, %zero : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %p = math.exp2 %s : tensor<64x64xf32>
    ```
    becomes
    ```mlir
    %s = eft.dot %q, %k, %zero : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %p = math.exp2 %s fastmath<afn> : tensor<64x64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::math::MathDialect"];
}

def ExpandPhilox : Pass<"eft-expand-philox"> {
  let summary = "Replaces eft.philox by integer arithmetic in the width that the target multiplies";
  let description = [{
    As arithmetic, the constants of the counter fold, words that nobody reads are dead code, and the key,
    which is usually uniform, is computed once. A round is two products of 32 × 32 bits, whose high and
    low halves are mixed with the other two words and the key.

    `word-bits` is the width in which words are held. With 32, the two halves are taken from a product of
    64 bits; that is how a GPU multiplies. With 64, every word stays in 64 bits, and its upper half may
    hold anything. A product is then one multiplication of the lower halves; that is how a SIMD unit of a
    CPU multiplies.

    ```mlir
    %w:4 = eft.philox seed %seed counter %i, %0, %0, %0 rounds 10 : i64, tensor<1024xi32>
    ```
    becomes, for its first round,
    ```mlir
    %wide = arith.extui %i : tensor<1024xi32> to tensor<1024xi64>
    %product = arith.muli %wide, %m0 : tensor<1024xi64>
    ```
    and so on.
  }];
  let options = [
    Option<"wordBits", "word-bits", "unsigned", /*default=*/"32", "the width in which a word is held: 32 or 64">
  ];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect"];
}

def ExpandMath : Pass<"eft-expand-math"> {
  let summary = "Replaces elementary functions by arithmetic";
  let description = [{
    Functions become straight-line code of `arith` ops, `math.fma`, `math.sqrt` and `math.trunc`, the
    same for both targets, so that both give the same bits. f32 and f64 are within 2 ulp of the exact
    value for every operand, denormals and huge angles included; f16 and bf16 go through f32.
    docs/mathematics.md has the algorithms, and a table of all functions, of `math` and of `eft`, with their
    measured errors.

    `math.sqrt`, `math.absf`, `math.fma`, and `math.floor` with its relatives stay: hardware has them,
    exact or correctly rounded.

    The code relies on denormals and on rounding to nearest even. It must not be contracted, so the pass
    runs after `eft-fuse-multiply-add`. Functions of constants are computed by this code too: this pass
    doesn't fold, and no canonicalisation may run before it, which would fold with the libm of the machine
    that compiles.

    ```mlir
    %y = math.exp %x : tensor<1024xf32>
    ```
    becomes a clamp, the reduction of the argument, a polynomial and two multiplications by a power of two:
    ```mlir
    %low = arith.maximumf %x, %cst : tensor<1024xf32>
    %in = arith.minimumf %low, %cst_0 : tensor<1024xf32>
    %sum = math.fma %in, %cst_1, %cst_2 : tensor<1024xf32>
    ...
    %y = arith.mulf %scaled, %power : tensor<1024xf32>
    ```

    With `approximates-exponentials`, a `math.exp` or `math.exp2` of f32, f16 or bf16 that is
    `fastmath<afn>` becomes the hardware's approximation of 2^x, which is `math.exp2` of f32 with
    `fastmath<afn>`. Its result is within 2 ulp, or 0 where it would be a denormal. That of `math.exp`
    is within 3 ulp.
  }];
  let options = [
    Option<"approximatesExponentials", "approximates-exponentials", "bool", /*default=*/"false",
           "use the hardware's 2^x where approximation is allowed">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def ExpandFloatToInt : Pass<"eft-expand-float-to-int"> {
  let summary = "Gives conversions from float to integer a result for every float";
  let description = [{
    A float outside the integer's range gives the nearest integer of that range, and NaN gives 0. Inside,
    the fraction is cut off. `arith.fptosi` and `arith.fptoui` have no defined result outside, so they
    are only given values that fit.

    If the greatest integer is exact as a float, the operand is bounded on both sides. Otherwise, as for
    f32 to i32, the result is replaced where the operand is too great.

    Converts f16, bf16 (through f32), f32 and f64 to integers of up to 64 bits.

    ```mlir
    %i = arith.fptosi %x : f32 to i32
    ```
    becomes
    ```mlir
    %below = arith.cmpf olt, %x, %two31 : f32
    %0 = arith.select %below, %x, %zero : f32
    %1 = eft.max_num %0, %minusTwo31 : f32
    %2 = arith.fptosi %1 : f32 to i32
    %above = arith.cmpf oge, %x, %two31 : f32
    %i = arith.select %above, %greatest, %2 : i32
    ```
  }];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect"];
}

def WidenDot : Pass<"eft-widen-dot"> {
  let summary = "Converts the factors of matrix products to the accumulator's type";
  let description = [{
    For a target without tensor cores, such as a CPU. Factors of f16, of bf16 and of floats of eight bits
    become f32, which is exact; i8 becomes i32. Products of f32 with reduced precision become exact ones.

    ```mlir
    %d = eft.dot %a, %b, %c precision ieee
        : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    ```
    becomes
    ```mlir
    %0 = arith.extf %a : tensor<16x16xf16> to tensor<16x16xf32>
    %1 = arith.extf %b : tensor<16x16xf16> to tensor<16x16xf32>
    %d = eft.dot %0, %1, %c precision ieee
        : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    ```
  }];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect"];
}

def ReduceAssertions : Pass<"eft-reduce-assertions"> {
  let summary = "Reduces the conditions of assertions to numbers";
  let description = [{
    For a CPU. A reduction can be tiled there, together with the operations around it. An assertion about
    a block can't: it would need the whole block at once.

    ```mlir
    eft.assert %c, "too large" : tensor<64xi1>
    ```
    becomes
    ```mlir
    %0 = eft.reduce %c axis 0 : (tensor<64xi1>) -> i1 {
    ^bb0(%a: i1, %b: i1):
      %1 = arith.andi %a, %b : i1
      eft.yield %1 : i1
    }
    eft.assert %0, "too large" : i1
    ```
  }];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect"];
}

def ExpandFloat8 : Pass<"eft-expand-float8"> {
  let summary = "Replaces conversions and products of 8-bit floats that the target lacks";
  let description = [{
    `eft.extend_float8` and `eft.truncate_float8` become integer arithmetic and a few exact operations on
    wider floats. Factors of matrix products become f16, which holds all of their values.

    `native` is for GPUs from compute capability 8.9 on. They have conversions between f16 or f32 and
    e4m3fn and e5m2, rounded to nearest even; those to f32 go through f16, and those from f64 through an
    f32 that is rounded to odd. They also multiply blocks of these formats, where k is at least 32. Such
    operations stay, except for conversions in the body of a reduction or scan.

    ```mlir
    %y = eft.extend_float8 %x from e5m2 : tensor<1024xi8> -> tensor<1024xf16>
    ```
    becomes
    ```mlir
    %0 = arith.extui %x : tensor<1024xi8> to tensor<1024xi16>
    %1 = arith.shli %0, %c8 : tensor<1024xi16>
    %y = arith.bitcast %1 : tensor<1024xi16> to tensor<1024xf16>
    ```
  }];
  let options = [
    Option<"isNative", "native", "bool", /*default=*/"false",
           "the target converts and multiplies e4m3fn and e5m2">
  ];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def ExpandNarrowFloats : Pass<"eft-expand-narrow-floats"> {
  let summary = "Computes in f32 where the target lacks an operation on f16 or bf16";
  let description = [{
    Every operation is done on f32, and its result is rounded to nearest even. This gives the bits of a
    correctly rounded operation on the narrow type, because an f32 has more than twice its bits. That
    isn't enough for `math.fma`, which goes through f64 rounded to odd. Loads, stores, selects, constants
    and the conversions that the target has remain on f16 and bf16.

    Conversions are correctly rounded too: f64 is rounded to odd on its way through f32, and so are
    integers of more than 24 bits. Between f32 and bf16 they are a few integer operations; a NaN stays NaN.

    `native-f16` is for targets that add, subtract, multiply, compare and fuse on f16, and convert it from
    and to f64 and integers (a GPU): these stay, with the same bits. Division and square root still go
    through f32. `native-bf16-conversion` and `native-f16-conversion` keep the conversions between f32 and
    these types. A CPU without F16C lacks the latter; LLVM would call a function for each element there.

    Covers addf, subf, mulf, divf, remf, negf, cmpf, the four minima and maxima, conversions from and to
    integers of up to 64 bits, f32 and f64, and math.sqrt, math.absf, math.fma, math.floor, math.ceil,
    math.trunc and math.roundeven.

    ```mlir
    %c = arith.addf %a, %b : tensor<1024xbf16>
    ```
    becomes, with native-bf16-conversion,
    ```mlir
    %0 = arith.extf %a : tensor<1024xbf16> to tensor<1024xf32>
    %1 = arith.extf %b : tensor<1024xbf16> to tensor<1024xf32>
    %2 = arith.addf %0, %1 : tensor<1024xf32>
    %c = arith.truncf %2 : tensor<1024xf32> to tensor<1024xbf16>
    ```
  }];
  let options = [
    Option<"nativeF16", "native-f16", "bool", /*default=*/"false",
           "the target computes on f16, and has minima and maxima of bf16">,
    Option<"nativeBf16Conversion", "native-bf16-conversion", "bool", /*default=*/"false",
           "the target converts between f32 and bf16">,
    Option<"nativeF16Conversion", "native-f16-conversion", "bool", /*default=*/"true",
           "the target converts between f32 and f16">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def ExpandSort : Pass<"eft-expand-sort"> {
  let summary = "Expands eft.sort of small blocks into compare-exchange stages";
  let description = [{
    Each compare-exchange compares every element with the one whose index differs in one bit; one of the
    two places keeps the smaller element, the other the larger. Blocks of more than `max-bits` bits, or of
    more than `max-elements` elements, stay as they are: they are sorted in loops.

    ```mlir
    %1 = eft.sort %0 axis 0 stages 1 to 1 : tensor<2xi32>
    ```
    becomes, with %isUpper the lowest bit of the index,
    ```mlir
    %other = eft.exchange %0 axis 0 mask 1 : tensor<2xi32>
    %isLarger = arith.cmpi sgt, %0, %other : tensor<2xi32>
    %keeps = arith.cmpi eq, %isLarger, %isUpper : tensor<2xi1>
    %1 = arith.select %keeps, %0, %other : tensor<2xi1>, tensor<2xi32>
    ```
  }];
  let options = [
    Option<"maxBits", "max-bits", "int64_t", "0",
           "the number of bits of the largest blocks to expand; 0: expand all">,
    Option<"maxElements", "max-elements", "int64_t", "0",
           "the number of elements of the largest blocks to expand; 0: expand all">,
  ];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect"];
}

def ExpandMinMax : Pass<"eft-expand-min-max"> {
  let summary = "Puts -0 below +0 in minima and maxima";
  let description = [{
    In Eft -0 is less than +0 in every minimum and maximum, and `eft.min_num` and `eft.max_num` give
    the other operand if one is NaN. PTX's instructions do that. LLVM leaves the order of zeros open in
    its intrinsics for these two, and its code for x86 does not keep it; so they become comparisons and
    selects, five instructions, and one if an operand is a constant. Its code for `arith.minimumf` and
    `arith.maximumf` keeps it, with four instructions, so those stay.

    f32 and f64; narrower types are expanded by eft-expand-narrow-floats before.

    ```mlir
    %m = eft.max_num %a, %one : f32
    ```
    becomes
    ```mlir
    %greater = arith.cmpf ogt, %a, %one : f32
    %m = arith.select %greater, %a, %one : f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandIntegerCorners : Pass<"eft-expand-integer-corners"> {
  let summary = "Gives every division and shift of integers a result";
  let description = [{
    LLVM leaves open what a division by zero gives, and x86 stops the process for it, also for an element
    that a mask will drop. In Eft, as in RISC-V, x / 0 is the number whose bits are all ones and x % 0 is
    x; the least number divided by -1 is itself, with remainder 0; and a shift by the width or more
    shifts all bits out.

    A constant operand that is no corner needs no code. A number that divides a whole block and is known
    to be even is not -1. If it is zero, the number with only the highest bit set replaces it: every power
    of two that is known to divide the number also divides its replacement, and the axis analysis finds
    the runs of the remainders by that.

    ```mlir
    %q = arith.divui %x, %d : i32
    ```
    becomes
    ```mlir
    %is_zero = arith.cmpi eq, %d, %c0 : i32
    %divisor = arith.select %is_zero, %c1, %d : i32
    %quotient = arith.divui %x, %divisor : i32
    %q = arith.select %is_zero, %cm1, %quotient : i32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandIntegerDivision : Pass<"eft-expand-integer-division"> {
  let summary = "Divides blocks of integers by floating point";
  let description = [{
    For a CPU, which divides vectors of floats, but not of integers. The quotient is the product of the
    dividend with the divisor's reciprocal, cut off; the remainder is what is left. Both are exact: up to
    16 bits in f32, 32 bits in f64, and 64 bits in two parts, each from an estimate in f64.
    ExpandIntegerDivision.cpp has the proof.

    The divisors must have no corners any more; eft-expand-integer-corners sees to that. The pass covers
    operations on blocks, and those in functions that combine elements. Divisions by constants stay where
    LLVM has a sequence for them.

    ```mlir
    %q = arith.divsi %x, %d : tensor<1024xi32>
    ```
    becomes
    ```mlir
    %0 = arith.sitofp %d : tensor<1024xi32> to tensor<1024xf64>
    %1 = arith.divf %one, %0 : tensor<1024xf64>
    %reciprocal = arith.mulf %1, %alittlemorethanone : tensor<1024xf64>
    %2 = arith.sitofp %x : tensor<1024xi32> to tensor<1024xf64>
    %3 = arith.mulf %2, %reciprocal : tensor<1024xf64>
    %q = arith.fptosi %3 : tensor<1024xf64> to tensor<1024xi32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def HoistUniform : Pass<"eft-hoist-uniform"> {
  let summary = "Computes values once that are the same at every index";
  let description = [{
    If all operands of an elementwise operation are splats, or constants with one value, the operation is
    done on the scalars, and its result is splatted. Divisions of integers stay: on a block they may stand
    under a condition that the scalar would not have.

    ```mlir
    %a = eft.splat %x : f32 -> tensor<1024xf32>
    %b = eft.splat %y : f32 -> tensor<1024xf32>
    %c = arith.addf %a, %b : tensor<1024xf32>
    ```
    becomes
    ```mlir
    %s = arith.addf %x, %y : f32
    %c = eft.splat %s : f32 -> tensor<1024xf32>
    ```
  }];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect"];
}

def CarryScalars : Pass<"eft-carry-scalars"> {
  let summary = "Carries a number through a loop instead of a block that moves by it";
  let description = [{
    Let every iteration of an `scf.for` add a number, the same at every index, to a block of pointers or
    integers. The block then always is the block that the loop began with, moved by the sum of those
    numbers. So the loop carries the sum: one scalar instead of a value for each element that a thread or
    a vector holds. Values that depend on the first block alone, such as its addresses, are then computed
    outside of the loop. Accesses in the loop depend on no carried block, so they can be tiled.

    Sums of integers wrap around as the blocks do. Pointers move by elements, counted in 64 bits.
    Blocks of floats stay, because their sums would be rounded differently.

    ```mlir
    scf.for %i = %c0 to %n step %c1 iter_args(%p = %first) -> (tensor<64x!eft.ptr<f32>>) : i32 {
      %x = eft.load %p : tensor<64x!eft.ptr<f32>>
      %s = eft.splat %stride : i32 -> tensor<64xi32>
      %next = eft.addptr %p, %s : tensor<64x!eft.ptr<f32>>, tensor<64xi32>
      scf.yield %next : tensor<64x!eft.ptr<f32>>
    }
    ```
    becomes, after canonicalization,
    ```mlir
    scf.for %i = %c0 to %n step %c1 iter_args(%distance = %zero) -> (i64) : i32 {
      %d = eft.splat %distance : i64 -> tensor<64xi64>
      %p = eft.addptr %first, %d : tensor<64x!eft.ptr<f32>>, tensor<64xi64>
      %x = eft.load %p : tensor<64x!eft.ptr<f32>>
      %wide = arith.extsi %stride : i32 to i64
      %next = arith.addi %distance, %wide : i64
      scf.yield %next : i64
    }
    ```
  }];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def PrefetchFactors : Pass<"eft-prefetch-factors", "::mlir::func::FuncOp"> {
  let summary = "Lets loops with products prefetch the factors of their next iteration";
  let description = [{
    For a CPU. Rows of a factor's block lie further apart than processors prefetch by themselves. So a loop
    that loads factors of its products prefetches, behind each such load, what that load reads in the next
    iteration. In the last one it prefetches what nobody reads. The attribute `eft.prefetched` says to the
    lowering that the load needs no other prefetch.

    A load stays alone if its address does not change from iteration to iteration, or follows from more than
    arithmetic on what the loop carries. Divisions must be expanded before, since those of an iteration that
    never runs are computed, too.

    ```mlir
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero, %p = %first) -> ... {
      %a = eft.load %p : tensor<16x16x!eft.ptr<f32>>
      %d = eft.dot %a, %b, %sum ...
      %q = eft.addptr %p, %step : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
      scf.yield %d, %q
    }
    ```
    becomes
    ```mlir
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero, %p = %first) -> ... {
      %a = eft.load %p {eft.prefetched} : tensor<16x16x!eft.ptr<f32>>
      %next = eft.addptr %p, %step : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
      eft.prefetch %next : tensor<16x16x!eft.ptr<f32>>
      %d = eft.dot %a, %b, %sum ...
      ...
    }
    ```
  }];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect"];
}

def VersionFactors : Pass<"eft-version-factors", "::mlir::func::FuncOp"> {
  let summary = "Gives loads of products' factors a version without masks and remainders";
  let description = [{
    For a CPU. A kernel masks the loads of its factors for the iteration at the end of k, and takes row and
    column numbers modulo the matrix's extents for the programs at its border. In all other iterations the
    masks are true and the remainders are neighbours in memory. So numbers are compared in each iteration of
    a loop with products. If they say that all masks are true, and that no remainder wraps around inside its
    block, the factors are loaded without masks and remainders: vectors of neighbours, whose addresses are
    computed from numbers. Otherwise they are loaded as before. Prefetches stand in the first version alone.

    A load has no version of its own if its mask is more than comparisons of ranges with numbers, or if it
    is `volatile`. Loads behind a write to memory, or that need another factor, stay where they are.

    ```mlir
    %o = arith.remsi %columns, %ns : tensor<16xi32>
    ...
    %a = eft.load %p, mask %m other %zero : tensor<16x16x!eft.ptr<f32>>
    ```
    becomes
    ```mlir
    %a = scf.if %plain -> (tensor<16x16xf32>) {
      %o = arith.addi %columns, %distances : tensor<16xi32>
      ...
      %1 = eft.load %q : tensor<16x16x!eft.ptr<f32>>
      scf.yield %1
    } else {
      %1 = eft.load %p, mask %m other %zero : tensor<16x16x!eft.ptr<f32>>
      scf.yield %1
    }
    ```
  }];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def VersionLoops : Pass<"eft-version-loops", "::mlir::func::FuncOp"> {
  let summary = "Gives loops with products a version for arrays at multiples of 16 bytes";
  let description = [{
    If a kernel loads the address of a matrix, or the distance of its rows, from memory, nothing is known of
    it. Then the factors of a product would be loaded element by element. So the numbers are tested, and the
    loop stands twice: behind the test with hints, and as it was. What stands around the loop is part of a
    version, as far as the numbers are known before it. So are stores of matrices, and the test then has the
    numbers that they need, too.

    A loop stays as it is if hints would not make wider accesses possible, or if one of the numbers is
    loaded in it.

    ```mlir
    %distance = eft.load %p : !eft.ptr<i32>
    %r = scf.for ... // with an eft.dot of what is loaded at multiples of %distance
    ```
    becomes
    ```mlir
    %distance = eft.load %p : !eft.ptr<i32>
    %rest = arith.andi %distance, %c7 : i32
    %aligned = arith.cmpi eq, %rest, %c0 : i32
    %r = scf.if %aligned {
      %hinted = eft.hint %distance divisibility [8] : i32
      %1 = scf.for ...
      scf.yield %1
    } else {
      %1 = scf.for ...
      scf.yield %1
    }
    ```
  }];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def UniformComparison : Pass<"eft-uniform-comparison"> {
  let summary = "Compares integers with a threshold instead of the floats made of them";
  let description = [{
    Let a block of floats be made of integers that are not negative, by a conversion and perhaps a
    multiplication by a constant, and be compared with one number p. The floats grow with the integers.
    So there is an integer, the threshold, such that the comparison holds for the integers above it and for no
    others. It is computed from p once, as a scalar, and the integers are compared with it. The result is the
    same for every p, NaN included; UniformComparison.cpp has the proof.

    The constant is a power of two, or the float just below one; such is the factor by which `tl.rand` scales.
    The floats must have no other use, or they would have to be computed all the same.

    Two more patterns bring comparisons to this form, and simplify them:

    - The comparison of a block that has been joined, reshaped or transposed with one number is done before:
      the booleans are moved.
    - `tl.rand` makes a number that is not negative of a random word w: w itself, or ~w where w is negative.
      That number is greater than t exactly if w > t or w < ~t. With `unfold-words` this is what is computed: a
      GPU's comparison also takes a boolean that it combines its result with.

    ```mlir
    %f = arith.sitofp %x : tensor<1024xi32> to tensor<1024xf32>
    %u = arith.mulf %f, %scale : tensor<1024xf32>
    %b = eft.splat %p : f32 -> tensor<1024xf32>
    %keep = arith.cmpf ogt, %u, %b : tensor<1024xf32>
    ```
    becomes, behind the computation of `%threshold`,
    ```mlir
    %t = eft.splat %threshold : i32 -> tensor<1024xi32>
    %keep = arith.cmpi sgt, %x, %t : tensor<1024xi32>
    ```
  }];
  let options = [
    Option<"unfoldWords", "unfold-words", "bool", /*default=*/"true",
           "compare a random word twice, instead of the number made of it once">
  ];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect"];
}

def UniformDivision : Pass<"eft-uniform-division"> {
  let summary = "Divides blocks by one number with the help of its reciprocal";
  let description = [{
    The division of a block of f32 or f64 by a splat becomes `eft.uniform_div`. Its result has the same
    bits, and it has the reciprocal as an operand, which is computed once.

    ```mlir
    %b = eft.splat %d : f32 -> tensor<1024xf32>
    %q = arith.divf %x, %b : tensor<1024xf32>
    ```
    becomes
    ```mlir
    %one = arith.constant 1.000000e+00 : f32
    %r = arith.divf %one, %d : f32
    %q = eft.uniform_div %x, %d, %r : tensor<1024xf32>, f32
    ```
  }];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect"];
}

#endif
