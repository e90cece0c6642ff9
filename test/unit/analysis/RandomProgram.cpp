// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds random functions.
#include "RandomProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace eft::testing {

RandomProgram::RandomProgram(MLIRContext &context, uint32_t seed)
    : generator(seed), module(ModuleOp::create(UnknownLoc::get(&context))), builder(&context) {
  shape =
      below(3) == 0 ? std::vector<int64_t>{4, 8} : std::vector<int64_t>{int64_t(1) << below(10)};
  builder.setInsertionPointToEnd(module->getBody());
  addArguments();
  addSources();
  for (int i = 0; i < 25; ++i)
    addOperation();
  builder.create<func::ReturnOp>(program.getLoc());
}

void RandomProgram::addArguments() {
  SmallVector<Type> types;
  for (unsigned width : {1, 8, 32, 32, 32, 64})
    types.push_back(builder.getIntegerType(width));
  types.push_back(PointerType::get(builder.getF32Type()));
  types.push_back(PointerType::get(builder.getF16Type()));
  program = builder.create<func::FuncOp>(builder.getUnknownLoc(), "program",
                                         builder.getFunctionType(types, {}));
  for (auto [number, type] : llvm::enumerate(types))
    if (!type.isInteger(1))
      program.setArgAttr(number, EftDialect::divisibilityName,
                         builder.getI32IntegerAttr(1 << below(6)));
  builder.setInsertionPointToStart(program.addEntryBlock());
  for (BlockArgument argument : program.getArguments())
    pool.push_back(argument);
}

/// Adds ranges, and splats of the arguments, to the pool of values. In two dimensions the ranges
/// run along rows or columns and are broadcast to the shape.
void RandomProgram::addSources() {
  Location loc = builder.getUnknownLoc();
  auto block = [&](ArrayRef<int64_t> extents, Type element) {
    return RankedTensorType::get(extents, element);
  };
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    static constexpr int32_t starts[] = {0, 0, 0, 3, 16, -8};
    int32_t start = starts[below(6)];
    Value range = builder.create<ArangeOp>(loc, block(shape[dim], builder.getI32Type()), start,
                                           int32_t(start + shape[dim]));
    if (shape.size() == 2) {
      Value factor = someConstant(range.getType());
      if (below(2) == 0)
        range = builder.create<arith::MulIOp>(loc, range, factor);
      SmallVector<int64_t> extents = {1, 1};
      extents[dim] = shape[dim];
      range = builder.create<ExpandDimsOp>(loc, block(extents, builder.getI32Type()), range,
                                           uint32_t(1 - dim));
      range = builder.create<BroadcastOp>(loc, block(shape, builder.getI32Type()), range);
    }
    pool.push_back(range);
    runs.push_back(range);
  }
  for (BlockArgument argument : program.getArguments())
    pool.push_back(builder.create<SplatOp>(loc, block(shape, argument.getType()), argument));
}

Type RandomProgram::someType() {
  Value value = pool[below(pool.size())];
  return value.getType();
}

Value RandomProgram::someConstant(Type type) {
  Type element = getElementTypeOrSelf(type);
  const unsigned width = element.getIntOrFloatBitWidth();
  uint64_t number = below(3) == 0 ? below(40) : uint64_t(1) << below(std::min(width, 10u));
  if (below(3) == 0)
    number = uint64_t(0) - number - below(2);
  Attribute value = builder.getIntegerAttr(element, APInt(width, number));
  if (auto block = dyn_cast<RankedTensorType>(type))
    value = SplatElementsAttr::get(block, value);
  return builder.create<arith::ConstantOp>(builder.getUnknownLoc(), cast<TypedAttr>(value));
}

Value RandomProgram::some(Type type) {
  SmallVector<Value> candidates;
  for (Value value : pool)
    if (value.getType() == type)
      candidates.push_back(value);
  bool isPointer = isa<PointerType>(getElementTypeOrSelf(type));
  if (!isPointer && (candidates.empty() || below(3) == 0))
    return someConstant(type);
  // Prefer the latest value, which has the longest history.
  return below(2) == 0 ? candidates.back() : candidates[below(candidates.size())];
}

Value RandomProgram::binary(Type type) {
  static constexpr const char *names[] = {
      "arith.addi",  "arith.addi",  "arith.addi",  "arith.subi",  "arith.muli",
      "arith.muli",  "arith.andi",  "arith.ori",   "arith.xori",  "arith.minsi",
      "arith.minui", "arith.maxsi", "arith.maxui", "arith.divui", "arith.divsi",
      "arith.remui", "arith.remsi", "arith.shli",  "arith.shrui", "arith.shrsi"};
  OperationState state(builder.getUnknownLoc(), names[below(std::size(names))]);
  state.addOperands({some(type), some(type)});
  state.addTypes(type);
  return builder.create(state)->getResult(0);
}

