// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Module: parses and checks block IR.
#include "compiler/pipeline/CheckInput.h"
#include "compiler/pipeline/Compile.h"
#include "compiler/pipeline/Diagnostics.h"
#include "compiler/pipeline/LargeStack.h"
#include "library/compiler/ModuleState.h"
#include "library/compiler/Nesting.h"

#include "mlir/Parser/Parser.h"

namespace eft {
namespace {

mlir::DialectRegistry makeRegistry() {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  return registry;
}

} // namespace

Module::State::State() : context(makeRegistry(), mlir::MLIRContext::Threading::DISABLED) {
  // A diagnostic has the position of the operation, which is enough: don't print the operation too.
  context.printOpOnDiagnostic(false);
}

Module::Module(std::shared_ptr<State> state) : state(std::move(state)) {}

Expected<Module> Module::parse(std::string_view text, std::string_view fileName) {
  if (Status status = checkNesting(text, fileName); !status.ok())
    return std::move(status).error();
  if (Status status = checkValues(text, fileName); !status.ok())
    return std::move(status).error();
  // MLIR's lexer needs a zero byte after the text. A string_view may have none, so this is a copy.
  const std::string terminated(text);
  auto state = std::make_shared<State>();
  DiagnosticCollector diagnostics(state->context);
  bool succeeded = false;
  runOnLargeStack([&] {
    state->module = mlir::parseSourceString<mlir::ModuleOp>(terminated, &state->context,
                                                            llvm::StringRef(fileName));
    if (!state->module)
      return;
    auto kernel = findKernel(*state->module);
    if (failed(kernel) || failed(checkIsBlockIR(*state->module)))
      return;
    auto parameters = parametersOf(*kernel);
    if (failed(parameters))
      return;
    state->kernelName = kernel->getName();
    state->parameters = std::move(*parameters);
    succeeded = true;
  });
  if (!succeeded)
    return Error{ErrorKind::Compilation,
                 diagnostics.lines("the block IR was refused without a diagnostic")};
  return Module(std::move(state));
}

const std::string &Module::kernelName() const {
  static const std::string none;
  return state ? state->kernelName : none;
}

std::span<const Parameter> Module::parameters() const {
  if (!state)
    return {};
  return state->parameters;
}

} // namespace eft
