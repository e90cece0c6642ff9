// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The registration of the dialect, the verifiers of its attributes and of the pointer type, and the
// helpers for types.
#include "compiler/ir/EftDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace eft;

#include "compiler/ir/EftDialect.cpp.inc"
#include "compiler/ir/EftEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "compiler/ir/EftTypes.cpp.inc"

namespace {
/// Lets every operation of the dialect be inlined: none depends on the function around it.
struct EftInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
};

/// Gives each layout an alias. A module has few layouts, and their text is long, so each is printed
/// once, at the top.
struct EftAsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attribute, llvm::raw_ostream &os) const final {
    if (!llvm::isa<LayoutAttr>(attribute))
      return AliasResult::NoAlias;
    os << "layout";
    return AliasResult::FinalAlias;
  }
};
} // namespace

void EftDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "compiler/ir/EftTypes.cpp.inc"
      >();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "compiler/ir/EftOps.cpp.inc"
      >();
  addInterfaces<EftInlinerInterface, EftAsmInterface>();
}

Operation *EftDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                           Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

static LogicalResult verifyPowerOf2(Operation *op, NamedAttribute attribute) {
  auto number = dyn_cast<IntegerAttr>(attribute.getValue());
  if (number && number.getValue().isPowerOf2())
    return success();
  return op->emitError("'") << attribute.getName().getValue() << "' must be a power of two, got "
                            << attribute.getValue();
}

static LogicalResult verifyMaxPrograms(Operation *op, NamedAttribute attribute) {
  auto isExtent = [](int64_t number) { return number > 0 && number <= INT32_MAX; };
  auto numbers = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
  if (isa<ModuleOp>(op) && numbers && numbers.size() == 3 &&
      llvm::all_of(numbers.asArrayRef(), isExtent))
    return success();
  return op->emitError("'")
         << attribute.getName().getValue()
         << "' must be an array of three i64 from 1 to 2^31 - 1, on a module; got "
         << attribute.getValue();
}

LogicalResult EftDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == maxProgramsName)
    return verifyMaxPrograms(op, attribute);
  return attribute.getName() == constancyName ? verifyPowerOf2(op, attribute) : success();
}

LogicalResult EftDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned,
                                                   NamedAttribute attribute) {
  if (attribute.getName() != divisibilityName)
    return op->emitError("unknown argument attribute '") << attribute.getName().getValue() << "'";
  return verifyPowerOf2(op, attribute);
}

LogicalResult PointerType::verify(function_ref<InFlightDiagnostic()> emitError, Type pointee) {
  unsigned width = pointee.isSignlessInteger() || llvm::isa<FloatType>(pointee)
                       ? pointee.getIntOrFloatBitWidth()
                       : 0;
  bool isMemoryInteger =
      pointee.isSignlessInteger() && (width == 8 || width == 16 || width == 32 || width == 64);
  if (isMemoryInteger || llvm::isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(pointee))
    return success();
  return emitError() << "a pointee must be an integer of 8, 16, 32 or 64 bits or f16, bf16, f32 or "
                        "f64, got "
                     << pointee;
}

bool eft::isBlock(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getRank() == 0)
    return false;
  return llvm::all_of(tensor.getShape(),
                      [](int64_t extent) { return llvm::isPowerOf2_64(extent); });
}

Type eft::withElementType(Type type, Type element) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return RankedTensorType::get(tensor.getShape(), element, tensor.getEncoding());
  return element;
}

Type eft::pointeeLike(Type pointer) {
  auto element = dyn_cast<PointerType>(getElementTypeOrSelf(pointer));
  return element ? withElementType(pointer, element.getPointee()) : Type();
}

Type eft::maskLike(Type type) {
  return withElementType(type, IntegerType::get(type.getContext(), 1));
}
