// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks in private memory, which tiled loops write and read.

#ifndef EFT_OPS_BUFFERS
#define EFT_OPS_BUFFERS

include "compiler/ir/ops/Types.td"

def Eft_Buffer : TypeDef<Eft_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "A placed block in memory of its own";
  let description = [{
    A thread of a GPU keeps its own elements of the block in its local memory. A CPU keeps the whole block
    on the stack. A tiled loop writes a block to a buffer tile by tile, and later tiled loops read it.
    Some operations, such as `eft.scan_into`, work on a whole buffer.

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
    The contents are unspecified until they are written. If a loop contains all uses of the buffer, the
    contents are unspecified again at the start of each iteration.

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
    `part` is tile number `step` of the block. If `part` is the whole block, it is tile 0.

    The tile and the buffer's block have layouts with the places (lane, step) on a CPU, or
    (register, lane, warp) on a GPU. An element has the same lane and the same warp in the tile and in the
    buffer's block. Its `step` (on a GPU, `register`) in the buffer's block consists of two parts: the high
    bits are the number of the tile, the low bits are the element's `step` (`register`) in the tile.

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
    Without `of`, the inverse of `eft.buffer_write`.

    ```mlir
    %tile = eft.buffer_read %b[%step] : !eft.buffer<tensor<1024xf32, #layout>> -> tensor<64xf32, #tile>
    ```

    On a CPU, there is a form with `of`, in which a place may read another element than it wrote. The block
    that is read may then have another shape than the buffer's block; `part` is tile number `step` of the
    block that is read. The layout after `of` maps each place of this block to the index, in the buffer's
    block, of the element that the place reads. With `xor`, the packed index of this element is the
    exclusive or of that index and the number after `xor`. This example reads a block of 8 × 4 elements
    transposed:

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
  let summary = "Reads elements of a buffer at places that are computed";
  let description = [{
    For a CPU only. `numbers` has, for each element of the result, the number of the place in the buffer
    from which it is read. The low bits of such a number are the lane, the high bits are the step. Each
    number must be less than the number of places in the buffer. The elements may be read as late as at
    the last use of the result, so they must not be overwritten before this use.

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
