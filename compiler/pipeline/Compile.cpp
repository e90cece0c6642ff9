// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the stages of a compile, in the order of docs/design.md.
#include "compiler/pipeline/Compile.h"

#include "compiler/analysis/AddressParameters.h"
#include "compiler/analysis/UpperBound.h"
#include "compiler/codegen/Codegen.h"
#include "compiler/ir/EftDialect.h"
#include "compiler/pipeline/CheckInput.h"
#include "compiler/pipeline/LargeStack.h"
#include "compiler/pipeline/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;

namespace eft {

void registerDialects(DialectRegistry &registry) {
  registry.insert<EftDialect, arith::ArithDialect, math::MathDialect, scf::SCFDialect,
                  cf::ControlFlowDialect, func::FuncDialect, vector::VectorDialect,
                  LLVM::LLVMDialect, NVVM::NVVMDialect>();
  func::registerInlinerExtension(registry);
  registerTranslations(registry);
}

namespace {

/// One compile: its module, and the results of the stages so far.
class Compilation {
public:
  Compilation(ModuleOp module, const Target &target, const CompileOptions &options,
              const CompileControl &control, CompileObserver &observer)
      : module(module.clone()), target(target), options(options), control(control),
        observer(observer) {}

  FailureOr<Compiled> run() {
    LogicalResult (Compilation::*const stages[])() = {
        &Compilation::takeInput, &Compilation::place, &Compilation::makeCode,
        &Compilation::emitText, &Compilation::emitBinary};
    for (unsigned stage = 0; stage <= unsigned(options.last); ++stage)
      if (isAbandoned() || failed((this->*stages[stage])()))
        return failure();
    return std::move(result);
  }

private:
  // The stages, in the order of `Stage`.

  LogicalResult takeInput() {
    if (failed(checkInput()))
      return failure();
    keep("ir", [&](llvm::raw_ostream &os) { module->print(os); });
    return success();
  }

  LogicalResult place() {
    auto made = makeMachine(target);
    if (!made)
      return report(made.takeError());
    machine = std::move(*made);
    if (failed(runPasses("Block transforms", addBlockTransforms)) ||
        failed(checkHasNoCalls(*module)))
      return failure();
    nameKernel();
    noteMaxPrograms();
    if (failed(runPasses("Placing", addPlacing)))
      return failure();
    keep("placed", [&](llvm::raw_ostream &os) { module->print(os); });
    return success();
  }

  LogicalResult makeCode() {
    if (failed(runPasses("Lowering", addLowering)))
      return failure();
    noteSharedMemory();
    noteProgramsPerBlock();
    if (failed(chooseMachine()))
      return failure();
    if (isAbandoned())
      return failure();
    TimingScope translating = observer.timing.nest("Translation to LLVM IR");
    auto translated = translate(*module, context);
    if (!translated)
      return report(translated.takeError());
    code = std::move(*translated);
    translating.stop();
    TimingScope optimizing = observer.timing.nest("LLVM's optimizations");
    optimize(*code, *machine, control.isAbandoned);
    optimizing.stop();
    keep("llvm", [&](llvm::raw_ostream &os) { code->print(os, nullptr); });
    return success();
  }

  LogicalResult emitText() {
    if (!isGpu() && !options.keepStages)
      return success();
    TimingScope emitting = observer.timing.nest(isGpu() ? "Emission of PTX" : "Emission of text");
    // Emission changes the module, so it gets a copy.
    CodeModule clone(llvm::CloneModule(*code).release());
    auto text = emit(*clone, *machine, llvm::CodeGenFileType::AssemblyFile);
    if (!text)
      return report(text.takeError());
    if (isGpu())
      nameAccessesByBits(*text);
    keep(isGpu() ? "ptx" : "asm", [&](llvm::raw_ostream &os) { os << *text; });
    if (isGpu())
      result.binary = std::move(*text);
    return success();
  }

  LogicalResult emitBinary() {
    if (isGpu()) // its PTX is all that there is
      return success();
    TimingScope emitting = observer.timing.nest("Emission of the object");
    auto object = emit(*code, *machine, llvm::CodeGenFileType::ObjectFile);
    if (!object)
      return report(object.takeError());
    result.binary = std::move(*object);
    return success();
  }

  // The parts of the stages.

  LogicalResult checkInput() {
    FailureOr<func::FuncOp> kernel = findKernel(*module);
    if (failed(kernel))
      return failure();
    if (std::string fault = validateOptions(target, options); !fault.empty())
      return kernel->emitError(fault);
    if (failed(checkIsBlockIR(*module)))
      return failure();
    auto parameters = parametersOf(*kernel);
    if (failed(parameters))
      return failure();
    location = kernel->getLoc();
    result.parameters = std::move(*parameters);
    noteTarget();
    result.name = codeName(kernel->getName());
    result.numWarps = options.numWarps;
    return success();
  }

