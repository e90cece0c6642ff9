// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-compile: compiles a file of block IR and prints the result of any stage.
#include "compiler/pipeline/Compile.h"
#include "compiler/pipeline/Passes.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace llvm;

namespace {

cl::opt<std::string> inputName(cl::Positional, cl::desc("<block IR>"), cl::init("-"));
cl::opt<std::string> outputName("o", cl::desc("Where to write"), cl::value_desc("file"),
                                cl::init("-"));
cl::opt<std::string> stage("emit", cl::desc("What to write: ir, placed, llvm, ptx, asm or obj"),
                           cl::value_desc("stage"), cl::init("llvm"));
cl::opt<std::string> targetName("target",
                                cl::desc("What to compile for: sm_80, sm_90, …, gpu, or host"),
                                cl::value_desc("target"), cl::init("host"));
cl::opt<std::string> cpu("cpu", cl::desc("LLVM's name of the host's CPU (default: this one)"));
cl::opt<std::string> features("features",
                              cl::desc("The host's features, as LLVM's llc takes them"));
cl::opt<unsigned> numWarps("num-warps", cl::desc("Warps of a program on a GPU (default: 4)"),
                           cl::init(4));
cl::opt<unsigned> numStages("num-stages",
                            cl::desc("Iterations of a loop with products under way at a time on a "
                                     "GPU (default: 3)"),
                            cl::init(3));
cl::opt<unsigned>
    maxRegisters("max-registers",
                 cl::desc("Registers of a thread on a GPU at most (default: no bound)"),
                 cl::init(0));

cl::opt<bool> allGrids("all-grids",
                       cl::desc("Make code that is right for every grid (default: true)"),
                       cl::init(true));
cl::opt<bool> lines("lines", cl::desc("Say in the code which line each instruction is from"),
                    cl::init(true));

/// Returns the stage of this name; nothing if the target has no such stage.
std::optional<eft::Stage> findStage(StringRef name, bool isGpu) {
  if (name == (isGpu ? "ptx" : "asm"))
    return eft::Stage::Text;
  if (name == "obj" && !isGpu)
    return eft::Stage::Binary;
  return StringSwitch<std::optional<eft::Stage>>(name)
      .Case("ir", eft::Stage::IR)
      .Case("placed", eft::Stage::Placed)
      .Case("llvm", eft::Stage::LLVM)
      .Default(std::nullopt);
}

int fail(const Twine &message) {
  errs() << "eft-compile: " << message << "\n";
  return 1;
}

/// Writes the text to the output file, and returns the tool's exit status. The stream is flushed
/// and closed before the check for errors, because a full disk may show only with the last bytes. A
/// file of which a part is missing is removed.
int write(StringRef text) {
  std::string error;
  auto output = mlir::openOutputFile(outputName, &error);
  if (!output)
    return fail(error);
  raw_fd_ostream &stream = output->os();
  stream << text;
  stream.flush();
  if (outputName != "-")
    stream.close();
  if (std::error_code code = stream.error()) {
    stream.clear_error();
    return fail("cannot write output file '" + outputName + "': " + code.message());
  }
  output->keep();
  return 0;
}

int run(mlir::MLIRContext &context, SourceMgr &sources, mlir::TimingScope timing) {
  mlir::TimingScope parsing = timing.nest("Parser");
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  parsing.stop();
  if (!module)
    return 1;
  auto target = eft::Target::parse(targetName.getValue());
  if (!target.ok())
    return fail(target.error().message);
  if (cpu.getNumOccurrences())
    target->cpu = cpu;
  if (features.getNumOccurrences())
    target->features = features;
  bool isGpu = target->kind == eft::Target::Kind::Cuda;
  std::optional<eft::Stage> last = findStage(stage, isGpu);
  if (!last)
    return fail("there is no stage '" + stage + "' for target " + targetName + "; there are ir, " +
                "placed, llvm, " + (isGpu ? "ptx" : "asm, obj"));
  bool isObject = last == eft::Stage::Binary;
  bool areOptionsRight = true;
  eft::CompileObserver observer;
  observer.watchPasses = [&](mlir::PassManager &passes) {
    areOptionsRight &= succeeded(mlir::applyPassManagerCLOptions(passes));
  };
  observer.timing = std::move(timing);
  auto compiled = eft::compile(*module, *target,
                               {.numWarps = numWarps,
                                .numStages = numStages,
                                .lines = lines,
                                .maxRegisters = maxRegisters,
                                .allGrids = allGrids,
                                .keepStages = !isObject,
                                .last = *last},
                               {}, &observer);
  if (failed(compiled) || !areOptionsRight)
    return 1;
  return write(isObject ? compiled->binary : compiled->stages.back().second);
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  eft::registerPasses();
  mlir::registerAsmPrinterCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  cl::ParseCommandLineOptions(argc, argv, "Eft's compiler, from block IR to code\n");
  std::string error;
  auto input = mlir::openInputFile(inputName, &error);
  if (!input)
    return fail(error);
  SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(input), SMLoc());
  mlir::DialectRegistry registry;
  eft::registerDialects(registry);
  // Without threads: a kernel is one function, and the options that print whole modules need a
  // context with one thread.
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);
  mlir::DefaultTimingManager timing;
  mlir::applyDefaultTimingManagerCLOptions(timing);
  return run(context, sources, timing.getRootScope());
}
