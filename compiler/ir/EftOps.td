// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of the dialect. The reference page is generated from this file.

#ifndef EFT_OPS
#define EFT_OPS

include "compiler/ir/EftDialect.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Eft_Op<string mnemonic, list<Trait> traits = []> : Op<Eft_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Types of operands
//===----------------------------------------------------------------------===//

def Eft_ScalarPointer : Type<CPred<"::llvm::isa<::eft::PointerType>($_self)">, "pointer">;
def Eft_Scalar : AnyTypeOf<[AnySignlessInteger, AnyFloat, Eft_ScalarPointer], "scalar">;
def Eft_Block : Type<CPred<"::eft::isBlock($_self)">,
    "block (a static tensor whose extents are powers of two)", "::mlir::RankedTensorType">;
def Eft_IntBlock : Type<And<[Eft_Block.predicate,
    CPred<"::mlir::getElementTypeOrSelf($_self).isSignlessInteger()">]>, "block of integers",
    "::mlir::RankedTensorType">;
def Eft_Value : AnyTypeOf<[Eft_Scalar, Eft_Block], "scalar or block">;
def Eft_PointerLike : Type<And<[Eft_Value.predicate,
    CPred<"::llvm::isa<::eft::PointerType>(::mlir::getElementTypeOrSelf($_self))">]>,
    "pointer or block of pointers">;
def Eft_IntLike : Type<And<[Eft_Value.predicate,
    CPred<"::mlir::getElementTypeOrSelf($_self).isSignlessInteger()">]>,
    "integer or block of integers">;
def Eft_MaskLike : Type<And<[Eft_Value.predicate,
    CPred<"::mlir::getElementTypeOrSelf($_self).isSignlessInteger(1)">]>, "i1 or block of i1">;
def Eft_WordLike : Type<And<[Eft_Value.predicate,
    CPred<"::mlir::getElementTypeOrSelf($_self).isSignlessInteger(32)">]>, "i32 or block of i32">;
def Eft_SeedLike : Type<And<[Eft_Value.predicate,
    CPred<"::mlir::getElementTypeOrSelf($_self).isSignlessInteger(64)">]>, "i64 or block of i64">;

//===----------------------------------------------------------------------===//
// The program's place in the grid
//===----------------------------------------------------------------------===//

def Eft_Axis : I32EnumAttr<"Axis", "an axis of the grid", [
    I32EnumAttrCase<"X", 0, "x">, I32EnumAttrCase<"Y", 1, "y">, I32EnumAttrCase<"Z", 2, "z">]> {
  let cppNamespace = "::eft";
}

