// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-outline-parts, which cuts long functions for a GPU, and `outlineParts`, which also cuts those
// for a CPU.
//
// A kernel that is unrolled by hand, or by `static_range`, is one long basic block. Some parts of
// LLVM take time that grows faster than the length of a function: for each value they look at all
// conditions on it, for each loop at all loops before it. If functions have a bounded length, each
// takes a bounded time.
//
// Values that are still used after a call go through memory. So a block is cut where few values are
// live.
#include "compiler/lowering/OutlineParts.h"

#include "compiler/ir/EftDialect.h"
#include "compiler/lowering/DebugScopes.h"
#include "compiler/lowering/Passes.h"
#include "compiler/lowering/StackLifetimes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_OUTLINEPARTS
#include "compiler/lowering/Passes.h.inc"

namespace {

using Run = ArrayRef<Operation *>;

/// True for a constant, or the address of a global. Each function gets its own copy of these.
bool isConstant(Operation *op) {
  return op && op->getNumOperands() == 0 && op->getNumRegions() == 0 && isPure(op);
}

/// The operations of a block that may move to other functions, in their order. The length of an
/// operation is 1 plus the number of operations nested in it.
class Line {
public:
  explicit Line(Block &block) : block(block) {}

  void append(Operation *op, unsigned length) {
    numbers[op] = operations.size();
    operations.push_back(op);
    lengths.push_back(lengths.back() + length);
  }

  unsigned length() const { return lengths.back(); }

  unsigned lengthOf(Run run) const {
    return lengths[numbers.at(run.back()) + 1] - lengths[numbers.at(run.front())];
  }

  /// Chooses the runs of operations that become functions. A run is longer than half of
  /// `maxOperations`, and at most `maxOperations` long unless a single operation is longer. It ends
  /// where the fewest values are live. If the run then has fewer than `operationsPerValue`
  /// operations for each live value, it is extended to the next end at which it has enough, by at
  /// most `maxOperations`.
  ///
  /// At most `maxOperations` are left after the last run. There is one exception: the cutting ends
  /// early where an extended run would leave less than half of `maxOperations` after it.
  SmallVector<Run> cut(PartLimits limits) const {
    const SmallVector<unsigned> living = countLiving();
    SmallVector<Run> runs;
    for (size_t first = 0; lengths.back() - lengths[first] > limits.maxOperations;) {
      const size_t cheapest = findCheapest(first, limits.maxOperations, living);
      const size_t end = findWorthwhile(first, cheapest, limits, living);
      if (end != cheapest && lengths.back() - lengths[end] < limits.maxOperations / 2)
        break;
      runs.push_back(Run(operations).slice(first, end - first));
      first = end;
    }
    return runs;
  }

private:
  /// The end of the run from `first` on at which the fewest values are live. A run that ends there
  /// is longer than half of `maxOperations`, and at most `maxOperations` long. If there is no such
  /// end, the first one at which the run is longer.
  size_t findCheapest(size_t first, unsigned maxOperations, ArrayRef<unsigned> living) const {
    std::optional<size_t> best;
    size_t end = first;
    while (lengths[++end] - lengths[first] <= maxOperations)
      if (lengths[end] - lengths[first] > maxOperations / 2 &&
          (!best || living[end] <= living[*best]))
        best = end;
    return best.value_or(end);
  }

  /// The next end, from `cheapest` on, at which the run has enough operations for each live value.
  /// Returns `cheapest` if the run would have to become longer by more than `maxOperations`.
  size_t findWorthwhile(size_t first, size_t cheapest, PartLimits limits,
                        ArrayRef<unsigned> living) const {
    for (size_t end = cheapest; end != lengths.size(); ++end) {
      if (lengths[end] - lengths[cheapest] > limits.maxOperations)
        break;
      if (lengths[end] - lengths[first] >= uint64_t(living[end]) * limits.operationsPerValue)
        return end;
    }
    return cheapest;
  }

