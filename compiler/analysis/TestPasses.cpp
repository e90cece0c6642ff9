// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that print what the analyses find, for the lit tests.
#include "compiler/analysis/TestPasses.h"

#include "compiler/analysis/AddressParameters.h"
#include "compiler/analysis/PrefixMask.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace eft;

namespace {

template <typename Derived>
struct FunctionTest : PassWrapper<Derived, OperationPass<func::FuncOp>> {
  StringRef getArgument() const final { return Derived::argument; }
  StringRef getDescription() const final { return Derived::description; }
};

void printHead(raw_ostream &os, func::FuncOp function) { os << "@" << function.getName() << "\n"; }

struct PrintAxisInfo : FunctionTest<PrintAxisInfo> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintAxisInfo)
  static constexpr StringLiteral argument = "test-print-axis-info";
  static constexpr StringLiteral description = "Prints the axis information of every value";

  void runOnOperation() override {
    raw_ostream &os = llvm::outs();
    printHead(os, getOperation());
    AxisInfos infos(getOperation());
    AsmState state(getOperation());
    auto print = [&](Value value) {
      value.printAsOperand(os, state);
      os << " : ";
      infos.of(value).print(os);
      os << "\n";
    };
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op != getOperation())
        llvm::for_each(op->getResults(), print);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::for_each(block.getArguments(), print);
    });
  }
};

struct PrintPrefixMasks : FunctionTest<PrintPrefixMasks> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintPrefixMasks)
  static constexpr StringLiteral argument = "test-print-prefix-masks";
  static constexpr StringLiteral description = "Prints of every block of i1 the runs in which it "
                                               "is a prefix, and computes its true elements";

  void runOnOperation() override {
    raw_ostream &os = llvm::outs();
    printHead(os, getOperation());
    AxisInfos infos(getOperation());
    AsmState state(getOperation());
    SmallVector<std::pair<Operation *, PrefixMask>> found;
    getOperation().walk([&](Operation *op) {
      for (Value value : op->getResults()) {
        auto type = dyn_cast<RankedTensorType>(value.getType());
        if (!type || !type.getElementType().isInteger(1))
          continue;
        value.printAsOperand(os, state);
        os << " : runs = [";
        llvm::interleaveComma(llvm::seq<unsigned>(0, type.getRank()), os,
                              [&](unsigned dim) { os << prefixRun(infos, value, dim); });
        os << "]";
        if (std::optional<PrefixMask> mask = matchPrefixMask(infos, value)) {
          os << (mask->mayWrap() ? ", whole, may wrap" : ", whole");
          if (!mask->mayWrap())
            found.emplace_back(op, *mask);
        }
        os << "\n";
      }
    });
    for (auto &[op, mask] : found) {
      OpBuilder builder(op->getContext());
      builder.setInsertionPointAfter(op);
      materializeTrueCount(builder, op->getLoc(), mask);
    }
  }
};

struct PrintAddressParameters : FunctionTest<PrintAddressParameters> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintAddressParameters)
  static constexpr StringLiteral argument = "test-print-address-parameters";
  static constexpr StringLiteral description =
      "Prints the numbers of the integer arguments that reach an address";

  void runOnOperation() override {
    llvm::outs() << "@" << getOperation().getName() << " :";
    for (unsigned number : addressParameters(getOperation()).set_bits())
      llvm::outs() << " " << number;
    llvm::outs() << "\n";
  }
};

} // namespace

void eft::registerAnalysisTestPasses() {
  PassRegistration<PrintAxisInfo>();
  PassRegistration<PrintPrefixMasks>();
  PassRegistration<PrintAddressParameters>();
}
