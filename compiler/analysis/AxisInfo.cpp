// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Axis information: the lattice, and the data-flow analysis over it. AxisRules.cpp has the rules
// for the operations.
#include "compiler/analysis/AxisInfo.h"

#include "compiler/analysis/AxisRules.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace eft;

//===--- The lattice --------------------------------------------------------------------------===//

/// The extents of a block; a scalar, or a block without dimensions, has one extent of 1.
static SmallVector<int64_t, 2> extentsOf(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape() || shaped.getRank() == 0)
    return {1};
  return SmallVector<int64_t, 2>(shaped.getShape());
}

static int64_t unitOf(Type type) {
  auto pointer = dyn_cast<PointerType>(getElementTypeOrSelf(type));
  return pointer ? pointer.getPointee().getIntOrFloatBitWidth() / 8 : 1;
}

int64_t AxisInfo::divisibilityOfZero(Type type) {
  Type element = getElementTypeOrSelf(type);
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return int64_t(1) << std::min(bits - 1, 62u);
}

AxisInfo AxisInfo::unknown(Type type) {
  return AxisInfo(SmallVector<Dim, 2>(extentsOf(type).size()), unitOf(type));
}

AxisInfo AxisInfo::uniform(Type type, int64_t divisibility) {
  SmallVector<Dim, 2> dims;
  for (int64_t extent : extentsOf(type))
    dims.push_back({1, std::min(divisibility, divisibilityOfZero(type)), extent});
  return AxisInfo(std::move(dims), unitOf(type));
}

AxisInfo AxisInfo::ofConstant(Type type, int64_t value) {
  // The largest power of two that divides a number is its lowest set bit. Zero is a multiple of
  // every number.
  uint64_t divisor = static_cast<uint64_t>(value) & -static_cast<uint64_t>(value);
  if (divisor == 0 || divisor > static_cast<uint64_t>(maxPower))
    divisor = maxPower;
  AxisInfo info = uniform(type, static_cast<int64_t>(divisor));
  info.constant = value;
  info.bound = boundOf(value);
  return info;
}

int64_t AxisInfo::divisibilityOfAll() const {
  int64_t best = 1;
  for (unsigned dim = 0; dim < rank(); ++dim)
    best = std::max(best, divisibilityOfRuns(dim, 1));
  return best;
}

AxisInfo AxisInfo::withoutNeedlessHeadless() const {
  AxisInfo info = *this;
  for (unsigned dim = 0; dim < rank(); ++dim) {
    if (headlessRun(dim) == alignedRun(dim))
      info.dims[dim].headless = 1;
    if (tailConstancy(dim) == constancy(dim))
      info.dims[dim].tailConstancy = 1;
  }
  return info;
}

AxisInfo AxisInfo::join(const AxisInfo &left, const AxisInfo &right) {
  if (!left.isReached())
    return right;
  if (!right.isReached())
    return left;
  SmallVector<Dim, 2> dims;
  for (unsigned dim = 0; dim < left.rank(); ++dim) {
    int64_t run = std::min(left.contiguity(dim), right.contiguity(dim));
    dims.push_back({run,
                    std::min(left.divisibilityOfRuns(dim, run), right.divisibilityOfRuns(dim, run)),
                    std::min(left.constancy(dim), right.constancy(dim)),
                    std::min(left.headlessRun(dim), right.headlessRun(dim)),
                    std::min(left.tailConstancy(dim), right.tailConstancy(dim))});
  }
  AxisInfo both(std::move(dims), left.unit,
                left.constant == right.constant ? left.constant : std::nullopt);
  // A loop may change its values again and again. So different bounds become none at all, and the
  // analysis ends.
  if (left.bound && right.bound)
    both.bound = left.bound == right.bound ? left.bound : UpperBound::none();
  else
    both.bound = std::nullopt;
  return both.withoutNeedlessHeadless();
}

