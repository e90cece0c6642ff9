// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/DebugCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace eft {

namespace {

/// Doubles each `%` in a text, so that a format prints the text unchanged.
std::string escaped(StringRef text) {
  std::string result;
  for (char letter : text)
    result += letter == '%' ? std::string("%%") : std::string(1, letter);
  return result;
}

/// The type of the printed value. For a value in a buffer, the type of the block there.
Type printedType(PrintOp print) {
  Type type = print.getValue().getType();
  auto buffer = dyn_cast<BufferType>(type);
  return buffer ? buffer.getBlock() : type;
}

std::string valueFormat(PrintOp print) {
  Type element = getElementTypeOrSelf(printedType(print));
  if (isa<FloatType>(element))
    return "%f";
  if (isa<PointerType>(element))
    return "0x%016llx";
  if (std::optional<uint32_t> digits = print.getHexDigits())
    return "0x%0" + std::to_string(*digits) + "llx";
  return print.getIsUnsigned() ? "%llu" : "%lld";
}

ModuleOp moduleOf(ImplicitLocOpBuilder &b) {
  return b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
}

/// The position in the source of the innermost inlined function; null if the location has none.
FileLineColLoc placeOf(Location location) {
  if (auto place = dyn_cast<FileLineColLoc>(location))
    return place;
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return placeOf(call.getCallee());
  if (auto named = dyn_cast<NameLoc>(location))
    return placeOf(named.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location each : fused.getLocations())
      if (FileLineColLoc place = placeOf(each))
        return place;
  return {};
}

} // namespace

std::string printFormat(PrintOp print) {
  std::string format = "pid (%llu, %llu, %llu)";
  if (!print.getValue())
    return format + escaped(print.getText()) + "\n";
  format += " idx (";
  if (auto block = dyn_cast<RankedTensorType>(printedType(print)))
    for (auto [dim, extent] : llvm::enumerate(block.getShape()))
      format +=
          (dim == 0 ? "%" : ", %") + std::to_string(std::to_string(extent - 1).size()) + "llu";
  return format + ")" + escaped(print.getText()) + valueFormat(print) + "\n";
}

Value emitText(ImplicitLocOpBuilder &b, StringRef text) {
  ModuleOp module = moduleOf(b);
  std::string bytes = text.str() + '\0';
  for (auto global : module.getOps<LLVM::GlobalOp>())
    if (auto value = dyn_cast_or_null<StringAttr>(global.getValueOrNull()); value == bytes)
      return b.create<LLVM::AddressOfOp>(global);
  unsigned number = llvm::range_size(module.getOps<LLVM::GlobalOp>());
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  auto global = builder.create<LLVM::GlobalOp>(
      module.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Internal,
      "eft.text." + std::to_string(number), builder.getStringAttr(bytes));
  return b.create<LLVM::AddressOfOp>(global);
}

/// The alloca is at the start of the kernel, because in a loop it would take new memory in each
/// iteration.
Value emitValueMemory(ImplicitLocOpBuilder &b, unsigned count) {
  auto kernel = b.getInsertionBlock()->getParentOp();
  if (!isa<func::FuncOp>(kernel))
    kernel = kernel->getParentOfType<func::FuncOp>();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&cast<func::FuncOp>(kernel).getBody().front());
  Value size = b.create<arith::ConstantIntOp>(count, 32);
  return b.create<LLVM::AllocaOp>(LLVM::LLVMPointerType::get(b.getContext()), b.getI64Type(), size,
                                  /*alignment=*/8);
}

LLVM::LLVMFuncOp declareFunction(ImplicitLocOpBuilder &b, StringRef name, Type result,
                                 ArrayRef<Type> parameters) {
  ModuleOp module = moduleOf(b);
  if (auto found = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return found;
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  return builder.create<LLVM::LLVMFuncOp>(module.getLoc(), name,
                                          LLVM::LLVMFunctionType::get(result, parameters));
}

void emitPrint(ImplicitLocOpBuilder &b, StringRef function, Value format, Value memory,
               ArrayRef<Value> values) {
  for (auto [number, given] : llvm::enumerate(values)) {
    Value value = given;
    Value slot = b.create<LLVM::GEPOp>(memory.getType(), b.getI64Type(), memory,
                                       LLVM::GEPArg(int32_t(number)));
    if (value.getType().isSignlessInteger() && value.getType() != b.getI64Type())
      value = b.create<arith::ExtUIOp>(b.getI64Type(), value);
    b.create<LLVM::StoreOp>(value, slot);
  }
  Type pointer = memory.getType();
  b.create<LLVM::CallOp>(declareFunction(b, function, b.getI32Type(), {pointer, pointer}),
                         ValueRange{format, memory});
}

std::string assertionText(AssertOp assertion) {
  FileLineColLoc place = placeOf(assertion.getLoc());
  std::string text = place ? place.getFilename().str() + ":" + std::to_string(place.getLine())
                           : std::string("an unknown place");
  return assertion.getMessage().empty() ? text : text + ": " + assertion.getMessage().str();
}

} // namespace eft
