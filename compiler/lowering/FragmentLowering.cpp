// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/FragmentLowering.h"

#include "compiler/layout/Placement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace eft {

namespace {

/// The most fragments of one block. With more, the code would take minutes to compile, and would
/// spill.
constexpr unsigned maxFragments = 4096;

SmallVector<Value> operandsAndResults(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  llvm::append_range(values, op->getResults());
  return values;
}

} // namespace

//===----------------------------------------------------------------------===//
// Values and types
//===----------------------------------------------------------------------===//

ArrayRef<Value> FragmentLowering::fragmentsOf(Value value) {
  auto found = fragments.find(value);
  if (found == fragments.end())
    found = fragments.insert({value, {value}}).first;
  return found->second;
}

void FragmentLowering::setFragments(Value value, Fragments newFragments) {
  // Users that are not lowered themselves now use the lowered scalar.
  if (isLoweredType(value.getType()))
    value.replaceAllUsesWith(newFragments.front());
  for (auto [number, original] : llvm::enumerate(originalsOf(value.getType())))
    newFragments[number] = newFragments[original];
  fragments[value] = std::move(newFragments);
}

SmallVector<unsigned> FragmentLowering::originalsOf(Type type) {
  std::optional<LinearLayout> layout = layoutOf(type);
  unsigned copying = 0;
  for (unsigned bit = 0; layout && bit < layout->placeBits(fragmentDimension); ++bit)
    if (llvm::all_of(layout->basis(fragmentDimension, bit), [](int64_t each) { return each == 0; }))
      copying |= 1u << bit;
  SmallVector<unsigned> originals;
  for (unsigned fragment = 0; fragment < numFragments(type); ++fragment)
    originals.push_back(fragment & ~copying);
  return originals;
}

SmallVector<unsigned> FragmentLowering::originalsOf(Operation *op) {
  SmallVector<unsigned> originals = originalsOf(op->getResult(0).getType());
  if (auto run = dyn_cast_or_null<IntegerAttr>(op->removeAttr(EftDialect::constancyName)))
    for (unsigned &original : originals)
      original -= original % run.getValue().getLimitedValue();
  return originals;
}

Type FragmentLowering::scalarType(Type type) {
  return isa<PointerType>(type) ? IntegerType::get(context, 64) : type;
}

Type FragmentLowering::fragmentTypeOf(Type type) {
  auto block = dyn_cast<RankedTensorType>(type);
  return block ? fragmentType(block, scalarType(block.getElementType())) : scalarType(type);
}

unsigned FragmentLowering::placeBits(Type block, StringRef dimension) {
  return layoutOf(block)->placeBits(dimension.str());
}

bool FragmentLowering::isLoweredType(Type type) {
  return !isa<RankedTensorType, PointerType, BufferType, SharedType>(type);
}

unsigned FragmentLowering::numFragments(Type type) {
  return isa<RankedTensorType>(type) ? 1u << placeBits(type, fragmentDimension) : 1;
}

//===----------------------------------------------------------------------===//
// The kernel's arguments
//===----------------------------------------------------------------------===//

LogicalResult FragmentLowering::checkKernel(func::FuncOp kernel) {
  if (kernel.isExternal())
    return kernel.emitOpError("is declared but not defined");
  if (kernel.getNumResults() != 0)
    return kernel.emitOpError("must have no results, got ") << kernel.getNumResults();
  for (Type type : kernel.getArgumentTypes())
    if (isa<ShapedType>(type))
      return kernel.emitOpError("must have scalars as its arguments, got ") << type;
  return success();
}

void FragmentLowering::takeArguments(func::FuncOp kernel) {
  Block &entry = kernel.getBody().front();
  replacedArguments = entry.getNumArguments();
  for (BlockArgument argument : llvm::to_vector(entry.getArguments()))
    setFragments(argument, {entry.addArgument(scalarType(argument.getType()), argument.getLoc())});
}

void FragmentLowering::dropArguments(func::FuncOp kernel) {
  Block &entry = kernel.getBody().front();
  entry.eraseArguments(0, replacedArguments);
  kernel.setFunctionType(FunctionType::get(context, entry.getArgumentTypes(), {}));
  kernel.removeArgAttrsAttr();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult FragmentLowering::lower(Region &body) {
  if (!body.hasOneBlock())
    return body.getParentOp()->emitOpError("has branches between blocks of operations, which the "
                                           "lowering does not follow; use scf");
  for (Block &block : body)
    if (failed(lowerBlock(block)))
      return failure();
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
  replaced.clear();
  for (auto [block, count] : replacedBlockArguments)
    block->eraseArguments(0, count);
  replacedBlockArguments.clear();
  return success();
}

LogicalResult FragmentLowering::lowerBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(lowerOp(&op)))
      return failure();
  return success();
}

/// True for an operation of the eft dialect that needs a lowering function of its own. The
/// dialect's other operations are elementwise, and are lowered like upstream's arithmetic.
bool FragmentLowering::isOwnOp(Operation *op) const {
  return isa_and_present<EftDialect>(op->getDialect()) &&
         (table.find(op) || !OpTrait::hasElementwiseMappableTraits(op));
}

