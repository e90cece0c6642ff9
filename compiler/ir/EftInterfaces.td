// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The properties by which operations describe themselves. A stage asks for a property, and keeps no
// list of the operations that have it.

#ifndef EFT_INTERFACES
#define EFT_INTERFACES

include "mlir/IR/OpBase.td"

//===----------------------------------------------------------------------===//
// Traits
//===----------------------------------------------------------------------===//

class Eft_Trait<string name> : NativeOpTrait<name> {
  let cppNamespace = "::eft";
}

// A place may need elements of the operands that lie at other places. So each element of each block
// must lie at some place: the lowering refuses other layouts. Elements of `eft.trans` are fetched
// from other threads, for example; those of `eft.broadcast` never are.
def Eft_FetchesElements : Eft_Trait<"FetchesElements">;

// Each place computes its elements of the results from its own elements of the operands, whenever it
// needs them. So a tile of a result is the operation on the same tiles of the operands, and a tiled
// loop computes it where it is used. Upstream's elementwise operations do so without this trait.
def Eft_ComputesInPlace : Eft_Trait<"ComputesInPlace">;

// Each element of a result is an element of the operand, as it is. So what divides the one divides the
// other. Moves of elements do so without this trait.
def Eft_KeepsNumbers : Eft_Trait<"KeepsNumbers">;

// The code of a GPU may call a function: one that the driver brings, or ptxas makes for operands that are
// rare. Registers that outlive a call are dear, and ptxas does not keep some of them. Upstream's divisions
// and roots may be calls without this trait.
def Eft_MayCall : Eft_Trait<"MayCall">;

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

def Eft_ElementMoveOpInterface : OpInterface<"ElementMoveOpInterface"> {
  let cppNamespace = "::eft";
  let description = [{
    An operation that computes nothing: its results have elements of its operands at other indices. All
    operands are blocks of one type, the sources. For each index of a result the operation tells the index
    of the element in the source, as a map that is linear over the indices' bits:

        source index = map(result index) ^ flipped

    | operation | the source's index |
    |---|---|
    | `%1 = eft.trans %0 order [1, 0]` | (i, j) ↦ (j, i) |
    | `%1 = eft.expand_dims %0 axis 1` | (i, 0) ↦ i |
    | `%1 = eft.exchange %0 axis 0 mask 63` | i ↦ i ^ 63: the map is the identity, `flipped` is 63 |
    | `%0, %1 = eft.split %2` | of `%0` i ↦ (i, 0), of `%1` i ↦ (i, 0) ^ (0, 1) |
    | `%2 = eft.join %0, %1` | (i, k) ↦ i; the bit k of the index tells the source |

    Placing asks in which layout of the source no element has to move. The lowering asks which element
    each place fetches. On a CPU the buffers ask from where to read the elements of a moved block. The
    analysis of masks asks where the first element comes from.

    The lowering may fetch elements from other places if the operation has the trait `FetchesElements`.
    Without it, source and result must have layouts in which every element stays in its place.
  }];
  let methods = [
    InterfaceMethod<"Returns the indices at which result number `result` finds its elements.",
                    "::eft::ElementMove", "getElementMove", (ins "unsigned":$result)>,
  ];
}

def Eft_PlacingOpInterface : OpInterface<"PlacingOpInterface"> {
  let cppNamespace = "::eft";
  let description = [{
    An operation on blocks for which placing has rules. Upstream's elementwise operations need no
    interface: all their blocks have one layout.

    An operation with an *anchor* makes its results in one layout, whatever their uses require.
    `eft.scan` for example has one, because to scan a block twice would cost more than to move the result.
    The anchor is the default layout of the result's shape; placing itself knows those of `eft.reduce` and,
    on a GPU, of `eft.dot`.

    The results of another operation are made in the layouts that their uses require. To make such a
    result again for a second layout is cheap if the operation touches no memory.

    The operands are required in the layout of the results. If the operation is an `ElementMoveOpInterface`,
    they are required in the layout in which no element moves. An operation that makes no block, such as
    `eft.store`, requires the default layout.
  }];
  let methods = [
    InterfaceMethod<"Returns true if the operation has an anchor.", "bool", "hasAnchor", (ins), "",
                    "return false;">,
    InterfaceMethod<[{
                      Returns true if the operand is required in the default layout of its shape, and not in
                      one that follows from the results'. `eft.gather` requires its source so.
                    }], "bool", "requiresDefaultLayout", (ins "::mlir::OpOperand &":$operand), "",
                    "return false;">,
  ];
}

def Eft_MemoryAccessOpInterface : OpInterface<"MemoryAccessOpInterface"> {
  let cppNamespace = "::eft";
  let description = [{
    An operation that accesses the memory behind a pointer, or a block of pointers, for each element by
    itself: `eft.load`, `eft.store` and the atomic operations. Its memory effects say whether it writes there.
    Placing and the analyses ask for the pointer, which tells what the access costs in each layout. Tiling
    asks for the mask, and makes accesses without it in the tiles that lie inside of the mask.
  }];
  let methods = [
    InterfaceMethod<"Returns the pointer, or the block of pointers.", "::mlir::Value", "getPointer">,
    InterfaceMethod<"Returns the mask, or null if there is none.", "::mlir::Value", "getMask", (ins),
                    "", "return {};">,
    InterfaceMethod<"Returns true if the access reads and writes each element in one step.", "bool",
                    "isAtomic", (ins), "", "return false;">,
    InterfaceMethod<"Makes the access unconditional: its mask goes, and all that only a mask needs.",
                    "void", "dropMask">,
  ];
}

#endif
