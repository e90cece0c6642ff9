// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/PieceLowering.h"

#include "compiler/layout/Placement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace eft {

namespace {

/// More pieces than this of one block would make code that takes minutes to compile, and spills.
constexpr unsigned mostPieces = 4096;

/// What relies on every element lying somewhere.
bool movesElements(Operation *op) {
  return isa<ReshapeOp, TransOp, JoinOp, SplitOp, ExchangeOp, GatherOp, ConvertLayoutOp, ReduceOp,
             ScanOp>(op);
}

SmallVector<Value> operandsAndResults(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  llvm::append_range(values, op->getResults());
  return values;
}

} // namespace

//===----------------------------------------------------------------------===//
// Values and types
//===----------------------------------------------------------------------===//

ArrayRef<Value> PieceLowering::piecesOf(Value value) {
  auto found = pieces.find(value);
  if (found == pieces.end())
    found = pieces.insert({value, {value}}).first;
  return found->second;
}

void PieceLowering::setPieces(Value value, Pieces newPieces) {
  // Operations that need no lowering go on with the lowered scalar.
  if (isLoweredType(value.getType()))
    value.replaceAllUsesWith(newPieces.front());
  pieces[value] = std::move(newPieces);
}

Type PieceLowering::scalarType(Type type) {
  return isa<PointerType>(type) ? IntegerType::get(context, 64) : type;
}

Type PieceLowering::pieceTypeOf(Type type) {
  auto block = dyn_cast<RankedTensorType>(type);
  return block ? pieceType(block, scalarType(block.getElementType())) : scalarType(type);
}

unsigned PieceLowering::placeBits(Type block, StringRef dimension) {
  return layoutOf(block)->placeBits(dimension.str());
}

bool PieceLowering::isLoweredType(Type type) {
  return !isa<RankedTensorType, PointerType, BufferType>(type);
}

unsigned PieceLowering::numPieces(Type type) {
  return isa<RankedTensorType>(type) ? 1u << placeBits(type, pieceDimension) : 1;
}

//===----------------------------------------------------------------------===//
// The kernel's arguments
//===----------------------------------------------------------------------===//

void PieceLowering::takeArguments(func::FuncOp kernel) {
  Block &entry = kernel.getBody().front();
  replacedArguments = entry.getNumArguments();
  for (BlockArgument argument : llvm::to_vector(entry.getArguments()))
    setPieces(argument, {entry.addArgument(scalarType(argument.getType()), argument.getLoc())});
}

void PieceLowering::dropArguments(func::FuncOp kernel) {
  Block &entry = kernel.getBody().front();
  entry.eraseArguments(0, replacedArguments);
  kernel.setFunctionType(FunctionType::get(context, entry.getArgumentTypes(), {}));
  kernel.removeArgAttrsAttr();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult PieceLowering::lower(Region &body) {
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

LogicalResult PieceLowering::lowerBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(lowerOp(&op)))
      return failure();
  return success();
}

/// Operations of the dialect that have a lowering each. Its minima and maxima are arithmetic on
/// fragments like upstream's.
static bool isOwnOp(Operation *op) {
  return isa_and_present<EftDialect>(op->getDialect()) && !isa<MinNumOp, MaxNumOp>(op);
}

bool PieceLowering::needsLowering(Operation *op) {
  return !llvm::all_of(op->getOperandTypes(), isLoweredType) ||
         !llvm::all_of(op->getResultTypes(), isLoweredType) || isOwnOp(op);
}

LogicalResult PieceLowering::lowerOp(Operation *op) {
  bool isCombining = isa<ReduceOp, ScanOp, ScanIntoOp, CombineOp>(op);
  if (op->getNumRegions() != 0 && !isCombining)
    return lowerRegions(op);
  if (!needsLowering(op))
    return success();
  if (failed(checkTypes(op, op->getOperandTypes())) || failed(checkTypes(op, op->getResultTypes())))
    return failure();
  if (isa<scf::YieldOp, scf::ConditionOp>(op)) {
    op->setOperands(carriedPieces(op->getOperands()));
    return success();
  }
  ImplicitLocOpBuilder b(op->getLoc(), op);
  replaced.push_back(op);
  if (isOwnOp(op))
    return lowerOwnOp(b, op);
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return lowerConstant(b, constant);
  return lowerElementwise(b, op);
}

