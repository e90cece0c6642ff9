// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Making and reshaping blocks.

#ifndef EFT_OPS_SHAPES
#define EFT_OPS_SHAPES

include "compiler/ir/ops/Types.td"

def Eft_ArangeOp : Eft_Op<"arange", [Pure, Eft_Placed, Eft_ComputesInPlace]> {
  let summary = "Consecutive integers";
  let description = [{
    The integers from `start` to `end` − 1, in ascending order. `end` − `start` is a power of two.

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

def Eft_SplatOp : Eft_Op<"splat", [Pure, Eft_Placed, Eft_ComputesInPlace, Eft_KeepsNumbers]> {
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

def Eft_ExpandDimsOp : Eft_Op<"expand_dims", [Eft_Placed, Eft_ElementMove, Eft_ComputesInPlace]> {
  let summary = "Inserts a dimension of extent 1";
  let description = [{
    Dimension number `axis` of the result has extent 1. The other dimensions are those of the source, in
    order. If the blocks have layouts, the source has the layout of the result without dimension `axis`.

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

def Eft_BroadcastOp : Eft_Op<"broadcast", [Eft_Placed, Eft_ElementMove, Eft_ComputesInPlace]> {
  let summary = "Repeats a block along its dimensions of extent 1";
  let description = [{
    Source and result have the same rank and element type. In each dimension, the source has the
    result's extent or the extent 1.

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

def Eft_ReshapeOp : Eft_Op<"reshape", [Eft_Placed, Eft_ElementMove, Eft_FetchesElements]> {
  let summary = "The same elements, in row-major order, under another shape";
  let description = [{
    Source and result have the same element type and the same number of elements.

    ```mlir
    %1 = eft.reshape %0 : tensor<8x4xf32> -> tensor<32xf32>
    ```
  }];
  let arguments = (ins Eft_Block:$source);
  let results = (outs Eft_Block:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Eft_TransOp : Eft_Op<"trans", [Eft_Placed, Eft_ElementMove, Eft_FetchesElements]> {
  let summary = "Permutes the dimensions";
  let description = [{
    The result's dimension number i is the source's dimension number `order[i]`.

    ```mlir
    %1 = eft.trans %0 order [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Eft_Block:$source, DenseI32ArrayAttr:$order);
  let results = (outs Eft_Block:$result);
  let assemblyFormat = "$source `order` $order attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Eft_JoinOp : Eft_Op<"join", [Eft_Placed, Eft_ElementMove, Eft_FetchesElements,
    AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "Two blocks side by side along a new last dimension";
  let description = [{
    The last dimension of the result has extent 2: index 0 holds `lhs`, index 1 holds `rhs`. Placing
    gives both sources the layout of the result without the last dimension.

    ```mlir
    %2 = eft.join %0, %1 : tensor<8x4xf32> -> tensor<8x4x2xf32>
    ```
  }];
  let arguments = (ins Eft_Block:$lhs, Eft_Block:$rhs);
  let results = (outs Eft_Block:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

def Eft_SplitOp : Eft_Op<"split", [Eft_Placed, Eft_ElementMove, Eft_FetchesElements,
    TypesMatchWith<"both results to have one type", "lhs", "rhs", "$_self">]> {
  let summary = "Splits a block along its last dimension, which has extent 2";
  let description = [{
    The inverse of `eft.join`: `lhs` is index 0 of the last dimension, `rhs` is index 1.

    ```mlir
    %0, %1 = eft.split %2 : tensor<8x4x2xf32> -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Eft_Block:$source);
  let results = (outs Eft_Block:$lhs, Eft_Block:$rhs);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($lhs)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Moving elements
//===----------------------------------------------------------------------===//

def Eft_ExchangeOp : Eft_Op<"exchange", [Eft_Anchored, Eft_ElementMove, Eft_FetchesElements,
    AllTypesMatch<["source", "result"]>]> {
  let summary = "Swaps elements whose indices differ in some bits";
  let description = [{
    Element i of the result, along `axis`, is element i ^ `mask` of the source, where ^ is the exclusive
    or. If one bit of the mask is set, elements at the distance `mask` swap places. If the mask is the extent
    minus 1, the axis is reversed.

    ```mlir
    %1 = eft.exchange %0 axis 0 mask 63 : tensor<64xf32>
    ```
  }];
  let arguments = (ins Eft_Block:$source, I32Attr:$axis, I32Attr:$mask);
  let results = (outs Eft_Block:$result);
  let assemblyFormat = "$source `axis` $axis `mask` $mask attr-dict `:` type($source)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Eft_GatherOp : Eft_Op<"gather", [Pure, Eft_FetchesElements,
    DeclareOpInterfaceMethods<Eft_PlacingOpInterface, ["hasAnchor", "requiresDefaultLayout"]>]> {
  let summary = "Reads elements along an axis at computed indices";
  let description = [{
    The result has the shape of `indices` and the element type of `source`. The two shapes agree in all
    dimensions but `axis`. For blocks of rank 1, result[i] = source[indices[i]]. Indices are signed. An
    index outside the source gives an unspecified element of the source.

    ```mlir
    %2 = eft.gather %0[%1] axis 0 : tensor<64xf32>, tensor<16xi32> -> tensor<16xf32>
    ```
  }];
  let arguments = (ins Eft_Block:$source, Eft_IntBlock:$indices, I32Attr:$axis);
  let results = (outs Eft_Block:$result);
  let assemblyFormat = [{
    $source `[` $indices `]` `axis` $axis attr-dict
    `:` type($source) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Eft_ConvertLayoutOp : Eft_Op<"convert_layout", [Eft_ElementMove, Eft_FetchesElements]> {
  let summary = "The same block in another layout";
  let description = [{
    Placing inserts this operation where a use requires a block in another layout than its own. Later
    passes insert it, too. The cost on a GPU follows from the two layouts: nothing, a shuffle inside a
    warp, or staging through shared memory.

    ```mlir
    %1 = eft.convert_layout %0 : tensor<64xf32, #a> -> tensor<64xf32, #b>
    ```
  }];
  let arguments = (ins Eft_Block:$source);
  let results = (outs Eft_Block:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif
