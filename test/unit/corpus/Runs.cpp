// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/corpus/Runs.h"

#include "compiler/pipeline/Compile.h"
#include "compiler/pipeline/Passes.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace mlir;

namespace eft::test {
namespace {

DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerDialects(registry);
  registerPasses();
  return registry;
}

/// An MLIR context that keeps its first error.
struct Session {
  Session() : context(registry(), MLIRContext::Threading::DISABLED) {
    context.printOpOnDiagnostic(false);
    context.getDiagEngine().registerHandler([this](mlir::Diagnostic &diagnostic) {
      if (error.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
        error = diagnostic.str();
      return success();
    });
  }

  static const DialectRegistry &registry() {
    static const DialectRegistry registry = makeRegistry();
    return registry;
  }

  OwningOpRef<ModuleOp> parse(StringRef text) {
    return parseSourceString<ModuleOp>(text, &context);
  }

  std::string error;
  MLIRContext context;
};

} // namespace

const std::vector<std::string> &allPasses() {
  static const std::vector<std::string> passes = [] {
    std::vector<PassOptions> machines = {{.vectorBits = 128}, {.vectorBits = 512}};
    for (const char *gpu : {"sm_80", "sm_90"})
      machines.push_back({.isGpu = true, .target = *Target::parse(gpu)});
    std::vector<std::string> all;
    for (const PassOptions &machine : machines)
      for (std::string &pass : pipelinePasses(machine))
        if (std::find(all.begin(), all.end(), pass) == all.end())
          all.push_back(std::move(pass));
    return all;
  }();
  return passes;
}

bool parses(StringRef text) { return bool(Session().parse(text)); }

/// The pipeline with each function pass nested in `func.func(…)`. The options of eft-opt need no
/// nesting, but `parsePassPipeline` does.
static std::string nested(StringRef pipeline) {
  static const std::vector<std::string> ofFunctions = [] {
    std::vector<std::string> names;
    for (StringRef pass : allPasses())
      if (pass.consume_front("func.func("))
        names.push_back(pass.take_until([](char c) { return c == '{' || c == ')'; }).str());
    return names;
  }();
  if (pipeline.contains("func.func("))
    return pipeline.str();
  SmallVector<std::string> passes;
  for (StringRef pass : llvm::split(pipeline, ',')) {
    bool isOfFunctions = llvm::is_contained(ofFunctions, pass.split('{').first);
    passes.push_back(isOfFunctions ? ("func.func(" + pass + ")").str() : pass.str());
  }
  return llvm::join(passes, ",");
}

std::string runPasses(StringRef text, StringRef pipeline) {
  Session session;
  OwningOpRef<ModuleOp> module = session.parse(text);
  if (!module)
    return "the module does not parse again: " + session.error;
  PassManager passes(&session.context, ModuleOp::getOperationName(),
                     OpPassManager::Nesting::Implicit);
  if (failed(parsePassPipeline(nested(pipeline), passes)))
    return "the passes do not parse";
  if (failed(passes.run(*module)))
    return "";
  std::string made;
  llvm::raw_string_ostream stream(made);
  module->print(stream);
  Session reader;
  if (!reader.parse(made))
    return "what the passes made can't be read: " + reader.error + "\n" + made;
  return "";
}

void runCompiler(StringRef text, StringRef target, unsigned numWarps) {
  Session session;
  OwningOpRef<ModuleOp> module = session.parse(text);
  if (module)
    (void)compile(*module, *Target::parse(target.str()),
                  {.numWarps = numWarps, .keepStages = false});
}

} // namespace eft::test
