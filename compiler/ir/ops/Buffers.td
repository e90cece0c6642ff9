// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks in private memory, for loops that go over a block in steps.

#ifndef EFT_OPS_BUFFERS
#define EFT_OPS_BUFFERS

include "compiler/ir/ops/Types.td"

def Eft_Buffer : TypeDef<Eft_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "A placed block in memory of its own";
  let description = [{
    Each place keeps the elements that it holds: a thread of a GPU in its local memory, a CPU on the
    stack. What the kernel's loops over steps leave for each other lies there.

    ```mlir
    !eft.buffer<tensor<1024xf32, #layout>>
    ```
  }];
  let parameters = (ins "::mlir::RankedTensorType":$block);
  let assemblyFormat = "`<` $block `>`";
  let genVerifyDecl = 1;
}

def Eft_BufferOp : Eft_Op<"buffer", [MemoryEffects<[MemAlloc]>]> {
  let summary = "Makes a buffer";
  let description = [{
    Its contents are unspecified until they are put there. It lives as long as the program.

    ```mlir
    %b = eft.buffer : !eft.buffer<tensor<1024xf32, #layout>>
    ```
  }];
  let results = (outs Eft_Buffer:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Eft_PutOp : Eft_Op<"put", []> {
  let summary = "Writes one step's part of a block into a buffer";
  let description = [{
    With layouts of places (lane, step) or (register, lane, warp), the part's `step` or `register`
    bits are the low ones of the buffer's, and `step` says what the others are. The whole block is
    part 0.

    ```mlir
    eft.put %tile, %b[%step] : tensor<64xf32, #tile>, !eft.buffer<tensor<1024xf32, #layout>>
    ```
  }];
  let arguments = (ins Eft_Block:$part, Arg<Eft_Buffer, "", [MemWrite]>:$buffer, I32:$step);
  let assemblyFormat = "$part `,` $buffer `[` $step `]` attr-dict `:` type($part) `,` type($buffer)";
  let hasVerifier = 1;
}

def Eft_TakeOp : Eft_Op<"take", []> {
  let summary = "Reads one step's part of a block from a buffer";
  let description = [{
    The inverse of `eft.put`.

    ```mlir
    %tile = eft.take %b[%step] : !eft.buffer<tensor<1024xf32, #layout>> -> tensor<64xf32, #tile>
    ```
  }];
  let arguments = (ins Arg<Eft_Buffer, "", [MemRead]>:$buffer, I32:$step);
  let results = (outs Eft_Block:$part);
  let assemblyFormat = "$buffer `[` $step `]` attr-dict `:` type($buffer) `->` type($part)";
  let hasVerifier = 1;
}

#endif
