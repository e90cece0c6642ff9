// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lowers a kernel's own inline assembly, which runs on a thread's elements.
//
// LLVM ends the process if it does not accept a constraint or an operand number. So this file
// checks both and reports an error instead, and gives each register exactly the type that its
// constraint names.
#include "compiler/lowering/gpu/GpuLowering.h"
#include "compiler/lowering/gpu/InlinePtx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/IR/InlineAsm.h"

using namespace mlir;

namespace eft {
namespace {

using Values = SmallVector<Value>;

unsigned bitsOf(Type element) { return element.getIntOrFloatBitWidth(); }

/// The type of the register that a constraint of PTX names; null if it names none.
Type registerType(MLIRContext *context, StringRef constraint) {
  Builder b(context);
  if (constraint.size() != 1)
    return {};
  switch (constraint.front()) {
  case 'b':
    return b.getI1Type();
  case 'c':
  case 'h':
    return b.getI16Type();
  case 'r':
    return b.getI32Type();
  case 'l':
    return b.getI64Type();
  case 'f':
    return b.getF32Type();
  case 'd':
    return b.getF64Type();
  default:
    return {};
  }
}

/// The types of the registers for one execution of the code: those of the results, and those of the
/// operands.
struct Registers {
  SmallVector<Type> results, operands;
};

/// The type of the register of a constraint; null if the constraint is not supported. `before` has
/// the registers of the constraints before it. A constraint that is a number refers to the register
/// of a result.
Type readConstraint(const llvm::InlineAsm::ConstraintInfo &constraint, MLIRContext *context,
                    const Registers &before) {
  const bool isResult = constraint.Type == llvm::InlineAsm::isOutput;
  if (constraint.Codes.size() != 1 || constraint.isIndirect ||
      constraint.Type == llvm::InlineAsm::isLabel || (isResult && !before.operands.empty()))
    return {};
  StringRef code = constraint.Codes.front();
  unsigned shared;
  if (!isResult && !code.getAsInteger(10, shared) && shared < before.results.size())
    return before.results[shared];
  return registerType(context, code);
}

FailureOr<Registers> readConstraints(InlineAsmOp op) {
  const auto constraints = llvm::InlineAsm::ParseConstraints(op.getConstraints());
  Registers registers;
  bool isRight = !constraints.empty();
  for (const llvm::InlineAsm::ConstraintInfo &each : constraints) {
    if (each.Type == llvm::InlineAsm::isClobber)
      continue;
    Type type = readConstraint(each, op.getContext(), registers);
    isRight &= bool(type);
    const bool isResult = each.Type == llvm::InlineAsm::isOutput;
    (isResult ? registers.results : registers.operands).push_back(type);
  }
  if (isRight)
    return registers;
  return op.emitError("constraints of inline assembly must be registers, those of the results as "
                      "`=r` in front of those of the operands as `r`, of r, h, l, f, d, c and b, "
                      "got \"")
         << op.getConstraints() << "\"";
}

/// The number of elements of type `element` that share a register.
unsigned elementsOfRegister(InlineAsmOp op, Type element) {
  return std::min(std::max(32 / bitsOf(element), 1u), op.getPack());
}

/// Checks that values whose elements have the types `elements` fill registers of the types
/// `registers`. Returns the number of elements in each register. `what` names the values in errors:
/// "result" or "operand".
FailureOr<SmallVector<unsigned>> shareRegisters(InlineAsmOp op, StringRef what,
                                                ArrayRef<Type> elements, ArrayRef<Type> registers) {
  SmallVector<unsigned> counts;
  for (Type element : elements) {
    const unsigned count = elementsOfRegister(op, element);
    if (op.getPack() % count != 0)
      return op.emitError("inline assembly with pack ")
             << op.getPack() << " leaves room in a register: " << count << " elements of type "
             << element << " share one";
    for (unsigned i = 0; i < op.getPack() / count; ++i) {
      const unsigned number = counts.size();
      counts.push_back(count);
      if (number >= registers.size())
        continue;
      const unsigned bits = count * bitsOf(element), room = bitsOf(registers[number]);
      if (bits > room || (bits < room && !registers[number].isSignlessInteger()))
        return op.emitError("inline assembly needs a register of ")
               << bits << " bits for " << what << " " << number << ", got one of " << room
               << " bits";
    }
  }
  if (counts.size() != registers.size())
    return op.emitError("inline assembly with pack ")
           << op.getPack() << " needs " << counts.size() << " constraints of " << what << "s, got "
           << registers.size();
  return counts;
}

/// Checks every `$` in the code: the number of an operand or another `$` must follow.
LogicalResult checkCode(InlineAsmOp op, unsigned numOperands) {
  StringRef rest = op.getCode();
  while (true) {
    rest = rest.drop_front(std::min(rest.find('$'), rest.size()));
    if (rest.empty())
      return success();
    rest = rest.drop_front();
    unsigned number;
    if (rest.consume_front("$"))
      continue;
    const bool hasBraces = rest.consume_front("{");
    if (rest.consumeInteger(10, number) || (hasBraces && !rest.consume_front("}")))
      return op.emitError("`$` in inline assembly must be followed by the number of an operand, or "
                          "by another `$`");
    if (number >= numOperands)
      return op.emitError("inline assembly has ")
             << numOperands << " operands, and names $" << number;
  }
}

/// Returns a register of type `type` that holds the elements side by side, the first in the lowest
/// bits.
Value packRegister(ImplicitLocOpBuilder &b, ArrayRef<Value> elements, Type type) {
  Value value = elements.front();
  if (elements.size() > 1) {
    value = b.create<LLVM::UndefOp>(VectorType::get(int64_t(elements.size()), value.getType()));
    for (auto [i, element] : llvm::enumerate(elements))
      value = b.create<LLVM::InsertElementOp>(value, element,
                                              b.create<arith::ConstantIntOp>(int64_t(i), 32));
  }
  const unsigned bits = unsigned(elements.size()) * bitsOf(elements.front().getType());
  if (Type integer = b.getIntegerType(bits); value.getType() != type && value.getType() != integer)
    value = b.create<LLVM::BitcastOp>(integer, value);
  if (value.getType() == type)
    return value;
  return bits == bitsOf(type) ? b.create<LLVM::BitcastOp>(type, value).getResult()
                              : b.create<LLVM::ZExtOp>(type, value).getResult();
}

/// Returns the elements of a register: the inverse of `packRegister`.
Values unpackRegister(ImplicitLocOpBuilder &b, Value value, unsigned count, Type element) {
  const unsigned bits = count * bitsOf(element);
  if (bits < bitsOf(value.getType()))
    value = b.create<LLVM::TruncOp>(b.getIntegerType(bits), value);
  Type wanted = count == 1 ? element : VectorType::get(count, element);
  if (value.getType() != wanted)
    value = b.create<LLVM::BitcastOp>(wanted, value);
  if (count == 1)
    return {value};
  Values elements;
  for (unsigned i = 0; i < count; ++i)
    elements.push_back(
        b.create<LLVM::ExtractElementOp>(value, b.create<arith::ConstantIntOp>(i, 32)));
  return elements;
}

/// Emits one execution of the code, and returns the registers of its results.
Values run(ImplicitLocOpBuilder &b, InlineAsmOp op, ValueRange operands, ArrayRef<Type> results) {
  const bool isOne = results.size() == 1;
  Type type =
      isOne ? results.front() : Type(LLVM::LLVMStructType::getLiteral(b.getContext(), results));
  auto code = emitPtx(b, type, operands, op.getCode(), op.getConstraints(),
                      op.getPure() ? PtxEffects::None : PtxEffects::Some);
  code->setAttr(givenPtxName, b.getUnitAttr());
  if (!op.getPure())
    code->setAttr(EftDialect::convergentName, b.getUnitAttr());
  if (isOne)
    return {code.getResult(0)};
  Values values;
  for (int64_t i = 0; i < int64_t(results.size()); ++i)
    values.push_back(b.create<LLVM::ExtractValueOp>(code.getResult(0), i));
  return values;
}

/// Returns the operand registers of one execution, which takes the operands' fragments from number
/// `first` on.
Values packOperands(GpuLowering &lowering, ImplicitLocOpBuilder &b, InlineAsmOp op, unsigned first,
                    ArrayRef<unsigned> counts, ArrayRef<Type> registers) {
  Values words;
  for (Value operand : op.getOperands()) {
    ArrayRef<Value> fragments = lowering.fragmentsOf(operand);
    Values group;
    for (size_t i = first; i < first + op.getPack(); ++i)
      group.push_back(fragments[std::min(i, fragments.size() - 1)]);
    for (ArrayRef<Value> rest = group; !rest.empty();) {
      const size_t number = words.size();
      words.push_back(packRegister(b, rest.take_front(counts[number]), registers[number]));
      rest = rest.drop_front(counts[number]);
    }
  }
  return words;
}

SmallVector<Type> elementTypes(GpuLowering &lowering, ValueRange values) {
  return llvm::map_to_vector(
      values, [&](Value value) { return lowering.scalarType(getElementTypeOrSelf(value)); });
}

LogicalResult lowerInlineAsm(GpuLowering &lowering, ImplicitLocOpBuilder &b, InlineAsmOp op) {
  FailureOr<Registers> registers = readConstraints(op);
  if (failed(registers))
    return failure();
  const SmallVector<Type> elements = elementTypes(lowering, op.getResults());
  auto ofResults = shareRegisters(op, "result", elements, registers->results);
  if (failed(ofResults))
    return failure();
  auto ofOperands =
      shareRegisters(op, "operand", elementTypes(lowering, op.getOperands()), registers->operands);
  const size_t numRegisters = registers->results.size() + registers->operands.size();
  if (failed(ofOperands) || failed(checkCode(op, unsigned(numRegisters))))
    return failure();

  const unsigned count = lowering.numFragments(op.getResult(0).getType());
  SmallVector<FragmentLowering::Fragments> results(op.getNumResults());
  for (unsigned first = 0; first < count; first += op.getPack()) {
    Values given = packOperands(lowering, b, op, first, *ofOperands, registers->operands);
    Values made = run(b, op, given, registers->results);
    size_t number = 0;
    for (auto [element, fragments] : llvm::zip_equal(elements, results))
      while (fragments.size() < first + op.getPack()) {
        const unsigned part = (*ofResults)[number];
        llvm::append_range(fragments, unpackRegister(b, made[number++], part, element));
      }
  }
  for (auto [result, fragments] : llvm::zip_equal(op.getResults(), results)) {
    fragments.truncate(count);
    lowering.setFragments(result, std::move(fragments));
  }
  return success();
}

} // namespace

void populateGpuAssemblyLowerings(LoweringTable &table) { table.add(lowerInlineAsm); }

} // namespace eft
