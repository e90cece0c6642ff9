// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/HostTools.h"

#include "llvm/ExecutionEngine/Orc/DebugObjectManagerPlugin.h"
#include "llvm/ExecutionEngine/Orc/Debugging/PerfSupportPlugin.h"
#include "llvm/ExecutionEngine/Orc/EPCDebugObjectRegistrar.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/TargetProcess/JITLoaderGDB.h"
#include "llvm/ExecutionEngine/Orc/TargetProcess/JITLoaderPerf.h"

namespace eft {

namespace {

namespace orc = llvm::orc;

// LLVM looks for these functions by name among the symbols of the process. Those in a library that
// hides its symbols are not there.
auto addressOf(orc::shared::CWrapperFunctionResult (*function)(const char *, uint64_t)) {
  return orc::ExecutorAddr::fromPtr(function);
}

std::unique_ptr<orc::ObjectLinkingLayer::Plugin> makeGdbPlugin(orc::ExecutionSession &session) {
  auto registrar = std::make_unique<orc::EPCDebugObjectRegistrar>(
      session, addressOf(llvm_orc_registerJITLoaderGDBAllocAction));
  return std::make_unique<orc::DebugObjectManagerPlugin>(
      session, std::move(registrar), /*RequireDebugSections=*/false, /*AutoRegisterCode=*/true);
}

std::unique_ptr<orc::ObjectLinkingLayer::Plugin> makePerfPlugin(orc::ExecutionSession &session) {
  return std::make_unique<orc::PerfSupportPlugin>(
      session.getExecutorProcessControl(), addressOf(llvm_orc_registerJITLoaderPerfStart),
      addressOf(llvm_orc_registerJITLoaderPerfEnd), addressOf(llvm_orc_registerJITLoaderPerfImpl),
      /*EmitDebugInfo=*/true, /*EmitUnwindInfo=*/true);
}

} // namespace

llvm::Expected<HostTools> HostTools::parse(llvm::StringRef words) {
  HostTools tools;
  for (llvm::StringRef word : llvm::split(words, ',')) {
    word = word.trim();
    if (word == "gdb")
      tools.gdb = true;
    else if (word == "perf")
      tools.perf = true;
    else if (!word.empty())
      return llvm::createStringError("EFT_SHOW_CODE must be 'gdb', 'perf' or 'gdb,perf', got '" +
                                     words + "'");
  }
  return tools;
}

llvm::Error HostTools::attach(orc::LLJIT &jit) const {
  if (!any())
    return llvm::Error::success();
  auto *layer = llvm::dyn_cast<orc::ObjectLinkingLayer>(&jit.getObjLinkingLayer());
  if (!layer)
    return llvm::createStringError("EFT_SHOW_CODE does not work on this processor");
  if (gdb)
    layer->addPlugin(makeGdbPlugin(jit.getExecutionSession()));
  if (perf)
    layer->addPlugin(makePerfPlugin(jit.getExecutionSession()));
  return llvm::Error::success();
}

} // namespace eft
