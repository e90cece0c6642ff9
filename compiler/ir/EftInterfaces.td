// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The traits and interfaces by which operations describe themselves to the stages. A stage asks an
// operation for its traits and interfaces, so that general rules need no lists of operations.

#ifndef EFT_INTERFACES
#define EFT_INTERFACES

include "mlir/IR/OpBase.td"

//===----------------------------------------------------------------------===//
// Traits
//===----------------------------------------------------------------------===//

class Eft_Trait<string name> : NativeOpTrait<name> {
  let cppNamespace = "::eft";
}

// To compute its elements of the results, a place may need elements of the operands that lie at other
// places. For example, `eft.trans` may fetch elements from other threads; `eft.broadcast` never does.
// Every element of every operand and result must then lie at some place: the lowering refuses layouts
// that leave elements out.
def Eft_FetchesElements : Eft_Trait<"FetchesElements">;

// Each place computes its elements of the results from its own elements of the operands, and may do so
// at any use of the results. So a tile of a result is the operation applied to the same tiles of the
// operands, and a tiled loop may compute the tile where it is used. Upstream's elementwise operations
// have this property without the trait.
def Eft_ComputesInPlace : Eft_Trait<"ComputesInPlace">;

// Each element of a result is an element of the operand, unchanged. So the elements of the result have
// the divisors of the operand's elements. Element moves have this property without the trait.
def Eft_KeepsNumbers : Eft_Trait<"KeepsNumbers">;

// On a GPU, the code of the operation may call a function: one that the driver provides, or one that
// ptxas makes for rare operands. Values that stay in registers across a call are expensive, and ptxas
// fails to preserve some of these registers. Upstream's divisions and roots may become calls, too,
// without this trait.
def Eft_MayCall : Eft_Trait<"MayCall">;

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

def Eft_ElementMoveOpInterface : OpInterface<"ElementMoveOpInterface"> {
  let cppNamespace = "::eft";
  let description = [{
    An operation that computes nothing: its results have elements of its operands, at other indices or at
    other places. The operands are the *sources*, blocks of one type. For each index of a result, the
    operation gives the index of the element in the source. `map` is linear over the bits of the index,
    `flipped` is a constant, and ^ is the exclusive or:

        source index = map(result index) ^ flipped

    | operation | the index in the source, for an index of the result |
    |---|---|
    | `%1 = eft.trans %0 order [1, 0]` | (i, j) ↦ (j, i) |
    | `%1 = eft.expand_dims %0 axis 1` | (i, 0) ↦ i |
    | `%1 = eft.exchange %0 axis 0 mask 63` | i ↦ i ^ 63: the map is the identity, `flipped` is 63 |
    | `%0, %1 = eft.split %2` | for `%0`, i ↦ (i, 0); for `%1`, i ↦ (i, 0) ^ (0, 1) |
    | `%2 = eft.join %0, %1` | (i, k) ↦ i; the source is `%0` where k is 0, and `%1` where k is 1 |

    Placing computes the layout of the source from `map` and the layout of the result. If `flipped` is 0, no
    element then has to move. The lowering uses `map` and `flipped` to find the element that each place
    fetches, and on a CPU the position in a buffer from which to read it. The analysis of masks asks whether
    the result's first element is the source's first element, which is so if `flipped` is 0.

    If the operation has the trait `FetchesElements`, the lowering may fetch elements from other places.
    Without the trait, the layouts of source and result must be such that every element stays in its
    place.
  }];
  let methods = [
    InterfaceMethod<"Returns the map from the indices of result number `result` to those of the source.",
                    "::eft::ElementMove", "getElementMove", (ins "unsigned":$result)>,
  ];
}

def Eft_PlacingOpInterface : OpInterface<"PlacingOpInterface"> {
  let cppNamespace = "::eft";
  let description = [{
    An operation on blocks for which placing has rules. Upstream's elementwise operations do not need
    this interface: all blocks of such an operation have one layout.

    An operation with an *anchor* makes its results in one layout, whatever layouts their uses require.
    For example, `eft.scan` has an anchor, because scanning a block twice would cost more than moving
    the result. The anchor is the default layout of the result's shape. `eft.reduce` and, on a GPU,
    `eft.dot` are exceptions: placing computes their anchors by other rules.

    An operation without an anchor can make its results in any layout. Placing usually chooses the layouts
    that the uses of the results require. If the uses require two layouts, placing does the operation twice,
    unless moving the result costs less. Most operations cost only a few instructions. A load is done twice
    only if the second access adds little memory traffic.

    An operation requires its operands in these layouts:

    - Most operations require their operands in the layout of their results.
    - An `ElementMoveOpInterface` requires its sources in the layout that follows from its map. But if the
      result has only a part of the source's elements, as that of `eft.split` does, each thread may hold
      many more elements in this layout than in the default layout. Then the operation requires the default
      layout.
    - An operation without a block as a result, such as `eft.store`, requires the default layout.
    - `eft.reduce` and `eft.dot` have rules of their own.
    - For other operands that need the default layout, `requiresDefaultLayout` returns true.
  }];
  let methods = [
    InterfaceMethod<"Returns true if the operation has an anchor.", "bool", "hasAnchor", (ins), "",
                    "return false;">,
    InterfaceMethod<[{
                      Returns true if the operand is required in the default layout of its shape,
                      and not in a layout that follows from the layout of the results. The source of
                      `eft.gather` is an example.
                    }], "bool", "requiresDefaultLayout", (ins "::mlir::OpOperand &":$operand), "",
                    "return false;">,
  ];
}

def Eft_MemoryAccessOpInterface : OpInterface<"MemoryAccessOpInterface"> {
  let cppNamespace = "::eft";
  let description = [{
    An operation that accesses memory at a pointer, or at each pointer of a block: `eft.load`,
    `eft.store`, `eft.prefetch` and the atomic operations. Placing and the analyses ask for the
    pointer, from which follows what the access costs in each layout. Tiling asks for the mask: in
    tiles for which the whole mask is true, it makes the access without a mask.
  }];
  let methods = [
    InterfaceMethod<"Returns the pointer, or the block of pointers.", "::mlir::Value", "getPointer">,
    InterfaceMethod<"Returns the mask, or null if there is none.", "::mlir::Value", "getMask", (ins),
                    "", "return {};">,
    InterfaceMethod<"Returns true if the operation accesses each element in one indivisible step.",
                    "bool", "isAtomic", (ins), "", "return false;">,
    InterfaceMethod<"Removes the mask, and the operands and notes that have a meaning only with a mask.",
                    "void", "dropMask">,
  ];
}

#endif
