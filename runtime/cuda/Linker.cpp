// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Links one PTX text to a cubin.
#include "runtime/cuda/Linker.h"

#include "runtime/cuda/JitOptions.h"

namespace eft::cuda {
namespace {

// A link operation of the driver. Owns its handle.
class Link {
public:
  explicit Link(const Driver &driver) : driver(driver) {}
  ~Link() {
    if (handle)
      driver.cuLinkDestroy(handle);
  }
  Link(const Link &) = delete;

  Result create() {
    return driver.cuLinkCreate(options.count, options.names, options.values, &handle);
  }

  Error error(Result result, std::string_view call, std::string_view doing) const {
    return driver.error(result, call, doing, options.log);
  }

  const Driver &driver;
  LinkHandle handle = nullptr;
  JitOptions options;
};

} // namespace

Expected<std::string> linkPtx(const Gpu &gpu, const std::string &ptx, std::string_view name) {
  const Driver &driver = gpu.driver();
  std::string kernel(name);
  std::string doing = "linking the PTX of kernel '" + kernel + "' for " + gpu.name();
  auto scope = ContextScope::enter(gpu, doing);
  if (!scope.ok())
    return scope.error();

  CaptureAllowance allowance(driver);
  Link link(driver);
  Result result = link.create();
  if (result != success)
    return link.error(result, "cuLinkCreate", doing);
  // The driver reads the text and does not change it. The size includes the terminating zero.
  void *text = const_cast<char *>(ptx.c_str());
  result = driver.cuLinkAddData(link.handle, inputPtx, text, ptx.size() + 1, kernel.c_str(), 0,
                                nullptr, nullptr);
  if (result != success)
    return link.error(result, "cuLinkAddData", doing);
  void *cubin = nullptr;
  size_t size = 0;
  result = driver.cuLinkComplete(link.handle, &cubin, &size);
  if (result != success)
    return link.error(result, "cuLinkComplete", doing);
  // The link owns the cubin and frees it, so copy it.
  return std::string(static_cast<const char *>(cubin), size);
}

} // namespace eft::cuda
