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
    Where the mask is false, the operation does not access memory, and the result is `other`, or zero if
    there is no `other`.

    Placing adds notes to a load of a block. The last three notes occur only on a GPU, and never together
    with `prefix`:

    - `run` is the number of elements that one access may move. These elements are neighbours in memory,
      and their places differ only in the lowest bits of `register` (on a GPU) or of `lane` (on a CPU);
    - `headless` says that the first element of a run may lie elsewhere in memory: only the other elements
      of the run are known to be neighbours;
    - `prefix` says that the mask is true up to some index of the block and false from there on;
    - `uniformRuns` says that the mask is the same for all elements of a run;
    - `prefixRuns` says that in each run the mask is true up to some element and false from there on;
    - `cutsAll` accompanies `prefixRuns`. It says that the mask is a prefix of the block, and the same
      prefix in all programs. An example is `columns < n`, where n is the length of a row. The mask may
      then be false for elements of many threads of every program, so the lowering tests the mask of each
      run. With `prefixRuns` alone, the lowering expects that the mask is true for all elements of most
      threads, so each thread tests this once.

    A cache modifier (`ca`, `cg`, `cs`, `cv`) and an eviction policy are hints to a GPU's caches. A load
    that is `volatile` or has `cv` reads memory again each time it is executed.

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
    /// Returns true if each execution of the load must read memory again.
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
    Where the mask is false, the operation does not access memory. The notes of placing are those of
    `eft.load`. A cache modifier (`wb`, `cg`, `cs`, `wt`) and an eviction policy are hints to a GPU's
    caches.

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
  let summary = "Asks a CPU to fetch memory into its caches";
  let description = [{
    A hint for a CPU only: later loads from these addresses then need not wait for memory. Every address
    is allowed, because the operation has no effect that the program can see. For each vector of pointers,
    the cache line of its first element is fetched. If several vectors lie in one cache line, as far as the
    layout tells, the line is fetched once, for the first of these vectors.

    ```mlir
    eft.prefetch %ps : tensor<64x128x!eft.ptr<f32>>
    ```
  }];
  // The effect is a write, so that the operation is not removed as dead code.
  let arguments = (ins Arg<Eft_PointerLike, "", [MemWrite]>:$pointer);
  let assemblyFormat = "$pointer attr-dict `:` type($pointer)";
}

def Eft_CastPtrOp : Eft_Op<"cast_ptr", [Pure, Eft_KeepsNumbers, Elementwise, Scalarizable, Vectorizable, Tensorizable]> {
  let summary = "Converts an address to another pointer type, to an i64, or from an i64";
  let description = [{
    The address stays the same. A cast between pointers changes only the type of the pointee. An address
    as an i64 counts bytes.

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
    Reads memory, computes a new value from what memory held and `value`, and writes the new value back.
    No other program accesses the memory between the read and the write. The result is what memory held
    before. The operation is done once for each element, even if several threads hold the element. Where
    the mask is false, the operation does not access memory, and the result is zero.

    `add`, `and`, `or` and `xor` work on integers of 32 and 64 bits. `max`, `min`, `umax` and `umin`
    also work on integers of 16 bits. `fadd` works on f16, bf16, f32 and f64. `xchg`, which writes
    `value` itself, works on types of 32 or 64 bits.

    The order says how the operation orders other accesses of the program:

    - `relaxed`: it does not order them.
    - `release` or `acq_rel`: a thread that reads the written value by an operation that acquires also
      sees what the program has written before this operation.
    - `acquire` or `acq_rel`: the program's later accesses see what was written before the release of the
      value that this operation has read.

    An operation on a scalar orders all accesses of the program. An operation on a block orders, for each
    element, only the accesses of elements with the same index.

    The scope says with regard to which threads the operation is atomic and orders accesses: the threads
    of the program (`cta`), of the device (`gpu`), or of the whole machine (`sys`).

    For `fadd`, placing adds the note `run`: the number of elements to which one instruction may add.
    These elements lie at places that differ only in their lowest bits, are neighbours in memory, and
    have the same mask.

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
  let summary = "Writes to memory if memory holds an expected value";
  let description = [{
    Compares, in one atomic step, the bits in memory with those of `expected`, and writes `value` if
    they are equal. The result is what memory held before. The type has 16, 32 or 64 bits. Order and
    scope are those of `eft.atomic_rmw`.

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
    Each execution reads each element from memory exactly once, in one piece. Where the mask is false,
    the operation does not access memory, and the result is zero. The order is `relaxed` or `acquire`.
    Order and scope mean the same as for `eft.atomic_rmw`.

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
    Writes each element exactly once, in one piece. Where the mask is false, the operation does not
    access memory. The order is `relaxed` or `release`. Order and scope mean the same as for
    `eft.atomic_rmw`.

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
    The barrier orders accesses of different elements, too: after it, a load of any element sees what
    was stored to any element before it.

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
    The result is the source. Each list has one number for each dimension of the block, or one number
    for a scalar. `compiler/analysis/AxisInfo.h` defines contiguity, divisibility and constancy. A
    number that is not a power of two counts as the largest power of two that divides it.

    If a hint is wrong, an access whose pointers or mask are computed from the result may access other
    elements than the program says, or fail.

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
    If the condition is false, the behaviour of the program is undefined. LLVM may use the condition to
    simplify the code.

    ```mlir
    eft.assume %positive
    ```
  }];
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
}

#endif
