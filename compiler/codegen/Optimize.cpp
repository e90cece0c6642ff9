// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's optimizations and code emission, for both kinds of targets.
#include "compiler/codegen/Codegen.h"
#include "compiler/codegen/PtxPlaces.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"

namespace eft {

namespace {

/// The passes, in the form that `opt -passes=` takes. They are those passes of O2 that change
/// kernels most. The other passes of O2 rarely find something in kernels: they look for functions
/// that are worth inlining, stores that other stores overwrite, and branches that earlier branches
/// decide. Without them, machine code for GPUs is one percent longer. Unrolling and vectorization
/// would only make the code longer: Eft's blocks are vectors already, and its loops over steps have
/// the length that they should have.
constexpr llvm::StringLiteral passList =
    "always-inline,globaldce,cgscc(function-attrs),function<eager-inv>("
    // Expected values of conditions become weights of branches.
    "lower-expect,"
    // Stack slots become values, and expressions become simple.
    "simplifycfg,sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,"
    "early-cse<memssa>,instcombine<no-verify-fixpoint>,correlated-propagation,simplifycfg,"
    "reassociate,"
    // Each loop gets its test at its end. Code that does not change in a loop moves out of the
    // loop.
    "loop-mssa(licm<no-allowspeculation>,loop-rotate,licm<allowspeculation>),simplifycfg,"
    "loop(loop-idiom,indvars,loop-deletion),"
    // After the passes on loops, these remove values that are computed twice.
    "sroa,gvn,instcombine<no-verify-fixpoint>,adce,"
    "simplifycfg<hoist-common-insts;sink-common-insts>,"
    // These come last, because they hide what the passes above look for.
    "infer-alignment,"
    "simplifycfg<switch-range-to-icmp;switch-to-lookup;no-keep-loops;hoist-common-insts;"
    "sink-common-insts>,"
    "vector-combine,loop-mssa(licm<allowspeculation>),instsimplify,div-rem-pairs,simplifycfg)";

/// The pass that comes before the others for a GPU. It notes the ranges of the numbers of threads
/// and programs.
constexpr llvm::StringLiteral firstPassForGpu = "function(nvvm-intr-range),";

/// VectorCombine is left out for a function if one of its basic blocks has more instructions than
/// this.
constexpr size_t longBlock = 1024;

/// IndVarSimplify is left out for functions for a CPU that have more basic blocks than this.
constexpr size_t manyBlocks = 128;

/// CodeGenPrepare is left out for a module for a GPU if one of its functions has more basic blocks
/// than this (`PassGate`).
constexpr size_t mostPreparedBlocks = 4096;

/// True if the range has more than `count` items. Counting stops after `count` + 1 items. `size()`
/// would walk over all items, and a pass on loops calls this function once for each loop.
template <typename Range> bool hasMore(const Range &range, size_t count) {
  return llvm::hasNItemsOrMore(range, count + 1);
}

/// The function that a pass is about to run on, or the function around its loop; null for a pass on
/// other units.
const llvm::Function *functionOf(const llvm::Any &unit) {
  if (const auto *function = llvm::any_cast<const llvm::Function *>(&unit))
    return *function;
  if (const auto *loop = llvm::any_cast<const llvm::Loop *>(&unit))
    return (*loop)->getHeader()->getParent();
  return nullptr;
}

/// True if a pass is skipped because its time grows with the square of the code's length. For each
/// extract that VectorCombine examines, it numbers all instructions of the basic block again. For
/// each loop, IndVarSimplify examines all conditions on the way to the loop. Code for a GPU keeps
/// IndVarSimplify.
bool isSkipped(llvm::StringRef pass, const llvm::Any &unit, bool isForGpu) {
  const bool looksAtBlocks = pass == "VectorCombinePass";
  const bool looksAtLoops = !isForGpu && pass == "IndVarSimplifyPass";
  if (!looksAtBlocks && !looksAtLoops)
    return false;
  const llvm::Function *function = functionOf(unit);
  if (!function)
    return false;
  if (looksAtLoops)
    return hasMore(*function, manyBlocks);
  return llvm::any_of(*function,
                      [](const llvm::BasicBlock &block) { return hasMore(block, longBlock); });
}

/// Leaves CodeGenPrepare out of the code generator. CodeGenPrepare only improves code. After most
/// of its changes, it starts again with a walk over all basic blocks.
class PassGate : public llvm::OptPassGate {
public:
  bool isEnabled() const override { return true; }
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef /*description*/) override {
    return pass != "CodeGen Prepare";
  }
};

/// Adds the passes of `addPassesToEmitFile`, except for the analysis of where variables are. Code
/// from kernels has line numbers and no variables, but the analysis would follow all registers of
/// all blocks, which takes up to a seventh of the emission. Returns false if the target can't emit
/// a file of this kind.
bool addPassesToEmit(llvm::legacy::PassManager &passes, llvm::LLVMTargetMachine &machine,
                     llvm::raw_pwrite_stream &stream, llvm::CodeGenFileType type) {
  llvm::TargetPassConfig *config = machine.createPassConfig(passes);
  config->setDisableVerify(true);
  config->disablePass(&llvm::LiveDebugValuesID);
  auto *functions = new llvm::MachineModuleInfoWrapperPass(&machine); // `passes` owns it
  passes.add(config);
  passes.add(functions);
  if (config->addISelPasses())
    return false;
  config->addMachinePasses();
  config->setInitialized();
  if (machine.addAsmPrinter(passes, stream, nullptr, type, functions->getMMI().getContext()))
    return false;
  passes.add(llvm::createFreeMachineFunctionPass());
  return true;
}

/// Collects errors, for which LLVM would otherwise end the process.
struct ErrorCollector : llvm::DiagnosticHandler {
  explicit ErrorCollector(std::string &errors) : errors(errors) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return true;
    llvm::raw_string_ostream stream(errors);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    stream << (errors.empty() ? "" : "; ");
    info.print(printer);
    return true;
  }

