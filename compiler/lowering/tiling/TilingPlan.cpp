// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/tiling/TilingPlan.h"

#include "compiler/lowering/buffers/WholeBuffers.h"
#include "compiler/lowering/tiling/ApartGroups.h"
#include "compiler/lowering/tiling/FoldLoops.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace eft {

namespace {

/// Limits for folding without a loop, as bits of the fragment's number: at most 2^smallFragmentBits
/// fragments where a loop could fold them instead, at most 2^maxFragmentBits where none can.
constexpr unsigned smallFragmentBits = 4, maxFragmentBits = 8;

/// A whole block of at most 2^wholeFragmentBits fragments is not worth a buffer.
constexpr unsigned wholeFragmentBits = 4;

/// A value of more bytes than this is always computed again.
constexpr int64_t maxKeptBytes = 256 * 1024;

unsigned runOf(Operation *access) {
  auto run = access->getAttrOfType<IntegerAttr>("run");
  return run ? run.getInt() : 1;
}

/// True if the operation itself, apart from its regions, may change memory other than buffers.
bool mayWriteMemory(Operation *op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
  SmallVector<MemoryEffects::EffectInstance> all;
  effects.getEffects<MemoryEffects::Write>(all);
  return llvm::any_of(all, [](const MemoryEffects::EffectInstance &effect) {
    return !effect.getValue() || !isa<BufferType>(effect.getValue().getType());
  });
}

/// True if nothing writes to memory between the two operations, which are in one basic block.
bool isUntouchedBetween(Operation *first, Operation *last) {
  for (Operation *op = first->getNextNode(); op && op != last; op = op->getNextNode()) {
    WalkResult result = op->walk([](Operation *nested) {
      return mayWriteMemory(nested) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return false;
  }
  return true;
}

class Planner {
public:
  Planner(Block &block, const TilingOptions &options) : block(block), options(options) {
    plan.groups = findTileGroups(block, options.dimension, options.useBuffers);
  }

  TilingPlan make() {
    for (TileGroup &group : plan.groups) {
      group.isSplit = canBeSplit(group);
      for (Operation *item : group.items)
        owners[item] = &group;
    }
    if (!options.useBuffers)
      keepGroupsApart(block, owners);
    else
      keepWholes();
    for (TileGroup &group : plan.groups)
      if (group.isSplit)
        findLeaves(group);
    if (options.useBuffers)
      findWholeUses();
    if (options.alternate)
      chooseDirections();
    return std::move(plan);
  }

private:
  //===--- Directions of loops ----------------------------------------------------------------===//

  /// True if the group's loop must run forwards, because it combines parts of an axis whose order
  /// matters.
  static bool hasOrder(const TileGroup &group) {
    return group.reductionSteps.bits > 0 && llvm::any_of(group.items, [](Operation *item) {
             auto reduce = dyn_cast<ReduceOp>(item);
             return reduce && !reduce.getOrderFree();
           });
  }

  /// Chooses directions among the loops over blocks of one layout. Each loop that may run backwards
  /// gets the direction opposite to that of the loop before it. If no loop before it must run
  /// forwards, the loops after it count instead.
  void chooseDirections() {
    llvm::MapVector<Attribute, SmallVector<TileGroup *>> loopsOf;
    for (TileGroup &group : plan.groups)
      if (group.hasLoop())
        loopsOf[group.block().getEncoding()].push_back(&group);
    for (auto &[layout, loops] : loopsOf) {
      auto ordered = llvm::find_if(loops, [](TileGroup *loop) { return hasOrder(*loop); });
      const size_t first = ordered == loops.end() ? 0 : ordered - loops.begin();
      for (size_t i = first + 1; i < loops.size(); ++i)
        loops[i]->runsBackwards = !hasOrder(*loops[i]) && !loops[i - 1]->runsBackwards;
      for (size_t i = first; i > 0; --i)
        loops[i - 1]->runsBackwards = !loops[i]->runsBackwards;
    }
  }

  //===--- The size of a tile -----------------------------------------------------------------===//

  /// Chooses the number of bits that a tile keeps of the dimension: enough for the options' number
  /// of elements, and for their number of runs of neighbours in memory. Returns false if the
  /// group's reductions allow no size, or if no bit is left for a loop.
  bool chooseSteps(TileGroup &group) const {
    LinearLayout layout = *layoutOf(group.block());
    const unsigned all = layout.placeBits(options.dimension.str());
    int64_t lanes = options.dimension == "step" ? int64_t(1) << layout.placeBits("lane") : 1;
    int64_t kept = std::max<int64_t>(options.elements / lanes, 1);
    for (Operation *item : group.items)
      kept = std::max<int64_t>(kept, options.vectors * runOf(item) / lanes);
    group.steps = {options.dimension, std::min<unsigned>(llvm::Log2_64(kept), all)};
    if (group.hasReductions && !fitReductions(group, all))
      return false;
    return group.steps.keptBits < all;
  }

  /// Fits the size of a tile to the group's reductions. If possible, a tile has the whole axis
  /// apart from the steps of the reductions, and the tiled loop folds it to the end. Otherwise the
  /// loop keeps partial results, which are folded after it, at once or in loops. Returns false if
  /// neither is possible.
  bool fitReductions(TileGroup &group, unsigned allBits) const {
    const ReductionSteps &steps = group.reductionSteps;
    if (steps.bits != 0)
      group.steps.keptBits = std::min(group.steps.keptBits, steps.firstBit);
    unsigned ofAxis = 0;
    for (Operation *item : group.items)
      if (auto reduce = dyn_cast<ReduceOp>(item))
        ofAxis = std::max(ofAxis, bitsBelowSteps(reduce, steps));
    const unsigned whole = std::max(group.steps.keptBits, ofAxis);
    const bool canKeepAxis = steps.bits == 0 || whole <= steps.firstBit;
    group.keepsAxis = canKeepAxis && whole <= smallFragmentBits;
    if (group.keepsAxis)
      group.steps.keptBits = whole;
    if (group.keepsAxis || allBits - steps.bits <= smallFragmentBits)
      return true;
    group.foldsInLoops = llvm::all_of(group.items, [&](Operation *item) {
      auto reduce = dyn_cast<ReduceOp>(item);
      return !reduce || llvm::all_of(reduce.getSources(), [&](Value source) {
        RankedTensorType partial = partialType(cast<RankedTensorType>(source.getType()),
                                               reduce.getAxis(), options.dimension, steps);
        return partial && FoldLoops::canFold(reduce, partial, options.dimension);
      });
    });
    return group.foldsInLoops || allBits - steps.bits <= maxFragmentBits;
  }

  /// The number of the dimension's low bits that a tile must keep to have the whole axis apart from
  /// the reduction's steps: all bits up to the highest one that runs along the axis and is not a
  /// step.
  unsigned bitsBelowSteps(ReduceOp reduce, const ReductionSteps &steps) const {
    LinearLayout layout = *layoutOf(reduce.getSources().front().getType());
    unsigned count = 0;
    for (unsigned bit = 0; bit < layout.placeBits(options.dimension.str()); ++bit) {
      bool isStep = bit >= steps.firstBit && bit < steps.firstBit + steps.bits;
      if (!isStep && layout.basis(options.dimension.str(), bit)[reduce.getAxis()] != 0)
        count = bit + 1;
    }
    return count;
  }

  bool canBeSplit(TileGroup &group) {
    return chooseSteps(group) && haveTiles(group, group.steps, tiled[group.steps.keptBits]) &&
           llvm::all_of(group.items, [&](Operation *item) {
             auto reduce = dyn_cast<ReduceOp>(item);
             return !reduce || llvm::all_of(reduce.getSources(), [&](Value source) {
               return bool(partialType(cast<RankedTensorType>(source.getType()), reduce.getAxis(),
                                       options.dimension, group.reductionSteps));
             });
           });
  }

  //===--- Values that cross from group to group ----------------------------------------------===//

  /// Leaves groups of small blocks whole if a buffer would gain nothing. These are groups that only
  /// load blocks which are used as wholes (for example, by a loop that carries them), and groups
  /// that need whole blocks themselves.
  void keepWholes() {
    DenseSet<Value> whole;
    auto note = [&](Operation *op) {
      walkTree(op, [&](Value value) {
        const bool isNew = whole.insert(value).second;
        return isNew && value.getDefiningOp() && canTile(value.getDefiningOp());
      });
    };
    for (Operation &op : block)
      if (!owners.contains(&op) && !canTile(&op))
        op.walk(note);
    for (TileGroup &group : plan.groups) {
      bool isOnlyLoaded = llvm::all_of(group.items, [&](Operation *item) {
        return isa<LoadOp>(item) && whole.contains(item->getResult(0));
      });
      if ((isOnlyLoaded || (!group.hasReductions && usesWholes(group))) &&
          fragmentBits(group.block()) <= wholeFragmentBits)
        group.isSplit = false;
    }
  }

  unsigned fragmentBits(Type block) const {
    return layoutOf(block)->placeBits(options.dimension.str());
  }

  /// True if the group needs blocks that exist as wholes and have as many fragments as its own.
  /// Such blocks are carried by loops, or are results of operations that are not tiled. A block's
  /// copies of elements don't count as fragments: tiles make the copies.
  bool usesWholes(const TileGroup &group) const {
    bool found = false;
    for (Operation *item : group.items)
      walkTree(item, [&](Value value) {
        Operation *definition = value.getDefiningOp();
        if (definition && (canTile(definition) || owners.contains(definition)))
          return canTile(definition);
        auto once = withoutCopies(cast<RankedTensorType>(value.getType()), options.dimension);
        found |= !isa_and_present<LoadOp, BufferReadOp>(definition) &&
                 fragmentBits(once) == fragmentBits(group.block());
        return false;
      });
    return found;
  }

  TileGroup *splitOwner(Value value) const {
    Operation *op = value.getDefiningOp();
    auto owner = op ? owners.find(op) : owners.end();
    return owner != owners.end() && owner->second->isSplit ? owner->second : nullptr;
  }

  void findLeaves(TileGroup &group) {
    SmallVector<Operation *> pending(group.items);
    while (!pending.empty())
      walkTree(pending.pop_back_val(), [&](Value value) {
        Operation *op = value.getDefiningOp();
        if (TileGroup *owner = splitOwner(value); owner == &group)
          return false;
        if (op && canTile(op))
          return !readFromEarlier(value, group);
        if (canReload(value, group)) {
          if (group.reloads.insert(value))
            pending.push_back(op);
          return false;
        }
        readFromBuffer(value, group);
        return false;
      });
    noteComputed(group);
  }

  bool canReload(Value value, const TileGroup &group) const {
    auto load = value.getDefiningOp<LoadOp>();
    return load && !load.readsAnew() && splitOwner(value) &&
           isUntouchedBetween(load, group.items.front());
  }

  void readFromBuffer(Value value, TileGroup &group) {
    group.bufferReads.insert(value);
    if (BufferReadOp whole = wholeReadOf(value)) {
      if (!isUnchangedAt(whole, group.items.front()) || overwrites(group, whole))
        plan.outdated.insert(whole);
    } else if (TileGroup *owner = splitOwner(value))
      owner->bufferWrites.insert(value);
    else
      plan.wholeWrites.insert(value);
  }

  /// True if the group writes into the buffer from which it reads moved elements. A tile could
  /// overwrite elements that a later tile has to read.
  static bool overwrites(const TileGroup &group, BufferReadOp read) {
    return read.getElements() && llvm::any_of(group.items, [&](Operation *item) {
             auto write = dyn_cast<BufferWriteOp>(item);
             return write && write.getBuffer() == read.getBuffer();
           });
  }

  /// If an earlier group computes the value by more than `options.cheapOperations` operations,
  /// makes that group write it to a buffer and `group` read it there. Returns false if the value is
  /// computed again instead.
  bool readFromEarlier(Value value, TileGroup &group) {
    auto earlier = computedBy.find(value);
    if (earlier == computedBy.end() || earlier->second == &group ||
        bytesOf(cast<RankedTensorType>(value.getType())) > maxKeptBytes)
      return false;
    group.bufferReads.insert(value);
    earlier->second->bufferWrites.insert(value);
    return true;
  }

  void noteComputed(TileGroup &group) {
    if (!options.useBuffers)
      return;
    for (Operation *item : group.items)
      walkTree(item, [&](Value value) {
        Operation *op = value.getDefiningOp();
        if (!op || !canTile(op) || group.bufferReads.contains(value))
          return false;
        if (costOf(value, group) > options.cheapOperations)
          computedBy.try_emplace(value, &group);
        return true;
      });
  }

  /// The number of elementwise operations that compute a value from loads and reads of buffers; 0
  /// if it is computed from neither of them.
  unsigned costOf(Value value, const TileGroup &group) {
    unsigned operations = 0;
    bool usesMemory = false;
    SmallVector<Value> pending = {value};
    DenseSet<Value> seen;
    while (!pending.empty() && operations <= options.cheapOperations) {
      Value next = pending.pop_back_val();
      Operation *op = next.getDefiningOp();
      if (!isa<RankedTensorType>(next.getType()) || !seen.insert(next).second)
        continue;
      if (!op || !canTile(op) || group.bufferReads.contains(next)) {
        usesMemory = true;
        continue;
      }
      operations += op->hasTrait<OpTrait::Elementwise>() ? 1 : 0;
      llvm::append_range(pending, op->getOperands());
    }
    // Past the limit, the search stops before it knows whether the value comes from memory. Assume
    // so.
    return usesMemory || operations > options.cheapOperations ? operations : 0;
  }

  /// Finds the values of tiled groups that untiled groups and other operations need as whole
  /// blocks.
  void findWholeUses() {
    DenseSet<Value> seen;
    auto check = [&](Operation *op) {
      walkTree(op, [&](Value value) {
        if (!seen.insert(value).second)
          return false;
        Operation *definition = value.getDefiningOp();
        TileGroup *owner = splitOwner(value);
        if (owner && !isa<ReduceOp>(definition)) {
          owner->bufferWrites.insert(value);
          plan.wholeReads.insert(value);
        }
        return definition && canTile(definition);
      });
    };
    for (Operation &op : block) {
      auto owner = owners.find(&op);
      if (owner != owners.end() ? !owner->second->isSplit : !canTile(&op))
        op.walk(check);
    }
  }

  Block &block;
  const TilingOptions &options;
  TilingPlan plan;
  GroupOwners owners;
  DenseMap<Value, TileGroup *> computedBy;
  DenseMap<unsigned, DenseSet<Value>> tiled; // values known to have tiles, by the tiles' kept bits
};

} // namespace

bool haveTiles(const TileGroup &group, const TiledDimension &steps, DenseSet<Value> &known) {
  DenseSet<Value> found;
  bool all = true;
  for (Operation *item : group.items)
    walkTree(item, [&](Value value) {
      if (known.contains(value) || !found.insert(value).second)
        return false;
      all &= bool(tileType(cast<RankedTensorType>(value.getType()), steps));
      return all && value.getDefiningOp() && canTile(value.getDefiningOp());
    });
  if (all)
    known.insert(found.begin(), found.end());
  return all;
}

int64_t bytesOf(RankedTensorType block) {
  Type element = block.getElementType();
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return (int64_t(1) << layoutOf(block)->source().bits()) * std::max<int64_t>(bits / 8, 1);
}

RankedTensorType partialType(RankedTensorType source, unsigned axis, StringRef dimension,
                             const ReductionSteps &steps) {
  LinearLayout layout = *layoutOf(source);
  std::vector<PlaceBases> places = layout.bases();
  std::vector<int64_t> shape = layout.shape();
  for (PlaceBases &place : places)
    if (place.name == dimension)
      place.bases.erase(place.bases.begin() + steps.firstBit,
                        place.bases.begin() + steps.firstBit + steps.bits);
  shape[axis] >>= steps.bits;
  std::string error;
  std::optional<LinearLayout> partial = LinearLayout::create(places, shape, error);
  if (!partial)
    return {};
  return withLayout(RankedTensorType::get(shape, source.getElementType()), *partial);
}

/// Copies the block that `read` reads to a buffer of its own, which nothing changes, and makes all
/// users read it there.
static void copy(BufferReadOp read) {
  OpBuilder b(read->getContext());
  b.setInsertionPointAfter(read);
  Value buffer = makeBuffer(read, cast<RankedTensorType>(read.getType()));
  BufferWriteOp write = writeWhole(b, read.getLoc(), read, buffer);
  read.getPart().replaceAllUsesExcept(readWhole(b, read.getLoc(), buffer), write);
}

TilingPlan planTiling(Block &block, const TilingOptions &options) {
  TilingPlan plan = Planner(block, options).make();
  while (!plan.outdated.empty()) {
    llvm::for_each(plan.outdated, copy);
    plan = Planner(block, options).make();
  }
  return plan;
}

} // namespace eft
