// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect itself, its types and its attributes. The operations are in EftOps.td.

#ifndef EFT_DIALECT
#define EFT_DIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/TensorEncoding.td"

def Eft_Dialect : Dialect {
  let name = "eft";
  let cppNamespace = "::eft";
  let summary = "Programs that work on blocks";
  let description = [{
    A *program* is one execution of a kernel, for one point of the grid. A launch runs all programs of the
    grid, in any order. A program computes with scalars and with *blocks*: tensors of static shape whose
    extents are powers of two. Scalars and blocks use `arith` and `math` for arithmetic, `scf` for control
    flow and `func` for functions. This dialect adds what those dialects lack. Examples are the program's
    position in the grid, pointers and accesses to memory, operations that make and reshape blocks,
    reductions, scans, matrix products, and counter-based random numbers.

    A kernel is a public function; private functions are helpers that are inlined. An argument of a
    kernel may carry `eft.divisibility`: a power of two that is known to divide the address (in bytes)
    or the integer.

    The memory accesses of one program are ordered only for elements with the same index. If the
    program stores a block and later loads a block of the same shape, the load of element i sees
    what the store of element i has written. Accesses of elements with different indices, or of blocks of
    different shapes, are not ordered, unless there is an `eft.barrier` between them.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    /// On a kernel's argument: a power of two that divides its address or value.
    static constexpr llvm::StringLiteral divisibilityName = "eft.divisibility";
    /// On a module: the code is right for launches of at most these numbers of programs along the
    /// three axes of the grid.
    static constexpr llvm::StringLiteral maxProgramsName = "eft.max_programs";
    /// On a lowered kernel for a GPU: the number of threads of a program.
    static constexpr llvm::StringLiteral threadsName = "eft.threads";
    /// On a load, or on an elementwise operation on integers, on blocks that are placed for a GPU:
    /// the number of neighbouring elements of one thread that are known to have the same result.
    static constexpr llvm::StringLiteral constancyName = "eft.constancy";
    /// On a division of floats: neither the operands nor the quotient are so large or so small that
    /// computing the quotient from the divisor's reciprocal would lose bits.
    static constexpr llvm::StringLiteral plainQuotientName = "eft.plain_quotient";
    /// On a division of floats: the dividend is known to be at least 0 or NaN.
    static constexpr llvm::StringLiteral nonNegativeDividendName = "eft.nonnegative_dividend";
    /// On a division of floats: the divisor is known to be at least 0 or NaN.
    static constexpr llvm::StringLiteral nonNegativeDivisorName = "eft.nonnegative_divisor";
    /// On a division of floats: the divisors are counts, and most often the same for all elements of
    /// a thread.
    static constexpr llvm::StringLiteral countingDivisorName = "eft.counting_divisor";
    /// On a conversion of a float to an integer, for a GPU: floats outside of the integer's range
    /// become the nearest integer of that range. NaN becomes 0, except that it may become any
    /// integer if the float or the integer has 64 bits.
    static constexpr llvm::StringLiteral saturatingName = "eft.saturating";
    /// On a loop: the number of its iterations that are under way at the same time.
    static constexpr llvm::StringLiteral numStagesName = "eft.num_stages";
    /// On a loop: while it runs once, no store in it writes what a load in it reads, in any
    /// iteration.
    static constexpr llvm::StringLiteral storesApartName = "eft.stores_apart";
    /// On a lowered kernel for a GPU: warpgroups compute matrix products in it.
    static constexpr llvm::StringLiteral warpgroupsName = "eft.warpgroups";
    /// On inline assembly, or on a function that is a part of a kernel: all threads of a warp must
    /// reach the assembly, or the calls of the function, together.
    static constexpr llvm::StringLiteral convergentName = "eft.convergent";
    /// On a lowered kernel for a GPU that uses shared memory: the number of bytes that one program
    /// uses.
    static constexpr llvm::StringLiteral sharedBytesName = "eft.shared_bytes";
  }];
}

def Eft_Pointer : TypeDef<Eft_Dialect, "Pointer"> {
  let mnemonic = "ptr";
  let summary = "The address of a value in memory";
  let description = [{
    An address in the memory to which the kernel's pointer arguments point (global memory on a GPU).
    The pointee is an integer of 8, 16, 32 or 64 bits or a float of 16, 32 or 64 bits. Memory holds
    booleans as `i8`.

    ```mlir
    !eft.ptr<f32>
    tensor<1024x!eft.ptr<bf16>>
    ```
  }];
  let parameters = (ins "::mlir::Type":$pointee);
  let assemblyFormat = "`<` $pointee `>`";
  let genVerifyDecl = 1;
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointee), [{
    return $_get(pointee.getContext(), pointee);
  }]>];
}

def Eft_Layout : AttrDef<Eft_Dialect, "Layout",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "layout";
  let summary = "The element of a block that each place of the machine holds";
  let description = [{
    A map from each *place* to the index of the element that the place holds. The map is linear over
    bits. A place has named dimensions in a fixed order: `register`, `lane` and `warp` on a GPU, `lane`
    and `step` on a CPU. In shared memory, the only dimension is `offset`.

    The attribute lists one *basis* for each bit of each dimension, the lowest bit first. A basis has
    one coordinate per dimension of the block. The index of a place's element is the exclusive or of
    the bases of all bits that are set in the place.

    ```mlir
    // 256 elements over one warp. The first four registers of the 32 lanes hold elements 0 to 127,
    // four neighbours in each lane. The next four registers hold elements 128 to 255.
    #eft.layout<register = [[1], [2], [128]], lane = [[4], [8], [16], [32], [64]], warp = []>
    ```

    See `compiler/layout/LinearLayout.h` for the algebra.
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::StringAttr", "names of the place's dimensions">:$dimensions,
    ArrayRefParameter<"int64_t", "number of bits of each dimension">:$bitCounts,
    ArrayRefParameter<"int64_t", "coordinates of every bit, one after the other">:$bases,
    "unsigned":$rank
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Returns the basis of bit `bit` of dimension number `dimension`.
    ::llvm::ArrayRef<int64_t> getBasis(unsigned dimension, unsigned bit) const;
  }];
}

#endif
