// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fake driver's modules, functions and launches. A launch only logs its arguments.
#include "FakeCuda.h"

#include <cstdio>

namespace eft::cuda {

namespace fake {

/// The caller's options for assembling PTX, and its buffer for messages.
struct Log {
  char *text = nullptr;
  size_t bytes = 0;
  bool hasLines = false;

  Log(unsigned count, JitOption *options, void **values) {
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == errorLogBuffer)
        text = static_cast<char *>(values[i]);
      if (options[i] == errorLogBytes)
        bytes = reinterpret_cast<size_t>(values[i]);
      if (options[i] == generateLineInfo)
        hasLines = values[i] != nullptr;
    }
  }

  Result refuse(const char *input) const {
    std::snprintf(text, bytes, "ptxas %s, line 3; error   : Unknown symbol 'wrong'\n", input);
    return 218;
  }
};

} // namespace fake

struct LinkObject {
  fake::Log log;
  std::string cubin;
};

namespace fake {

// The registers and stack bytes of code that does not specify them.
static int usualRegisters = 32, usualStackBytes = 0;
EXPORT void fakeUse(int registers, int stackBytes) {
  usualRegisters = registers;
  usualStackBytes = stackBytes;
}

// The variables of a module whose image contains "eft$failure": the address of a record in host
// memory, and the text of an assertion.
static uint64_t failureAddress = 0;
static const char siteText[] = "kernel.py:7: too large";

Result cuModuleGetGlobal_v2(DevicePointer *pointer, size_t *bytes, ModuleHandle module,
                            const char *name) {
  FAIL_IF_TOLD
  if (module->image.find("eft$failure") == std::string::npos)
    return errorNotFound;
  bool isSites = name == std::string("eft$sites");
  *pointer = isSites ? reinterpret_cast<DevicePointer>(siteText)
                     : reinterpret_cast<DevicePointer>(&failureAddress);
  *bytes = isSites ? sizeof(siteText) : sizeof(failureAddress);
  return success;
}

// Records that an assertion fails in a program, unless a failure is recorded already.
static void noteFailure(unsigned x, unsigned y, unsigned z) {
  std::lock_guard guard(lock);
  auto *record = reinterpret_cast<unsigned *>(failureAddress);
  if (record[0] == 0)
    record[0] = 1, record[1] = x, record[2] = y, record[3] = z;
}

EXPORT Result cuModuleLoadData(ModuleHandle *module, const void *image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

Result cuLinkCreate_v2(unsigned count, JitOption *options, void **values, LinkHandle *link) {
  FAIL_IF_TOLD
  NEED_CONTEXT
  *link = new LinkObject{{count, options, values}, {}};
  return success;
}

Result cuLinkAddData_v2(LinkHandle link, LinkInput, void *data, size_t size, const char *name,
                        unsigned, JitOption *, void **) {
  FAIL_IF_TOLD
  const char *ptx = static_cast<const char *>(data);
  if (std::strlen(ptx) + 1 != size)
    return 1;
  if (std::strstr(ptx, "wrong"))
    return link->log.refuse(name);
  link->cubin = std::string("cubin of ") + ptx + (link->log.hasLines ? " with lines" : "");
  return success;
}

Result cuLinkComplete(LinkHandle link, void **cubin, size_t *size) {
  FAIL_IF_TOLD
  NEED_ALLOWANCE
  *cubin = link->cubin.data();
  *size = link->cubin.size();
  return success;
}

Result cuLinkDestroy(LinkHandle link) {
  delete link;
  note("link destroyed");
  return success;
}

Result cuModuleLoadDataEx(ModuleHandle *module, const void *image, unsigned count,
                          JitOption *options, void **values) {
  FAIL_IF_TOLD
  NEED_ALLOWANCE
  NEED_CONTEXT
  const char *text = static_cast<const char *>(image);
  const Log log(count, options, values);
  if (std::strstr(text, "wrong"))
    return log.refuse("application ptx input");
  *module = new ModuleObject{text, {}};
  note(std::string("load ") + (log.hasLines || count == 0 ? "" : "without lines ") + "on " +
       std::to_string(current->ordinal));
  return success;
}

Result cuModuleUnload(ModuleHandle module) {
  NEED_CONTEXT
  delete module;
  note("unload on " + std::to_string(current->ordinal));
  return success;
}

Result cuModuleGetFunction(FunctionHandle *function, ModuleHandle module, const char *name) {
  FAIL_IF_TOLD
  const char *count = std::strstr(module->image.c_str(), "params=");
  bool asserts = module->image.find("eft$failure") != std::string::npos;
  module->function = {name, count ? std::atoi(count + 7) : 0, asserts, module->image};
  *function = &module->function;
  return success;
}

Result cuFuncLoad(FunctionHandle) {
  FAIL_IF_TOLD
  NEED_ALLOWANCE
  return success;
}

/// The numbers that the code specifies by "registers=" and "stack=". If the code has a register
/// limit, the registers are one less than the limit, and the stack bytes are those of "spilled=".
Result cuFuncGetAttribute(int *value, FunctionAttribute attribute, FunctionHandle function) {
  FAIL_IF_TOLD
  const int limit = function->number(".maxnreg ", 0);
  if (attribute == localBytes)
    *value = limit ? function->number("spilled=", 0) : function->number("stack=", usualStackBytes);
  else if (attribute == registersPerThread)
    *value = limit ? limit - 1 : function->number("registers=", usualRegisters);
  else
    return 1;
  return success;
}

Result cuFuncSetAttribute(FunctionHandle function, FunctionAttribute attribute, int value) {
  FAIL_IF_TOLD
  if (attribute != maxDynamicSharedBytes)
    return 1;
  function->sharedLimit = value;
  note("shared limit " + std::to_string(value));
  return success;
}

Result cuLaunchKernel(FunctionHandle function, unsigned x, unsigned y, unsigned z, unsigned blockX,
                      unsigned blockY, unsigned blockZ, unsigned shared, StreamHandle stream,
                      void **parameters, void **extra) {
  FAIL_IF_TOLD
  NEED_CONTEXT
  if (extra || static_cast<int>(shared) > function->sharedLimit)
    return 1;
  char line[256];
  std::snprintf(
      line, sizeof(line),
      "launch %s on %d grid %u %u %u block %u %u %u shared %u stream %zu:", function->name.c_str(),
      current->ordinal, x, y, z, blockX, blockY, blockZ, shared, reinterpret_cast<size_t>(stream));
  std::string whole = line;
  for (int i = 0; i < function->parameters; ++i) {
    uint64_t value;
    std::memcpy(&value, parameters[i], sizeof(value));
    std::snprintf(line, sizeof(line), " %llx", static_cast<unsigned long long>(value));
    whole += line;
  }
  note(whole);
  // An assertion fails in the last program if the grid has two layers.
  if (function->asserts && z == 2)
    noteFailure(x - 1, y - 1, z - 1);
  return success;
}

} // namespace fake

} // namespace eft::cuda