  /// For each position between operations, the number of results of earlier operations that are
  /// used after the position. Values that an earlier part has already stored count too.
  SmallVector<unsigned> countLiving() const {
    SmallVector<unsigned> living(operations.size() + 2); // differences first, modulo 2^32
    for (auto [number, op] : llvm::enumerate(operations)) {
      for (Value result : op->getResults()) {
        size_t last = number;
        for (Operation *user : result.getUsers())
          last = std::max(last, numberOf(user));
        ++living[number + 1];
        --living[last + 1];
      }
    }
    for (size_t place = 1; place < living.size(); ++place)
      living[place] += living[place - 1];
    return living;
  }

  /// The number of the operation that is `op` or contains it. For the block's terminator, a number
  /// after all others.
  size_t numberOf(Operation *op) const {
    auto found = numbers.find(block.findAncestorOpInBlock(*op));
    return found == numbers.end() ? operations.size() : found->second;
  }

  Block &block;
  SmallVector<Operation *> operations;
  SmallVector<unsigned> lengths = {0};
  DenseMap<Operation *, size_t> numbers;
};

class Outliner {
public:
  Outliner(func::FuncOp function, PartLimits limits)
      : function(function), limits(limits), rewriter(function.getContext()) {}

  SmallVector<func::FuncOp> run() {
    for (Block &block : function.getBody())
      outline(block);
    for (Operation *load : loads)
      if (load->use_empty()) {
        Operation *field = load->getOperand(0).getDefiningOp();
        rewriter.eraseOp(load);
        rewriter.eraseOp(field);
      }
    return std::move(parts);
  }

private:
  /// Outlines parts of the blocks nested in a block, then of the block itself. Returns the number
  /// of operations that are left.
  unsigned outline(Block &block) {
    Line line(block);
    for (Operation &op : block.without_terminator()) {
      unsigned length = 1;
      for (Region &region : op.getRegions())
        for (Block &nested : region)
          length += outline(nested);
      if (!isa<LLVM::AllocaOp>(op) && !isConstant(&op)) // these stay where they are
        line.append(&op, length);
    }
    unsigned length = line.length();
    if (length > limits.maxOperations)
      for (Run run : line.cut(limits)) {
        length -= line.lengthOf(run) - 1;
        makeFunction(run);
      }
    return length + 1;
  }

  void makeFunction(Run run) {
    auto region = makeRegion(run);
    auto name = (function.getName() + ".part" + Twine(parts.size())).str();
    while (SymbolTable::lookupNearestSymbolFrom(function, rewriter.getStringAttr(name)))
      name += "_";
    func::CallOp call;
    func::FuncOp part =
        *mlir::outlineSingleBlockRegion(rewriter, region.getLoc(), region.getRegion(), name, &call);
    part->setLoc(function.getLoc());
    giveOwnScope(part);
    part.setPrivate();
    part->setAttr("llvm.linkage",
                  LLVM::LinkageAttr::get(part.getContext(), LLVM::Linkage::Internal));
    part->setAttr("passthrough", rewriter.getStrArrayAttr({"noinline"}));
    parts.push_back(part);
    call->moveBefore(region);
    rewriter.eraseOp(region);
    if (part.getNumResults() != 0)
      stopAfter(call);
  }

  /// Moves a run of operations into the region of a new `scf.execute_region`. If the run may stop
  /// the kernel, the region's result is a boolean: whether it did.
  scf::ExecuteRegionOp makeRegion(Run run) {
    Block *block = run.front()->getBlock();
    SmallPtrSet<Operation *, 16> inside(run.begin(), run.end());
    auto isUsedBehind = [&](Value value) {
      return llvm::any_of(value.getUsers(), [&](Operation *user) {
        return !inside.contains(block->findAncestorOpInBlock(*user));
      });
    };
    // An address that is used after the run is computed again there. If it were a result of the
    // part, its array would count as in use until the end.
    for (Operation *op : llvm::reverse(run))
      if (isa<LLVM::GEPOp>(op) && isUsedBehind(op->getResult(0))) {
        rewriter.setInsertionPointAfter(run.back());
        rewriter.replaceUsesWithIf(
            op->getResult(0), rewriter.clone(*op)->getResult(0), [&](OpOperand &use) {
              return !inside.contains(block->findAncestorOpInBlock(*use.getOwner()));
            });
      }
    SmallVector<Value> results;
    for (Operation *op : run)
      llvm::copy_if(op->getResults(), std::back_inserter(results), isUsedBehind);

    rewriter.setInsertionPointAfter(run.back());
    const bool mayStop = llvm::any_of(run, containsStop);
    SmallVector<Type> types(mayStop ? 1 : 0, rewriter.getI1Type());
    auto region = rewriter.create<scf::ExecuteRegionOp>(function.getLoc(), types);
    Block *body = &region.getRegion().emplaceBlock();
    for (Operation *op : run)
      op->moveBefore(body, body->end());
    keepResults(results, region);
    takeOver(region);
    ImplicitLocOpBuilder b(region.getLoc(), rewriter);
    b.setInsertionPointToEnd(body);
    SmallVector<Value> isStopped;
    if (mayStop)
      isStopped.push_back(b.create<arith::ConstantIntOp>(0, 1));
    b.create<scf::YieldOp>(isStopped);
    return region;
  }

  static bool containsStop(Operation *op) {
    return op->walk([](StopOp) { return WalkResult::interrupt(); }).wasInterrupted();
  }

  /// Stops the caller if a part has stopped, as the part's result says.
  void stopAfter(func::CallOp call) {
    rewriter.setInsertionPointAfter(call);
    auto branch = rewriter.create<scf::IfOp>(call.getLoc(), call.getResult(0));
    rewriter.setInsertionPointToStart(branch.thenBlock());
    rewriter.create<StopOp>(call.getLoc());
  }

  /// Stores the results of a region at its end, and loads them after the region. They do not become
  /// results of the function: there may be thousands, and LLVM takes time that grows with the
  /// square of the number of a function's results.
  void keepResults(ArrayRef<Value> results, scf::ExecuteRegionOp region) {
    Block *inside = &region.getRegion().front();
    passThroughMemory(results, {inside, inside->end()},
                      {region->getBlock(), std::next(region->getIterator())},
                      [&](OpOperand &use) { return !region->isProperAncestor(use.getOwner()); });
  }

  /// Gives a region its own constants, its own loads of values that other parts have stored, and
  /// the stack arrays that are used nowhere else.
  ///
  /// Vectors are passed to the region through memory. As arguments, vectors of 64 bytes can be
  /// passed on the stack; LLVM 19 for x86 then reads them with aligned loads, but does not always
  /// align them.
  void takeOver(scf::ExecuteRegionOp region) {
    Block *body = &region.getRegion().front();
    SetVector<Value> captured;
    getUsedValuesDefinedAbove(region.getRegion(), captured);
    SmallVector<Value> vectors;
    llvm::copy_if(captured, std::back_inserter(vectors), [&](Value value) {
      Operation *op = value.getDefiningOp();
      return LLVM::isCompatibleVectorType(value.getType()) && !isConstant(op) && !isOfRecord(op);
    });
    passThroughMemory(vectors, {region->getBlock(), region->getIterator()}, {body, body->begin()},
                      [&](OpOperand &use) { return region->isProperAncestor(use.getOwner()); });
    IRMapping own;
    rewriter.setInsertionPointToStart(body);
    auto makeOwn = [&](Operation *op) {
      if (!own.contains(op->getResult(0)))
        rewriter.clone(*op, own);
    };
    for (Value value : captured) {
      Operation *op = value.getDefiningOp();
      auto array = dyn_cast_or_null<LLVM::AllocaOp>(op);
      if (array && isUsedIn(array, region)) {
        makeOwn(array.getArraySize().getDefiningOp());
        makeOwn(array);
      } else if (isConstant(op)) {
        makeOwn(op);
      } else if (isOfRecord(op)) {
        makeOwn(op->getOperand(0).getDefiningOp());
        makeOwn(op);
      }
    }
    body->walk([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands())
        operand.set(own.lookupOrDefault(operand.get()));
    });
    for (Value value : captured)
      if (Operation *op = value.getDefiningOp(); op && isa<LLVM::AllocaOp>(op) && op->use_empty())
        rewriter.eraseOp(op);
    for (Operation &op : llvm::make_early_inc_range(*body))
      leaveMarker(op, region);
  }

  /// True for the load of a value that another part has stored. The load may be repeated at each
  /// use.
  bool isOfRecord(Operation *op) const { return loads.contains(op); }

