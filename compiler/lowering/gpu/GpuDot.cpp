// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products on a GPU.
//
// If the elements of a factor must move to other threads, the factor is in shared memory until the
// product is computed. All threads write both factors. Then each tile is read right before it is
// multiplied, so that a thread needs registers for a few tiles only, and the tensor cores are busy
// while the thread reads. This is better even inside a warp, where shuffles could move the
// elements: a shuffle moves one fragment at a time.
#include "compiler/lowering/gpu/GpuLowering.h"
#include "compiler/lowering/gpu/LargeProducts.h"
#include "compiler/lowering/gpu/OuterProducts.h"
#include "compiler/lowering/gpu/Staging.h"
#include "compiler/lowering/gpu/TensorCores.h"

using namespace mlir;

namespace eft {

namespace {

using Fragments = FragmentLowering::Fragments;

/// `op` as a transposition that only renames a block's fragments; null if it is anything else.
TransOp renamingOf(Operation *op) {
  auto trans = dyn_cast<TransOp>(op);
  if (!trans)
    return {};
  std::optional<LinearLayout> from = layoutOf(trans.getSource().getType());
  std::optional<LinearLayout> to = layoutOf(trans.getType());
  SmallVector<unsigned> order(trans.getOrder());
  return from && to && from->permute(order) == *to ? trans : TransOp();
}

/// True if `value`, perhaps transposed, has one use only, as a factor of a product on tensor cores.
bool isOnlyFactor(Value value) {
  Operation *op = value.getDefiningOp();
  while (value.hasOneUse() && value.use_begin()->getOwner()->getBlock() == op->getBlock()) {
    Operation *user = value.use_begin()->getOwner();
    if (auto dot = dyn_cast<DotOp>(user))
      return dot.usesTensorCores() && dot.getAcc() != value;
    TransOp trans = renamingOf(user);
    if (!trans)
      return false;
    value = trans;
  }
  return false;
}

/// The factor before it is transposed.
Value behindTranspositions(Value factor) {
  while (TransOp trans = factor.getDefiningOp() ? renamingOf(factor.getDefiningOp()) : TransOp())
    factor = trans.getSource();
  return factor;
}

} // namespace

bool isReadByProduct(ReadSharedOp read) { return isOnlyFactor(read); }

namespace {

/// True for a conversion or a transposition that emits no code: the product that uses its result
/// does the move.
bool isLeftToUser(GpuLowering &lowering, Operation *op) {
  if (auto trans = dyn_cast<TransOp>(op)) {
    Value source = behindTranspositions(trans);
    auto read = source.getDefiningOp<ReadSharedOp>();
    auto convert = source.getDefiningOp<ConvertLayoutOp>();
    return (read && isReadByProduct(read)) || (convert && isLeftToUser(lowering, convert));
  }
  auto convert = cast<ConvertLayoutOp>(op);
  if (!isOnlyFactor(convert))
    return false;
  std::optional<ShufflePlan> plan = planShuffle(lowering.placesOf(convert.getSource().getType()),
                                                lowering.placesOf(convert.getType()));
  return !plan || !plan->isRenaming();
}

/// A factor of a product: its fragments, its staging, or its slot in shared memory.
class Factor {
public:
  Factor(ImplicitLocOpBuilder &b, GpuLowering &lowering, Value factor) {
    Value block = behindTranspositions(factor);
    if (auto read = block.getDefiningOp<ReadSharedOp>(); read && isReadByProduct(read)) {
      slot.emplace(lowering.readerOf(b, read));
      return;
    }
    auto convert = block.getDefiningOp<ConvertLayoutOp>();
    if (!convert || !isLeftToUser(lowering, convert)) {
      fragments = Fragments(lowering.fragmentsOf(factor));
      return;
    }
    Fragments source(lowering.fragmentsOf(convert.getSource()));
    staging.emplace(lowering.shared, lowering.placesOf(convert.getSource().getType()),
                    lowering.placesOf(convert.getType()), 0, source);
  }

  Value fragment(ImplicitLocOpBuilder &b, unsigned number) {
    if (slot)
      return slot->read(b, 0, number);
    return staging ? staging->read(b, 0, number) : fragments[number];
  }

  void fetch(ImplicitLocOpBuilder &b) {
    if (staging)
      fragments = staging->fetch(b).front();
    staging.reset();
  }