static LogicalResult refuseLargeBlock(Location loc, RankedTensorType block, unsigned count,
                                      bool isGpu) {
  const int64_t found = block.getNumElements();
  InFlightDiagnostic error = emitError(loc) << "block of ";
  llvm::interleave(
      block.getShape(), [&](int64_t extent) { error << extent; }, [&] { error << " x "; });
  return error << " elements is too large to be held in registers at once: expected at most "
               << std::max<int64_t>(found / (count / mostPieces), 1) << " elements, got " << found
               << (isGpu ? "; use a smaller block or more warps" : "; use a smaller block");
}

/// Refuses blocks without a layout, and those of too many pieces.
LogicalResult PieceLowering::checkTypes(Operation *op, TypeRange types) {
  for (Type type : types) {
    if (isa<RankedTensorType>(type) && !layoutOf(type))
      return op->emitOpError("has a block without a layout; run eft-place first, got ") << type;
    if (unsigned count = numPieces(type); count > mostPieces)
      return refuseLargeBlock(op->getLoc(), cast<RankedTensorType>(type), count,
                              pieceDimension == place::registers);
    bool isBlock = isa<RankedTensorType>(type);
    if (isBlock && movesElements(op) && !placesOf(type).isSurjective())
      return op->emitOpError("has a block of which some elements lie nowhere, got ") << type;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult PieceLowering::lowerOwnOp(ImplicitLocOpBuilder &b, Operation *op) {
  if (lowerMove(b, op))
    return success();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](ProgramIdOp id) { return setPieces(id, {programId(b, id.getAxis())}), success(); })
      .Case([&](NumProgramsOp count) {
        return setPieces(count, {numPrograms(b, count.getAxis())}), success();
      })
      .Case([&](ArangeOp range) {
        auto block = cast<RankedTensorType>(range.getType());
        return setPieces(range, arange(b, block, int32_t(range.getStart()))), success();
      })
      .Case([&](SplatOp splatted) {
        Type type = splatted.getType();
        Value piece = splat(b, scalarOf(splatted.getSource()), pieceTypeOf(type));
        return setPieces(splatted, Pieces(numPieces(type), piece)), success();
      })
      .Case([&](ExpandDimsOp expand) { return lowerReshape(op, expand.getSource(), expand); })
      .Case(
          [&](BroadcastOp broadcast) { return lowerReshape(op, broadcast.getSource(), broadcast); })
      .Case([&](AddPtrOp add) { return lowerAddPtr(b, add), success(); })
      .Case([&](CastPtrOp cast) {
        return setPieces(cast, Pieces(piecesOf(cast.getSource()))), success();
      })
      .Case([&](HintOp hint) {
        return setPieces(hint, Pieces(piecesOf(hint.getSource()))), success();
      })
      .Case([&](AssumeOp assume) {
        return b.create<LLVM::AssumeOp>(scalarOf(assume.getCondition())), success();
      })
      .Case([&](BarrierOp) { return lowerBarrier(b), success(); })
      .Case([&](PrintOp print) {
        bool isOfBuffer = print.getValue() && isa<BufferType>(print.getValue().getType());
        return isOfBuffer ? lowerInto(b, print) : lowerPrint(b, print);
      })
      .Case([&](AssertOp assertion) { return lowerAssert(b, assertion), success(); })
      .Case([&](UniformDivOp division) {
        return setPieces(division, uniformDiv(b, division)), success();
      })
      .Case([&](LoadOp load) { return lowerLoad(b, load); })
      .Case([&](StoreOp store) { return lowerStore(b, store); })
      .Case([&](BufferOp buffer) { return lowerBuffer(b, buffer), success(); })
      .Case([&](PutOp put) { return lowerPut(b, put), success(); })
      .Case([&](TakeOp take) {
        return take.getElements() ? lowerInto(b, take) : (lowerTake(b, take), success());
      })
      .Case([&](DotOp dot) { return lowerDot(b, dot); })
      .Case<DotIntoOp, ScanIntoOp, SortIntoOp, PickOp>(
          [&](Operation *op) { return lowerInto(b, op); })
      .Case<AtomicRMWOp, AtomicCASOp>([&](Operation *atomic) { return lowerAtomic(b, atomic); })
      .Case([&](ReduceOp reduce) { return lowerReduce(b, reduce); })
      .Case([&](CombineOp combine) { return lowerCombine(b, combine); })
      .Case([&](ScanOp scan) { return lowerScan(b, scan); })
      .Default([](Operation *op) { return op->emitOpError("has no lowering"); });
}

