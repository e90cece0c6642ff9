// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a few lines of IR over arrays, after the passes that expand their operations. So it runs the
// same operations as a kernel.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace eft::test {

/// The parts of a kernel's text. In `body` the operands are %x, %y and %z, and the result is %r.
/// `{f32}` is a vector of f32, or f32 if `lanes` is 1.
struct KernelText {
  std::string body;
  std::vector<std::string> inputs; ///< The types of the operands' elements.
  std::string output;
  std::string passes; ///< A pass pipeline.
  unsigned lanes = 16;
};

class VectorKernel {
public:
  /// Compiles the kernel for this machine. Throws std::runtime_error with the diagnostics.
  explicit VectorKernel(const KernelText &text);

  /// Runs the kernel on arrays whose length is a multiple of the lanes.
  template <typename Output, typename... Inputs>
  std::vector<Output> operator()(const std::vector<Inputs> &...inputs) const {
    const void *arrays[] = {inputs.data()...};
    size_t count = std::min({inputs.size()...});
    std::vector<Output> output(count);
    run(arrays, output.data(), count);
    return output;
  }
  void run(llvm::ArrayRef<const void *> inputs, void *output, size_t count) const;

private:
  using Function = void (*)(const void *const *inputs, void *output, int64_t count);
  Function function;
};

} // namespace eft::test
