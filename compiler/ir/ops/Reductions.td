// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions and scans, whose region combines two elements; histograms; and `eft.map`, whose region
// computes single elements.

#ifndef EFT_OPS_REDUCTIONS
#define EFT_OPS_REDUCTIONS

include "compiler/ir/ops/Buffers.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

class Eft_CombiningOp<string mnemonic, list<Trait> traits = [Pure]> : Eft_Op<mnemonic, traits # [
    IsolatedFromAbove, SingleBlock]> {
  let hasVerifier = 1;
}

def Eft_ReduceOp : Eft_CombiningOp<"reduce", [Pure, Eft_Anchored, Eft_FetchesElements]> {
  let summary = "Combines all elements along an axis";
  let description = [{
    All sources have one shape. A result has the shape of the sources without `axis`, and is a
    scalar if the sources have no other dimension.

    The region combines two elements of the sources. An element has one value per source. The region's
    first arguments are the values of the element with the lower index, and those of the other element
    follow. The region yields one value per source.

    The function that the region computes must be associative and commutative, up to rounding. The order
    in which elements are combined is part of the operation's meaning. `eft-order-reductions` writes this
    order on the operation, as `steps` and `tree`:

    1. The axis is cut into `steps` parts of equal length. The parts are combined element by element: the
       first with the second, the result with the third, and so on.
    2. Step 1 leaves a block x, whose axis has the extent of one part. Each number of `tree` in turn folds
       x. The number is a power of two, `bit`: x[i] becomes the combination of x[i] and x[i + bit], for
       every i in which that bit is clear.

    For example, with `steps` 2 and the `tree` [2, 1] the sum of 8 elements is
    ((x0 + x4) + (x2 + x6)) + ((x1 + x5) + (x3 + x7)).

    `order_free` states that the function gives the same bits with any `steps` and `tree`, and if its two
    arguments are swapped, as a maximum or a sum of integers does. Placing sets `steps` and `tree`: on a
    GPU to the order that is cheapest for the layout of the sources. In a reduction that is not
    `order_free`, the first argument always comes from the lower of two indices.

    ```mlir
    %1 = eft.reduce %0 axis 0 : (tensor<64x32xf32>) -> tensor<32xf32> {
    ^bb0(%a: f32, %b: f32):
      %sum = arith.addf %a, %b : f32
      eft.yield %sum : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Eft_NumberBlock>:$sources, I32Attr:$axis, UnitAttr:$order_free,
                       OptionalAttr<I32Attr>:$steps, OptionalAttr<DenseI32ArrayAttr>:$tree);
  let results = (outs Variadic<Eft_Value>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    $sources `axis` $axis (`order_free` $order_free^)? (`steps` $steps^ `tree` $tree)? attr-dict
    `:` functional-type($sources, $results) $combine
  }];
}

def Eft_ScanOp : Eft_CombiningOp<"scan", [Pure, Eft_Anchored, Eft_FetchesElements]> {
  let summary = "Combines each element with all before it along an axis";
  let description = [{
    Element i of the result combines the elements 0 to i of the source. With `reverse`, it combines the
    elements from the last down to i, beginning with the last. The region takes and yields the same values
    as that of `eft.reduce`. Its function must be associative, up to rounding, but need not be commutative.

    The order is part of the operation's meaning. The bits of the index are taken in turn, from the
    lowest to the highest. For each bit, every element i in which the bit is set changes: x[i] becomes
    combine(x[j], x[i]), where j is i with that bit cleared and all lower bits set. A reverse scan does the
    same on the reversed axis, so the first argument of `combine` then has the higher index.

    ```mlir
    %1 = eft.scan %0 axis 0 : (tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%a: f32, %b: f32):
      %sum = arith.addf %a, %b : f32
      eft.yield %sum : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Eft_NumberBlock>:$sources, I32Attr:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<Eft_Block>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    $sources `axis` $axis (`reverse` $reverse^)? attr-dict
    `:` functional-type($sources, $results) $combine
  }];
}

def Eft_ScanIntoOp : Eft_CombiningOp<"scan_into", []> {
  let summary = "Combines each element of buffers with all before it along an axis";
  let description = [{
    `eft.scan` on blocks in buffers. The results overwrite the sources.

    ```mlir
    eft.scan_into %x axis 0 : (!eft.buffer<tensor<64xf32, #layout>>) {
    ^bb0(%a: f32, %b: f32):
      %sum = arith.addf %a, %b : f32
      eft.yield %sum : f32
    }
    ```
  }];
  let arguments = (ins Arg<Variadic<Eft_Buffer>, "", [MemRead, MemWrite]>:$buffers, I32Attr:$axis,
                       UnitAttr:$reverse);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    $buffers `axis` $axis (`reverse` $reverse^)? attr-dict `:` `(` type($buffers) `)` $combine
  }];
}