LogicalResult FragmentLowering::lowerOp(Operation *op) {
  const bool isOwn = isOwnOp(op);
  // The regions of the dialect's own operations are functions of elements. The lowering functions
  // of these operations clone the regions.
  if (op->getNumRegions() != 0 && !isOwn)
    return lowerRegions(op);
  if (!isOwn && llvm::all_of(operandsAndResults(op),
                             [](Value value) { return isLoweredType(value.getType()); }))
    return success();
  if (failed(checkTypes(op, op->getOperandTypes())) || failed(checkTypes(op, op->getResultTypes())))
    return failure();
  if (isa<scf::YieldOp, scf::ConditionOp>(op)) {
    op->setOperands(carriedFragments(op->getOperands()));
    return success();
  }
  ImplicitLocOpBuilder b(op->getLoc(), op);
  replaced.push_back(op);
  if (const LoweringTable::Lowering *lower = table.find(op))
    return (*lower)(*this, b, op);
  if (isOwn)
    return op->emitOpError("has no lowering for ") << targetName;
  return lowerElementwise(b, op);
}

/// The location of an operation. For a folded constant, which has none, the location of a user.
static Location placeOf(Operation *op) {
  while (isa<UnknownLoc>(op->getLoc()) && !op->use_empty())
    op = *op->user_begin();
  return op->getLoc();
}

static LogicalResult refuseLargeBlock(Location loc, RankedTensorType block, unsigned count,
                                      bool isGpu) {
  const int64_t found = block.getNumElements();
  InFlightDiagnostic error = emitError(loc) << "block of ";
  llvm::interleave(
      block.getShape(), [&](int64_t extent) { error << extent; }, [&] { error << " x "; });
  return error << " elements is too large to be held in registers at once: expected at most "
               << std::max<int64_t>(found / (count / maxFragments), 1) << " elements, got " << found
               << (isGpu ? "; use a smaller block or more warps" : "; use a smaller block");
}

/// Emits an error if a block has no layout or too many fragments, or if an operation that fetches
/// elements has a block with elements that lie in no place.
LogicalResult FragmentLowering::checkTypes(Operation *op, TypeRange types) {
  for (Type type : types) {
    if (isa<RankedTensorType>(type) && !layoutOf(type))
      return op->emitOpError("has a block without a layout; run eft-place first, got ") << type;
    if (unsigned count = numFragments(type); count > maxFragments)
      return refuseLargeBlock(placeOf(op), cast<RankedTensorType>(type), count,
                              fragmentDimension == place::registers);
    bool isBlock = isa<RankedTensorType>(type);
    if (isBlock && op->hasTrait<FetchesElements>() && !placesOf(type).isSurjective())
      return op->emitOpError("has a layout that does not cover the block, got ") << type;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Operations on fragments
//===----------------------------------------------------------------------===//

SmallVector<Value> FragmentLowering::cloneOnFragments(ImplicitLocOpBuilder &b, Operation *op,
                                                      ValueRange operands, ArrayRef<Type> types) {
  OperationState state(op->getLoc(), op->getName(), operands, types,
                       op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return llvm::to_vector_of<Value>(b.create(state)->getResults());
}

LogicalResult FragmentLowering::lowerElementwise(ImplicitLocOpBuilder &b, Operation *op) {
  bool isScalar = llvm::none_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) &&
                  llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
  if (!isScalar && !OpTrait::hasElementwiseMappableTraits(op))
    return op->emitOpError("on blocks has no lowering");
  if (isScalar && !isa<arith::SelectOp>(op))
    return op->emitOpError("on pointers has no lowering");
  unsigned count = 1;
  for (Value value : operandsAndResults(op))
    count = std::max(count, numFragments(value.getType()));

  SmallVector<Fragments> results(op->getNumResults());
  // All copies of an element in one thread share one computation.
  const SmallVector<unsigned> originals =
      op->getNumResults() != 0 ? originalsOf(op) : SmallVector<unsigned>();
  for (unsigned fragment = 0; fragment < count; ++fragment) {
    if (!originals.empty() && originals[fragment] != fragment) {
      for (Fragments &result : results)
        result.push_back(result[originals[fragment]]);
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      ArrayRef<Value> all = fragmentsOf(operand);
      // A scalar operand (the condition of a select) is the same for each fragment.
      operands.push_back(all.size() == count ? all[fragment] : all.front());
    }
    SmallVector<Type> types;
    for (Type type : op->getResultTypes())
      types.push_back(fragmentTypeOf(type));
    for (auto [result, value] : llvm::zip_equal(results, cloneOnFragments(b, op, operands, types)))
      result.push_back(value);
  }
  for (auto [result, lowered] : llvm::zip_equal(op->getResults(), results))
    setFragments(result, std::move(lowered));
  return success();
}

} // namespace eft