  /// A position between operations.
  struct Place {
    Block *block;
    Block::iterator next;
  };

  /// Stores values in a record on the stack at the position `from`, and loads them at the position
  /// `to`. The loads replace the values in the uses for which `isBehind` is true.
  void passThroughMemory(ArrayRef<Value> values, Place from, Place to,
                         function_ref<bool(OpOperand &)> isBehind) {
    if (values.empty())
      return;
    ImplicitLocOpBuilder b(function.getLoc(), rewriter);
    b.setInsertionPointToStart(&function.getBody().front());
    auto stored = [&](Type type) { return type.isIndex() ? b.getI64Type() : type; };
    auto types = llvm::map_to_vector(ValueRange(values).getTypes(), stored);
    auto record = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
    Value memory = b.create<LLVM::AllocaOp>(LLVM::LLVMPointerType::get(b.getContext()), record,
                                            b.create<arith::ConstantIntOp>(1, 32));
    auto fieldOf = [&](unsigned number) {
      return b.create<LLVM::GEPOp>(memory.getType(), record, memory,
                                   ArrayRef<LLVM::GEPArg>{0, int32_t(number)});
    };
    for (auto [number, value] : llvm::enumerate(values)) {
      b.setInsertionPoint(to.block, to.next);
      Value loaded = b.create<LLVM::LoadOp>(types[number], fieldOf(number));
      loads.insert(loaded.getDefiningOp());
      if (value.getType().isIndex())
        loaded = b.create<arith::IndexCastOp>(value.getType(), loaded);
      rewriter.replaceUsesWithIf(value, loaded, isBehind);
      b.setInsertionPoint(from.block, from.next);
      Value kept = value;
      if (value.getType().isIndex())
        kept = b.create<arith::IndexCastOp>(types[number], value);
      b.create<LLVM::StoreOp>(kept, fieldOf(number));
    }
  }

  /// True if all uses of an array of constant size are in a region.
  static bool isUsedIn(LLVM::AllocaOp array, scf::ExecuteRegionOp region) {
    std::optional<SmallVector<Operation *>> users = usersOf(array);
    Operation *size = array.getArraySize().getDefiningOp();
    return users && isConstant(size) &&
           llvm::all_of(*users, [&](Operation *user) { return region->isProperAncestor(user); });
  }

  /// If `op` marks the start or the end of an array's lifetime, and the array is defined outside of
  /// the region, moves the marker in front of the region or after it.
  static void leaveMarker(Operation &op, scf::ExecuteRegionOp region) {
    const bool isStart = isa<LLVM::LifetimeStartOp>(op);
    if (!isStart && !isa<LLVM::LifetimeEndOp>(op))
      return;
    Operation *array = op.getOperand(0).getDefiningOp();
    if (array && region->isProperAncestor(array))
      return;
    if (isStart)
      op.moveBefore(region);
    else
      op.moveAfter(region);
  }

  func::FuncOp function;
  PartLimits limits;
  IRRewriter rewriter;
  SmallVector<func::FuncOp> parts;
  SetVector<Operation *> loads; ///< of records
};

/// The pass for GPU code. CPU code is cut in eft-lower-to-cpu, before its stack is laid out.
struct OutlinePartsPass : impl::OutlinePartsBase<OutlinePartsPass> {
  using OutlinePartsBase::OutlinePartsBase;

  void runOnOperation() override {
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      // In a function with calls, ptxas makes each `wgmma` product wait for the one before.
      if (!function.isExternal() && !function->hasAttr(EftDialect::warpgroupsName))
        for (func::FuncOp part : outlineParts(function, {maxOperations, operationsPerValue}))
          part->setAttr(EftDialect::convergentName, UnitAttr::get(&getContext()));
  }
};

} // namespace

SmallVector<func::FuncOp> outlineParts(func::FuncOp function, PartLimits limits) {
  bool hasFixedFrame = llvm::all_of(function.getOps<LLVM::AllocaOp>(), [](LLVM::AllocaOp array) {
    return isConstant(array.getArraySize().getDefiningOp());
  });
  if (!hasFixedFrame)
    return {};
  return Outliner(function, limits).run();
}

} // namespace eft
