// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/LoweringTable.h"

using namespace mlir;

namespace eft {

const LoweringTable::Lowering *LoweringTable::find(Operation *op) const {
  const OperationName name = op->getName();
  auto found = ofOperations.find(name.getTypeID());
  if (found != ofOperations.end())
    return &found->second;
  for (const auto &[interface, lower] : ofInterfaces)
    if (name.hasInterface(interface))
      return &lower;
  return nullptr;
}

} // namespace eft
