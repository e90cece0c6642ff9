// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Links host objects with JITLink into code that can be loaded at any address.
#include "compiler/codegen/HostCode.h"

#include "llvm/ADT/BitmaskEnum.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/ExecutionEngine/JITLink/x86_64.h"

namespace eft {

namespace {

namespace jitlink = llvm::jitlink;
using llvm::orc::ExecutorAddr;
using llvm::orc::MemProt;
LLVM_ENABLE_BITMASK_ENUMS_IN_NAMESPACE();

// The addresses that the linker assumes for the code (`base`) and for the first function outside of
// it (`outside`). No offset of 32 bits reaches from one to the other. So the linker makes the code
// call every function outside by its address in a table.
constexpr uint64_t base = 1ULL << 32, outside = 1ULL << 46;

llvm::Error unfit(const llvm::Twine &what) {
  return llvm::createStringError("can't link the object: " + what);
}

/// Lays out everything that must be loaded. All of it is in one piece of memory, `bytes`.
class Memory : public jitlink::JITLinkMemoryManager {
public:
  void allocate(const jitlink::JITLinkDylib *, jitlink::LinkGraph &graph,
                OnAllocatedFunction onAllocated) override {
    if (llvm::Error error = layOut(graph))
      return onAllocated(std::move(error));
    onAllocated(std::make_unique<Allocation>());
  }

  void deallocate(std::vector<FinalizedAlloc> allocations,
                  OnDeallocatedFunction onDeallocated) override {
    for (FinalizedAlloc &allocation : allocations)
      allocation.release();
    onDeallocated(llvm::Error::success());
  }

  std::string bytes;

private:
  /// Does nothing: the memory manager owns the bytes.
  struct Allocation : InFlightAlloc {
    void abandon(OnAbandonedFunction onAbandoned) override { onAbandoned(llvm::Error::success()); }
    void finalize(OnFinalizedFunction onFinalized) override {
      onFinalized(FinalizedAlloc(ExecutorAddr(base)));
    }
  };

  llvm::Error layOut(jitlink::LinkGraph &graph) {
    for (const jitlink::Section &section : graph.sections())
      if (!section.empty() && (section.getMemProt() & MemProt::Write) != MemProt::None &&
          !section.getName().starts_with(".data.rel.ro")) // only the loader writes there
        return unfit("it has variables");
    jitlink::BasicLayout layout(graph);
    uint64_t size = 0;
    for (auto &[group, segment] : layout.segments()) {
      size = llvm::alignTo(size, segment.Alignment);
      segment.Addr = ExecutorAddr(base + size);
      size += segment.ContentSize + segment.ZeroFillSize;
    }
    bytes.assign(size, '\0');
    for (auto &[group, segment] : layout.segments())
      segment.WorkingMem = bytes.data() + (segment.Addr.getValue() - base);
    return layout.apply();
  }
};

/// Receives the steps of linking one object. JITLink calls all of these functions inside
/// `jitlink::link`.
class Context : public jitlink::JITLinkContext {
public:
  Context(llvm::StringRef name, LinkedObject &result, llvm::Error &failure)
      : JITLinkContext(nullptr), name(name), result(result), failure(failure) {}

  jitlink::JITLinkMemoryManager &getMemoryManager() override { return memory; }

  void notifyFailed(llvm::Error error) override {
    failure = llvm::joinErrors(std::move(failure), std::move(error));
  }

  void lookup(const LookupMap &symbols,
              std::unique_ptr<jitlink::JITLinkAsyncLookupContinuation> next) override {
    jitlink::AsyncLookupResult found;
    uint64_t address = outside;
    for (const auto &[symbol, flags] : symbols) {
      found[symbol] = {ExecutorAddr(address), llvm::JITSymbolFlags::Exported};
      address += 16;
    }
    next->run(std::move(found));
  }

  llvm::Error notifyResolved(jitlink::LinkGraph &graph) override {
    for (const jitlink::Symbol *symbol : graph.defined_symbols())
      if (symbol->hasName() && symbol->getName() == name) {
        result.entry = symbol->getAddress().getValue() - base;
        return llvm::Error::success();
      }
    return unfit("it has no function '" + name + "'");
  }

  void notifyFinalized(jitlink::JITLinkMemoryManager::FinalizedAlloc allocation) override {
    allocation.release();
    result.code = std::move(memory.bytes);
  }

  jitlink::LinkGraphPassFunction getMarkLivePass(const llvm::Triple &) const override {
    return [wanted = name](jitlink::LinkGraph &graph) {
      for (jitlink::Symbol *symbol : graph.defined_symbols())
        symbol->setLive(symbol->hasName() && symbol->getName() == wanted);
      return llvm::Error::success();
    };
  }

  llvm::Error modifyPassConfig(jitlink::LinkGraph &graph,
                               jitlink::PassConfiguration &passes) override {
    if (graph.getTargetTriple().getArch() != llvm::Triple::x86_64)
      return unfit("it is not for x86-64");
    passes.PostFixupPasses.push_back(
        [this](jitlink::LinkGraph &linked) { return collectAddresses(linked); });
    return llvm::Error::success();
  }

private:
  /// Records every place in the code that holds an absolute address. Such an address is known only
  /// when the code is loaded.
  llvm::Error collectAddresses(jitlink::LinkGraph &graph) {
    for (const jitlink::Block *block : graph.blocks()) {
      if (block->getSection().getMemLifetime() == llvm::orc::MemLifetime::NoAlloc)
        continue; // debuggers' tables, which are not loaded
      for (const jitlink::Edge &edge : block->edges())
        if (edge.isRelocation())
          if (llvm::Error error = collectAddress(*block, edge))
            return error;
    }
    llvm::sort(result.addresses, [](const auto &a, const auto &b) { return a.offset < b.offset; });
    return llvm::Error::success();
  }

  llvm::Error collectAddress(const jitlink::Block &block, const jitlink::Edge &edge) {
    const jitlink::Symbol &target = edge.getTarget();
    uint64_t offset = block.getAddress().getValue() + edge.getOffset() - base;
    if (edge.getKind() == jitlink::x86_64::Pointer64) {
      if (target.isDefined())
        result.addresses.push_back(
            {offset, "", int64_t(target.getAddress().getValue() - base) + edge.getAddend()});
      else
        result.addresses.push_back({offset, target.getName().str(), edge.getAddend()});
      return llvm::Error::success();
    }
    switch (edge.getKind()) {
    case jitlink::x86_64::Pointer32:
    case jitlink::x86_64::Pointer32Signed:
    case jitlink::x86_64::Pointer16:
    case jitlink::x86_64::Pointer8:
      return unfit("it holds an address in less than 8 bytes");
    default:
      if (target.isDefined())
        return llvm::Error::success();
      return unfit("it reaches '" + target.getName() + "' without a table");
    }
  }

  llvm::StringRef name;
  LinkedObject &result;
  llvm::Error &failure;
  Memory memory;
};

} // namespace

llvm::Expected<LinkedObject> linkHostObject(llvm::StringRef object, llvm::StringRef name) {
  auto graph = jitlink::createLinkGraphFromObject(llvm::MemoryBufferRef(object, name));
  if (!graph)
    return graph.takeError();
  LinkedObject result;
  llvm::Error failure = llvm::Error::success();
  jitlink::link(std::move(*graph), std::make_unique<Context>(name, result, failure));
  if (failure)
    return std::move(failure);
  return result;
}

} // namespace eft
