// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builder: makes operations by name. Also makes attributes for constants.
#include "frontend/bindings/compiler/Builder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Verifier.h"

#include "compiler/ir/EftDialect.h"

using namespace mlir;

namespace eft::bindings {

Builder::Builder(const Module &module)
    : state(module.state), blocks{mlir::ModuleOp(module.object).getBody()} {}

namespace {

void addParts(OperationState &parts, const StateRef &state, const std::vector<Value> &operands,
              const std::vector<Type> &results, const NamedAttributes &attributes) {
  for (const Value &operand : operands)
    parts.operands.push_back(checked(state, operand));
  for (const Type &result : results)
    parts.types.push_back(checked(state, result));
  for (const auto &[name, attribute] : attributes)
    parts.addAttribute(name, checked(state, attribute));
}

/// Returns true if an operation can be verified already. An operation inside a region that no
/// operation owns yet has no parent. There, terminators can't be verified, because their verifiers
/// often look at the parent. Operations with regions can't be verified either, because their
/// regions may use values from outside the unowned region. All of them are verified when the
/// function around them is made.
bool canBeVerified(Operation *op) {
  return op->getBlock()->getParentOp() ||
         (op->getNumRegions() == 0 && !op->hasTrait<OpTrait::IsTerminator>());
}

} // namespace

std::vector<Value> Builder::create(const std::string &name, const std::vector<Value> &operands,
                                   const std::vector<Type> &results,
                                   const NamedAttributes &attributes,
                                   const std::vector<Region> &regions, const Location &location) {
  if (!RegisteredOperationName::lookup(name, &state->context))
    throw IRError("unknown operation '" + name + "'");
  OperationState parts(checked(state, location), name);
  addParts(parts, state, operands, results, attributes);
  for (const Region &region : regions)
    parts.addRegion()->takeBody(*checked(state, region));

  Operation *op = Operation::create(parts);
  blocks.back()->push_back(op);
  if (canBeVerified(op)) {
    DiagnosticCollector diagnostics(state->context);
    if (failed(verify(op, /*verifyRecursively=*/!regions.empty()))) {
      for (auto [owner, region] : llvm::zip_equal(regions, op->getRegions()))
        owner.object->takeBody(region);
      op->erase();
      throw irError(diagnostics, "'" + name + "' does not verify");
    }
  }
  std::vector<Value> values;
  for (mlir::Value result : op->getResults())
    values.push_back({state, result});
  return values;
}

Region Builder::region(const std::vector<Type> &arguments, const Location &location) {
  state->regions.push_back(std::make_unique<mlir::Region>());
  mlir::Region *region = state->regions.back().get();
  mlir::Block &block = region->emplaceBlock();
  for (const Type &argument : arguments)
    block.addArgument(checked(state, argument), checked(state, location));
  return {state, region};
}

void Builder::enter(const Region &region) {
  mlir::Region *inner = checked(state, region);
  if (inner->empty())
    throw python::mistake("the region belongs to an operation already");
  blocks.push_back(&inner->front());
}

void Builder::enterModule() { blocks.push_back(blocks.front()); }

void Builder::leave() {
  if (blocks.size() == 1)
    throw python::mistake("no region was entered");
  blocks.pop_back();
}

static func::FuncOp kernelOf(const Module &module) {
  for (auto function : mlir::ModuleOp(module.object).getOps<func::FuncOp>())
    if (function.isPublic())
      return function;
  throw python::mistake("the module has no kernel");
}

void specialize(const Module &module, const std::vector<uint32_t> &specials) {
  func::FuncOp kernel = kernelOf(module);
  if (kernel.getNumArguments() != specials.size())
    throw python::mistake("a kernel of " + std::to_string(kernel.getNumArguments()) +
                          " arguments needs as many facts, got " + std::to_string(specials.size()));
  auto builder = OpBuilder::atBlockBegin(&kernel.front());
  for (auto [argument, special] : llvm::zip_equal(kernel.getArguments(), specials)) {
    if (special > 1) {
      kernel.setArgAttr(argument.getArgNumber(), EftDialect::divisibilityName,
                        builder.getI32IntegerAttr(int32_t(special)));
    } else if (special == 1) {
      if (!isa<IntegerType>(argument.getType()))
        throw python::mistake("only an integer can be known to equal 1");
      argument.replaceAllUsesWith(builder.create<arith::ConstantOp>(
          argument.getLoc(), builder.getIntegerAttr(argument.getType(), 1)));
    }
  }
}

Attribute integerAttribute(const Type &type, uint64_t bits) {
  if (!type.object.isSignlessInteger() || type.object.getIntOrFloatBitWidth() > 64)
    throw python::mistake("the type of an integer constant must be an integer");
  llvm::APInt value = llvm::APInt(64, bits).trunc(type.object.getIntOrFloatBitWidth());
  return {type.state, IntegerAttr::get(type.object, value)};
}

Attribute floatAttribute(const Type &type, double value) {
  if (!isa<FloatType>(type.object))
    throw python::mistake("the type of a float constant must be a float");
  return {type.state, FloatAttr::get(type.object, value)};
}

namespace {

/// A function that returns the number of the enumeration's case `name`, or nothing if there is no
/// such case.
using Symbolize = std::optional<uint64_t> (*)(llvm::StringRef name);

template <typename Enum, std::optional<Enum> (*symbolize)(llvm::StringRef)>
std::optional<uint64_t> numberOf(llvm::StringRef name) {
  std::optional<Enum> number = symbolize(name);
  return number ? std::optional(uint64_t(*number)) : std::nullopt;
}

struct Enumeration {
  llvm::StringLiteral name;
  Symbolize numberOf;
  unsigned bits;
};

constexpr Enumeration enumerations[] = {
    {"AtomicKind", numberOf<AtomicKind, symbolizeAtomicKind>, 32},
    {"Axis", numberOf<Axis, symbolizeAxis>, 32},
    {"CacheModifier", numberOf<CacheModifier, symbolizeCacheModifier>, 32},
    {"Eviction", numberOf<Eviction, symbolizeEviction>, 32},
    {"Float8", numberOf<Float8, symbolizeFloat8>, 32},
    {"MemoryOrder", numberOf<MemoryOrder, symbolizeMemoryOrder>, 32},
    {"MemoryScope", numberOf<MemoryScope, symbolizeMemoryScope>, 32},
    {"Precision", numberOf<Precision, symbolizePrecision>, 32},
    {"CmpFPredicate", numberOf<arith::CmpFPredicate, arith::symbolizeCmpFPredicate>, 64},
    {"CmpIPredicate", numberOf<arith::CmpIPredicate, arith::symbolizeCmpIPredicate>, 64},
};

} // namespace

Attribute enumAttribute(const StateRef &state, const std::string &enumeration,
                        const std::string &name) {
  const auto *found = llvm::find_if(
      enumerations, [&](const Enumeration &each) { return each.name == enumeration; });
  if (found == std::end(enumerations))
    throw python::mistake("unknown enumeration '" + enumeration + "'");
  std::optional<uint64_t> number = found->numberOf(name);
  if (!number)
    throw python::mistake("'" + enumeration + "' has no case '" + name + "'");
  auto type = IntegerType::get(&state->context, found->bits);
  return {state, IntegerAttr::get(type, int64_t(*number))};
}

Attribute splatAttribute(const Type &type, const Attribute &element) {
  auto block = dyn_cast<RankedTensorType>(type.object);
  auto typed = dyn_cast<TypedAttr>(checked(type.state, element));
  if (!block || !block.hasStaticShape() || !typed || typed.getType() != block.getElementType())
    throw python::mistake("a splat needs a block type and an attribute of its element type");
  return {type.state, DenseElementsAttr::get(block, element.object)};
}

} // namespace eft::bindings
