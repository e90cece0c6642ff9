// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers and memory.

#ifndef EFT_OPS_MEMORY
#define EFT_OPS_MEMORY

include "compiler/ir/ops/Types.td"

def Eft_AddPtrOp : Eft_Op<"addptr", [Pure, Eft_Placed, Eft_ComputesInPlace,
    AllTypesMatch<["pointer", "result"]>]> {
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

def Eft_CacheModifier : I32EnumAttr<"CacheModifier", "the use of the caches by an access", [
    I32EnumAttrCase<"CA", 0, "ca">, I32EnumAttrCase<"CG", 1, "cg">,
    I32EnumAttrCase<"CS", 2, "cs">, I32EnumAttrCase<"CV", 3, "cv">,
    I32EnumAttrCase<"WB", 4, "wb">, I32EnumAttrCase<"WT", 5, "wt">]> {
  let cppNamespace = "::eft";
}

def Eft_Eviction : I32EnumAttr<"Eviction", "the priority in which a cache evicts data", [
    I32EnumAttrCase<"First", 0, "evict_first">, I32EnumAttrCase<"Last", 1, "evict_last">,
    I32EnumAttrCase<"Normal", 2, "evict_normal">]> {
  let cppNamespace = "::eft";
}

def Eft_LoadOp : Eft_Op<"load", [AttrSizedOperandSegments, Eft_Anchored, Eft_MemoryAccess,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
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

    Placing adds notes to an access to a block:

    - `run` is the number of neighbours along the lowest bits of the place that are neighbours in memory,
      and may be moved by one access;
    - `headless` says that the first element of a run may lie elsewhere: only the others are neighbours
      in memory;
    - `prefix` says that the mask is true up to some index of the block and false from there on;
    - `uniformRuns` says that the mask is the same for all elements of a run;
    - `prefixRuns` says that in each run the mask is true up to some element and false from there on;
    - `cutsAll` says, beside `prefixRuns`, that the mask is the same in all programs: many threads may
      hold runs for which it is false.

    A cache modifier (`ca`, `cg`, `cs`, `cv`) and an eviction policy are hints to a GPU's caches. Every
    execution of a load that is `volatile` or has `cv` reads memory anew.

    ```mlir
    %0 = eft.load %p : !eft.ptr<i32>
    %1 = eft.load %ps, mask %m : tensor<1024x!eft.ptr<f32>>
    %2 = eft.load %ps, mask %m other %o : tensor<1024x!eft.ptr<f32>>
    %3 = eft.load %ps cache cg evict evict_first : tensor<1024x!eft.ptr<f32>>
    %4 = eft.load %p volatile : !eft.ptr<i32>
    ```
  }];
  let arguments = (ins Eft_PointerLike:$pointer, Optional<Eft_MaskLike>:$mask,
                       Optional<Eft_Value>:$other, OptionalAttr<I32Attr>:$run, UnitAttr:$prefix,
                       UnitAttr:$uniformRuns, UnitAttr:$prefixRuns, UnitAttr:$cutsAll,
                       UnitAttr:$headless,
                       OptionalAttr<Eft_CacheModifier>:$cache,
                       OptionalAttr<Eft_Eviction>:$eviction, UnitAttr:$isVolatile);
  let results = (outs Eft_Value:$result);
  let assemblyFormat = [{
    $pointer (`,` `mask` $mask^)? (`other` $other^)? (`cache` $cache^)? (`evict` $eviction^)?
    (`volatile` $isVolatile^)? attr-dict `:` type($pointer)
  }];
  let extraClassDeclaration = [{
    /// True if every execution of the load reads memory anew.
    bool readsAnew() { return getIsVolatile() || getCache() == CacheModifier::CV; }
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Eft_StoreOp : Eft_Op<"store", [Eft_Placed, Eft_MemoryAccess,
    TypesMatchWith<"the value to have the shape of the pointer and the type of its pointee",
                   "pointer", "value", "::eft::pointeeLike($_self)">,
    TypesMatchWith<"the mask to be an i1 or a block of i1 of the pointer's shape",
                   "pointer", "mask", "::eft::maskLike($_self)",
                   "!::llvm::cast<::eft::StoreOp>(&$_op).getMask() || std::equal_to<>()">]> {
  let summary = "Writes to memory";
  let description = [{
    Where the mask is false, memory is not touched. A cache modifier (`wb`, `cg`, `cs`, `wt`) and an
    eviction policy are hints to a GPU's caches.

    ```mlir
    eft.store %ps, %values, mask %m : tensor<1024x!eft.ptr<f32>>
    eft.store %ps, %values cache cs evict evict_last : tensor<1024x!eft.ptr<f32>>
    ```
  }];
  let arguments = (ins Arg<Eft_PointerLike, "", [MemWrite]>:$pointer, Eft_Value:$value,
                       Optional<Eft_MaskLike>:$mask, OptionalAttr<I32Attr>:$run, UnitAttr:$prefix,
                       UnitAttr:$uniformRuns, UnitAttr:$prefixRuns, UnitAttr:$cutsAll,
                       UnitAttr:$headless,
                       OptionalAttr<Eft_CacheModifier>:$cache,
                       OptionalAttr<Eft_Eviction>:$eviction);
  let assemblyFormat = [{
    $pointer `,` $value (`,` `mask` $mask^)? (`cache` $cache^)? (`evict` $eviction^)? attr-dict
    `:` type($pointer)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Eft_PrefetchOp : Eft_Op<"prefetch", [Eft_Placed, Eft_MemoryAccess]> {
  let summary = "Lets memory be fetched into the caches";
  let description = [{
    For a CPU. A hint: a later load of these addresses need not wait for memory. Any address may be given,
    because no memory is touched as far as the program can see. Of each vector, the first element's cache
    line is fetched, if it is another one than that of the vector before.

    ```mlir
    eft.prefetch %ps : tensor<64x128x!eft.ptr<f32>>
    ```
  }];
  // A write keeps it from being left out.
  let arguments = (ins Arg<Eft_PointerLike, "", [MemWrite]>:$pointer);
  let assemblyFormat = "$pointer attr-dict `:` type($pointer)";
}

def Eft_CastPtrOp : Eft_Op<"cast_ptr", [Pure, Eft_KeepsNumbers, Elementwise, Scalarizable, Vectorizable, Tensorizable]> {
  let summary = "Converts an address to one of another type, or to or from a number";
  let description = [{
    The address stays the same; only the type that it points to changes. As a number it counts bytes.

    ```mlir
    %1 = eft.cast_ptr %0 : tensor<64x!eft.ptr<f32>> -> tensor<64x!eft.ptr<i32>>
    %2 = eft.cast_ptr %1 : tensor<64x!eft.ptr<i32>> -> tensor<64xi64>
    ```
  }];
  let arguments = (ins Eft_AddressLike:$source);
  let results = (outs Eft_AddressLike:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===--- Atomics ------------------------------------------------------------------------------===//

def Eft_AtomicKind : I32EnumAttr<"AtomicKind", "the computation of an atomic operation", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"FAdd", 1, "fadd">,
    I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
    I32EnumAttrCase<"UMax", 4, "umax">, I32EnumAttrCase<"UMin", 5, "umin">,
    I32EnumAttrCase<"And", 6, "and">, I32EnumAttrCase<"Or", 7, "or">,
    I32EnumAttrCase<"Xor", 8, "xor">, I32EnumAttrCase<"Exchange", 9, "xchg">]> {
  let cppNamespace = "::eft";
}

def Eft_MemoryOrder : I32EnumAttr<"MemoryOrder", "the order of accesses around an atomic operation", [
    I32EnumAttrCase<"Relaxed", 0, "relaxed">, I32EnumAttrCase<"Acquire", 1, "acquire">,
    I32EnumAttrCase<"Release", 2, "release">, I32EnumAttrCase<"AcqRel", 3, "acq_rel">]> {
  let cppNamespace = "::eft";
}

def Eft_MemoryScope : I32EnumAttr<"MemoryScope", "the threads to which an operation is atomic", [
    I32EnumAttrCase<"Program", 0, "cta">, I32EnumAttrCase<"Gpu", 1, "gpu">,
    I32EnumAttrCase<"System", 2, "sys">]> {
  let cppNamespace = "::eft";
}

def Eft_AtomicRMWOp : Eft_Op<"atomic_rmw", [Eft_Anchored,
    DeclareOpInterfaceMethods<Eft_MemoryAccessOpInterface, ["isAtomic"]>,
    TypesMatchWith<"the value to have the shape of the pointer and the type of its pointee",
                   "pointer", "value", "::eft::pointeeLike($_self)">,
    TypesMatchWith<"the result to have the shape of the pointer and the type of its pointee",
                   "pointer", "result", "::eft::pointeeLike($_self)">,
    TypesMatchWith<"the mask to be an i1 or a block of i1 of the pointer's shape",
                   "pointer", "mask", "::eft::maskLike($_self)",
                   "!::llvm::cast<::eft::AtomicRMWOp>(&$_op).getMask() || std::equal_to<>()">]> {
  let summary = "Changes memory atomically";
  let description = [{
    Reads memory, computes with the value, and writes the result back; no other program's access comes
    between the two. The result is what memory held before. This happens once for each element, however
    many threads hold it. Where the mask is false, memory is not touched, and the result is zero.

    `add`, `and`, `or` and `xor` work on integers of 32 and 64 bits, `max`, `min`, `umax` and `umin` also on
    those of 16, `fadd` on f16, bf16, f32 and f64, and `xchg`, which only writes, on types of 32 or 64 bits.

    With `release` or `acq_rel`, whoever reads the written value and acquires also sees what the program
    has written before. With `acquire` or `acq_rel`, later accesses see what was written before the write
    whose value was read. For a scalar, "the program" is all of it; an element of a block orders only the
    accesses of the same element. The scope says to whom this applies: the program's threads (`cta`), the
    device (`gpu`), or the whole machine (`sys`).

    Placing notes as `run` the number of neighbours along the lowest bits of the place that are neighbours
    in memory and have one mask: one instruction may add to them all.

    ```mlir
    %0 = eft.atomic_rmw add acq_rel gpu %p, %one : !eft.ptr<i32>
    %1 = eft.atomic_rmw fadd relaxed gpu %ps, %xs, mask %m : tensor<1024x!eft.ptr<f32>>
    ```
  }];
  let arguments = (ins Eft_AtomicKind:$kind, Eft_MemoryOrder:$order, Eft_MemoryScope:$scope,
                       Arg<Eft_PointerLike, "", [MemRead, MemWrite]>:$pointer, Eft_Value:$value,
                       Optional<Eft_MaskLike>:$mask, OptionalAttr<I32Attr>:$run);
  let results = (outs Eft_Value:$result);
  let assemblyFormat = [{
    $kind $order $scope $pointer `,` $value (`,` `mask` $mask^)? attr-dict `:` type($pointer)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Eft_AtomicCASOp : Eft_Op<"atomic_cas", [Eft_Anchored,
    DeclareOpInterfaceMethods<Eft_MemoryAccessOpInterface, ["isAtomic"]>,
    TypesMatchWith<"the expected value to have the shape of the pointer and the type of its pointee",
                   "pointer", "expected", "::eft::pointeeLike($_self)">,
    TypesMatchWith<"the value to have the shape of the pointer and the type of its pointee",
                   "pointer", "value", "::eft::pointeeLike($_self)">,
    TypesMatchWith<"the result to have the shape of the pointer and the type of its pointee",
                   "pointer", "result", "::eft::pointeeLike($_self)">]> {
  let summary = "Writes to memory if it holds what is expected";
  let description = [{
    Atomically compares memory's bits with those of `expected` and, if they are equal, writes `value`. The
    result is what memory held before. The type has 16, 32 or 64 bits. Order and scope are those of
    `eft.atomic_rmw`.

    ```mlir
    %0 = eft.atomic_cas acq_rel gpu %p, %free, %taken : !eft.ptr<i32>
    ```
  }];
  let arguments = (ins Eft_MemoryOrder:$order, Eft_MemoryScope:$scope,
                       Arg<Eft_PointerLike, "", [MemRead, MemWrite]>:$pointer, Eft_Value:$expected,
                       Eft_Value:$value);
  let results = (outs Eft_Value:$result);
  let assemblyFormat = [{
    $order $scope $pointer `,` $expected `,` $value attr-dict `:` type($pointer)
  }];
  let hasVerifier = 1;
}

class Eft_AtomicAccess<string mnemonic, list<Trait> traits> : Eft_Op<mnemonic, traits # [
    DeclareOpInterfaceMethods<Eft_MemoryAccessOpInterface, ["isAtomic"]>,
    TypesMatchWith<"the value to have the shape of the pointer and the type of its pointee",
                   "pointer", "value", "::eft::pointeeLike($_self)">]> {
  let hasVerifier = 1;
}

def Eft_AtomicLoadOp : Eft_AtomicAccess<"atomic_load", [Eft_Anchored,
    TypesMatchWith<"the mask to be an i1 or a block of i1 of the pointer's shape",
                   "pointer", "mask", "::eft::maskLike($_self)",
                   "!::llvm::cast<::eft::AtomicLoadOp>(&$_op).getMask() || std::equal_to<>()">]> {
  let summary = "Reads memory that other programs may write meanwhile";
  let description = [{
    Each element is read anew, whole, and once. Where the mask is false, memory is not touched, and the
    result is zero. The order is `relaxed` or `acquire`; it and the scope mean what they do for
    `eft.atomic_rmw`.

    ```mlir
    %0 = eft.atomic_load acquire gpu %p : !eft.ptr<i32>
    %1 = eft.atomic_load relaxed gpu %ps, mask %m : tensor<1024x!eft.ptr<f32>>
    ```
  }];
  let arguments = (ins Eft_MemoryOrder:$order, Eft_MemoryScope:$scope,
                       Arg<Eft_PointerLike, "", [MemRead, MemWrite]>:$pointer,
                       Optional<Eft_MaskLike>:$mask);
  let results = (outs Eft_Value:$value);
  let assemblyFormat = "$order $scope $pointer (`,` `mask` $mask^)? attr-dict `:` type($pointer)";
}

def Eft_AtomicStoreOp : Eft_AtomicAccess<"atomic_store", [Eft_Placed,
    TypesMatchWith<"the mask to be an i1 or a block of i1 of the pointer's shape",
                   "pointer", "mask", "::eft::maskLike($_self)",
                   "!::llvm::cast<::eft::AtomicStoreOp>(&$_op).getMask() || std::equal_to<>()">]> {
  let summary = "Writes memory that other programs may read meanwhile";
  let description = [{
    Each element is written whole, and once. Where the mask is false, memory is not touched. The order is
    `relaxed` or `release`; it and the scope mean what they do for `eft.atomic_rmw`.

    ```mlir
    eft.atomic_store release gpu %p, %one : !eft.ptr<i32>
    eft.atomic_store relaxed gpu %ps, %xs, mask %m : tensor<1024x!eft.ptr<f32>>
    ```
  }];
  let arguments = (ins Eft_MemoryOrder:$order, Eft_MemoryScope:$scope,
                       Arg<Eft_PointerLike, "", [MemRead, MemWrite]>:$pointer, Eft_Value:$value,
                       Optional<Eft_MaskLike>:$mask);
  let assemblyFormat = [{
    $order $scope $pointer `,` $value (`,` `mask` $mask^)? attr-dict `:` type($pointer)
  }];
}

//===--- Order and knowledge ------------------------------------------------------------------===//

def Eft_BarrierOp : Eft_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Completes the program's earlier accesses before its later ones";
  let description = [{
    It holds for all elements: what any of them has written before, each of them can load after it.

    ```mlir
    eft.barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Eft_HintOp : Eft_Op<"hint", [Pure, Elementwise, Eft_ComputesInPlace, Eft_KeepsNumbers,
    AllTypesMatch<["source", "result"]>]> {
  let summary = "States properties that a block's values are known to have";
  let description = [{
    The result is the source. The lists have a number for each dimension of the block, and one for a
    scalar; `compiler/analysis/AxisInfo.h` defines the three properties. A number that is not a power of
    two counts as the largest power of two that divides it.

    If a hint is wrong, an access that uses these values may reach the wrong addresses.

    ```mlir
    %1 = eft.hint %0 contiguity [128] divisibility [16] : tensor<1024xi32>
    ```
  }];
  let arguments = (ins Eft_Value:$source, OptionalAttr<DenseI64ArrayAttr>:$contiguity,
                       OptionalAttr<DenseI64ArrayAttr>:$divisibility,
                       OptionalAttr<DenseI64ArrayAttr>:$constancy);
  let results = (outs Eft_Value:$result);
  let assemblyFormat = [{
    $source (`contiguity` $contiguity^)? (`divisibility` $divisibility^)?
    (`constancy` $constancy^)? attr-dict `:` type($source)
  }];
  let hasVerifier = 1;
}

def Eft_AssumeOp : Eft_Op<"assume", [MemoryEffects<[MemWrite]>]> {
  let summary = "States that a condition holds";
  let description = [{
    If it does not, the behaviour of the program is undefined. LLVM may use the condition.

    ```mlir
    eft.assume %positive
    ```
  }];
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
}

#endif
