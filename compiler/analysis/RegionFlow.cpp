// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flow of values into and out of regions, as `RegionBranchOpInterface` describes it.
#include "compiler/analysis/RegionFlow.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace eft;

void RegionFlow::add(OpOperand &source, Value target) {
  auto [entry, isNew] = sources.try_emplace(target);
  if (isNew)
    order.push_back(target);
  if (llvm::is_contained(entry->second, &source))
    return;
  entry->second.push_back(&source);
  reached[&source].push_back(target);
}

RegionFlow::RegionFlow(Operation *top) {
  top->walk<WalkOrder::PreOrder>([&](RegionBranchOpInterface branch) {
    auto connect = [&](OperandRange operands, ValueRange targets) {
      if (operands.empty())
        return;
      MutableArrayRef<OpOperand> all = operands.getBase()->getOwner()->getOpOperands();
      for (auto [index, target] : llvm::enumerate(targets))
        add(all[operands.getBeginOperandIndex() + index], target);
    };
    SmallVector<RegionSuccessor> successors;
    branch.getSuccessorRegions(RegionBranchPoint::parent(), successors);
    for (RegionSuccessor &successor : successors)
      connect(branch.getEntrySuccessorOperands(successor), successor.getSuccessorInputs());
    for (Region &region : branch->getRegions())
      for (Block &block : region) {
        auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(block.back());
        if (!terminator)
          continue;
        successors.clear();
        branch.getSuccessorRegions(region, successors);
        for (RegionSuccessor &successor : successors)
          connect(terminator.getSuccessorOperands(successor), successor.getSuccessorInputs());
      }
  });
}

ArrayRef<OpOperand *> RegionFlow::sourcesOf(Value value) const {
  auto entry = sources.find(value);
  return entry == sources.end() ? ArrayRef<OpOperand *>() : ArrayRef(entry->second);
}

ArrayRef<Value> RegionFlow::targetsOf(OpOperand &operand) const {
  auto entry = reached.find(&operand);
  return entry == reached.end() ? ArrayRef<Value>() : ArrayRef(entry->second);
}
