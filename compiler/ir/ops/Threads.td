// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of one thread of a GPU. The lowering of blocks makes them, and they become operations of
// the LLVM dialect. The lowering also makes operations of upstream's dialects; those here are the ones
// that upstream lacks.

#ifndef EFT_OPS_THREADS
#define EFT_OPS_THREADS

include "compiler/ir/ops/Types.td"
include "compiler/ir/ops/Memory.td"

def Eft_ThreadLoadOp : Eft_Op<"thread_load", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead, MemWrite]>,
    TypesMatchWith<"the other words to have the type of the words",
                   "words", "other", "$_self",
                   "!::llvm::cast<::eft::ThreadLoadOp>(&$_op).getOther() || std::equal_to<>()">]> {
  let summary = "Loads words of global memory, as one thread of a GPU does";
  let description = [{
    If the condition is false, the operation does not access memory, and the result is `other`, or zero
    if there is no `other`. There is no branch: the condition is a predicate of the instruction. The
    hints are those of `eft.load`. A load without a condition and without hints is an `llvm.load`
    instead.

    A word has 8, 16, 32 or 64 bits. `words` is one word, a vector of two or four words of 32 bits, or a
    vector of two words of 64 bits.

    The operation counts as a write, too, so that no pass moves it across another access to memory.

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
  let summary = "Stores words to global memory, as one thread of a GPU does";
  let description = [{
    If the condition is false, the operation does not access memory. The condition, the hints and the
    words are those of `eft.thread_load`.

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

//===--- Atomic operations --------------------------------------------------------------------===//

class Eft_ThreadAtomic<string mnemonic, list<Trait> traits = []>
    : Eft_Op<mnemonic, traits # [MemoryEffects<[MemRead, MemWrite]>]> {
  let hasVerifier = 1;
}

def Eft_ThreadAtomicRMWOp : Eft_ThreadAtomic<"thread_atomic_rmw", [AllTypesMatch<["value", "result"]>]> {
  let summary = "Changes a word of global memory atomically, as one thread of a GPU does";
  let description = [{
    The computation, the order and the scope are those of `eft.atomic_rmw`. The result is what memory
    held before, or zero if the condition is false.

    `fadd` adds an f16, bf16, f32 or f64. It also adds a vector of 2, 4 or 8 f16 or bf16, or of 2 or 4
    f32, to neighbours in memory; each of these neighbours is changed atomically by itself. All other
    computations take an integer of 32 or 64 bits. The operation becomes one instruction. For computations
    that a GPU has no instruction for, such as the maximum of two integers of 16 bits, the lowering of
    `eft.atomic_rmw` makes a loop around an `eft.thread_atomic_cas` instead.

    ```mlir
    %0 = eft.thread_atomic_rmw add acq_rel gpu %p, %v if %c : !llvm.ptr<1>, i32
    %1 = eft.thread_atomic_rmw fadd relaxed gpu %p, %vs : !llvm.ptr<1>, vector<8xf16>
    ```
  }];
  let arguments = (ins Eft_AtomicKind:$kind, Eft_MemoryOrder:$order, Eft_MemoryScope:$scope,
                       AnyType:$pointer, AnyType:$value, Optional<I1>:$condition);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $kind $order $scope $pointer `,` $value (`if` $condition^)? attr-dict
    `:` type($pointer) `,` type($value)
  }];
}

def Eft_ThreadFenceOp : Eft_Op<"thread_fence", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Orders the accesses of one thread of a GPU";
  let description = [{
    The fence gives relaxed atomic operations a stronger order, for the threads of the scope. A relaxed
    operation after the fence releases all accesses before the fence, as with the order `release`. The
    accesses after the fence come after a relaxed operation before the fence, as with the order `acquire`.

    ```mlir
    eft.thread_fence gpu
    ```
  }];
  let arguments = (ins Eft_MemoryScope:$scope);
  let assemblyFormat = "$scope attr-dict";
}

def Eft_ThreadAtomicCASOp : Eft_ThreadAtomic<"thread_atomic_cas",
    [AllTypesMatch<["expected", "value", "result"]>]> {
  let summary = "Replaces an expected word of global memory atomically, as one thread of a GPU does";
  let description = [{
    Writes `value` if memory holds `expected`, as `eft.atomic_cas` does. Order and scope are those of
    `eft.atomic_cas`. The word has 16, 32 or 64 bits. The result is what memory held before, or zero if
    the condition is false.

    ```mlir
    %0 = eft.thread_atomic_cas relaxed sys %p, %expected, %v : !llvm.ptr<1>, i64
    ```
  }];
  let arguments = (ins Eft_MemoryOrder:$order, Eft_MemoryScope:$scope, AnyType:$pointer,
                       AnyType:$expected, AnyType:$value, Optional<I1>:$condition);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $order $scope $pointer `,` $expected `,` $value (`if` $condition^)? attr-dict
    `:` type($pointer) `,` type($value)
  }];
}

def Eft_ThreadAtomicLoadOp : Eft_ThreadAtomic<"thread_atomic_load"> {
  let summary = "`eft.atomic_load`, as one thread of a GPU does it";
  let description = [{
    Order and scope are those of `eft.atomic_load`. The word is an integer of 8, 16, 32 or 64 bits. If the
    condition is false, the operation does not access memory, and the result is zero.

    ```mlir
    %0 = eft.thread_atomic_load acquire gpu %p if %c : !llvm.ptr<1> -> i32
    ```
  }];
  let arguments = (ins Eft_MemoryOrder:$order, Eft_MemoryScope:$scope, AnyType:$pointer,
                       Optional<I1>:$condition);
  let results = (outs AnyType:$word);
  let assemblyFormat = [{
    $order $scope $pointer (`if` $condition^)? attr-dict `:` type($pointer) `->` type($word)
  }];
}

def Eft_ThreadAtomicStoreOp : Eft_ThreadAtomic<"thread_atomic_store"> {
  let summary = "`eft.atomic_store`, as one thread of a GPU does it";
  let description = [{
    Order and scope are those of `eft.atomic_store`. The word is an integer of 8, 16, 32 or 64 bits. If the
    condition is false, the operation does not access memory.

    ```mlir
    eft.thread_atomic_store release gpu %p, %word if %c : !llvm.ptr<1>, i32
    ```
  }];
  let arguments = (ins Eft_MemoryOrder:$order, Eft_MemoryScope:$scope, AnyType:$pointer,
                       AnyType:$word, Optional<I1>:$condition);
  let assemblyFormat = [{
    $order $scope $pointer `,` $word (`if` $condition^)? attr-dict `:` type($pointer) `,` type($word)
  }];
}

#endif
