// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks in the shared memory of a GPU, and the copies that bring them there.

#ifndef EFT_OPS_SHARED
#define EFT_OPS_SHARED

include "compiler/ir/ops/Types.td"

def Eft_Shared : TypeDef<Eft_Dialect, "Shared"> {
  let mnemonic = "shared";
  let summary = "Slots for a block in shared memory";
  let description = [{
    All threads of a program share the slots. Each slot has room for one block. The layout of the block
    maps each offset in the slot, counted in elements, to the index of the element that lies there. So
    `offset` is the layout's only dimension. The layout may be a swizzle, which spreads the accesses of
    threads over different banks.

    ```mlir
    !eft.shared<3, tensor<128x64xf16, #layout>>
    ```
  }];
  let parameters = (ins "int64_t":$slots, "::mlir::RankedTensorType":$block);
  let assemblyFormat = "`<` $slots `,` $block `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Returns the bytes of one slot, rounded up to a multiple of the widest access, 16 bytes.
    uint64_t getSlotBytes();
    /// Returns the bytes of all slots, rounded up to a multiple of `alignment`.
    uint64_t getBytes() {
      return ::llvm::alignTo(uint64_t(getSlots()) * getSlotBytes(), alignment);
    }
    /// The first slot begins at a multiple of this number of bytes. A swizzle combines bits of the
    /// address by exclusive or, and the highest of these bits has the value 512. In all of these
    /// bits, the address of an element is thus equal to its offset from the first slot.
    static constexpr unsigned alignment = 1024;
  }];
}

def Eft_AllocSharedOp : Eft_Op<"alloc_shared", [MemoryEffects<[MemAlloc]>]> {
  let summary = "Makes slots in shared memory";
  let description = [{
    The contents of the slots are unspecified. The slots exist until `eft.dealloc_shared`. Slots must be
    freed in the reverse order of their allocation.

    ```mlir
    %s = eft.alloc_shared : !eft.shared<3, tensor<128x64xf16, #layout>>
    ```
  }];
  let results = (outs Eft_Shared:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Eft_DeallocSharedOp : Eft_Op<"dealloc_shared", []> {
  let summary = "Frees slots in shared memory";
  let description = [{
    All copies into the slots must be done.

    ```mlir
    eft.dealloc_shared %s : !eft.shared<3, tensor<128x64xf16, #layout>>
    ```
  }];
  let arguments = (ins Arg<Eft_Shared, "", [MemFree]>:$shared);
  let assemblyFormat = "$shared attr-dict `:` type($shared)";
}

def Eft_CopyAsyncOp : Eft_Op<"copy_async", [AttrSizedOperandSegments,
    TypesMatchWith<"the mask to be a block of i1 of the pointer's shape",
                   "pointer", "mask", "::eft::maskLike($_self)",
                   "!::llvm::cast<::eft::CopyAsyncOp>(&$_op).getMask() || std::equal_to<>()">]> {
  let summary = "Begins to copy a block from memory into a slot of shared memory";
  let description = [{
    The program continues while the copy is under way. The copy belongs to the group that the next
    `eft.commit_copies` closes. It is done after the `eft.wait_copies` that waits for this group, and
    until then the slot must not be read. Where the mask is false, memory is not accessed, and the slot
    gets zeros. If `if` is false, the whole slot gets zeros.

    The notes `run`, `headless`, `uniformRuns` and `prefixRuns` are those of `eft.load`. The elements of
    a run are copied by accesses of 4, 8 or 16 bytes. Runs of less than 4 bytes can't be copied
    asynchronously: a thread loads their elements and stores them to the slot before it continues.

    ```mlir
    eft.copy_async %ps, %s[%slot] if %more mask %m {run = 8 : i32, uniformRuns}
        : tensor<128x64x!eft.ptr<f16>, #a>, !eft.shared<3, tensor<128x64xf16, #b>>
    ```
  }];
  let arguments = (ins Arg<Eft_PointerLike, "", [MemRead]>:$pointer,
                       Arg<Eft_Shared, "", [MemWrite]>:$shared, I32:$slot,
                       Optional<I1>:$condition, Optional<Eft_MaskLike>:$mask,
                       OptionalAttr<I32Attr>:$run, UnitAttr:$uniformRuns, UnitAttr:$prefixRuns,
                       UnitAttr:$headless);
  let assemblyFormat = [{
    $pointer `,` $shared `[` $slot `]` (`if` $condition^)? (`mask` $mask^)? attr-dict
    `:` type($pointer) `,` type($shared)
  }];
  let extraClassDeclaration = [{
    /// The least and the most bytes that one asynchronous copy of a thread moves.
    static constexpr int64_t minBytes = 4, maxBytes = 16;
  }];
  let hasVerifier = 1;
}

def Eft_CommitCopiesOp : Eft_Op<"commit_copies", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Closes a group of copies";
  let description = [{
    All copies that the program has begun since the last `eft.commit_copies` form one group. A group may
    be empty.

    ```mlir
    eft.commit_copies
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Eft_WaitCopiesOp : Eft_Op<"wait_copies", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits until at most `pending` groups of copies are under way";
  let description = [{
    After the wait, the `pending` latest groups may still be under way. All earlier groups are done, and
    every thread sees what they have copied. Every thread has also done all its earlier reads of slots.

    ```mlir
    eft.wait_copies pending 1
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "`pending` $pending attr-dict";
}

def Eft_WriteSharedOp : Eft_Op<"write_shared", []> {
  let summary = "Writes a block to a slot of shared memory";
  let description = [{
    After the next `eft.barrier`, every thread sees the block.

    ```mlir
    eft.write_shared %a, %s[%slot] : tensor<128x64xf16, #c>, !eft.shared<3, tensor<128x64xf16, #b>>
    ```
  }];
  let arguments = (ins Eft_Block:$block, Arg<Eft_Shared, "", [MemWrite]>:$shared, I32:$slot);
  let assemblyFormat = [{
    $block `,` $shared `[` $slot `]` attr-dict `:` type($block) `,` type($shared)
  }];
  let hasVerifier = 1;
}

def Eft_ReadSharedOp : Eft_Op<"read_shared", []> {
  let summary = "Reads a block from a slot of shared memory";
  let description = [{
    If the block is used only as a factor of a product on tensor cores, a thread does not read all its
    elements of the block at once. Each matrix instruction multiplies a part of the factor. The thread reads
    a part right before the first instruction that multiplies it.

    ```mlir
    %a = eft.read_shared %s[%slot] : !eft.shared<3, tensor<128x64xf16, #b>> -> tensor<128x64xf16, #c>
    ```
  }];
  let arguments = (ins Arg<Eft_Shared, "", [MemRead]>:$shared, I32:$slot);
  let results = (outs Eft_Block:$result);
  let assemblyFormat = "$shared `[` $slot `]` attr-dict `:` type($shared) `->` type($result)";
  let hasVerifier = 1;
}

#endif
