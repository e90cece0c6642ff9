// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/Codegen.h"
#include "compiler/codegen/CopyAddresses.h"
#include "compiler/codegen/CopyBytes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace eft {
namespace {

bool isCopy(const llvm::IntrinsicInst &call) {
  switch (call.getIntrinsicID()) {
  case llvm::Intrinsic::nvvm_cp_async_ca_shared_global_4:
  case llvm::Intrinsic::nvvm_cp_async_ca_shared_global_4_s:
  case llvm::Intrinsic::nvvm_cp_async_ca_shared_global_8:
  case llvm::Intrinsic::nvvm_cp_async_ca_shared_global_8_s:
  case llvm::Intrinsic::nvvm_cp_async_ca_shared_global_16:
  case llvm::Intrinsic::nvvm_cp_async_ca_shared_global_16_s:
  case llvm::Intrinsic::nvvm_cp_async_cg_shared_global_16:
  case llvm::Intrinsic::nvvm_cp_async_cg_shared_global_16_s:
    return true;
  default:
    return false;
  }
}

constexpr unsigned addressOperand = 1, bytesOperand = 2;

} // namespace

void fitCopyOperands(llvm::Module &module) {
  for (llvm::Function &function : module) {
    llvm::SmallVector<llvm::CallInst *> copies;
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction); call && isCopy(*call))
        copies.push_back(call);
    if (copies.empty())
      continue;
    llvm::DominatorTree dominators(function);
    llvm::LoopInfo loops(dominators);
    CopyBytes bytes(loops, dominators);
    for (llvm::CallInst *copy : copies)
      if (copy->arg_size() > bytesOperand)
        bytes.simplify(*copy, bytesOperand);
    CopyAddresses(loops, dominators).fuse(copies, addressOperand);
  }
}

} // namespace eft