Value RandomProgram::widthChange(Type type) {
  Location loc = builder.getUnknownLoc();
  static constexpr unsigned widths[] = {8, 32, 64};
  const unsigned width = widths[below(3)], old = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  Type result = withElementType(type, builder.getIntegerType(width));
  if (width == old)
    return some(type);
  if (width < old)
    return builder.create<arith::TruncIOp>(loc, result, some(type));
  if (below(2) == 0)
    return builder.create<arith::ExtUIOp>(loc, result, some(type));
  return builder.create<arith::ExtSIOp>(loc, result, some(type));
}

/// Applies an operation that kernels apply to the offsets of a range. For example, a remainder or a
/// minimum keeps offsets inside an array, a division computes rows, and xor exchanges neighbours.
Value RandomProgram::wrapped(Value run) {
  static constexpr const char *names[] = {"arith.remsi", "arith.remsi", "arith.remui",
                                          "arith.divsi", "arith.divui", "arith.xori",
                                          "arith.ori",   "arith.minsi", "arith.maxsi"};
  Location loc = builder.getUnknownLoc();
  Value scalar = some(getElementTypeOrSelf(run));
  if (below(2) == 0)
    scalar = builder.create<arith::MulIOp>(loc, scalar, someConstant(scalar.getType()));
  Value operand = builder.create<SplatOp>(loc, run.getType(), scalar);
  if (below(4) == 0)
    operand = runs[below(runs.size())];
  if (operand.getType() != run.getType())
    return run;
  OperationState state(loc, names[below(std::size(names))]);
  state.addOperands({run, operand});
  state.addTypes(run.getType());
  return builder.create(state)->getResult(0);
}

/// Adds a common pattern of kernels: a range plus a scalar, or a range compared with a scalar.
void RandomProgram::addIdiom(bool isComparison) {
  Location loc = builder.getUnknownLoc();
  Value run = runs[below(runs.size())];
  Type scalar = getElementTypeOrSelf(run);
  Value moved = some(scalar);
  if (below(2) == 0) {
    moved = builder.create<arith::MulIOp>(loc, moved, someConstant(scalar));
    pool.push_back(moved);
  }
  Value splat = builder.create<SplatOp>(loc, run.getType(), moved);
  if (isComparison) {
    auto predicate = static_cast<arith::CmpIPredicate>(below(10));
    if (below(2) == 0)
      std::swap(run, splat);
    pool.push_back(builder.create<arith::CmpIOp>(loc, predicate, run, splat));
    if (below(2) == 0)
      pool.push_back(builder.create<arith::AndIOp>(loc, pool.back(), some(pool.back().getType())));
    return;
  }
  run = builder.create<arith::AddIOp>(loc, run, splat);
  if (below(3) == 0)
    run = wrapped(run);
  if (scalar.isInteger(32) && below(4) == 0)
    run = builder.create<arith::ExtSIOp>(loc, withElementType(run.getType(), builder.getI64Type()),
                                         run);
  else if (!scalar.isInteger(8) && below(4) == 0)
    run = builder.create<arith::TruncIOp>(loc, withElementType(run.getType(), builder.getI8Type()),
                                          run);
  pool.push_back(run);
  runs.push_back(run);
}

void RandomProgram::addOperation() {
  Location loc = builder.getUnknownLoc();
  Type type = someType();
  const bool isPointer = isa<PointerType>(getElementTypeOrSelf(type));
  const uint64_t choice = below(14);
  if (choice >= 10) {
    addIdiom(choice >= 12);
  } else if (isPointer) {
    Type offset = withElementType(type, builder.getIntegerType(below(3) == 0 ? 64 : 32));
    pool.push_back(builder.create<AddPtrOp>(loc, some(type), some(offset)));
  } else if (choice == 0) {
    Type mask = maskLike(type);
    Value condition = some(below(2) == 0 ? Type(builder.getI1Type()) : mask);
    pool.push_back(builder.create<arith::SelectOp>(loc, condition, some(type), some(type)));
  } else if (choice <= 2) {
    auto predicate = static_cast<arith::CmpIPredicate>(below(10));
    pool.push_back(builder.create<arith::CmpIOp>(loc, predicate, some(type), some(type)));
  } else if (choice == 3) {
    pool.push_back(widthChange(type));
  } else {
    pool.push_back(binary(type));
  }
}

void RandomProgram::chooseArguments(Interpreter &interpreter) {
  for (BlockArgument argument : program.getArguments()) {
    const unsigned width = widthOf(argument.getType());
    uint64_t value = 0;
    switch (below(4)) {
    case 0:
      value = below(200);
      break;
    case 1: // around the largest and the least signed number
      value = (uint64_t(1) << (width - 1)) + below(200) - 100;
      break;
    case 2: // zero, or a little below
      value = uint64_t(0) - below(100);
      break;
    default:
      value = generator() | uint64_t(generator()) << 32;
    }
    if (auto divisibility = program.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(),
                                                                  EftDialect::divisibilityName))
      value &= uint64_t(0) - divisibility.getInt();
    interpreter.set(argument, {truncated(value, width)});
  }
}

} // namespace eft::testing
