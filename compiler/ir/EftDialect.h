// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The eft dialect: everything that the rest of the compiler needs of the block IR.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "compiler/ir/Interfaces.h"

#include "compiler/ir/EftDialect.h.inc"
#include "compiler/ir/EftEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "compiler/ir/EftTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/ir/EftAttributes.h.inc"

namespace eft {

/// A static tensor whose extents are powers of two.
bool isBlock(mlir::Type type);

/// `type`, or the type of its elements, replaced by `element`; shape and layout stay.
mlir::Type withElementType(mlir::Type type, mlir::Type element);

/// The type of what a pointer, or a block of pointers, points to, in the same shape. Gives null for
/// a type that is neither.
mlir::Type pointeeLike(mlir::Type pointer);

/// i1, or a block of i1 in the shape of `type`.
mlir::Type maskLike(mlir::Type type);

} // namespace eft

#define GET_OP_CLASSES
#include "compiler/ir/EftOps.h.inc"
