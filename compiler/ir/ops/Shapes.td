// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Making and reshaping blocks.

#ifndef EFT_OPS_SHAPES
#define EFT_OPS_SHAPES

include "compiler/ir/ops/Types.td"

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

#endif
