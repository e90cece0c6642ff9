// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loading and launching, on the host and on GPUs of a fake driver.
#include "Support.h"

#include <atomic>
#include <thread>
#include <vector>

using namespace eft;

namespace {

using Kernels = PaperGpus;

// out[program] = number, for every program.
void store(const uint64_t *slots, const uint32_t *, uint64_t first, uint64_t count) {
  auto *out = reinterpret_cast<uint32_t *>(slots[0]);
  for (uint64_t i = first; i < first + count; ++i)
    out[i] = static_cast<uint32_t>(slots[1]);
}

const std::vector<Parameter> storeParameters = {{DataType::I32, true, 1},
                                                {DataType::I32, false, 1}};

Kernel loadStore() {
  auto kernel = Kernel::loadHost(store, {.name = "store", .parameters = storeParameters});
  EXPECT_TRUE(kernel.ok());
  return *std::move(kernel);
}

Expected<Kernel> loadOnGpu(std::string_view image, unsigned numWarps = 4, unsigned shared = 0,
                           unsigned programsPerBlock = 1) {
  return Kernel::loadCuda(Device::cuda(0), image,
                          {.name = "k",
                           .parameters = storeParameters,
                           .numWarps = numWarps,
                           .sharedBytes = shared,
                           .programsPerBlock = programsPerBlock});
}

TEST(Kernel, runs_on_the_host) {
  Kernel kernel = loadStore();
  EXPECT_EQ(kernel.name(), "store");
  EXPECT_EQ(kernel.device(), Device::host());
  EXPECT_EQ(std::vector(kernel.parameters().begin(), kernel.parameters().end()), storeParameters);
  std::vector<int> out(24);
  EXPECT_TRUE(kernel.launch({2, 3, 4}, Stream(), out.data(), 42).ok());
  EXPECT_EQ(out, std::vector<int>(24, 42));
}

TEST(Kernel, an_empty_grid_launches_nothing) {
  Kernel kernel = loadStore();
  EXPECT_TRUE(kernel.launch({0}, Stream(), nullptr, 1).ok());
  EXPECT_TRUE(kernel.launch({5, 5, 0}, Stream(), nullptr, 1).ok());
}

TEST(Kernel, code_for_few_programs_refuses_more) {
  auto kernel = Kernel::loadHost(
      store, {.name = "store", .parameters = storeParameters, .maxPrograms = {10, 2, 1}});
  ASSERT_TRUE(kernel.ok());
  std::vector<int> out(20);
  EXPECT_TRUE(kernel->launch({10, 2}, Stream(), out.data(), 7).ok());
  EXPECT_EQ(out, std::vector<int>(20, 7));
  EXPECT_TRUE(kernel->launch({11, 0}, Stream(), nullptr, 1).ok());
  const std::string most = ", but the kernel was compiled for at most 10 × 2 × 1";
  EXPECT_ERROR(kernel->launch({11}, Stream(), nullptr, 1), ErrorKind::InvalidArgument,
               "grid of kernel 'store' has 11 × 1 × 1 programs" + most);
  EXPECT_ERROR(kernel->launch({1, 3}, Stream(), nullptr, 1), ErrorKind::InvalidArgument,
               "grid of kernel 'store' has 1 × 3 × 1 programs" + most);
  EXPECT_ERROR(kernel->launch({1, 1, 2}, Stream(), nullptr, 1), ErrorKind::InvalidArgument,
               "grid of kernel 'store' has 1 × 1 × 2 programs" + most);
}

TEST(Kernel, a_grid_that_is_too_large_is_refused) {
  Kernel kernel = loadStore();
  EXPECT_ERROR(kernel.launch({int64_t(1) << 31}, Stream(), nullptr, 1), ErrorKind::InvalidArgument,
               "grid of kernel 'store' has 2147483648 programs in x, expected 0 to 2147483647 on "
               "cpu");
  EXPECT_ERROR(kernel.launch({1, -1}, Stream(), nullptr, 1), ErrorKind::InvalidArgument,
               "grid of kernel 'store' has -1 programs in y, expected 0 to 2147483647 on cpu");
}

TEST(Kernel, many_arguments) {
  constexpr size_t count = 100; // more than the launch keeps on the stack
  auto last = [](const uint64_t *slots, const uint32_t *, uint64_t, uint64_t) {
    *reinterpret_cast<uint64_t *>(slots[0]) = slots[count - 1];
  };
  std::vector<Parameter> parameters(count, {DataType::I64, false, 1});
  parameters[0].isPointer = true;
  auto kernel = Kernel::loadHost(last, {.name = "last", .parameters = parameters});
  uint64_t out = 0;
  std::vector<Argument> arguments = {&out};
  for (uint64_t i = 1; i < count; ++i)
    arguments.push_back(i);
  ASSERT_TRUE(kernel->launchWith({}, Stream(), arguments).ok());
  EXPECT_EQ(out, count - 1);
}

TEST(Kernel, holds_the_owner_of_its_code) {
  auto owner = std::make_shared<int>(1);
  std::weak_ptr<int> watch = owner;
  auto kernel =
      Kernel::loadHost(store, {.name = "store", .parameters = storeParameters}, std::move(owner));
  std::optional<Kernel> copy = *kernel;
  kernel = Error{ErrorKind::Cuda, ""};
  EXPECT_FALSE(watch.expired());
  copy.reset();
  EXPECT_TRUE(watch.expired());
}

TEST(Kernel, that_was_moved_from_is_an_error) {
  Kernel kernel = loadStore();
  Kernel taken = std::move(kernel);
  EXPECT_EQ(kernel.name(), "");
  EXPECT_EQ(kernel.device(), Device::host());
  EXPECT_TRUE(kernel.parameters().empty());
  int out = 0;
  EXPECT_ERROR(kernel.launch({}, Stream(), &out, 7), ErrorKind::InvalidArgument,
               "the kernel has no code: it was moved from");
  EXPECT_TRUE(taken.launch({}, Stream(), &out, 7).ok());
  EXPECT_EQ(out, 7);
}

TEST(Kernel, parameters_of_types_that_there_are_not_are_refused) {
  EXPECT_ERROR(
      Kernel::loadHost(store, {.name = "k", .parameters = {{DataType(99), true, 1}}}),
      ErrorKind::InvalidArgument,
      "kernel 'k' has a parameter 0 whose type must be one of DataType's 18, got number 99");
}

TEST(Kernel, floats_of_eight_bits_are_passed_by_their_bits) {
  auto copy = [](const uint64_t *slots, const uint32_t *, uint64_t, uint64_t) {
    *reinterpret_cast<uint8_t *>(slots[0]) = static_cast<uint8_t>(slots[1]);
  };
  for (DataType type :
       {DataType::F8E4NV, DataType::F8E5, DataType::F8E4B8, DataType::F8E5B16, DataType::F8E4B15}) {
    auto kernel = Kernel::loadHost(copy, {.name = "k", .parameters = {{type, true, 1}, {type}}});
    ASSERT_TRUE(kernel.ok());
    uint8_t out = 0;
    EXPECT_TRUE(kernel->launch({1}, Stream(), &out, uint8_t(0x7E)).ok());
    EXPECT_EQ(out, 0x7E);
    EXPECT_ERROR(kernel->launch({1}, Stream(), &out, 1.0f), ErrorKind::InvalidArgument,
                 "kernel 'k' parameter 1 must be " + std::string(dataTypeName(type)) +
                     ", got fp32");
  }
}

TEST(Kernel, without_code_is_refused) {
  EXPECT_ERROR(Kernel::loadHost(nullptr, {.name = "k", .parameters = {}}),
               ErrorKind::InvalidArgument, "kernel 'k' has no code: its address is 0");
}

TEST(Kernel, threads_launch_at_once) {
  Kernel kernel = loadStore();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      std::vector<int> out(1000);
      for (int again = 0; again < 200; ++again) {
        int number = thread * 1000 + again;
        bool launched = kernel.launch({1000}, Stream(), out.data(), number).ok();
        wrong += !launched || out != std::vector<int>(1000, number);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Kernels, run_on_a_gpu) {
  auto kernel = loadOnGpu("params=2", 8, 1000);
  ASSERT_OK(kernel);
  fake.clear();
  Stream stream = Stream::borrow(Device::cuda(0), reinterpret_cast<CUstream_st *>(9));
  auto *out = reinterpret_cast<int *>(0x1234560);
  EXPECT_TRUE(kernel->launch({5, 6, 7}, stream, out, -1).ok());
  EXPECT_EQ(fake.log(),
            "launch k on 0 grid 5 6 7 block 256 1 1 shared 1000 stream 9: 1234560 ffffffff\n");
  EXPECT_EQ(fake.current(), -1);
  fake.clear();
  EXPECT_TRUE(kernel->launch({5, 0, 7}, stream, out, -1).ok());
  EXPECT_EQ(fake.log(), "");
}

TEST_F(Kernels, a_gpu_has_limits_of_its_own) {
  auto kernel = loadOnGpu("params=2");
  Stream stream(Device::cuda(0));
  fake.clear();
  EXPECT_ERROR(kernel->launch({1, 65536}, stream, nullptr, 1), ErrorKind::InvalidArgument,
               "grid of kernel 'k' has 65536 programs in y, expected 0 to 65535 on cuda:0");
  EXPECT_EQ(fake.log(), "");
  EXPECT_TRUE(kernel->launch({1, 65535}, stream, nullptr, 1).ok());
}

TEST_F(Kernels, streams_must_be_of_the_same_device) {
  auto kernel = loadOnGpu("params=2");
  EXPECT_ERROR(kernel->launch({}, Stream(), nullptr, 1), ErrorKind::InvalidArgument,
               "kernel 'k' is on cuda:0, the stream on cpu");
  EXPECT_ERROR(kernel->launch({}, Stream(Device::cuda(1)), nullptr, 1), ErrorKind::InvalidArgument,
               "kernel 'k' is on cuda:0, the stream on cuda:1");
}

TEST_F(Kernels, refused_ptx_comes_with_the_words_of_its_compiler) {
  EXPECT_ERROR(loadOnGpu("wrong"), ErrorKind::Cuda,
               "cuModuleLoadDataEx failed while loading kernel 'k' on cuda:0: "
               "CUDA_ERROR_INVALID_PTX (a PTX JIT compilation failed)\n"
               "ptxas application ptx input, line 3; error   : Unknown symbol 'wrong'");
  EXPECT_TRUE(loadOnGpu("params=2").ok());
}

TEST_F(Kernels, images_that_are_none_are_refused) {
  auto expect = [](const Expected<Kernel> &kernel, const std::string &message) {
    EXPECT_ERROR(kernel, ErrorKind::InvalidArgument, "kernel 'k' " + message);
  };
  expect(loadOnGpu(""), "has no code: its image is empty");
  expect(loadOnGpu("\177ELF"), "has a cubin that is cut off");
  std::string header("\177ELF\2\1\1", 7);
  header.resize(64); // a header without sections and segments is complete
  EXPECT_TRUE(loadOnGpu(header).ok());
  header[0x28] = 100; // the offset of the section table
  expect(loadOnGpu(header), "has a cubin that is cut off");
  expect(loadOnGpu("params=2", 0), "must have 1 to 32 warps, got 0");
  expect(loadOnGpu("params=2", 33), "must have 1 to 32 warps, got 33");
  expect(Kernel::loadCuda(Device::host(), "ptx", {.name = "k", .parameters = {}}),
         "is a cubin or PTX, which needs a GPU, got cpu");
  expect(loadOnGpu("params=2", 4, 300000),
         "needs 300000 bytes of shared memory, but cuda:0 has 232448 for a block: smaller blocks "
         "of values need less");
  expect(loadOnGpu("params=2", 4, 4294967295u),
         "needs 4294967295 bytes of shared memory, which no GPU has");
  const std::string most = "because a block has at most 32 warps, got ";
  expect(loadOnGpu("params=2", 4, 0, 0), "must have 1 to 8 programs per block, " + most + "0");
  expect(loadOnGpu("params=2", 4, 0, 9), "must have 1 to 8 programs per block, " + most + "9");
  expect(loadOnGpu("params=2", 32, 0, 2), "must have 1 to 1 programs per block, " + most + "2");
  expect(loadOnGpu("params=2", 1, 64, 2),
         "uses shared memory, so it must have 1 program per block, got 2");
}

TEST_F(Kernels, small_programs_share_blocks) {
  auto kernel = loadOnGpu("params=2", 1, 0, 7);
  ASSERT_TRUE(kernel.ok());
  ASSERT_TRUE(kernel->launch({30000, 2}, Stream(Device::cuda(0)), nullptr, 1).ok());
  EXPECT_NE(fake.log().find("grid 7500 2 1 block 32 4 1"), std::string::npos) << fake.log();
}

TEST_F(Kernels, a_failed_launch_leaves_the_kernel_usable) {
  auto kernel = loadOnGpu("params=2");
  fake.fail("cuLaunchKernel", 2);
  Stream stream(Device::cuda(0));
  EXPECT_ERROR(kernel->launch({}, stream, nullptr, 1), ErrorKind::OutOfMemory,
               "cuLaunchKernel failed while launching kernel 'k' on cuda:0: "
               "CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  EXPECT_TRUE(kernel->launch({}, stream, nullptr, 1).ok());
}

TEST_F(Kernels, and_other_objects_go_in_any_order) {
  auto stream = Stream::create(Device::cuda(0));
  auto buffer = Buffer::allocate(Device::cuda(0), 8);
  std::optional<Kernel> kernel = *loadOnGpu("params=2");
  fake.clear();
  kernel.reset();
  buffer = Buffer();
  stream = Stream();
  EXPECT_EQ(fake.log(), "unload on 0\nfree on 0\nstream destroyed\n");
  fake.clear();
  {
    auto outlives = loadOnGpu("params=2");
    auto goesFirst = Stream::create(Device::cuda(0));
    auto goesSecond = Buffer::allocate(Device::cuda(0), 8);
    EXPECT_TRUE(outlives->launch({}, *goesFirst, *goesSecond, 1).ok());
    fake.clear();
    goesFirst = Stream();
    goesSecond = Buffer();
    EXPECT_TRUE(outlives->launch({0}, Stream(Device::cuda(0)), nullptr, 1).ok());
  }
  EXPECT_EQ(fake.log(), "stream destroyed\nfree on 0\nunload on 0\n");
}

} // namespace
