// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/LoadCode.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <sys/mman.h>

namespace eft::cpu {
namespace {

Error damaged(const std::string &what) {
  return {ErrorKind::InvalidArgument, "the code is damaged: " + what};
}

Error refused(const char *what) {
  return {ErrorKind::OutOfMemory,
          "the system gives no memory for code: " + std::string(what) + ": " + strerror(errno)};
}

// The address of a function outside of the code; 0 if no function has that name.
uint64_t find(const std::string &symbol) {
  for (const HostSymbol &offered : hostSymbols())
    if (symbol == offered.name)
      return offered.address;
  return reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, symbol.c_str()));
}

} // namespace

Expected<HostFunction *> loadCode(std::string_view code, uint64_t entry,
                                  const std::vector<CodeAddress> &addresses) {
  if (entry >= code.size())
    return damaged("its function begins behind its end");
  void *mapped =
      mmap(nullptr, code.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return refused("mmap");
  auto unmap = [size = code.size()](void *memory) { munmap(memory, size); };
  std::unique_ptr<void, decltype(unmap)> memory(mapped, unmap);
  auto *bytes = static_cast<char *>(mapped);
  std::memcpy(bytes, code.data(), code.size());
  for (const CodeAddress &each : addresses) {
    if (code.size() < sizeof(uint64_t) || each.offset > code.size() - sizeof(uint64_t))
      return damaged("an address lies behind its end");
    uint64_t target = each.symbol.empty() ? reinterpret_cast<uintptr_t>(bytes) : find(each.symbol);
    if (target == 0)
      return Error{ErrorKind::InvalidArgument,
                   "the code calls '" + each.symbol + "', which is not in this process"};
    target += static_cast<uint64_t>(each.addend);
    std::memcpy(bytes + each.offset, &target, sizeof(target));
  }
  if (mprotect(mapped, code.size(), PROT_READ | PROT_EXEC) != 0)
    return refused("mprotect");
  memory.release();
  return reinterpret_cast<HostFunction *>(bytes + entry);
}

} // namespace eft::cpu