  /// Records the name and the features of the CPU, because the code may be loaded where another CPU
  /// is at hand.
  void noteTarget() {
    result.target = target;
    if (isGpu())
      return;
    HostCpu cpu = resolveHostCpu(target.cpu, target.features);
    result.target.cpu = cpu.name;
    result.target.features = cpu.features;
  }

  /// Gives the kernel the name of its code. After inlining, it is the only function that is left.
  void nameKernel() {
    for (auto function : module->getOps<func::FuncOp>())
      function.setName(result.name);
  }

  void noteMaxPrograms() {
    const auto [x, y, z] = maxProgramsAt(*module);
    result.maxPrograms = {x, y, z};
  }

  void noteSharedMemory() {
    for (auto function : module->getOps<LLVM::LLVMFuncOp>())
      if (auto bytes = function->getAttrOfType<IntegerAttr>(EftDialect::sharedBytesName))
        result.sharedBytes = unsigned(bytes.getInt());
  }

  void noteProgramsPerBlock() {
    for (auto function : module->getOps<LLVM::LLVMFuncOp>()) {
      auto extents =
          function->getAttrOfType<DenseI32ArrayAttr>(NVVM::NVVMDialect::getMaxntidAttrName());
      if (extents && extents.size() == 3)
        result.programsPerBlock = unsigned(extents[1]);
    }
  }

  /// Replaces the target machine if the kernel uses warpgroups: their instructions exist only on
  /// one generation of GPUs, and need `sm_90a`.
  LogicalResult chooseMachine() {
    auto functions = module->getOps<LLVM::LLVMFuncOp>();
    if (llvm::none_of(functions, [](LLVM::LLVMFuncOp function) {
          return function->hasAttr(EftDialect::warpgroupsName);
        }))
      return success();
    auto made = makePtxMachine(target.computeCapability, /*hasWarpgroups=*/true);
    if (!made)
      return report(made.takeError());
    machine = std::move(*made);
    return success();
  }

  LogicalResult runPasses(const char *step,
                          void (*addPasses)(OpPassManager &, const PassOptions &)) {
    TimingScope timing = observer.timing.nest(step);
    PassManager passes(module->getContext(), ModuleOp::getOperationName());
    PassOptions settings = passOptions(target, options, *machine);
    settings.stoppable = control.stoppable;
    addPasses(passes, settings);
    if (observer.watchPasses)
      observer.watchPasses(passes);
    if (timing)
      passes.enableTiming(timing);
    return passes.run(*module);
  }

  template <typename Print> void keep(StringRef stage, Print print) {
    if (!options.keepStages)
      return;
    std::string text;
    llvm::raw_string_ostream stream(text);
    print(stream);
    result.stages.emplace_back(stage.str(), std::move(text));
  }

  LogicalResult report(llvm::Error error) {
    return emitError(*location) << llvm::toString(std::move(error));
  }

  bool isAbandoned() const { return control.isAbandoned && *control.isAbandoned; }

  bool isGpu() const { return target.kind == Target::Kind::Cuda; }

  OwningOpRef<ModuleOp> module;
  std::optional<Location> location; // where the kernel is in the source
  const Target &target;
  const CompileOptions &options;
  const CompileControl &control;
  CompileObserver &observer;
  std::unique_ptr<llvm::TargetMachine> machine;
  llvm::LLVMContext context;
  CodeModule code;
  Compiled result;
};

} // namespace

FailureOr<Compiled> compile(ModuleOp module, const Target &target, const CompileOptions &options,
                            const CompileControl &control, CompileObserver *observer) {
  FailureOr<Compiled> result;
  CompileObserver nobody;
  CompileObserver &watching = observer ? *observer : nobody;
  runOnLargeStack([&] { result = Compilation(module, target, options, control, watching).run(); });
  return result;
}

static FailureOr<std::vector<AddressParameter>> findAddressParameters(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  addInlining(passes);
  FailureOr<func::FuncOp> kernel;
  if (failed(passes.run(*copy)) || failed(kernel = findKernel(*copy)))
    return failure();
  return addressParameters(*kernel);
}

FailureOr<std::vector<AddressParameter>> addressParameters(ModuleOp module) {
  FailureOr<std::vector<AddressParameter>> result;
  runOnLargeStack([&] { result = findAddressParameters(module); });
  return result;
}

} // namespace eft