def Eft_HistogramOp : Eft_Op<"histogram", [Pure, Eft_FetchesElements,
    DeclareOpInterfaceMethods<Eft_PlacingOpInterface, ["hasAnchor", "requiresDefaultLayout"]>]> {
  let summary = "Counts the elements of each value";
  let description = [{
    Element i of the result is the number of source elements that equal i. Source elements are unsigned.
    Source elements that are not less than the extent of the result are not counted. Source and result are
    blocks of i32 of rank 1.

    ```mlir
    %1 = eft.histogram %0 : tensor<1024xi32> -> tensor<256xi32>
    ```

    On a GPU, the threads count with atomic additions in shared memory.
  }];
  let arguments = (ins Eft_IntBlock:$source);
  let results = (outs Eft_IntBlock:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Eft_HistogramIntoOp : Eft_Op<"histogram_into", []> {
  let summary = "Counts the elements of each value in a buffer";
  let description = [{
    `eft.histogram` on blocks in buffers. The counts overwrite the second buffer.

    ```mlir
    eft.histogram_into %x, %counts
      : !eft.buffer<tensor<1024xi32, #layout>>, !eft.buffer<tensor<256xi32, #bins>>
    ```
  }];
  let arguments = (ins Arg<Eft_Buffer, "", [MemRead]>:$source,
                       Arg<Eft_Buffer, "", [MemRead, MemWrite]>:$result);
  let assemblyFormat = "$source `,` $result attr-dict `:` type($source) `,` type($result)";
  let hasVerifier = 1;
}

def Eft_CombineOp : Eft_CombiningOp<"combine"> {
  let summary = "Combines two lists of blocks element by element";
  let description = [{
    The tiled loops of reductions and scans combine two parts of an axis by this operation. The first half
    of the operands has the elements with the lower indices, the second half has those with the higher
    indices. The region is that of `eft.reduce`.

    ```mlir
    %sum = eft.combine %low, %high : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      eft.yield %s : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Eft_NumberBlock>:$sources);
  let results = (outs Variadic<Eft_NumberBlock>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = "$sources attr-dict `:` functional-type($sources, $results) $combine";
}

def Eft_MapOp : Eft_Op<"map", [Pure, Eft_Placed, Eft_ComputesInPlace, IsolatedFromAbove, SingleBlock]> {
  let summary = "Applies a function to each element";
  let description = [{
    All blocks have one shape. With `pack` 1, the region computes one element of each result from the
    elements of the sources with the same index. The region may contain control flow. Each execution of the
    region follows its own path: it takes one branch of each conditional, and leaves each loop by its own
    condition. The region computes with numbers alone: it must not have blocks or pointers, and must not
    access memory.

    With a greater `pack`, one execution of the region takes `pack` elements of each source: those of the
    first source come first, then those of the second, and so on. It yields the elements of each result that
    have the same indices, in the same order. The target decides which elements go together. If the target
    can't divide the elements evenly into groups of `pack`, it computes some elements more than once.

    ```mlir
    %1 = eft.map %0 pack 1 : (tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%a: f32):
      %zero = arith.constant 0.0 : f32
      %negative = arith.cmpf olt, %a, %zero : f32
      %r = scf.if %negative -> f32 {
        %e = math.exp %a : f32
        scf.yield %e : f32
      } else {
        scf.yield %a : f32
      }
      eft.yield %r : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Eft_NumberBlock>:$sources,
                       ConfinedAttr<I32Attr, [IntMinValue<1>, IntMaxValue<1024>]>:$pack);
  let results = (outs Variadic<Eft_NumberBlock>:$results);
  let regions = (region SizedRegion<1>:$function);
  let assemblyFormat = [{
    $sources `pack` $pack attr-dict `:` functional-type($sources, $results) $function
  }];
  let hasVerifier = 1;
}

def Eft_YieldOp : Eft_Op<"yield", [Pure, Terminator, ReturnLike,
    ParentOneOf<["::eft::ReduceOp", "::eft::ScanOp", "::eft::ScanIntoOp", "::eft::CombineOp",
                 "::eft::MapOp"]>]> {
  let summary = "Returns the values of a region that combines or computes elements";
  let description = [{
    ```mlir
    eft.yield %sum : f32
    ```
  }];
  let arguments = (ins Variadic<Eft_Scalar>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

#endif
