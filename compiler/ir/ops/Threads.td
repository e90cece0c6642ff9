// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of one thread of a GPU, between the lowering of blocks and the LLVM dialect. Upstream's
// dialects have the others.

#ifndef EFT_OPS_THREADS
#define EFT_OPS_THREADS

include "compiler/ir/ops/Types.td"
include "compiler/ir/ops/Memory.td"

def Eft_ThreadLoadOp : Eft_Op<"thread_load", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead, MemWrite]>,
    TypesMatchWith<"the other words to have the type of the words",
                   "words", "other", "$_self",
                   "!::llvm::cast<::eft::ThreadLoadOp>(&$_op).getOther() || std::equal_to<>()">]> {
  let summary = "Loads words of global memory in one thread of a GPU";
  let description = [{
    Where the condition is false, memory is not touched, and the result is `other`, or zero if there is no
    `other`. There is no branch: the condition is a predicate of the instruction. The hints are those of
    `eft.load`. Loads without a condition and hints are LLVM's.

    A word has 8, 16, 32 or 64 bits. Two or four words of 32 bits, or two of 64, are a vector.

    The order of such loads stays as it is, so they count as writes too.

    ```mlir
    %0 = eft.thread_load %p cache cg : !llvm.ptr<1> -> vector<4xi32>
    %1 = eft.thread_load %p if %c else %0 : !llvm.ptr<1> -> vector<4xi32>
    ```
  }];
  let arguments = (ins AnyType:$pointer, Optional<I1>:$condition, Optional<AnyType>:$other,
                       OptionalAttr<Eft_CacheModifier>:$cache,
                       OptionalAttr<Eft_Eviction>:$eviction);
  let results = (outs AnyType:$words);
  let assemblyFormat = [{
    $pointer (`if` $condition^)? (`else` $other^)? (`cache` $cache^)? (`evict` $eviction^)? attr-dict
    `:` type($pointer) `->` type($words)
  }];
  let hasVerifier = 1;
}

def Eft_ThreadStoreOp : Eft_Op<"thread_store", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Stores words to global memory in one thread of a GPU";
  let description = [{
    Where the condition is false, memory is not touched. Conditions, hints and words are those of
    `eft.thread_load`.

    ```mlir
    eft.thread_store %p, %words if %c : !llvm.ptr<1>, vector<2xi64>
    ```
  }];
  let arguments = (ins AnyType:$pointer, AnyType:$words, Optional<I1>:$condition,
                       OptionalAttr<Eft_CacheModifier>:$cache,
                       OptionalAttr<Eft_Eviction>:$eviction);
  let assemblyFormat = [{
    $pointer `,` $words (`if` $condition^)? (`cache` $cache^)? (`evict` $eviction^)? attr-dict
    `:` type($pointer) `,` type($words)
  }];
  let hasVerifier = 1;
}

#endif
