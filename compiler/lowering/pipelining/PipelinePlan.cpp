// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/pipelining/PipelinePlan.h"

#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/Placement.h"
#include "compiler/lowering/ConstantTurns.h"
#include "compiler/lowering/pipelining/FactorSource.h"

#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace eft {

namespace {

/// The largest number of stages. More stages would hide no more latency, and each iteration ahead
/// adds code before the loop.
constexpr int64_t maxStages = 8;

/// The most registers that a thread may need in a plan, and the number of registers of a
/// multiprocessor.
constexpr int64_t maxRegisters = 240, registersOfMultiprocessor = 64 * 1024;

/// The bytes of shared memory of a multiprocessor with warpgroups, and the bytes that it reserves
/// for each program.
constexpr uint64_t bytesOfMultiprocessor = 228 * 1024, bytesBesideProgram = 1024;

/// The bytes of shared memory that a plan leaves for the staging of other values of the loop.
constexpr uint64_t bytesForStaging = 48 * 1024;

/// True if an operation of the loop, other than the products and their operands, may need shared
/// memory.
bool stagesOthers(scf::ForOp loop, const LoopOperands &operands, const LoopProducts &products) {
  auto isHarmless = [&](Operation *op) {
    const bool isOperand = llvm::any_of(operands.all(), [&](const LoopOperand &operand) {
      const bool isConverted =
          operand.readsAsConverted() || llvm::is_contained(products.rewritten(), &operand);
      return op == operand.load ||
             (isConverted && isa<ConvertLayoutOp>(op) && op->getOperand(0) == LoadOp(operand.load));
    });
    if (auto dot = dyn_cast<DotOp>(op))
      return products.isInSlot(dot.getAMutable()) && products.isInSlot(dot.getBMutable());
    return isOperand || OpTrait::hasElementwiseMappableTraits(op) ||
           op->hasTrait<ComputesInPlace>() || isa<scf::YieldOp, TransOp>(op) ||
           (op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
            llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>) &&
            llvm::none_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>));
  };
  return !llvm::all_of(*loop.getBody(), [&](Operation &op) { return isHarmless(&op); });
}

/// The bytes of shared memory for the first factors that are computed before the loop.
uint64_t firstFactorBytes(const LoopProducts &products) {
  uint64_t bytes = 0;
  for (DotOp dot : products.all())
    if (products.hasFirstFactorFromBefore(dot))
      bytes += FactorSource(dot.getA(), 1).bytes();
  return bytes;
}

/// The bytes of shared memory that the factors of one warpgroups' product need if no slot of the
/// loop holds them: the maximum over the loop's products.
uint64_t stagedFactorBytes(scf::ForOp loop, const LoopProducts &products) {
  uint64_t most = 0;
  for (DotOp dot : loop.getBody()->getOps<DotOp>()) {
    if (!dot.getWarpgroups())
      continue;
    FactorSource a(dot.getA(), 1), b(dot.getB(), 0);
    uint64_t bytes = 0;
    if (!products.isInSlot(dot.getAMutable()) && !a.isInRegisters && a.isPlaced())
      bytes += a.bytes();
    if (!products.isInSlot(dot.getBMutable()) && b.isPlaced())
      bytes += b.bytes();
    most = std::max(most, bytes);
  }
  return most;
}

int64_t threadsOf(DotOp dot) {
  std::optional<LinearLayout> layout = layoutOf(dot.getType());
  return layout ? lanesPerWarp << withPlaces(*layout, gpuPlaces).placeBits(place::warp)
                : lanesPerWarp;
}

/// The number of programs for which a multiprocessor has enough registers.
int64_t programsByRegisters(const LoopProducts &products, bool keepsFirstFactors, bool hasLate) {
  const int64_t threads = threadsOf(products.all().front());
  return registersOfMultiprocessor / (products.registers(keepsFirstFactors, hasLate) * threads);
}

int64_t programsByBytes(uint64_t bytes) {
  return int64_t(bytesOfMultiprocessor / (bytes + bytesBesideProgram));
}

