// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft::compile and Target::of. The compiler's diagnostics become the message of an Error.
#include "compiler/pipeline/Compile.h"

#include "compiler/pipeline/CheckInput.h"
#include "compiler/pipeline/Diagnostics.h"
#include "library/compiler/ModuleState.h"

namespace eft {

Expected<Target> Target::of(Device device) {
  auto name = device.target();
  if (!name.ok())
    return name.error();
  return parse(*name);
}

Expected<Compiled> compile(const Module &module, const Target &target,
                           const CompileOptions &options) {
  if (!module.state)
    return Error{ErrorKind::InvalidArgument, "the module has no content: it was moved from"};
  if (std::string fault = validateOptions(target, options); !fault.empty())
    return Error{ErrorKind::InvalidArgument, fault};
  Module::State &state = *module.state;
  std::lock_guard lock(state.lock);
  DiagnosticCollector diagnostics(state.context);
  mlir::FailureOr<Compiled> compiled = compile(*state.module, target, options);
  if (failed(compiled))
    return Error{ErrorKind::Compilation,
                 diagnostics.lines("the compiler failed without a diagnostic")};
  return std::move(*compiled);
}

Expected<Compiled> compile(std::string_view text, const Target &target,
                           const CompileOptions &options) {
  auto module = Module::parse(text);
  if (!module.ok())
    return module.error();
  return compile(*module, target, options);
}

} // namespace eft
