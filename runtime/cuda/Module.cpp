// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Module.h"

#include "runtime/cuda/JitOptions.h"

#include <utility>

namespace eft::cuda {

Expected<Module> Module::load(const Driver &driver, std::string_view image, const std::string &name,
                              std::string_view doing) {
  JitOptions options;
  std::string copy(image); // adds the terminating zero that PTX needs
  Module loaded;
  Result result = driver.cuModuleLoadDataEx(&loaded.module, copy.c_str(), options.count,
                                            options.names, options.values);
  if (result != success) {
    loaded.module = nullptr;
    return driver.error(result, "cuModuleLoadDataEx", doing, options.log);
  }
  loaded.driver = &driver;
  result = driver.cuModuleGetFunction(&loaded.kernel, loaded.module, name.c_str());
  if (result != success)
    return driver.error(result, "cuModuleGetFunction", doing);
  // By default the driver loads a kernel at its first launch. If that launch is captured into a
  // CUDA graph, the loading would fail. So the kernel is loaded now.
  result = driver.cuFuncLoad(loaded.kernel);
  if (result != success)
    return driver.error(result, "cuFuncLoad", doing);
  return loaded;
}

Module &Module::operator=(Module &&other) noexcept {
  unload();
  driver = other.driver;
  module = std::exchange(other.module, nullptr);
  kernel = other.kernel;
  return *this;
}

Expected<KernelResources> Module::resources(std::string_view doing) const {
  KernelResources found;
  for (auto [attribute, value] :
       {std::pair(registersPerThread, &found.registers), std::pair(localBytes, &found.stackBytes)})
    if (Result result = driver->cuFuncGetAttribute(value, attribute, kernel); result != success)
      return driver->error(result, "cuFuncGetAttribute", doing);
  return found;
}

void Module::unload() {
  if (module)
    driver->cuModuleUnload(module);
  module = nullptr;
}

} // namespace eft::cuda
