// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers, printing and asserting on a GPU.
//
// `vprintf`, a function of the driver, prints its lines when the host next waits for the GPU. A
// failed assertion is recorded in host memory, where the launch finds it. The assertion does not
// trap, unless the record asks for it, because a trap ends the context, and with it all other work
// of the process on the GPU. All threads of the program vote, and if the condition is false in any
// of them, all threads end.
#include "compiler/lowering/DebugCode.h"
#include "compiler/lowering/LinearCode.h"
#include "compiler/lowering/gpu/Convergence.h"
#include "compiler/lowering/gpu/GpuLowering.h"
#include "compiler/lowering/gpu/InlinePtx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace eft {

namespace {

using Fragments = FragmentLowering::Fragments;

constexpr StringLiteral sitesName = "eft$sites", failureName = "eft$failure";
constexpr unsigned globalMemory = 1; // LLVM's number of this address space

/// Adds a text to the string of all texts, which the host reads. Returns the position of the text
/// in this string, counted from 1.
int64_t addSite(ModuleOp module, StringRef text) {
  std::string all;
  auto found = module.lookupSymbol<LLVM::GlobalOp>(sitesName);
  if (found)
    all = cast<StringAttr>(found.getValueOrNull()).getValue();
  int64_t place = all.size() + 1;
  all += text.str() + '\0';
  if (found) // erased first, because the new global gets the same name
    found.erase();
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), all.size());
  builder.create<LLVM::GlobalOp>(module.getLoc(), type, /*isConstant=*/true,
                                 LLVM::Linkage::External, sitesName, builder.getStringAttr(all),
                                 /*alignment=*/0, globalMemory);
  return place;
}

/// The variable that holds the address of the host's record of a failure.
LLVM::GlobalOp failureVariable(ModuleOp module) {
  if (auto found = module.lookupSymbol<LLVM::GlobalOp>(failureName))
    return found;
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  return builder.create<LLVM::GlobalOp>(
      module.getLoc(), builder.getI64Type(), /*isConstant=*/false, LLVM::Linkage::External,
      failureName, builder.getI64IntegerAttr(0), /*alignment=*/8, globalMemory);
}

void lowerBarrier(GpuLowering &, ImplicitLocOpBuilder &b, BarrierOp) {
  b.create<NVVM::Barrier0Op>();
}

LogicalResult lowerPrint(GpuLowering &lowering, ImplicitLocOpBuilder &b, PrintOp print) {
  Value value = print.getValue();
  if (value && isa<BufferType>(value.getType()))
    return print.emitOpError("of a buffer has no lowering for a GPU");
  auto block = value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
  std::optional<LinearLayout> layout = block ? layoutOf(block) : std::nullopt;
  if (layout && layout->redundantBits("register"))
    return print.emitOpError("must be done once for each element, but the layout has copies in a "
                             "thread's registers, got ")
           << block;
  unsigned rank = block ? block.getRank() : 0;
  SmallVector<Value> position;
  for (Axis axis : {Axis::X, Axis::Y, Axis::Z})
    position.push_back(programId(b, axis));
  Value format = emitText(b, printFormat(print));
  Value memory = emitValueMemory(b, position.size() + rank + 1);
  if (Value isMine = storingThread(b, block ? Type(block) : Type(b.getI1Type())))
    b.setInsertionPointToStart(b.create<scf::IfOp>(isMine).thenBlock());
  if (!block) {
    if (value)
      position.push_back(lowering.scalarOf(value));
    emitPrint(b, "vprintf", format, memory, position);
    return success();
  }
  for (auto [fragment, bits] : llvm::enumerate(Fragments(lowering.fragmentsOf(value)))) {
    SmallVector<Value> values = position;
    for (unsigned dim = 0; dim < rank; ++dim)
      values.push_back(coordinate(b, *layout, dim, fragment));
    values.push_back(bits);
    emitPrint(b, "vprintf", format, memory, values);
  }
  return success();
}

void lowerAssert(GpuLowering &lowering, ImplicitLocOpBuilder &b, AssertOp assertion) {
  auto module = assertion->getParentOfType<ModuleOp>();
  Value holds;
  for (Value fragment : lowering.fragmentsOf(assertion.getCondition()))
    holds = holds ? b.create<arith::AndIOp>(holds, fragment).getResult() : fragment;
  auto constant = [&](int64_t value, unsigned width) -> Value {
    return b.create<arith::ConstantIntOp>(value, width);
  };
  Value fails = b.create<arith::XOrIOp>(holds, constant(1, 1));
  b.setInsertionPointToStart(b.create<scf::IfOp>(ofAnyThread(b, fails)).thenBlock());

  // The thread that first replaces the 0 in the record by its text's position also writes its
  // program's position in the grid.
  Value variable = b.create<LLVM::AddressOfOp>(failureVariable(module));
  Value address = b.create<LLVM::LoadOp>(b.getI64Type(), variable);
  Value isFirstThread = storingThread(b, b.getI1Type());
  {
    auto first = b.create<scf::IfOp>(isFirstThread);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(first.thenBlock());
    SmallVector<Value> operands = {address,
                                   constant(addSite(module, assertionText(assertion)), 32)};
    for (Axis axis : {Axis::X, Axis::Y, Axis::Z})
      operands.push_back(programId(b, axis));
    // The host reads the record only after the kernel has ended, so the GPU's scope is enough. Many
    // machines have no atomic update of host memory in the scope of the system. If the last word of
    // the record is not 0, the thread traps when the host can see what it has written.
    StringRef text = "{ .reg .pred %mine; .reg .pred %traps; .reg .b32 %before; .reg .b32 %flag; "
                     "atom.global.relaxed.gpu.cas.b32 %before, [$0], 0, $1; "
                     "setp.eq.b32 %mine, %before, 0; "
                     "@%mine st.global.b32 [$0+4], $2; "
                     "@%mine st.global.b32 [$0+8], $3; "
                     "@%mine st.global.b32 [$0+12], $4; "
                     "ld.global.b32 %flag, [$0+16]; "
                     "setp.ne.and.b32 %traps, %flag, 0, %mine; "
                     "@%traps membar.sys; "
                     "@%traps trap; }";
    emitPtx(b, TypeRange(), operands, text, "l,r,r,r,r,~{memory}", PtxEffects::Some);
  }
  b.create<StopOp>();
}

} // namespace

void populateGpuDebugLowerings(LoweringTable &table) {
  table.add(lowerBarrier);
  table.add(lowerPrint);
  table.add(lowerAssert);
}

} // namespace eft
