// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads host objects with ORC.
#include "compiler/codegen/HostCode.h"
#include "compiler/codegen/HostTools.h"
#include "compiler/codegen/Targets.h"

#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

#include <cstdlib>
#include <mutex>

namespace eft {

namespace {

/// One JIT for the process. Each object has a library of its own, so that equal names in two
/// objects do not clash.
class Loader {
public:
  static llvm::Expected<Loader *> get() {
    static std::mutex mutex;
    static Loader *loader = nullptr; // never destroyed: compiled code may run until the very end
    std::lock_guard lock(mutex);
    if (loader)
      return loader;
    registerTargets();
    const char *words = std::getenv("EFT_SHOW_CODE");
    auto tools = HostTools::parse(words ? words : "");
    if (!tools)
      return tools.takeError();
    auto jit = llvm::orc::LLJITBuilder().create();
    if (!jit)
      return jit.takeError();
    if (llvm::Error error = tools->attach(**jit))
      return std::move(error);
    return loader = new Loader(std::move(*jit), *tools);
  }

  llvm::Expected<llvm::orc::JITDylib *> makeLibrary(const HostSymbols &symbols) {
    auto library = jit->createJITDylib("kernel." + std::to_string(count++));
    if (!library)
      return library.takeError();
    llvm::orc::SymbolMap offered;
    for (const auto &[symbol, address] : symbols)
      offered[jit->mangleAndIntern(symbol)] = {llvm::orc::ExecutorAddr(address),
                                               llvm::JITSymbolFlags::Exported};
    if (llvm::Error error = library->define(llvm::orc::absoluteSymbols(std::move(offered)))) {
      remove(*library);
      return std::move(error);
    }
    // Functions of the C library, such as fmod.
    auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
        jit->getDataLayout().getGlobalPrefix());
    if (!process) {
      remove(*library);
      return process.takeError();
    }
    library->addGenerator(std::move(*process));
    return &*library;
  }

  llvm::Expected<uintptr_t> load(llvm::orc::JITDylib &library, llvm::StringRef object,
                                 llvm::StringRef name) {
    auto buffer = llvm::MemoryBuffer::getMemBufferCopy(object, name);
    if (llvm::Error error = jit->addObjectFile(library, std::move(buffer)))
      return std::move(error);
    auto address = jit->lookup(library, name);
    if (!address)
      return address.takeError();
    return address->getValue();
  }

  void remove(llvm::orc::JITDylib &library) {
    if (tools.any())
      return;
    // The removal of a library that exists does not fail. If it did, its memory would stay.
    llvm::consumeError(jit->getExecutionSession().removeJITDylib(library));
  }

private:
  Loader(std::unique_ptr<llvm::orc::LLJIT> jit, HostTools tools)
      : jit(std::move(jit)), tools(tools) {}

  std::unique_ptr<llvm::orc::LLJIT> jit;
  HostTools tools;
  std::atomic<unsigned> count = 0;
};

} // namespace

llvm::Expected<std::unique_ptr<const HostCode>>
HostCode::load(llvm::StringRef object, llvm::StringRef name, const HostSymbols &symbols) {
  auto loader = Loader::get();
  if (!loader)
    return loader.takeError();
  auto library = (*loader)->makeLibrary(symbols);
  if (!library)
    return library.takeError();
  auto function = (*loader)->load(**library, object, name);
  if (!function) {
    (*loader)->remove(**library);
    return function.takeError();
  }
  return std::unique_ptr<const HostCode>(new HostCode(*library, *function));
}

HostCode::~HostCode() {
  if (auto loader = Loader::get())
    (*loader)->remove(*library);
  else
    llvm::consumeError(loader.takeError());
}

llvm::Expected<uintptr_t> loadHostObject(llvm::StringRef object, llvm::StringRef name,
                                         const HostSymbols &symbols) {
  auto code = HostCode::load(object, name, symbols);
  if (!code)
    return code.takeError();
  return code->release()->address();
}

} // namespace eft
