// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The base of all operations, and the types of their operands.

#ifndef EFT_OPS_TYPES
#define EFT_OPS_TYPES

include "compiler/ir/EftDialect.td"
include "compiler/ir/EftInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Eft_Op<string mnemonic, list<Trait> traits = []> : Op<Eft_Dialect, mnemonic, traits>;

// The traits of operations that have rules for placing. An operation that is Eft_Placed never has an
// anchor. One that is Eft_Anchored says in `hasAnchor` whether it has one.
def Eft_Placed : TraitList<[Eft_PlacingOpInterface]>;
def Eft_Anchored : TraitList<[DeclareOpInterfaceMethods<Eft_PlacingOpInterface, ["hasAnchor"]>]>;

def Eft_ElementMove : TraitList<[Pure, DeclareOpInterfaceMethods<Eft_ElementMoveOpInterface>]>;
def Eft_MemoryAccess : TraitList<[DeclareOpInterfaceMethods<Eft_MemoryAccessOpInterface>]>;

def Eft_ScalarPointer : Type<CPred<"::llvm::isa<::eft::PointerType>($_self)">, "pointer">;
def Eft_Scalar : AnyTypeOf<[AnySignlessInteger, AnyFloat, Eft_ScalarPointer], "scalar">;
def Eft_Block : Type<CPred<"::eft::isBlock($_self)">,
    "block (a static tensor whose extents are powers of two)", "::mlir::RankedTensorType">;
def Eft_IntBlock : Type<And<[Eft_Block.predicate,
    CPred<"::mlir::getElementTypeOrSelf($_self).isSignlessInteger()">]>, "block of integers",
    "::mlir::RankedTensorType">;
def Eft_NumberBlock : Type<And<[Eft_Block.predicate,
    CPred<"::mlir::getElementTypeOrSelf($_self).isIntOrFloat()">]>, "block of numbers",
    "::mlir::RankedTensorType">;
def Eft_Value : AnyTypeOf<[Eft_Scalar, Eft_Block], "scalar or block">;
def Eft_PointerLike : Type<And<[Eft_Value.predicate,
    CPred<"::llvm::isa<::eft::PointerType>(::mlir::getElementTypeOrSelf($_self))">]>,
    "pointer or block of pointers">;
def Eft_AddressLike : Type<And<[Eft_Value.predicate,
    CPred<"::llvm::isa<::eft::PointerType>(::mlir::getElementTypeOrSelf($_self)) || "
          "::mlir::getElementTypeOrSelf($_self).isSignlessInteger(64)">]>,
    "pointer, i64, or block of them">;
def Eft_IntLike : Type<And<[Eft_Value.predicate,
    CPred<"::mlir::getElementTypeOrSelf($_self).isSignlessInteger()">]>,
    "integer or block of integers">;
def Eft_MaskLike : Type<And<[Eft_Value.predicate,
    CPred<"::mlir::getElementTypeOrSelf($_self).isSignlessInteger(1)">]>, "i1 or block of i1">;
def Eft_WordLike : Type<And<[Eft_Value.predicate,
    CPred<"::mlir::getElementTypeOrSelf($_self).isSignlessInteger(32)">]>, "i32 or block of i32">;
def Eft_SeedLike : Type<And<[Eft_Value.predicate,
    CPred<"::mlir::getElementTypeOrSelf($_self).isSignlessInteger(64)">]>, "i64 or block of i64">;

#endif
