// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products by warpgroups. They use the instruction `wgmma`, for which LLVM 19 has no
// intrinsics, as inline PTX.
//
// The accumulators are operands and results of the inline assembly, in the same registers. Nothing
// may access them until the wait for the product. So an empty inline assembly after the wait takes
// them as operands and results in the same way.
//
// Nothing may write the accumulators, or a first factor in registers, between the fence and the
// products. If an operand of an assembly that changes it in place has another use, LLVM copies the
// operand right before the assembly. So an empty assembly before the fence takes all of these
// registers as operands and results, and its results have no use but the products.
#include "compiler/lowering/gpu/GpuLowering.h"

#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/MatrixLayouts.h"
#include "compiler/layout/Placement.h"
#include "compiler/layout/WarpgroupLayouts.h"
#include "compiler/lowering/LinearCode.h"
#include "compiler/lowering/LoopGuard.h"
#include "compiler/lowering/gpu/InlinePtx.h"
#include "compiler/lowering/gpu/TensorCores.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace eft {

namespace {

constexpr int64_t bytesOfK = 32; // the bytes along k that one instruction multiplies
constexpr unsigned unitBits = 4; // descriptors count in units of 16 = 2^4 bytes

using Values = SmallVector<Value>;

/// Emits PTX whose first operands are also its results, in the same registers.
Values emitInPlace(ImplicitLocOpBuilder &b, const Twine &ptx, ValueRange inPlace,
                   ValueRange others) {
  std::string constraints;
  auto add = [&](const Twine &constraint) {
    constraints += (constraints.empty() ? "" : ",") + constraint.str();
  };
  auto registerOf = [](Value value) {
    return value.getType().isF32() ? "f" : value.getType().isInteger(64) ? "l" : "r";
  };
  for (Value value : inPlace)
    add(Twine("=") + registerOf(value));
  for (unsigned i = 0; i < inPlace.size(); ++i)
    add(Twine(i));
  for (Value value : others)
    add(registerOf(value));
  Values operands(inPlace);
  llvm::append_range(operands, others);
  SmallVector<Type> types(inPlace.getTypes());
  if (types.size() > 1)
    types = {LLVM::LLVMStructType::getLiteral(b.getContext(), types)};
  auto code = emitPtx(b, types, operands, ptx, constraints, PtxEffects::Some);
  if (inPlace.size() <= 1)
    return Values(code.getResults());
  Values results;
  for (unsigned i = 0; i < inPlace.size(); ++i)
    results.push_back(b.create<LLVM::ExtractValueOp>(code.getResult(0), i));
  return results;
}

/// The number of this thread's warpgroup. A shuffle lets ptxas know that the value is the same in
/// all lanes.
Value warpgroup(ImplicitLocOpBuilder &b) {
  auto number = [&](int64_t value) { return b.create<arith::ConstantIntOp>(value, 32); };
  Value group = b.create<arith::ShRUIOp>(b.create<NVVM::ThreadIdXOp>(b.getI32Type()),
                                         number(exponentOf(warpsPerGroup * lanesPerWarp)));
  return b.create<NVVM::ShflOp>(b.getI32Type(), number(-1), group, number(0), number(31),
                                NVVM::ShflKind::idx, UnitAttr());
}

/// The name of a factor's type in the name of the instruction.
std::string typeInPtx(Type element, std::optional<Float8> format) {
  if (format)
    return ptxName(*format).str();
  if (element.isInteger())
    return "s8";
  return element.isF16() ? "f16" : element.isBF16() ? "bf16" : "tf32";
}

/// A factor in shared memory.
class SharedFactor {
public:
  /// `block` is the type of the block in the slot. `outer` is the dimension of the accumulator that
  /// the factor shares: 0 for the first factor, 1 for the second. The factor's other dimension is
  /// k.
  SharedFactor(RankedTensorType block, bool isTransposed, unsigned outer)
      : isTransposed(isTransposed), outer(outer),
        bytes(block.getElementType().getIntOrFloatBitWidth() / 8) {
    const LinearLayout order = *layoutOf(block);
    shape = order.shape();
    rows = rowsOfWarpgroupOrder(order, bytes);
    offsets = order.rightInverse();
  }

  /// True if warpgroups can read the factor: unless its elements have two bytes, its rows in memory
  /// must be along k.
  bool isReadable() const { return rows && offsets && (bytes == 2 || !isAcross()); }

  /// True if the rows in memory are along the dimension `outer`. PTX calls this transposed.
  bool isAcross() const { return *rows == dimension(/*isOuter=*/true); }