  std::string &errors;
};

} // namespace

void optimize(llvm::Module &module, llvm::TargetMachine &machine,
              const std::atomic<bool> *isAbandoned) {
  module.setTargetTriple(machine.getTargetTriple().str());
  module.setDataLayout(machine.createDataLayout());
  const bool isForGpu = machine.getTargetTriple().isNVPTX();
  if (isForGpu)
    markConvergent(module);
  else
    cutLongChains(module);

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback([=](llvm::StringRef pass, llvm::Any unit) {
    return !(isAbandoned && *isAbandoned) && !isSkipped(pass, unit, isForGpu);
  });
  llvm::PassBuilder builder(&machine, llvm::PipelineTuningOptions(), std::nullopt, &callbacks);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  const llvm::StringRef first = isForGpu ? llvm::StringRef(firstPassForGpu) : "";
  llvm::cantFail(builder.parsePassPipeline(passes, (first + passList).str()));
  passes.run(module, modules);
  if (isForGpu) {
    avoidPtxasErrors(module);
    fitCopyOperands(module);
  } else {
    cutLongBlocks(module);
  }
}

llvm::Expected<std::string> emit(llvm::Module &module, llvm::TargetMachine &machine,
                                 llvm::CodeGenFileType type) {
  llvm::LLVMContext &context = module.getContext();
  std::optional<PtxPlaces> places;
  PassGate gate;
  llvm::OptPassGate &usualGate = context.getOptPassGate();
  auto resetGate = llvm::make_scope_exit([&] { context.setOptPassGate(usualGate); });
  if (machine.getTargetTriple().isNVPTX()) {
    places.emplace(module);
    if (llvm::any_of(module, [](const llvm::Function &function) {
          return hasMore(function, mostPreparedBlocks);
        }))
      context.setOptPassGate(gate);
  }
  llvm::SmallString<0> code;
  llvm::raw_svector_ostream stream(code);
  llvm::legacy::PassManager passes;
  if (!addPassesToEmit(passes, static_cast<llvm::LLVMTargetMachine &>(machine), stream, type))
    return llvm::createStringError("the target can't emit a file of this kind");
  std::string errors;
  std::unique_ptr<llvm::DiagnosticHandler> previous = context.getDiagnosticHandler();
  context.setDiagnosticHandler(std::make_unique<ErrorCollector>(errors));
  passes.run(module);
  context.setDiagnosticHandler(std::move(previous));
  if (!errors.empty())
    return llvm::createStringError("LLVM can't generate code: " + errors);
  return places ? places->restore(code) : std::string(code);
}

} // namespace eft
