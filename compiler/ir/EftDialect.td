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
    A *program* is one instance of a kernel; a grid of programs runs in any order. A program works on
    scalars and on *blocks*: `tensor` types of static shape whose extents are powers of two. Arithmetic
    on both is `arith` and `math`, control flow is `scf`, functions are `func`. This dialect adds what
    those lack: the program's place in the grid, pointers and memory, the making and reshaping of
    blocks, and counter-based random numbers.

    A kernel is a public function; private functions are helpers that are inlined. An argument of a
    kernel may carry `eft.divisibility`, a power of two that the address (in bytes) or the integer is
    known to be a multiple of.

    Accesses of one program to memory are ordered for each element by itself: an element's load sees
    what the same element of an earlier store wrote. Between different elements there is no order.
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
    /// On a kernel for a GPU, once it is lowered: the threads of a program.
    static constexpr llvm::StringLiteral threadsName = "eft.threads";
    /// On a comparison of placed blocks: so many neighbours of a thread have one result.
    static constexpr llvm::StringLiteral constancyName = "eft.constancy";
    /// On a division of floats: neither its operands nor its quotient are so large or so small that
    /// dividing by the divisor's reciprocal loses bits.
    static constexpr llvm::StringLiteral plainQuotientName = "eft.plain_quotient";
    /// On a loop: how many iterations of it are under way at a time.
    static constexpr llvm::StringLiteral numStagesName = "eft.num_stages";
    /// On a kernel for a GPU, once it is lowered: warpgroups multiply in it.
    static constexpr llvm::StringLiteral warpgroupsName = "eft.warpgroups";
    /// On an operation of inline assembly: all threads of a warp must reach it together.
    static constexpr llvm::StringLiteral convergentName = "eft.convergent";
    /// The shared memory of a program, in bytes, on a kernel for a GPU that has some.
    static constexpr llvm::StringLiteral sharedBytesName = "eft.shared_bytes";
  }];
}

def Eft_Pointer : TypeDef<Eft_Dialect, "Pointer"> {
  let mnemonic = "ptr";
  let summary = "The address of a value in memory";
  let description = [{
    An address in the memory that the kernel's arguments live in (global memory on a GPU). The pointee
    is an integer of 8, 16, 32 or 64 bits or a float of 16, 32 or 64 bits. Booleans live in memory as
    `i8`.

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
  let summary = "Which place of the machine holds which element of a block";
  let description = [{
    A linear map over bits from a *place* to an index of the block. A place has named dimensions, in a
    fixed order; each lists its bits from the lowest, and for each bit the coordinates, one per
    dimension of the block, that the bit adds (by exclusive or) to the index.

    On a GPU the dimensions are `register`, `lane` and `warp`, on a CPU `lane` and `step`.

    ```mlir
    // 256 elements over one warp: four neighbours in a thread's first registers, the lanes beside
    // each other, and a second step.
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
    /// The coordinates that bit `bit` of dimension number `dimension` adds.
    ::llvm::ArrayRef<int64_t> getBasis(unsigned dimension, unsigned bit) const;
  }];
}

#endif