/// True if a thread has enough registers for a third part, and as many programs fit on a
/// multiprocessor with it as without. Programs overlap each other, too, so a third part is not
/// worth fewer programs.
bool fitsThirdPart(const LoopProducts &products, bool keepsFirstFactors) {
  return products.registers(keepsFirstFactors, /*hasLate=*/true) <= maxRegisters &&
         programsByRegisters(products, keepsFirstFactors, /*hasLate=*/false) ==
             programsByRegisters(products, keepsFirstFactors, /*hasLate=*/true);
}

} // namespace

std::optional<PipelinePlan> planPipeline(scf::ForOp loop, const LoopOperands &operands,
                                         const LoopProducts &products, int64_t stages,
                                         uint64_t maxBytes) {
  // The pipeliner would divide by a step that is the constant zero.
  if (matchPattern(loop.getStep(), m_Zero()))
    return std::nullopt;
  const std::optional<int64_t> count = constantTurns(loop);
  PipelinePlan plan = {};
  plan.distance = std::min({stages - 1, maxStages - 1, count.value_or(maxStages) - 1});
  if (plan.distance < 1 || operands.all().empty())
    return std::nullopt;

  // eft-stage-factors allocates slots for the factors that the loop itself does not write to slots.
  const uint64_t staging = std::max({stagesOthers(loop, operands, products) ? bytesForStaging : 0,
                                     operands.rewrittenBytes() - products.rewrittenBytes(),
                                     stagedFactorBytes(loop, products)});
  uint64_t others = 0; // bytes other than those of the operands' slots
  // Sets `plan.keepsFirstFactors` and `others`, and returns how many slots of each operand fit in
  // the remaining bytes.
  auto fitSlots = [&] {
    auto slotsBeside = [&](uint64_t bytes) {
      return maxBytes > bytes ? int64_t((maxBytes - bytes) / operands.slotBytes()) : 0;
    };
    const uint64_t least = staging + uint64_t(plan.numRewrittenSlots) * products.rewrittenBytes();
    others = least + firstFactorBytes(products);
    const int64_t slots = slotsBeside(others);
    // First factors from before the loop stay in registers if a thread has enough registers, or if
    // shared memory has no room for them.
    plan.keepsFirstFactors = llvm::none_of(products.all(), mustLeaveRegisters) &&
                             (slots < 2 || products.registers(/*keepsFirstFactors=*/true,
                                                              /*hasLate=*/false) <= maxRegisters);
    if (!plan.keepsFirstFactors)
      return slots;
    others = least;
    return slotsBeside(others);
  };
  plan.numRewrittenSlots = 2;
  int64_t maxSlots = fitSlots();
  if (products.canOverlapIterations() && maxSlots > 2) {
    // One more slot saves a barrier. It is not used if fewer programs would fit then, or if copies
    // would run fewer iterations ahead.
    auto programsWith = [&](int64_t slots) {
      return std::min(programsByBytes(others + uint64_t(slots) * operands.slotBytes()),
                      programsByRegisters(products, plan.keepsFirstFactors, /*hasLate=*/false));
    };
    plan.sharesSlots = plan.distance + 2 > maxSlots ||
                       programsWith(plan.distance + 1) > programsWith(plan.distance + 2);
    plan.productsUnderWay = int64_t(products.all().size());
    plan.distance = std::min(plan.distance, maxSlots - 1);
    plan.numSlots = plan.distance + (plan.sharesSlots ? 1 : 2);
    return plan;
  }
  plan.numRewrittenSlots = 1;
  maxSlots = fitSlots();
  plan.distance = std::min(plan.distance, maxSlots - 1);
  if (plan.distance < 1)
    return std::nullopt;
  plan.numSlots = plan.distance + 1;
  // The third part reads its slots for one iteration longer. So copies run one iteration less
  // ahead.
  plan.hasThirdPart = plan.distance > 1 && count.value_or(maxStages) > 2 &&
                      products.haveThirdPart() && fitsThirdPart(products, plan.keepsFirstFactors);
  if (plan.hasThirdPart)
    --plan.distance;
  return plan;
}

} // namespace eft
