// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pipeline/CheckInput.h"

#include "compiler/ir/EftDialect.h"
#include "compiler/layout/Placement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;

namespace eft {

namespace {

/// The most registers that a thread of a GPU can have.
constexpr unsigned maxRegistersOfThread = 255;

/// Returns true if both targets compute the function exactly or to the same bits. For other
/// functions LLVM would call a mathematical library. A GPU has no such library, and the libraries
/// of CPUs differ from machine to machine.
bool isSharedFunction(Operation *op) { return !isa<math::FPowIOp, math::IPowIOp>(op); }

bool isOfBlockIR(Operation *op) {
  Dialect *dialect = op->getDialect();
  if (isa_and_present<math::MathDialect>(dialect))
    return isSharedFunction(op);
  return isa<func::FuncOp, func::CallOp, func::ReturnOp>(op) ||
         isa_and_present<EftDialect, arith::ArithDialect, scf::SCFDialect>(dialect);
}

bool isOfBlockIR(Type type) {
  if (auto block = dyn_cast<RankedTensorType>(type))
    type = block.getElementType();
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() && llvm::is_contained({1, 8, 16, 32, 64}, integer.getWidth());
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type, PointerType>(type);
}

LogicalResult checkTypes(Operation *op, TypeRange types) {
  for (Type type : types)
    if (!isOfBlockIR(type))
      return op->emitOpError("has a value of type ") << type << ", which block IR does not have";
  return success();
}

} // namespace

std::string validateOptions(const Target &target, const CompileOptions &options) {
  if (std::string fault = validateNumWarps(options.numWarps); !fault.empty())
    return "number of warps " + fault;
  if (options.maxRegisters > maxRegistersOfThread)
    return "number of registers must be at most " + std::to_string(maxRegistersOfThread) +
           ", got " + std::to_string(options.maxRegisters);
  if (options.last < Stage::IR || options.last > Stage::Binary)
    return "last stage must be 0 (IR) to 4 (Binary), got " + std::to_string(int(options.last));
  if (target.kind != Target::Kind::Cuda && target.kind != Target::Kind::Host)
    return "kind of the target must be 0 (Cuda) or 1 (Host), got " +
           std::to_string(int(target.kind));
  return "";
}

FailureOr<func::FuncOp> findKernel(ModuleOp module) {
  func::FuncOp kernel;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isPrivate())
      continue;
    if (kernel)
      return function.emitOpError("is a second public function; a module has one kernel");
    kernel = function;
  }
  if (!kernel)
    return module.emitOpError("has no public function to compile");
  return kernel;
}

LogicalResult checkIsBlockIR(ModuleOp module) {
  WalkResult result = module.getBodyRegion().walk([](Operation *op) -> WalkResult {
    if (!isOfBlockIR(op))
      return op->emitOpError("is not of block IR, or has no lowering");
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (failed(checkTypes(op, block.getArgumentTypes())))
          return failure();
    return checkTypes(op, op->getResultTypes());
  });
  return failure(result.wasInterrupted());
}

namespace {

std::optional<DataType> dataType(Type type) {
  return llvm::TypeSwitch<Type, std::optional<DataType>>(type)
      .Case([](IntegerType integer) -> std::optional<DataType> {
        switch (integer.getWidth()) {
        case 1:
          return DataType::I1;
        case 8:
          return DataType::I8;
        case 16:
          return DataType::I16;
        case 32:
          return DataType::I32;
        case 64:
          return DataType::I64;
        }
        return std::nullopt;
      })
      .Case([](Float16Type) { return DataType::F16; })
      .Case([](BFloat16Type) { return DataType::BF16; })
      .Case([](Float32Type) { return DataType::F32; })
      .Case([](Float64Type) { return DataType::F64; })
      .Default([](Type) { return std::nullopt; });
}

} // namespace

FailureOr<std::vector<Parameter>> parametersOf(func::FuncOp kernel) {
  std::vector<Parameter> parameters;
  for (auto [number, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    auto pointer = dyn_cast<PointerType>(type);
    std::optional<DataType> known = dataType(pointer ? pointer.getPointee() : type);
    if (!known)
      return kernel.emitOpError("must have scalars and pointers as parameters, got ")
             << type << " as parameter " << number;
    auto divisibility =
        kernel.getArgAttrOfType<IntegerAttr>(unsigned(number), EftDialect::divisibilityName);
    bool isDivisible = divisibility && (pointer || isa<IntegerType>(type));
    parameters.push_back(
        {*known, bool(pointer),
         isDivisible ? divisibility.getValue().getLimitedValue(uint64_t(1) << 63) : 1});
  }
  return parameters;
}

LogicalResult checkHasNoCalls(ModuleOp module) {
  WalkResult result = module.walk([](func::CallOp call) -> WalkResult {
    return call.emitOpError("can't be inlined: '")
           << call.getCallee() << "' calls itself or has no body";
  });
  return failure(result.wasInterrupted());
}

std::string codeName(llvm::StringRef kernelName) {
  static const llvm::TargetLibraryInfoImpl library{llvm::Triple()};
  std::string name = kernelName.str();
  for (char &letter : name)
    if (!llvm::isAlnum(letter))
      letter = '_';
  llvm::LibFunc known;
  bool isTaken = name.empty() || llvm::isDigit(name.front()) || library.getLibFunc(name, known);
  return isTaken || name != kernelName ? "kernel_" + name : name;
}

} // namespace eft
