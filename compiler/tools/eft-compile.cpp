// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-compile: compiles a file of block IR and prints any stage on the way.
#include "compiler/pipeline/Compile.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
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
cl::opt<std::string> targetName("target", cl::desc("What to compile for: sm_80, sm_90, …, or host"),
                                cl::value_desc("target"), cl::init("host"));
cl::opt<std::string> cpu("cpu", cl::desc("LLVM's name of the host's CPU (default: this one)"));
cl::opt<std::string> features("features",
                              cl::desc("The host's features, as LLVM's llc takes them"));
cl::opt<unsigned> numWarps("num-warps", cl::desc("Warps of a program on a GPU (default: 4)"),
                           cl::init(4));

/// The text or code of the stage that was asked for; null if this target has no such stage.
const std::string *find(const eft::Compiled &compiled, StringRef name, bool isGpu) {
  if (name == "obj" && !isGpu)
    return &compiled.binary;
  for (const auto &[known, text] : compiled.stages)
    if (known == name)
      return &text;
  return nullptr;
}

int fail(const Twine &message) {
  errs() << "eft-compile: " << message << "\n";
  return 1;
}

int run(mlir::MLIRContext &context, SourceMgr &sources) {
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  if (!module)
    return 1;
  std::string error;
  std::optional<eft::Target> target = eft::Target::parse(targetName, error);
  if (!target)
    return fail(error);
  target->cpu = cpu;
  target->features = features;
  auto compiled = eft::compile(*module, *target, {.numWarps = numWarps});
  if (failed(compiled))
    return 1;
  bool isGpu = target->kind == eft::Target::Kind::Cuda;
  const std::string *text = find(*compiled, stage, isGpu);
  if (!text)
    return fail("there is no stage '" + stage + "' for target " + targetName + "; there are ir, " +
                "placed, llvm, " + (isGpu ? "ptx" : "asm, obj"));
  auto output = mlir::openOutputFile(outputName, &error);
  if (!output)
    return fail(error);
  output->os() << *text;
  output->keep();
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "Eft's compiler, from block IR to code\n");
  std::string error;
  auto input = mlir::openInputFile(inputName, &error);
  if (!input)
    return fail(error);
  SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(input), SMLoc());
  mlir::DialectRegistry registry;
  eft::registerDialects(registry);
  mlir::MLIRContext context(registry);
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);
  return run(context, sources);
}
