// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/Accesses.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace eft {

//===--- The interface ------------------------------------------------------------------------===//

bool AtomicRMWOp::isAtomic() { return true; }
bool AtomicCASOp::isAtomic() { return true; }
bool AtomicLoadOp::isAtomic() { return true; }
bool AtomicStoreOp::isAtomic() { return true; }

namespace {

/// Removes the notes of placing that describe the mask.
template <typename Access> void dropMaskNotes(Access access) {
  access.setPrefix(false);
  access.setUniformRuns(false);
  access.setPrefixRuns(false);
  access.setCutsAll(false);
}

} // namespace

void LoadOp::dropMask() {
  getMaskMutable().clear();
  getOtherMutable().clear();
  dropMaskNotes(*this);
}

void StoreOp::dropMask() {
  getMaskMutable().clear();
  dropMaskNotes(*this);
}

void AtomicRMWOp::dropMask() { getMaskMutable().clear(); }
void AtomicLoadOp::dropMask() { getMaskMutable().clear(); }
void AtomicStoreOp::dropMask() { getMaskMutable().clear(); }

// These have no mask.
void AtomicCASOp::dropMask() {}
void PrefetchOp::dropMask() {}

//===--- Queries on any operation -------------------------------------------------------------===//

bool isAtomic(Operation *op) {
  auto access = dyn_cast<MemoryAccessOpInterface>(op);
  return access && access.isAtomic();
}

Value pointerOf(Operation *op) {
  auto access = dyn_cast<MemoryAccessOpInterface>(op);
  return access ? access.getPointer() : Value();
}

Value maskOf(Operation *op) {
  auto access = dyn_cast<MemoryAccessOpInterface>(op);
  return access ? access.getMask() : Value();
}

bool isPlain(LoadOp load) {
  Value other = load.getOther();
  return !load.readsAnew() && !load.getCache() && !load.getEviction() &&
         (!other || matchPattern(other, m_Zero()) || matchPattern(other, m_PosZeroFloat()));
}

bool areStoresApart(Operation *op) {
  return isa_and_present<scf::ForOp>(op) && op->hasAttr(EftDialect::storesApartName);
}

std::optional<int64_t> ownStages(Operation *loop) {
  auto stages = loop->getAttrOfType<IntegerAttr>(EftDialect::numStagesName);
  return stages ? std::optional(stages.getInt()) : std::nullopt;
}

bool asksForLoadsAhead(Operation *loop) {
  return ownStages(loop).value_or(1) > 1 &&
         !loop->walk([](Operation *op) {
                return isa<DotOp, DotAsyncOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

bool writesMemory(Operation *loop) {
  const bool mayStore = areStoresApart(loop);
  return loop
      ->walk([&](Operation *op) {
        auto load = dyn_cast<LoadOp>(op);
        const bool isHarmless = op == loop || isMemoryEffectFree(op) ||
                                op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
                                hasSingleEffect<MemoryEffects::Read>(op) ||
                                (load && !load.readsAnew()) || (mayStore && isa<StoreOp>(op));
        return isHarmless ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

int64_t atomicWidth(Operation *op, bool hasVectors) {
  constexpr int64_t bitsOfVector = 128;
  auto sum = dyn_cast<AtomicRMWOp>(op);
  if (!sum || sum.getKind() != AtomicKind::FAdd)
    return 1;
  Type element = getElementTypeOrSelf(sum.getValue());
  const int64_t bits = element.getIntOrFloatBitWidth();
  if (bits > 32 || !hasVectors)
    return element.isF16() ? 2 : 1;
  return bitsOfVector / bits;
}

LogicalResult verifyRun(Operation *access, std::optional<uint32_t> run) {
  if (!run || llvm::isPowerOf2_32(*run))
    return success();
  return access->emitOpError("run must be a power of two, got ") << int32_t(*run);
}

} // namespace eft