void AxisInfo::print(raw_ostream &os) const {
  auto list = [&](StringRef name, auto member) {
    os << name << " = [";
    llvm::interleaveComma(dims, os, [&](const Dim &dim) { os << dim.*member; });
    os << "]";
  };
  list("contiguity", &Dim::contiguity);
  list(", divisibility", &Dim::divisibility);
  list(", constancy", &Dim::constancy);
  if (llvm::any_of(dims, [](const Dim &dim) { return dim.headless > 1; }))
    list(", headless", &Dim::headless);
  if (llvm::any_of(dims, [](const Dim &dim) { return dim.tailConstancy > 1; }))
    list(", tail constancy", &Dim::tailConstancy);
  if (constant)
    os << ", constant = " << *constant;
  else if (bound)
    os << ", bound = " << *bound;
}

/// The exponent of a power of two, at most 62. The dialect's verifier ensures that the attribute is
/// a power of two.
static unsigned exponentOf(IntegerAttr power) { return std::min(power.getValue().logBase2(), 62u); }

//===--- The analysis -------------------------------------------------------------------------===//

namespace {

using AxisLattice = dataflow::Lattice<AxisInfo>;

class AxisAnalysis : public dataflow::SparseForwardDataFlowAnalysis<AxisLattice> {
public:
  using SparseForwardDataFlowAnalysis::SparseForwardDataFlowAnalysis;

  void visitOperation(Operation *op, ArrayRef<const AxisLattice *> operands,
                      ArrayRef<AxisLattice *> results) override {
    SmallVector<AxisInfo> infos;
    for (const AxisLattice *operand : operands) {
      if (!operand->getValue().isReached())
        return;
      infos.push_back(operand->getValue());
    }
    for (auto [result, lattice] : llvm::zip_equal(op->getResults(), results))
      propagateIfChanged(lattice, lattice->join(axisInfoOfResult(result, infos)));
  }

  /// Sets the facts about a value that comes from outside the analysed code. A scalar argument of a
  /// function may have its divisibility as an attribute. Nothing is known of other values.
  void setToEntryState(AxisLattice *lattice) override {
    Value value = lattice->getPoint();
    AxisInfo info = AxisInfo::unknown(value.getType());
    auto argument = dyn_cast<BlockArgument>(value);
    auto function =
        argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
    if (function && argument.getOwner()->isEntryBlock())
      if (auto divisibility = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(),
                                                                     EftDialect::divisibilityName))
        if (!isa<ShapedType>(value.getType()))
          info = AxisInfo::uniform(value.getType(), int64_t(1) << exponentOf(divisibility));
    propagateIfChanged(lattice, lattice->join(info));
  }

  /// Sets the facts about a loop's counter, which starts at the lower bound and grows by the step.
  void visitNonControlFlowArguments(Operation *op, const RegionSuccessor &successor,
                                    ArrayRef<AxisLattice *> arguments,
                                    unsigned firstIndex) override {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || successor.isParent())
      return SparseForwardDataFlowAnalysis::visitNonControlFlowArguments(op, successor, arguments,
                                                                         firstIndex);
    Block *body = loop.getBody();
    const AxisInfo &begin = getLatticeElementFor(body, loop.getLowerBound())->getValue();
    const AxisInfo &step = getLatticeElementFor(body, loop.getStep())->getValue();
    if (begin.isReached() && step.isReached()) {
      AxisInfo counter = axisInfoOfCounter(loop.getInductionVar().getType(), begin, step);
      propagateIfChanged(arguments.front(), arguments.front()->join(counter));
    }
  }
};

} // namespace

AxisInfos::AxisInfos(Operation *top)
    : solver(std::make_unique<DataFlowSolver>(DataFlowConfig().setInterprocedural(false))) {
  // Without these two analyses, the solver takes all code for unreachable.
  solver->load<dataflow::DeadCodeAnalysis>();
  solver->load<dataflow::SparseConstantPropagation>();
  solver->load<AxisAnalysis>();
  if (failed(solver->initializeAndRun(top)))
    solver.reset();
}

AxisInfos::~AxisInfos() = default;

AxisInfo AxisInfos::of(Value value) const {
  const AxisLattice *lattice = solver ? solver->lookupState<AxisLattice>(value) : nullptr;
  if (!lattice || !lattice->getValue().isReached())
    return AxisInfo::unknown(value.getType());
  return lattice->getValue();
}
