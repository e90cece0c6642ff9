// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers and memory.

#ifndef EFT_OPS_MEMORY
#define EFT_OPS_MEMORY

include "compiler/ir/ops/Types.td"

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

#endif