  /// The descriptor of the part that this thread's warpgroup reads, in the slot at `start`.
  Value descriptor(ImplicitLocOpBuilder &b, Value start, const LinearLayout &accumulator) const {
    Value address = b.create<LLVM::PtrToIntOp>(b.getI32Type(), start);
    Value units = b.create<arith::ShRUIOp>(address, b.create<arith::ConstantIntOp>(unitBits, 32));
    SmallVector<int64_t> columns;
    for (unsigned bit = 2; bit < accumulator.placeBits(place::warp); ++bit)
      columns.push_back(unitsAt(accumulator.basis(place::warp, bit)[outer], 0));
    if (llvm::any_of(columns, [](int64_t column) { return column != 0; }))
      units = b.create<arith::AddIOp>(units, emitLinearMap(b, warpgroup(b), columns));
    Value fields = b.create<arith::ConstantIntOp>(
        int64_t(warpgroupDescriptor(shape, *rows, !isAcross(), bytes)), 64);
    return b.create<arith::OrIOp>(b.create<arith::ExtUIOp>(b.getI64Type(), units), fields);
  }

  /// The offset of an element in the slot, in the units of descriptors.
  int64_t unitsAt(int64_t outerIndex, int64_t k) const {
    Coordinates index(2);
    index[dimension(true)] = outerIndex;
    index[dimension(false)] = k;
    return int64_t(offsets->apply(index)[0]) * bytes >> unitBits;
  }

private:
  /// The dimension of the slot's block that is the dimension `outer` of the accumulator if
  /// `isOuter`, and otherwise the one along k.
  unsigned dimension(bool isOuter) const { return (outer == 0) == isOuter != isTransposed ? 0 : 1; }