def Eft_ProgramIdOp : Eft_Op<"program_id", [Pure]> {
  let summary = "The program's position along an axis of the grid";
  let description = [{
    ```mlir
    %row = eft.program_id y
    ```
  }];
  let arguments = (ins Eft_Axis:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
}

def Eft_NumProgramsOp : Eft_Op<"num_programs", [Pure]> {
  let summary = "The extent of the grid along an axis";
  let description = [{
    ```mlir
    %rows = eft.num_programs y
    ```
  }];
  let arguments = (ins Eft_Axis:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
}

//===----------------------------------------------------------------------===//
// Making and reshaping blocks
//===----------------------------------------------------------------------===//

def Eft_ArangeOp : Eft_Op<"arange", [Pure]> {
  let summary = "Consecutive integers";
  let description = [{
    The integers from `start` up to, and without, `end`. Their number is a power of two.

    ```mlir
    %0 = eft.arange 0 to 1024 : tensor<1024xi32>
    ```
  }];
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs Eft_IntBlock:$result);
  let assemblyFormat = "$start `to` $end attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Eft_SplatOp : Eft_Op<"splat", [Pure]> {
  let summary = "A block with one value at every index";
  let description = [{
    ```mlir
    %1 = eft.splat %0 : f32 -> tensor<1024xf32>
    ```
  }];
  let arguments = (ins Eft_Scalar:$source);
  let results = (outs Eft_Block:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Eft_ExpandDimsOp : Eft_Op<"expand_dims", [Pure]> {
  let summary = "Inserts a dimension of extent 1";
  let description = [{
    The result's dimension number `axis` has extent 1; the others are the source's, in order. If the
    blocks have layouts, the source's is the result's without that dimension.

    ```mlir
    %1 = eft.expand_dims %0 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
    ```
  }];
  let arguments = (ins Eft_Block:$source, I32Attr:$axis);
  let results = (outs Eft_Block:$result);
  let assemblyFormat = "$source `axis` $axis attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let hasFolder = 1;
}

def Eft_BroadcastOp : Eft_Op<"broadcast", [Pure]> {
  let summary = "Repeats a block along its dimensions of extent 1";
  let description = [{
    Source and result have the same rank and element type; where their extents differ, the source's
    is 1.

    ```mlir
    %1 = eft.broadcast %0 : tensor<64x1xi32> -> tensor<64x32xi32>
    ```
  }];
  let arguments = (ins Eft_Block:$source);
  let results = (outs Eft_Block:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

def Eft_AddPtrOp : Eft_Op<"addptr", [Pure, AllTypesMatch<["pointer", "result"]>]> {
  let summary = "Moves a pointer by a number of elements";
  let description = [{
    The offset counts elements, not bytes, and is signed.

    ```mlir
    %1 = eft.addptr %0, %offsets : tensor<1024x!eft.ptr<f32>>, tensor<1024xi32>
    ```
  }];
  let arguments = (ins Eft_PointerLike:$pointer, Eft_IntLike:$offset);
  let results = (outs Eft_PointerLike:$result);
  let assemblyFormat = "$pointer `,` $offset attr-dict `:` type($pointer) `,` type($offset)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Eft_LoadOp : Eft_Op<"load", [AttrSizedOperandSegments,
    TypesMatchWith<"the result to have the shape of the pointer and the type of its pointee",
                   "pointer", "result", "::eft::pointeeLike($_self)">,
    TypesMatchWith<"the mask to be an i1 or a block of i1 of the pointer's shape",
                   "pointer", "mask", "::eft::maskLike($_self)",
                   "!::llvm::cast<::eft::LoadOp>(&$_op).getMask() || std::equal_to<>()">,
    TypesMatchWith<"the other value to have the result's type",
                   "pointer", "other", "::eft::pointeeLike($_self)",
                   "!::llvm::cast<::eft::LoadOp>(&$_op).getOther() || std::equal_to<>()">]> {
  let summary = "Reads from memory";
  let description = [{
    Where the mask is false, memory is not touched, and the result is `other`, or zero if there is no
    `other`.

    Placing notes what it found about an access to a block: `run` is the number of neighbours along
    the lowest bits of the place that are neighbours in memory, and may be moved by one access;
    `prefix` says that the mask is true up to some index of the block and false from there on.

    ```mlir
    %0 = eft.load %p : !eft.ptr<i32>
    %1 = eft.load %ps, mask %m : tensor<1024x!eft.ptr<f32>>
    %2 = eft.load %ps, mask %m other %o : tensor<1024x!eft.ptr<f32>>
    ```
  }];
  let arguments = (ins Arg<Eft_PointerLike, "", [MemRead]>:$pointer,
                       Optional<Eft_MaskLike>:$mask, Optional<Eft_Value>:$other,
                       OptionalAttr<I32Attr>:$run, UnitAttr:$prefix);
  let results = (outs Eft_Value:$result);
  let assemblyFormat = [{
    $pointer (`,` `mask` $mask^)? (`other` $other^)? attr-dict `:` type($pointer)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Eft_StoreOp : Eft_Op<"store", [
    TypesMatchWith<"the value to have the shape of the pointer and the type of its pointee",
                   "pointer", "value", "::eft::pointeeLike($_self)">,
    TypesMatchWith<"the mask to be an i1 or a block of i1 of the pointer's shape",
                   "pointer", "mask", "::eft::maskLike($_self)",
                   "!::llvm::cast<::eft::StoreOp>(&$_op).getMask() || std::equal_to<>()">]> {
  let summary = "Writes to memory";
  let description = [{
    Where the mask is false, memory is not touched.

    ```mlir
    eft.store %ps, %values, mask %m : tensor<1024x!eft.ptr<f32>>
    ```
  }];
  let arguments = (ins Arg<Eft_PointerLike, "", [MemWrite]>:$pointer, Eft_Value:$value,
                       Optional<Eft_MaskLike>:$mask, OptionalAttr<I32Attr>:$run, UnitAttr:$prefix);
  let assemblyFormat = [{
    $pointer `,` $value (`,` `mask` $mask^)? attr-dict `:` type($pointer)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

//===----------------------------------------------------------------------===//
// Arithmetic that arith lacks
//===----------------------------------------------------------------------===//

def Eft_PhiloxOp : Eft_Op<"philox", [Pure,
    AllTypesMatch<["c0", "c1", "c2", "c3", "r0", "r1", "r2", "r3"]>]> {
  let summary = "Four words of the Philox 4x32 generator";
  let description = [{
    The counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as
    1, 2, 3" (SC 2011). The key's two words are the low and the high half of the seed. The same seed
    and counter give the same words on every target.

    ```mlir
    %w:4 = eft.philox seed %seed counter %i, %zero, %zero, %zero rounds 10
        : i64, tensor<1024xi32>
    ```
  }];
  let arguments = (ins Eft_SeedLike:$seed, Eft_WordLike:$c0, Eft_WordLike:$c1, Eft_WordLike:$c2,
                       Eft_WordLike:$c3, ConfinedAttr<I32Attr, [IntPositive]>:$rounds);
  let results = (outs Eft_WordLike:$r0, Eft_WordLike:$r1, Eft_WordLike:$r2, Eft_WordLike:$r3);
  let assemblyFormat = [{
    `seed` $seed `counter` $c0 `,` $c1 `,` $c2 `,` $c3 `rounds` $rounds attr-dict
    `:` type($seed) `,` type($c0)
  }];
  let hasVerifier = 1;
}

def Eft_UniformDivOp : Eft_Op<"uniform_div", [Pure, AllTypesMatch<["dividend", "result"]>,
    AllTypesMatch<["divisor", "reciprocal"]>]> {
  let summary = "Divides a block by one number, correctly rounded";
  let description = [{
    The quotient of every element and `divisor`, with the same bits as `arith.divf`. `reciprocal` is 1
    divided by `divisor`, rounded to nearest; a target that multiplies faster than it divides uses it.

    ```mlir
    %q = eft.uniform_div %x, %d, %r : tensor<1024xf32>, f32
    ```
  }];
  let arguments = (ins Eft_Block:$dividend, AnyFloat:$divisor, AnyFloat:$reciprocal);
  let results = (outs Eft_Block:$result);
  let assemblyFormat = [{
    $dividend `,` $divisor `,` $reciprocal attr-dict `:` type($dividend) `,` type($divisor)
  }];
  let hasVerifier = 1;
}

#endif
