// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/HostTools.h"

#include "llvm/ExecutionEngine/Orc/DebugObjectManagerPlugin.h"
#include "llvm/ExecutionEngine/Orc/Debugging/DebugInfoSupport.h"
#include "llvm/ExecutionEngine/Orc/Debugging/PerfSupportPlugin.h"
#include "llvm/ExecutionEngine/Orc/EPCDebugObjectRegistrar.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/TargetProcess/JITLoaderGDB.h"
#include "llvm/ExecutionEngine/Orc/TargetProcess/JITLoaderPerf.h"

#include <filesystem>
#include <string>
#include <system_error>
#include <unistd.h>

namespace eft {

namespace {

namespace orc = llvm::orc;

// Returns the address of a function that a plugin calls. A plugin without these addresses looks the
// functions up by name among the symbols of the process, and does not find them in a library that
// hides its symbols.
auto addressOf(orc::shared::CWrapperFunctionResult (*function)(const char *, uint64_t)) {
  return orc::ExecutorAddr::fromPtr(function);
}

std::unique_ptr<orc::ObjectLinkingLayer::Plugin> makeGdbPlugin(orc::ExecutionSession &session) {
  auto registrar = std::make_unique<orc::EPCDebugObjectRegistrar>(
      session, addressOf(llvm_orc_registerJITLoaderGDBAllocAction));
  return std::make_unique<orc::DebugObjectManagerPlugin>(
      session, std::move(registrar), /*RequireDebugSections=*/false, /*AutoRegisterCode=*/true);
}

/// The descriptor of the file for perf that LLVM has opened; -1 if there is none.
int findDump() {
  const std::string suffix = "/jit-" + std::to_string(getpid()) + ".dump";
  std::error_code failure, unreadable;
  std::filesystem::directory_iterator entry("/proc/self/fd", failure), end;
  for (; !failure && entry != end; entry.increment(failure))
    if (std::filesystem::read_symlink(entry->path(), unreadable).string().ends_with(suffix))
      return std::stoi(entry->path().filename().string());
  return -1;
}

/// Writes what perf needs to know of one linked object to perf's file. LLVM 19 does not initialize
/// the last field of the file's header, the flags, and perf refuses flags that it does not know. So
/// the flags are set to zero here.
orc::shared::CWrapperFunctionResult writeDump(const char *data, uint64_t size) {
  constexpr off_t placeOfFlags = 32;
  constexpr uint64_t flags = 0;
  orc::shared::CWrapperFunctionResult result = llvm_orc_registerJITLoaderPerfImpl(data, size);
  if (const int file = findDump(); file >= 0) {
    const ssize_t written = pwrite(file, &flags, sizeof(flags), placeOfFlags);
    (void)written; // if it fails, perf says what is wrong
  }
  return result;
}

std::unique_ptr<orc::ObjectLinkingLayer::Plugin> makePerfPlugin(orc::ExecutionSession &session) {
  return std::make_unique<orc::PerfSupportPlugin>(
      session.getExecutorProcessControl(), addressOf(llvm_orc_registerJITLoaderPerfStart),
      addressOf(llvm_orc_registerJITLoaderPerfEnd), addressOf(writeDump),
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
      return llvm::createStringError(std::make_error_code(std::errc::invalid_argument),
                                     "EFT_SHOW_CODE must be 'gdb', 'perf' or 'gdb,perf', got '" +
                                         words + "'");
  }
  return tools;
}

llvm::Error HostTools::attach(orc::LLJIT &jit) const {
  if (!any())
    return llvm::Error::success();
  auto *layer = llvm::dyn_cast<orc::ObjectLinkingLayer>(&jit.getObjLinkingLayer());
  if (!layer)
    return llvm::createStringError(std::make_error_code(std::errc::invalid_argument),
                                   "EFT_SHOW_CODE does not work on this processor");
  if (gdb)
    layer->addPlugin(makeGdbPlugin(jit.getExecutionSession()));
  if (perf) {
    // The tables of lines are not loaded with the code, so the linker would drop them.
    layer->addPlugin(std::make_unique<orc::DebugInfoPreservationPlugin>());
    layer->addPlugin(makePerfPlugin(jit.getExecutionSession()));
  }
  return llvm::Error::success();
}

} // namespace eft
