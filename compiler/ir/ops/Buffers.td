// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks in private memory, which tiled loops write and read.

#ifndef EFT_OPS_BUFFERS
#define EFT_OPS_BUFFERS

include "compiler/ir/ops/Types.td"

def Eft_Buffer : TypeDef<Eft_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "A placed block in memory of its own";
  let description = [{
    Each place keeps the elements that it holds: a thread of a GPU in its local memory, a CPU on the
    stack. Tiled loops leave values for each other there.

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
    Its contents are unspecified until they are written, and in each iteration of a loop that has all
    of its uses they are so again.

    ```mlir
    %b = eft.buffer : !eft.buffer<tensor<1024xf32, #layout>>
    ```
  }];
  let results = (outs Eft_Buffer:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Eft_BufferWriteOp : Eft_Op<"buffer_write", []> {
  let summary = "Writes one tile of a block into a buffer";
  let description = [{
    In layouts with places (lane, step) or (register, lane, warp), the tile's bits of the dimension
    `step` or `register` are the low ones of the buffer's. The operand `step` has the others: it is the
    number of the tile. The whole block is tile 0.

    ```mlir
    eft.buffer_write %tile, %b[%step] : tensor<64xf32, #tile>, !eft.buffer<tensor<1024xf32, #layout>>
    ```
  }];
  let arguments = (ins Eft_Block:$part, Arg<Eft_Buffer, "", [MemWrite]>:$buffer, I32:$step);
  let assemblyFormat = "$part `,` $buffer `[` $step `]` attr-dict `:` type($part) `,` type($buffer)";
  let hasVerifier = 1;
}

def Eft_BufferReadOp : Eft_Op<"buffer_read", []> {
  let summary = "Reads one tile of a block from a buffer";
  let description = [{
    The inverse of `eft.buffer_write`.

    ```mlir
    %tile = eft.buffer_read %b[%step] : !eft.buffer<tensor<1024xf32, #layout>> -> tensor<64xf32, #tile>
    ```

    On a CPU the places may read other elements than they wrote, or fewer of them, and the result may
    have another shape. The layout `of`, one of the buffer's block, then maps each place of the whole
    result to the element that it reads. With `xor`, the element's packed index is the exclusive or of
    that index and `xor`. This reads a block of 8 × 4 transposed:

    ```mlir
    %t = eft.buffer_read %b[%zero] of #eft.layout<lane = [[1, 0], [2, 0], [4, 0]], step = [[0, 1], [0, 2]]>
        : !eft.buffer<tensor<8x4xf32, #layout>> -> tensor<4x8xf32, #transposed>
    ```
  }];
  let arguments = (ins Arg<Eft_Buffer, "", [MemRead]>:$buffer, I32:$step,
                       OptionalAttr<Eft_Layout>:$elements, OptionalAttr<I64Attr>:$flipped);
  let results = (outs Eft_Block:$part);
  let assemblyFormat = [{
    $buffer `[` $step `]` (`of` $elements^ (`xor` $flipped^)?)? attr-dict
    `:` type($buffer) `->` type($part)
  }];
  let hasVerifier = 1;
}

def Eft_BufferGatherOp : Eft_Op<"buffer_gather", [Eft_ComputesInPlace]> {
  let summary = "Reads elements of a buffer by computed numbers";
  let description = [{
    For a CPU. The number of an element is that of its place; the lane is in the lowest bits. Bits beyond
    the last place are ignored. The elements must not be overwritten before the result's last use.

    ```mlir
    %v = eft.buffer_gather %b[%numbers] : !eft.buffer<tensor<1024xf32, #a>>, tensor<16xi32, #b> -> tensor<16xf32, #b>
    ```
  }];
  let arguments = (ins Arg<Eft_Buffer, "", [MemRead]>:$buffer, Eft_WordLike:$numbers);
  let results = (outs Eft_Block:$result);
  let assemblyFormat = [{
    $buffer `[` $numbers `]` attr-dict `:` type($buffer) `,` type($numbers) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif
