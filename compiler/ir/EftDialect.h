// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The eft dialect: its types, attributes and operations, and helpers for the types of block IR.
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
#include "mlir/Interfaces/ControlFlowInterfaces.h"
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

/// Returns true for a tensor of static shape whose extents are powers of two, and whose rank is not
/// 0.
bool isBlock(mlir::Type type);

/// Returns `element` if `type` is a scalar. If `type` is a tensor, returns the tensor type with
/// this element type and with the shape and layout of `type`.
mlir::Type withElementType(mlir::Type type, mlir::Type element);

/// Returns the pointee of a pointer, or for a block of pointers, a block of the pointee with the
/// same shape and layout. Returns null for any other type.
mlir::Type pointeeLike(mlir::Type pointer);

/// Returns the type of a mask for `type`: i1, or a block of i1 with the same shape and layout.
mlir::Type maskLike(mlir::Type type);

} // namespace eft

#define GET_OP_CLASSES
#include "compiler/ir/EftOps.h.inc"