/// A reshape moves nothing if both sides put every place's element where the other does: the
/// layouts are then the same map but for the dimensions of extent 1.
LogicalResult PieceLowering::lowerReshape(Operation *op, Value source, Value result) {
  LinearLayout from = *layoutOf(source.getType()), to = *layoutOf(result.getType());
  if (auto expand = dyn_cast<ExpandDimsOp>(op))
    from = from.expandDims(expand.getAxis());
  for (auto [axis, extent] : llvm::enumerate(from.shape()))
    if (extent == 1)
      to = to.collapse(axis);
  if (!(from == to))
    return op->emitOpError("would have to move elements between places: the source's layout is "
                           "not the result's without the new elements");
  setPieces(result, Pieces(piecesOf(source)));
  return success();
}

LogicalResult PieceLowering::lowerConstant(ImplicitLocOpBuilder &b, arith::ConstantOp op) {
  SplatElementsAttr splatted;
  if (!matchPattern(op.getOperation(), m_Constant(&splatted)))
    return op.emitOpError("of a block must have the same value at every index");
  Value scalar = b.create<arith::ConstantOp>(cast<TypedAttr>(splatted.getSplatValue<Attribute>()));
  setPieces(op, Pieces(numPieces(op.getType()), splat(b, scalar, pieceTypeOf(op.getType()))));
  return success();
}

/// An offset as the sum of two, the second a constant. It is added to the address last, where an
/// access does that by itself, so that pieces which differ by it alone share a register.
static std::pair<Value, int64_t> splitConstant(Value offset) {
  auto sum = offset.getDefiningOp<arith::AddIOp>();
  APInt constant;
  bool isExact =
      sum && bitEnumContainsAll(sum.getOverflowFlags(), arith::IntegerOverflowFlags::nsw);
  if (!isExact || !offset.getType().isInteger() ||
      !matchPattern(sum.getRhs(), m_ConstantInt(&constant)))
    return {offset, 0};
  return {sum.getLhs(), constant.getSExtValue()};
}

void PieceLowering::lowerAddPtr(ImplicitLocOpBuilder &b, AddPtrOp op) {
  Type address = pieceTypeOf(op.getType());
  auto pointee = cast<PointerType>(getElementTypeOrSelf(op.getType())).getPointee();
  const int64_t width = pointee.getIntOrFloatBitWidth() / 8;
  Value bytes = b.create<arith::ConstantIntOp>(width, 64);
  if (address != bytes.getType())
    bytes = splat(b, bytes, address);
  Pieces result;
  // Copies: looking up one value's pieces may move another's.
  Pieces pointers(piecesOf(op.getPointer())), offsets(piecesOf(op.getOffset()));
  for (auto [pointer, offset] : llvm::zip_equal(pointers, offsets)) {
    auto [variable, fixed] = splitConstant(offset);
    Value wide = variable.getType() == address
                     ? variable
                     : b.create<arith::ExtSIOp>(address, variable).getResult();
    Value sum = b.create<arith::AddIOp>(pointer, b.create<arith::MulIOp>(wide, bytes));
    if (fixed != 0)
      sum = b.create<arith::AddIOp>(sum, b.create<arith::ConstantIntOp>(fixed * width, 64));
    result.push_back(sum);
  }
  setPieces(op, std::move(result));
}

/// The operation on one piece of each operand, with results of the given types.
SmallVector<Value> PieceLowering::cloneOnPieces(ImplicitLocOpBuilder &b, Operation *op,
                                                ValueRange operands, ArrayRef<Type> types) {
  OperationState state(op->getLoc(), op->getName(), operands, types,
                       op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return llvm::to_vector_of<Value>(b.create(state)->getResults());
}

LogicalResult PieceLowering::lowerElementwise(ImplicitLocOpBuilder &b, Operation *op) {
  bool isScalar = llvm::none_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) &&
                  llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
  if (!isScalar && !OpTrait::hasElementwiseMappableTraits(op))
    return op->emitOpError("on blocks has no lowering");
  if (isScalar && !isa<arith::SelectOp>(op))
    return op->emitOpError("on pointers has no lowering");
  unsigned count = 1;
  for (Value value : operandsAndResults(op))
    count = std::max(count, numPieces(value.getType()));

  SmallVector<Pieces> results(op->getNumResults());
  for (unsigned piece = 0; piece < count; ++piece) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      ArrayRef<Value> all = piecesOf(operand);
      // A scalar operand (the condition of a select) is the same for each piece.
      operands.push_back(all.size() == count ? all[piece] : all.front());
    }
    SmallVector<Type> types;
    for (Type type : op->getResultTypes())
      types.push_back(pieceTypeOf(type));
    for (auto [result, value] : llvm::zip_equal(results, cloneOnPieces(b, op, operands, types)))
      result.push_back(value);
  }
  for (auto [result, lowered] : llvm::zip_equal(op->getResults(), results))
    setPieces(result, std::move(lowered));
  return success();
}

} // namespace eft