  std::optional<Staging> staging;

private:
  std::optional<Staging> slot;
  Fragments fragments;
};

/// Writes to shared memory the factors whose elements must move to other threads. If these factors
/// do not fit there together, fetches them one after the other instead.
void writeFactors(GpuLowering &lowering, ImplicitLocOpBuilder &b, MutableArrayRef<Factor> factors) {
  SmallVector<Staging *> stagings;
  uint64_t bytes = 0;
  bool isOneRound = true;
  for (Factor &factor : factors)
    if (factor.staging) {
      stagings.push_back(&*factor.staging);
      bytes += factor.staging->bytes();
      isOneRound &= factor.staging->isOneRound();
    }
  if (stagings.empty())
    return;
  if (!isOneRound || bytes > lowering.shared.available()) {
    for (Factor &factor : factors)
      factor.fetch(b);
    return;
  }
  if (stagings.size() == 2)
    stagings[1]->setStart(stagings[0]->bytes());
  lowering.shared.beginWriting(b);
  for (Staging *staging : stagings)
    staging->write(b);
  lowering.shared.beginReading(b);
}

/// A thread's fragments of a factor, and their layout, before the factor's elements move to other
/// threads. Nothing for a factor that is in a slot of shared memory.
std::optional<FactorFragments> fragmentsBefore(GpuLowering &lowering, Value factor) {
  SmallVector<TransOp> transpositions;
  while (TransOp trans = factor.getDefiningOp() ? renamingOf(factor.getDefiningOp()) : TransOp()) {
    transpositions.push_back(trans);
    factor = trans.getSource();
  }
  if (auto read = factor.getDefiningOp<ReadSharedOp>(); read && isReadByProduct(read))
    return {};
  if (auto convert = factor.getDefiningOp<ConvertLayoutOp>();
      convert && isLeftToUser(lowering, convert))
    factor = convert.getSource();
  LinearLayout layout = lowering.placesOf(factor.getType());
  for (TransOp trans : llvm::reverse(transpositions))
    layout = layout.permute(SmallVector<unsigned>(trans.getOrder()));
  return FactorFragments{std::move(layout), Fragments(lowering.fragmentsOf(factor))};
}

/// Lowers a product as a loop over parts of k, if the product is large and its factors are in
/// registers; otherwise returns nothing.
std::optional<LogicalResult> lowerLargeDot(GpuLowering &lowering, ImplicitLocOpBuilder &b,
                                           DotOp dot) {
  if (!isLargeProduct(dot))
    return {};
  std::optional<FactorFragments> a = fragmentsBefore(lowering, dot.getA()),
                                 other = fragmentsBefore(lowering, dot.getB());
  if (!a || !other)
    return {};
  const FactorFragments factors[] = {std::move(*a), std::move(*other)};
  FailureOr<Fragments> result =
      multiplyPartByPart(b, lowering.shared, dot, factors, lowering.fragmentsOf(dot.getAcc()));
  if (succeeded(result))
    lowering.setFragments(dot, std::move(*result));
  return LogicalResult(result);
}

LogicalResult lowerDot(GpuLowering &lowering, ImplicitLocOpBuilder &b, DotOp dot) {
  Fragments acc(lowering.fragmentsOf(dot.getAcc()));
  if (!dot.usesTensorCores()) {
    Fragments a(lowering.fragmentsOf(dot.getA())), other(lowering.fragmentsOf(dot.getB()));
    return lowering.setFragments(dot, sumOuterProducts(b, lowering.shared, dot, a, other, acc)),
           success();
  }
  if (std::optional<LogicalResult> result = lowerLargeDot(lowering, b, dot))
    return *result;
  const int64_t k = cast<RankedTensorType>(dot.getA().getType()).getDimSize(1);
  FailureOr<FactorLayouts> layouts = layoutsOfFactors(dot, k);
  if (failed(layouts))
    return failure();
  Factor factors[] = {{b, lowering, dot.getA()}, {b, lowering, dot.getB()}};
  writeFactors(lowering, b, factors);
  auto a = [&](unsigned fragment) { return factors[0].fragment(b, fragment); };
  auto other = [&](unsigned fragment) { return factors[1].fragment(b, fragment); };
  lowering.setFragments(dot, multiplyTiles(b, dot, *layouts, k, a, other, acc));
  return success();
}

template <typename Op>
LogicalResult lowerMoveOrLeave(GpuLowering &lowering, ImplicitLocOpBuilder &b, Op op) {
  if (isLeftToUser(lowering, op))
    return success();
  return lowerMove(lowering, b, op);
}

} // namespace

void populateGpuDotLowerings(LoweringTable &table) {
  table.add(lowerDot);
  table.add(lowerMoveOrLeave<ConvertLayoutOp>);
  table.add(lowerMoveOrLeave<TransOp>);
}

} // namespace eft
