// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The transforms of the block IR. compiler/pipeline/Passes.cpp has the order in which they run.

#ifndef EFT_TRANSFORMS_PASSES
#define EFT_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def AddDebugScopes : Pass<"eft-add-debug-scopes"> {
  let summary = "Adds the function to each location, for debuggers and profilers";
  let description = [{
    A location has a file, a line and a column. Debuggers and profilers also need the function, so this pass
    adds the debug scope of the enclosing function to each location. Inlining keeps these scopes, and adds
    the locations of the calls. In PTX, the locations become `.loc` lines. In an object for a CPU, locations
    and scopes become tables of lines and functions.

    This is the first pass, because later passes inline all functions into the kernel. Functions without a
    file location get no scope, and locations that already have a scope or a call stay as they are.

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
           "emit line numbers but no tables of functions, as for a GPU">,
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ExtendHints : Pass<"eft-extend-hints"> {
  let summary = "Makes a hint hold for all later uses of its source";
  let description = [{
    A kernel may call functions like `multiple_of` as statements, and continue to use the value that it
    passed to them. So every use of the source of an `eft.hint` that comes after the hint, in the same basic
    block or inside an operation of that block, is replaced by the hint's result.

    This pass runs before all others that erase dead operations, because they would erase hints without
    uses.

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
    An addition or subtraction of f32 or f64 becomes one `math.fma` if an operand is a product that has no
    other use. If both operands are such products, the left one is fused. The language defines this rule, so
    a kernel's results depend on it.

    | source | result |
    |---|---|
    | `a * b + c` | `fma(a, b, c)` |
    | `c + a * b` | `fma(a, b, c)` |
    | `a * b - c` | `fma(a, b, -c)` |
    | `c - a * b` | `fma(-a, b, c)` |

    The negation is exact, and both targets do it in the fused instruction. A product that is converted,
    splatted or broadcast before it is added is not fused. Elementwise products of f16 or bf16 are not
    fused either.

    `x + dot(a, b, 0)` becomes `dot(a, b, x)` if the matrix product has no other use and is in the same
    basic block as the sum. This also applies if `x` is a product, which is then not fused.

    Other passes create additions and products that must not be fused, so this pass runs before them. It
    erases dead operations first, so that they do not count as uses of a product.

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
  let summary = "Sets on each reduction the order in which it combines elements";
  let description = [{
    A reduction gets its order, the attributes `steps` and `tree`, for a program of `num-warps` warps;
    `docs/language.md` defines this order. A reduction that is `order_free`, or already has an order, stays
    as it is.

    Reductions of blocks that are computed element by element from a matrix product have another order than
    reductions of other blocks. So this pass runs before all passes that differ between targets: all targets
    then agree on which blocks are computed from a product.

    ```mlir
    %1 = eft.reduce %0 axis 1 : (tensor<64x64xf32>) -> tensor<64xf32> {
    ```
    becomes, if `%0` is computed element by element from a product,
    ```mlir
    %1 = eft.reduce %0 axis 1 steps 1 tree [32, 16, 8, 1, 4, 2] : (tensor<64x64xf32>) -> tensor<64xf32> {
    ```
  }];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", /*default=*/"4", "warps of a program">
  ];
  let dependentDialects = ["::eft::EftDialect"];
}

def LimitPrograms : Pass<"eft-limit-programs", "::mlir::ModuleOp"> {
  let summary = "Bounds the number of programs, so that numbers of elements don't wrap around";
  let description = [{
    A kernel computes the numbers of its elements from its program's number, and often divides them by the
    length of a row. Quotients and remainders that round toward zero are regular only where the dividends
    are not negative. But products of a program's number may wrap around to negative numbers.

    For divisions of blocks, this pass finds the largest numbers of programs for which the dividends do not
    wrap around. It notes these numbers in the attribute `eft.max_programs` of the module. They are at most
    those of the target's largest grid. The code of the compiled kernel is right only for launches of at
    most so many programs; larger launches need another compile, with `all-grids`.

    If the numbers would be less than 32768, a dividend is taken as it is, and may wrap around.

    ```mlir
    module {
      func.func @kernel(%p: !eft.ptr<f32>) {
        %0 = eft.program_id x
        %1 = arith.muli %0, %c1024 : i32
        %2 = eft.splat %1 : i32 -> tensor<1024xi32>
        %3 = arith.addi %2, %range : tensor<1024xi32>
        %4 = arith.remsi %3, %c56 : tensor<1024xi32>
    ```
    becomes
    ```mlir
    module attributes {eft.max_programs = array<i64: 2097152, 65535, 65535>} {
    ```
  }];
  let options = [
    Option<"isGpu", "gpu", "bool", /*default=*/"false", "take the limits of a GPU's grid">,
    Option<"allGrids", "all-grids", "bool", /*default=*/"false",
           "assume no more than the target's limits">
  ];
  let dependentDialects = ["::eft::EftDialect"];
}

def MarkDivisions : Pass<"eft-mark-divisions"> {
  let summary = "Marks divisions whose operands are at least 0, or whose divisors only count";
  let description = [{
    The division of a block of f32 gets the attribute `eft.nonnegative_dividend` if each dividend is known
    to be at least 0 or NaN, such as an exponential or a square. The lowering for a GPU then tests the range
    of the dividends by fewer instructions. In the same way, it gets the attribute
    `eft.nonnegative_divisor`. Then the lowering need not mend the signs of quotients that are zero.

    It gets the attribute `eft.counting_divisor` if the divisors are computed from numbers that all elements
    share, by sums, conversions and choices only, such as the number of elements that a masked loop has
    seen. Then the lowering for a GPU tests whether all elements of a thread have the same divisor. The
    quotients do not depend on the attributes.

    `eft-expand-math` replaces the operations from which this is known, so this pass runs before it.

    ```mlir
    %e = math.exp %x : tensor<1024xf32>
    %q = arith.divf %e, %d : tensor<1024xf32>
    ```
    becomes
    ```mlir
    %e = math.exp %x : tensor<1024xf32>
    %q = arith.divf %e, %d {eft.nonnegative_dividend} : tensor<1024xf32>
    ```
  }];
}

def AllowApproximation : Pass<"eft-allow-approximation"> {
  let summary = "Allows approximate exponentials and sigmoids of values that tensor cores have summed";
  let description = [{
    `math.exp` and `math.exp2` become `fastmath<afn>`, and `eft.sigmoid` becomes `approximate`, where
    their operand is computed from a product of floats that a tensor core may sum: `eft.dot` of 8-bit
    floats, f16, bf16, or f32 with a precision other than `ieee`. Any operations, loops and conditionals
    may be in between. The bits of such a product differ between targets, so the bits of the exponential
    or sigmoid may differ as well.

    `eft-expand-math` decides whether a target uses the approximation. CPUs do not use it.

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
  let summary = "Replaces eft.philox by integer arithmetic";
  let description = [{
    As plain arithmetic, Philox profits from other passes: operations on constant words of the counter fold,
    words without uses are dead code, and the key, which is usually uniform, is computed once. A round has
    two products of 32 × 32 bits, whose high and low halves are mixed with the other two words and the key.

    `word-bits` is the width in which words are held. With 32, both halves are extracted from a 64-bit
    product, which suits a GPU. With 64, every word is held in 64 bits, of which the upper half may be
    anything. A product is then one multiplication of the lower halves, which is the instruction that a CPU
    has for vectors.

    ```mlir
    %w:4 = eft.philox seed %seed counter %i, %0, %0, %0 rounds 10 : i64, tensor<1024xi32>
    ```
    becomes, in its first round,
    ```mlir
    %wide = arith.extui %i : tensor<1024xi32> to tensor<1024xi64>
    %product = arith.muli %wide, %m0 : tensor<1024xi64>
    ```
    and further operations.
  }];
  let options = [
    Option<"wordBits", "word-bits", "unsigned", /*default=*/"32", "the width in which a word is held: 32 or 64">
  ];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect"];
}

def ExpandMath : Pass<"eft-expand-math"> {
  let summary = "Replaces elementary functions by arithmetic";
  let description = [{
    Functions become straight-line code of `arith` ops, `math.fma`, `math.sqrt`, `math.absf` and
    `math.trunc`, which gives the same bits on both targets. Results in f32 and f64 are within 2 ulp of the
    exact value, also for denormals and huge angles; those of `eft.sigmoid` are within 2.8 ulp, and those of
    `math.tanh` in f64 within 2.2 ulp. f16 and bf16 are computed in f32. docs/mathematics.md has the
    algorithms, and a table of all functions of `math` and `eft` with their measured errors.

    `math.sqrt`, `math.absf` and `math.fma` stay, and so do the roundings to integers, such as `math.floor`,
    except `math.round`: the hardware computes them exactly or correctly rounded.

    The code relies on denormals and on rounding to nearest even. It must not be contracted, so the pass
    runs after `eft-fuse-multiply-add`. Functions of constants are expanded too, so that they have the same
    bits. For this reason the pass does not fold, and no canonicalisation may run before it: folding would
    use the libm of the machine that compiles.

    ```mlir
    %y = math.exp %x : tensor<1024xf32>
    ```
    becomes a clamp, a reduction of the argument, a polynomial, and two multiplications by a power of two:
    ```mlir
    %low = arith.maximumf %x, %cst : tensor<1024xf32>
    %in = arith.minimumf %low, %cst_0 : tensor<1024xf32>
    %sum = math.fma %in, %cst_1, %cst_2 : tensor<1024xf32>
    ...
    %y = arith.mulf %scaled, %power : tensor<1024xf32>
    ```

    With `approximates-exponentials`, a `math.exp` or `math.exp2` of f32, f16 or bf16 that is
    `fastmath<afn>` becomes the hardware's approximation of 2^x, expressed as `math.exp2` of f32 with
    `fastmath<afn>`. An `eft.sigmoid` that is `approximate` is the reciprocal of 1 + e^-x, expressed as
    `arith.divf` of 1 with `fastmath<afn>`. In f32, the result of `math.exp2` is within 2 ulp, that of
    `math.exp` within 3 ulp, and that of `eft.sigmoid` within 4.5 ulp. They are 0 where they would be
    denormal.

    With `saturates`, exponentials of numbers that are at most 0 take one operation less on a GPU. The bits
    are the same.
  }];
  let options = [
    Option<"approximatesExponentials", "approximates-exponentials", "bool", /*default=*/"false",
           "use the hardware's 2^x and 1 / x where approximation is allowed">,
    Option<"saturates", "saturates", "bool", /*default=*/"false",
           "clamp sums to 0 to 1 where that saves an instruction, as it does on a GPU">
  ];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def ExpandFloatToInt : Pass<"eft-expand-float-to-int"> {
  let summary = "Gives conversions from float to integer a result for every float";
  let description = [{
    A float outside the integer's range is converted to the nearest integer of that range, and NaN to 0. A
    float inside the range is truncated toward zero. `arith.fptosi` and `arith.fptoui` are undefined outside
    the range, so they are given only values that fit.

    If the float type represents the greatest integer exactly, the operand is clamped to the integer's
    range before the conversion. Otherwise, as for f32 to i32, operands above the range are replaced by 0
    before the conversion, and their results are replaced by the greatest integer after it.

    The pass converts f16, bf16, f32 and f64 to integers of up to 64 bits; f16 and bf16 go through f32.

    With `saturates`, for a GPU, a conversion only gets the attribute `eft.saturating`. If the float or the
    integer has 64 bits, a select gives the result for NaN.

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
  let options = [
    Option<"saturates", "saturates", "bool", /*default=*/"false",
           "the target's conversions saturate, and convert NaN to 0 unless 64 bits are involved">
  ];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect"];
}

def WidenDot : Pass<"eft-widen-dot"> {
  let summary = "Converts the factors of matrix products to the accumulator's type";
  let description = [{
    For a target without tensor cores, such as a CPU. Factors of f16, bf16 and 8-bit floats become f32,
    which is exact, and factors of i8 become i32. Products of f32 with reduced precision get precision
    `ieee`.

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
  let summary = "Reduces the conditions of assertions to single booleans";
  let description = [{
    For a CPU, where a reduction can be tiled together with the operations around it. An assertion about a
    block cannot be tiled, because it needs the whole block at once. So the condition is reduced first.

    ```mlir
    eft.assert %c, "too large" : tensor<64xi1>
    ```
    becomes
    ```mlir
    %0 = eft.reduce %c axis 0 order_free : (tensor<64xi1>) -> i1 {
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
    `eft.extend_float8` and `eft.truncate_float8` become integer arithmetic and a few operations on wider
    floats. Factors of matrix products become f16, which represents all of their values.

    `native` is for GPUs of compute capability 8.9 or higher. These GPUs have instructions for two formats,
    e4m3fn and e5m2, so the following operations stay:

    - conversions from f16 and f32 to the two formats, rounded to nearest even;
    - conversions from the two formats to f16;
    - products whose factors both have one of the two formats, if k is at least 32.

    With `native`, a conversion from one of the two formats to f32 goes through f16, and a conversion from
    f64 to one of the two formats goes through an f32 that is rounded to odd. In the body of a reduction or
    scan, all conversions are replaced.

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
    An operation is done on f32, and its result is rounded to nearest even. An f32 has more than twice the
    precision of the narrow types, so the result has the bits of an operation that rounds once. There are
    two exceptions. For `math.fma` f32 is not precise enough: it is computed in f64, rounded to odd, and then
    rounded to the narrow type. `arith.negf` and `math.absf` only change the sign bit. Loads, stores,
    selects, constants and the conversions that the target has stay as they are.

    Conversions are correctly rounded too. f64, and integers of more than 24 bits, are rounded to odd on
    their way to f32. Conversions between f32 and bf16 are a few integer operations; a NaN stays a NaN.

    With `native-f16`, as for a GPU, these operations stay, because the target has them and they give the
    same bits:

    - addition, subtraction, multiplication, negation, comparison and `math.fma` of f16;
    - minima and maxima of f16 and bf16;
    - conversions between f16 and f32 or f64, and conversions of integers to f16.

    Division, remainder, square root, roundings to integers and conversions of f16 to integers still go
    through f32.

    With `native-bf16-conversion`, conversions between f32 and bf16 stay. With `native-f16-conversion`, those
    between f32 and f16 stay. A CPU without F16C has no instructions to convert f16; LLVM would call a
    function for each element there.

    The pass covers these operations on f16 and bf16:

    - of `arith`: `addf`, `subf`, `mulf`, `divf`, `remf`, `negf`, `cmpf`, `minimumf` and `maximumf`;
    - `eft.min_num` and `eft.max_num`;
    - of `math`: `sqrt`, `absf`, `fma`, `floor`, `ceil`, `trunc` and `roundeven`;
    - conversions from and to f32, f64, and integers of up to 64 bits.

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
  let summary = "Expands eft.sort of small blocks into compare-exchanges";
  let description = [{
    A compare-exchange compares every element with the element whose index differs in one bit. One of the
    two indices gets the smaller element, the other index the larger one. A sort of a block of more than
    `max-bits` bits, or of more than `max-elements` elements, stays as it is: the block is sorted in loops
    later.

    ```mlir
    %1 = eft.sort %0 axis 0 stages 1 to 1 : tensor<2xi32>
    ```
    becomes, where %isUpper is the lowest bit of the index,
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
    In Eft, -0 is less than +0 in every minimum and maximum, and `eft.min_num` and `eft.max_num` give the
    other operand if one is NaN. PTX has instructions that do the same. For LLVM's intrinsics of these two
    operations the order of zeros is undefined, and its code for x86 does not keep it. So the operations
    become comparisons and selects: five instructions with AVX2, or one if an operand is a constant that is
    neither zero nor NaN. `arith.minimumf` and `arith.maximumf` stay, because LLVM's code for them, also
    five instructions, keeps the order of zeros.

    The pass runs twice. The first time, on blocks, it has the option `only-constants`: only operations with
    such a constant become comparisons and selects. The others are needed as they are, because a reduction
    by one of them may begin with NaN and combine in any order. The pass runs again on the vectors that
    `eft-lower-to-cpu` makes of blocks. On CPUs with AVX-512, `eft-range-min-max` runs in its place.

    The pass covers f32 and f64. eft-expand-narrow-floats expands narrower types before.

    ```mlir
    %m = eft.max_num %a, %one : f32
    ```
    becomes
    ```mlir
    %greater = arith.cmpf ogt, %a, %one : f32
    %m = arith.select %greater, %a, %one : f32
    ```
  }];
  let options = [
    Option<"onlyConstants", "only-constants", "bool", "false",
           "expand only operations with a constant operand that is neither zero nor NaN">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandIntegerCorners : Pass<"eft-expand-integer-corners"> {
  let summary = "Gives every division and shift of integers a result";
  let description = [{
    In LLVM a division by zero is undefined, and on x86 it stops the process, even for an element that a
    mask discards. In Eft, as in RISC-V, x / 0 is the number whose bits are all ones, and x % 0 is x. The
    least number divided by -1 is itself, with remainder 0. A shift by the width or more shifts all bits
    out: the result is 0, or copies of the sign bit for an arithmetic shift to the right.

    A division by a constant other than 0 and -1, or a shift by a constant less than the width, needs no
    extra code. If the divisor of a block is uniform and known to be even, it is never -1. If such a divisor
    is zero, the number with only the highest bit set replaces it. Every power of two that is known to
    divide the divisor also divides this replacement, and the axis analysis needs this fact to find runs in
    the remainders.

    ```mlir
    %q = arith.divui %x, %d : i32
    ```
    becomes
    ```mlir
    %is_zero = arith.cmpi eq, %d, %c0 : i32
    %divisor = arith.maxui %d, %c1 : i32
    %quotient = arith.divui %x, %divisor : i32
    %q = arith.select %is_zero, %cm1, %quotient : i32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandIntegerDivision : Pass<"eft-expand-integer-division"> {
  let summary = "Divides blocks of integers with floating-point arithmetic";
  let description = [{
    For a CPU, which has vector instructions to divide floats, but not integers. The quotient is the product
    of the dividend and the divisor's reciprocal, truncated. The remainder is the dividend minus quotient
    times divisor. Both are exact. Integers of up to 16 bits are divided in f32, those of 32 bits in f64,
    and those of 64 bits in two parts, each from an estimate in f64. ExpandIntegerDivision.cpp has the
    proof.

    eft-expand-integer-corners must run before, so that no divisor is zero, and none is -1 where the
    dividend is the least number. The pass covers operations on blocks, and in the combiners of reductions
    and scans. Divisions by constants for which LLVM has a faster sequence stay.

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
  let summary = "Computes a value once if it is the same at every index";
  let description = [{
    If all operands of an elementwise operation are splats, or constants with one value, the operation is
    done on the scalars, and its result is splatted. Divisions of integers by a divisor that is not constant
    stay: dividing by zero is undefined, and the scalar division would be executed even where nothing uses
    the result.

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
  let summary = "Carries a scalar through a loop instead of a block to which it is added";
  let description = [{
    Let every iteration of an `scf.for` add a uniform value to a block of pointers or integers. The block
    then always is the initial block plus the sum of these values. So the loop carries the sum, which is one
    scalar, instead of a register for each fragment of the block. Values that depend only on the initial
    block, such as its addresses, can then be computed outside of the loop. Accesses in the loop no longer
    depend on a carried block, so they can be tiled.

    A sum of integers wraps around as the elements of the block do. The sum for a block of pointers counts
    elements, in 64 bits. Blocks of floats stay, because their sums would be rounded differently.

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
  let summary = "Makes loops with products prefetch the factors of their next iteration";
  let description = [{
    For a CPU. The rows of a factor are further apart in memory than a processor's own prefetching reaches.
    So after each load of a factor, the loop prefetches the addresses that this load reads in the next
    iteration. The prefetches of the last iteration are wasted. The attribute `eft.prefetched` tells the
    lowering that the load needs no other prefetch.

    A load gets no prefetch in each of these cases: its address is the same in every iteration; computing
    the next address needs an operation that accesses memory or has regions; or the next address needs a
    chain of more than 24 operations. In the last iteration, the loop computes addresses of an iteration that
    never runs. A division among these computations could be undefined, so a pass that runs earlier must have
    expanded all divisions.

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
  let summary = "Gives loads of matrix factors a version without masks and remainders";
  let description = [{
    For a CPU. A kernel masks the loads of factors because the last block along k may reach beyond the
    matrix. It takes row and column numbers modulo the matrix's extents because the last blocks of rows and
    columns may reach beyond the matrix, too. For all other blocks the masks are true, and the remainders
    are consecutive numbers. So each iteration of a loop with products compares a few scalars. If the
    comparisons show that all masks are true, and that no remainder wraps around inside its block, the
    factors are loaded without masks and remainders: as vectors of neighbours whose addresses are computed
    from scalars. Otherwise the factors are loaded as before. Only the version without masks prefetches.

    A load stays as it is in each of these cases:

    - It must read memory anew: it is `volatile` or has the cache modifier `cv`.
    - It has a mask that scalars can't decide: one that is made of more than scalar conditions and
      comparisons of ranges with scalars.
    - It has neither a mask nor an address with a remainder.
    - It comes after a write to memory, or its address depends on another factor.

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

def VersionStores : Pass<"eft-version-stores", "::mlir::func::FuncOp"> {
  let summary = "Gives pipelined loops a version for stores that write nothing that the loop loads";
  let description = [{
    For a GPU. If a store in a loop may write what a load in the loop reads, the load can't run some
    iterations ahead, and it must have the layout of the store. Usually the loop stores to other arrays than
    it loads from, but the addresses are known only when the kernel runs. So the kernel computes, before
    the loop, the range of bytes that each load and each store may access in all iterations. The pass emits
    the loop twice. One version has the attribute `eft.stores_apart`; it runs if no range of a load overlaps
    the range of a store. The other version is the original loop.

    The pass finds the range of an access if its address is a sum of terms. A term is a product of
    constants, numbers that the loop does not change, and at most one number with bounds. Numbers with
    bounds are the induction variable, elements of `eft.arange`, minima and maxima of such sums, and
    quotients and remainders of such sums by a constant. A mask can give tighter bounds. If an integer could
    have wrapped around, the original loop runs.

    A loop is not changed in any of these cases:

    - It has no `eft.dot` that runs on tensor cores, and `eft-prefetch-loads` would move none of its loads.
    - The range of an access is not known, for example because its address depends on a loaded value.
    - A load and a store compute their addresses from the same pointer.
    - It has no load or no store, or more than 24 pairs of a load and a store.
    - It accesses memory by other operations than loads and stores, such as atomic operations, or it has a
      barrier.
    - It has a load that must read memory anew: a `volatile` one, or one with the cache modifier `cv`.

    For a loop with products the number of stages does not matter: with one stage, loads still profit from
    their own layouts. The code of the loop becomes twice as long, and again if `eft-version-loops` doubles each version.

    ```mlir
    scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<16x16xf32>) : i32 {
      ... // eft.load of %x, an eft.dot, eft.store to %y
    }
    ```
    becomes
    ```mlir
    %apart = ... // the bytes from %x on, and those from %y on
    scf.if %apart {
      scf.for ... {
        ...
      } {eft.stores_apart}
    } else {
      scf.for ...
    }
    ```
  }];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", /*default=*/"4", "warps of a program">,
  ];
  let dependentDialects = ["EftDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def VersionLoops : Pass<"eft-version-loops", "::mlir::func::FuncOp"> {
  let summary = "Gives loops with products a version for arrays aligned to 16 bytes";
  let description = [{
    For a GPU. If a kernel loads the address or the row stride of a matrix from memory, their alignment is
    unknown. The factors of a product would then be loaded element by element. So the kernel tests the
    loaded integers, and gets two copies of the loop: one with hints, which runs if the test succeeds, and
    the original one. If other loops and conditionals contain the loop, the outermost of them that does not
    load one of the integers is copied as a whole. The test also covers the loaded integers on which the
    addresses of stores in the copies depend, so that matrices are stored by wide accesses, too.

    A loop stays as it is if hints would not allow wider accesses, or if the loop itself loads one of the
    integers.

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
  let summary = "Compares integers with a threshold, in place of the floats that are made of the integers";
  let description = [{
    Let a block of f32 be converted from non-negative i32, perhaps multiplied by a constant, and be
    compared with a scalar p. The floats are monotonic in the integers. So there is an integer, the
    threshold, such that the floats above p are those of the integers above the threshold. The threshold is
    computed from p once, as a scalar, and the integers are compared with it. The result is the same for
    every p, including NaN; UniformComparison.cpp has the proof.

    The constant must be a power of two, 2^-k with k from 0 to 124, or the float just below it. `tl.rand`
    multiplies by the float just below 2^-31. The floats must have no other use, or they would have to be
    computed all the same.

    The pass has two more patterns. The first one brings comparisons to the form above, the second one
    changes comparisons with a threshold:

    - A block that is moved (joined, reshaped, transposed) and then compared with a scalar is compared first;
      its booleans are moved instead.
    - `tl.rand` makes a non-negative integer of a random word w: w itself, or ~w where w is negative. This
      integer is greater than the threshold t exactly if w > t or w < ~t. With `unfold-words`, w itself is
      compared, with t and with ~t. On a GPU, one instruction does the second comparison and combines its
      result with that of the first.

    ```mlir
    %f = arith.sitofp %x : tensor<1024xi32> to tensor<1024xf32>
    %u = arith.mulf %f, %scale : tensor<1024xf32>
    %b = eft.splat %p : f32 -> tensor<1024xf32>
    %keep = arith.cmpf ogt, %u, %b : tensor<1024xf32>
    ```
    becomes, after the computation of `%threshold`,
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
  let summary = "Divides blocks by a scalar with the help of its reciprocal";
  let description = [{
    The division of a block of f32 or f64 by a splat becomes `eft.uniform_div`, which gives the same bits.
    The reciprocal of the divisor is an operand of `eft.uniform_div`, and is computed once.

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
