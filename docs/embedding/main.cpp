// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles a kernel at run time, and runs it on the CPU and, if there is a GPU, on the first GPU.
#include <eft/Compiler.h>
#include <eft/Runtime.h>

#include <cstdio>
#include <vector>

namespace {

// The kernel `scale`: out[i] = x[i] * factor for 0 <= i < n. One program computes 1024 elements.
constexpr const char *scaleText = R"(
func.func @scale(%x: !eft.ptr<f32>, %out: !eft.ptr<f32>, %factor: f32, %n: i32) {
  %pid = eft.program_id x
  %block = arith.constant 1024 : i32
  %start = arith.muli %pid, %block : i32
  %starts = eft.splat %start : i32 -> tensor<1024xi32>
  %range = eft.arange 0 to 1024 : tensor<1024xi32>
  %i = arith.addi %starts, %range : tensor<1024xi32>
  %ns = eft.splat %n : i32 -> tensor<1024xi32>
  %inside = arith.cmpi slt, %i, %ns : tensor<1024xi32>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<1024x!eft.ptr<f32>>
  %xp = eft.addptr %xs, %i : tensor<1024x!eft.ptr<f32>>, tensor<1024xi32>
  %v = eft.load %xp, mask %inside : tensor<1024x!eft.ptr<f32>>
  %factors = eft.splat %factor : f32 -> tensor<1024xf32>
  %w = arith.mulf %v, %factors : tensor<1024xf32>
  %outs = eft.splat %out : !eft.ptr<f32> -> tensor<1024x!eft.ptr<f32>>
  %outp = eft.addptr %outs, %i : tensor<1024x!eft.ptr<f32>>, tensor<1024xi32>
  eft.store %outp, %w, mask %inside : tensor<1024x!eft.ptr<f32>>
  return
}
)";

constexpr int32_t count = 10000;

eft::Expected<eft::Kernel> makeKernel(const eft::Module &module, eft::Device device) {
  auto target = eft::Target::of(device);
  if (!target.ok())
    return target.error();
  auto compiled = eft::compile(module, *target, {.keepStages = false});
  if (!compiled.ok())
    return compiled.error();
  return eft::load(*compiled, device);
}

// Halves the numbers from 0 to count − 1 on a device, and checks each result.
eft::Status halve(const eft::Module &module, eft::Device device) {
  auto kernel = makeKernel(module, device);
  if (!kernel.ok())
    return kernel.error();
  std::vector<float> numbers(count);
  for (int32_t i = 0; i < count; ++i)
    numbers[i] = static_cast<float>(i);
  const size_t bytes = count * sizeof(float);

  auto stream = eft::Stream::create(device);
  if (!stream.ok())
    return stream.error();
  auto x = eft::Buffer::allocate(device, bytes);
  if (!x.ok())
    return x.error();
  if (auto status = x->copyFromHost(*stream, numbers.data(), bytes); !status.ok())
    return status;
  // The kernel reads and writes the same memory.
  auto status = kernel->launch({(count + 1023) / 1024}, *stream, *x, *x, 0.5f, count);
  if (!status.ok())
    return status;
  if (status = x->copyToHost(*stream, numbers.data(), bytes); !status.ok())
    return status;

  for (int32_t i = 0; i < count; ++i)
    if (numbers[i] != 0.5f * static_cast<float>(i))
      return eft::Error{eft::ErrorKind::InvalidArgument, "a number is wrong"};
  return {};
}

// Shows two errors: block IR that does not verify, and an argument of the wrong type. Errors are
// values, so the process goes on. Returns false if an error that should occur does not.
bool showErrors(const eft::Module &module) {
  auto mistaken = eft::Module::parse("func.func @k() {\n"
                                     "  %r = eft.arange 0 to 8 : tensor<16xi32>\n"
                                     "  return\n"
                                     "}",
                                     "mistaken.mlir");
  if (mistaken.ok() || mistaken.error().kind != eft::ErrorKind::Compilation)
    return false;
  std::printf("%s\n", mistaken.error().message.c_str());

  auto kernel = makeKernel(module, eft::Device::host());
  if (!kernel.ok())
    return false;
  float number = 1;
  eft::Status status = kernel->launch({1}, eft::Stream(), &number, &number, 0.5, 1);
  if (status.ok())
    return false;
  std::printf("%s\n", status.error().message.c_str());
  return true;
}

bool report(eft::Device device, const eft::Status &status) {
  std::printf("%s: %s\n", device.name().c_str(),
              status.ok() ? "right" : status.error().message.c_str());
  return status.ok();
}

} // namespace

int main() {
  auto module = eft::Module::parse(scaleText);
  if (!module.ok()) {
    std::printf("%s\n", module.error().message.c_str());
    return 1;
  }
  bool right = showErrors(*module);
  right &= report(eft::Device::host(), halve(*module, eft::Device::host()));
  auto gpus = eft::Device::cudaCount();
  if (!gpus.ok())
    std::printf("no GPU: %s\n", gpus.error().message.c_str());
  else if (*gpus > 0)
    right &= report(eft::Device::cuda(0), halve(*module, eft::Device::cuda(0)));
  return right ? 0 : 1;
}