  bool isTransposed;
  unsigned outer;
  int64_t bytes; // the bytes of an element
  std::vector<int64_t> shape;
  std::optional<unsigned> rows;
  std::optional<LinearLayout> offsets;
};

LogicalResult lowerDotAsync(GpuLowering &lowering, ImplicitLocOpBuilder &b, DotAsyncOp dot) {
  const LinearLayout accumulator = lowering.placesOf(dot.getType());
  std::optional<WarpgroupTiles> tiles = warpgroupTiles(accumulator);
  if (!tiles)
    return dot.emitOpError("needs an accumulator in a layout of warpgroups");
  auto slotsOfA = dyn_cast<SharedType>(dot.getA().getType());
  SharedFactor right(dot.getB().getType().getBlock(), dot.getTransposedB(), 1);
  std::optional<SharedFactor> left;
  if (slotsOfA)
    left.emplace(slotsOfA.getBlock(), dot.getTransposedA(), 0);
  if (!right.isReadable() || (left && !left->isReadable()))
    return dot.emitOpError("needs factors in the orders of warpgroups");
  const int64_t k = dot.getB().getType().getBlock().getDimSize(dot.getTransposedB() ? 1 : 0);
  Type element = dot.getB().getType().getBlock().getElementType();
  const unsigned bits = element.getIntOrFloatBitWidth();
  std::optional<FactorLayouts> layouts = factorLayouts(matrixTile(bits, k), accumulator, k);
  if (!left && !(layouts && lowering.placesOf(dot.getA().getType()) == layouts->a))
    return dot.emitOpError("needs a first factor in the layout of a tensor core's tiles");

  Value ofB = right.descriptor(b, lowering.slotOf(b, dot.getB(), dot.getSlotOfB()), accumulator),
        ofA;
  if (left)
    ofA = left->descriptor(b, lowering.slotOf(b, dot.getA(), dot.getSlotOfA()), accumulator);
  Values words;
  if (!left)
    for (Value word : packWords(b, lowering.fragmentsOf(dot.getA())))
      words.push_back(b.create<LLVM::BitcastOp>(b.getI32Type(), word));

  // In the text, the operands are numbered in this order: the accumulators as results, the
  // accumulators as operands, the others.
  const int64_t count = tiles->columns / 2, kOfStep = bytesOfK * 8 / bits, steps = k / kOfStep;
  const bool isInteger = element.isInteger() && !dot.getFormatOfA();
  const std::string name = "wgmma.mma_async.sync.aligned.m64n" + std::to_string(tiles->columns) +
                           "k" + std::to_string(kOfStep) + (isInteger ? ".s32." : ".f32.") +
                           typeInPtx(element, dot.getFormatOfA()) + "." +
                           typeInPtx(element, dot.getFormatOfB());
  auto list = [](int64_t first, int64_t size) {
    std::string text = "{";
    for (int64_t i = first; i < first + size; ++i)
      text += (i == first ? "$" : ", $") + std::to_string(i);
    return text + "}";
  };
  // Products of floats have more arguments: 1 and 1, because neither factor is negated; and, for
  // floats of two bytes, whether each factor in shared memory is transposed.
  std::string suffix = isInteger ? "" : ", 1, 1";
  if (bits == 16)
    suffix += std::string(left ? (left->isAcross() ? ", 1" : ", 0") : "") +
              (right.isAcross() ? ", 1" : ", 0");
  Values acc(lowering.fragmentsOf(dot.getAcc()));
  const size_t sums = acc.size();
  llvm::append_range(acc, words);
  acc = emitInPlace(b, "", acc, {});
  words.assign(acc.begin() + sums, acc.end());
  acc.truncate(sums);
  b.create<NVVM::WgmmaFenceAlignedOp>();
  for (int64_t down = 0; down < tiles->downTiles; ++down) {
    for (int64_t across = 0; across < tiles->acrossTiles; ++across) {
      std::string text = "{ .reg .pred yes; .reg .b64 da, db; setp.eq.b32 yes, 0, 0;";
      Values others = {ofB};
      if (left)
        others.push_back(ofA);
      for (int64_t step = 0; step < steps; ++step) {
        std::string first = "da";
        if (left) {
          text += " add.s64 da, $" + std::to_string(2 * count + 1) + ", " +
                  std::to_string(left->unitsAt(down * 64, step * kOfStep)) + ";";
        } else {
          first = list(2 * count + int64_t(others.size()), 4);
          llvm::append_range(others, ArrayRef(words).slice((down * steps + step) * 4, 4));
        }
        text += " add.s64 db, $" + std::to_string(2 * count) + ", " +
                std::to_string(right.unitsAt(across * tiles->columns, step * kOfStep)) + "; " +
                name + " " + list(0, count) + ", " + first + ", db, yes" + suffix + ";";
      }
      auto part = MutableArrayRef(acc).slice((down * tiles->acrossTiles + across) * count, count);
      llvm::copy(emitInPlace(b, text + " }", ValueRange(ArrayRef<Value>(part)), others),
                 part.begin());
    }
  }
  b.create<NVVM::WgmmaGroupSyncAlignedOp>();
  lowering.setFragments(dot, std::move(acc));
  return success();
}

/// Emits a wait that leaves `pending` products under way. Returns the accumulators of `products`.
Values emitWait(ImplicitLocOpBuilder &b, unsigned pending, ValueRange products) {
  b.create<NVVM::WgmmaWaitGroupSyncOp>(pending);
  return products.empty() ? Values() : emitInPlace(b, "", products, {});
}

/// The loop of which all of these values are results; null if there is none.
scf::ForOp loopOf(ValueRange values) {
  auto loop = values.empty() ? scf::ForOp() : values.front().getDefiningOp<scf::ForOp>();
  return llvm::all_of(values, [&](Value value) { return value.getDefiningOp() == loop; })
             ? loop
             : scf::ForOp();
}

/// True if the wait directly follows the loop whose products it waits for.
bool isBehindLoop(WaitDotsOp wait) {
  return wait.getProducts().front().getDefiningOp() == wait->getPrevNode();
}

/// Waits for the products that a loop leaves under way, inside a conditional that runs only if the
/// loop has an iteration. Without the conditional, the registers might also be those from before
/// the loop. ptxas would conclude that they are written while products are under way, and would
/// make every product wait for the previous one.
void waitBehind(GpuLowering &lowering, ImplicitLocOpBuilder &b, scf::ForOp loop, WaitDotsOp wait,
                const Values &products) {
  scf::IfOp choice = runIfAnyIteration(b, loop);
  b.setInsertionPointAfter(loop);
  Operation *yield = choice.thenYield();
  Values done = emitWait(b, wait.getPending(), products);
  for (auto [product, result] : llvm::zip_equal(products, done))
    yield->replaceUsesOfWith(product, result);
  b.setInsertionPoint(wait);
  for (Value result : wait.getProducts().front().getDefiningOp()->getResults()) {
    FragmentLowering::Fragments fragments;
    for (Value fragment : lowering.fragmentsOf(result))
      fragments.push_back(choice.getResult(cast<OpResult>(fragment).getResultNumber()));
    lowering.setFragments(result, std::move(fragments));
  }
  for (auto [product, result] : llvm::zip_equal(wait.getProducts(), wait.getResults()))
    lowering.setFragments(result, FragmentLowering::Fragments(lowering.fragmentsOf(product)));
}

void lowerWaitDots(GpuLowering &lowering, ImplicitLocOpBuilder &b, WaitDotsOp wait) {
  Values products;
  for (Value product : wait.getProducts())
    llvm::append_range(products, lowering.fragmentsOf(product));
  if (scf::ForOp loop = loopOf(products); loop && isBehindLoop(wait))
    return waitBehind(lowering, b, loop, wait, products);
  Values done = emitWait(b, wait.getPending(), products);
  ArrayRef<Value> rest = done;
  for (Value result : wait.getResults()) {
    const unsigned count = lowering.numFragments(result.getType());
    lowering.setFragments(result, FragmentLowering::Fragments(rest.take_front(count)));
    rest = rest.drop_front(count);
  }
}

} // namespace

void showToWarpgroups(ImplicitLocOpBuilder &b) {
  b.create<NVVM::FenceProxyOp>(
      NVVM::ProxyKindAttr::get(b.getContext(), NVVM::ProxyKind::async_shared),
      NVVM::SharedSpaceAttr::get(b.getContext(), NVVM::SharedSpace::shared_cta));
}

void populateWarpgroupLowerings(LoweringTable &table) {
  table.add(lowerDotAsync);
  table.add(lowerWaitDots);
}

} // namespace eft
