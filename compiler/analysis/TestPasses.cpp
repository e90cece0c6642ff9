// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that print what the analyses find, for the lit tests.
#include "compiler/analysis/TestPasses.h"

#include "compiler/analysis/AddressParameters.h"
#include "compiler/analysis/PrefixMask.h"
#include "compiler/analysis/Signs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace eft;

namespace {

/// A pass that prints the result of an analysis for each function.
template <typename Derived> struct FunctionTest : PassWrapper<Derived, OperationPass<>> {
  StringRef getArgument() const final { return Derived::argument; }
  StringRef getDescription() const final { return Derived::description; }
  void runOnOperation() final {
    this->getOperation()->walk([&](func::FuncOp function) {
      llvm::outs() << "@" << function.getName() << "\n";
      static_cast<Derived *>(this)->print(function, llvm::outs());
    });
  }
};

struct PrintAxisInfo : FunctionTest<PrintAxisInfo> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintAxisInfo)
  static constexpr StringLiteral argument = "test-print-axis-info";
  static constexpr StringLiteral description = "Prints the axis information of every value";

  void print(func::FuncOp function, raw_ostream &os) {
    AxisInfos infos(function);
    AsmState state(function);
    auto print = [&](Value value) {
      value.printAsOperand(os, state);
      os << " : ";
      infos.of(value).print(os);
      os << "\n";
    };
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op != function)
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

  void print(func::FuncOp function, raw_ostream &os) {
    AxisInfos infos(function);
    AsmState state(function);
    SmallVector<std::pair<Operation *, PrefixMask>> found;
    function.walk([&](Operation *op) {
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
      "Prints the numbers of the integer arguments that reach an address, and the bytes of the "
      "smallest elements there";

  void print(func::FuncOp function, raw_ostream &os) {
    os << "reach an address:";
    for (AddressParameter parameter : addressParameters(function))
      os << " " << parameter.number << " of " << parameter.elementBytes;
    os << "\n";
  }
};

struct PrintSigns : FunctionTest<PrintSigns> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintSigns)
  static constexpr StringLiteral argument = "test-print-signs";
  static constexpr StringLiteral description =
      "Prints which operands of the function's return are at most 0, and which at least 0";

  void print(func::FuncOp function, raw_ostream &os) {
    function.walk([&](func::ReturnOp op) {
      for (Value value : op.getOperands())
        os << (isNonPositive(value)   ? "at most 0"
               : isNonNegative(value) ? "at least 0"
                                      : "any")
           << "\n";
    });
  }
};

} // namespace

void eft::registerAnalysisTestPasses() {
  PassRegistration<PrintAxisInfo>();
  PassRegistration<PrintPrefixMasks>();
  PassRegistration<PrintAddressParameters>();
  PassRegistration<PrintSigns>();
}
