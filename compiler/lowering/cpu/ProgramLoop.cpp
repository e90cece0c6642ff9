// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/cpu/ProgramLoop.h"

#include "compiler/lowering/DebugScopes.h"
#include "compiler/lowering/cpu/StopPolls.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace eft {

namespace {

/// Loads a value of type `type` from the start of element number `index` of an array. The array's
/// elements have the type `step`.
Value loadElement(ImplicitLocOpBuilder &b, Value array, unsigned index, Type step, Type type) {
  Value place = b.create<LLVM::GEPOp>(array.getType(), step, array, LLVM::GEPArg(int32_t(index)));
  return b.create<LLVM::LoadOp>(type, place);
}

/// Loads a kernel's argument from its slot of 8 bytes. A boolean is one byte there.
Value loadArgument(ImplicitLocOpBuilder &b, Value slots, unsigned index, Type type) {
  if (!type.isInteger(1))
    return loadElement(b, slots, index, b.getI64Type(), type);
  Value byte = loadElement(b, slots, index, b.getI64Type(), b.getI8Type());
  return b.create<arith::TruncIOp>(type, byte);
}

/// The position of program number `linear` in a grid; x varies fastest.
SmallVector<Value> positionOf(ImplicitLocOpBuilder &b, Value linear, ArrayRef<Value> extents) {
  SmallVector<Value> position;
  for (Value extent : extents.drop_back()) {
    Value wide = b.create<arith::ExtUIOp>(b.getI64Type(), extent);
    position.push_back(b.create<arith::RemUIOp>(linear, wide));
    linear = b.create<arith::DivUIOp>(linear, wide);
  }
  position.push_back(linear);
  for (Value &coordinate : position)
    coordinate = b.create<arith::TruncIOp>(b.getI32Type(), coordinate);
  return position;
}

} // namespace

void makeProgramLoop(func::FuncOp program, bool stoppable) {
  ImplicitLocOpBuilder b(withOwnScope(program.getLoc()), program->getContext());
  b.setInsertionPointAfter(program);
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i64 = b.getI64Type();
  auto kernel = b.create<func::FuncOp>(program.getName(),
                                       b.getFunctionType({pointer, pointer, i64, i64}, {}));
  std::string ownName = (program.getName() + ".program").str();
  while (SymbolTable::lookupNearestSymbolFrom(kernel, b.getStringAttr(ownName)))
    ownName += "_";
  program.setName(ownName);
  program.setPrivate();
  program->setAttr("llvm.linkage", LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));

  Block *entry = kernel.addEntryBlock();
  b.setInsertionPointToStart(entry);
  Value slots = entry->getArgument(0), grid = entry->getArgument(1);
  Value first = entry->getArgument(2), count = entry->getArgument(3);
  ArrayRef<Type> types = program.getArgumentTypes();
  SmallVector<Value> arguments, extents;
  for (auto [index, type] : llvm::enumerate(types.drop_back(6)))
    arguments.push_back(loadArgument(b, slots, index, type));
  for (unsigned axis = 0; axis < 3; ++axis)
    extents.push_back(loadElement(b, grid, axis, b.getI32Type(), b.getI32Type()));

  Value one = b.create<arith::ConstantIntOp>(1, 64);
  Value end = b.create<arith::AddIOp>(first, count);
  auto loop = b.create<scf::ForOp>(first, end, one);
  b.setInsertionPointToStart(loop.getBody());
  if (stoppable)
    emitStopPoll(b);
  llvm::append_range(arguments, positionOf(b, loop.getInductionVar(), extents));
  llvm::append_range(arguments, extents);
  b.create<func::CallOp>(program, arguments);
  b.setInsertionPointToEnd(entry);
  b.create<func::ReturnOp>();
}

} // namespace eft
