// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests the runtime's code for GPUs with the fake driver: the calls to the driver, and the errors
// if it refuses.
#include "FakeDriver.h"
#include "runtime/cuda/Event.h"
#include "runtime/cuda/Linker.h"
#include "runtime/launch/AnyKernel.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace eft;

namespace {

struct Cuda : testing::Test {
  FakeDriver fake;
  const cuda::Gpu *gpu = nullptr;

  void SetUp() override {
    setenv("EFT_LIBCUDA", EFT_FAKE_CUDA, 1);
    auto found = cuda::gpu(0);
    ASSERT_TRUE(found.ok()) << found.error().message;
    gpu = *found;
    ASSERT_TRUE(gpu->context().ok());
    fake.setCurrent(-1);
    fake.clear();
  }

  std::unique_ptr<const AnyKernel> load(const char *cubin, cuda::KernelShape shape = {},
                                        int ordinal = 0) {
    auto kernel = AnyKernel::loadCuda(ordinal, cubin, "dropout", shape);
    EXPECT_TRUE(kernel.ok()) << kernel.error().message;
    return *std::move(kernel);
  }
};

} // namespace

TEST_F(Cuda, properties) {
  const cuda::GpuProperties &facts = gpu->properties();
  EXPECT_EQ(facts.name, "Paper GPU 0");
  EXPECT_EQ(facts.maxGrid, (Grid{INT32_MAX, 65535, 65535}));
  EXPECT_EQ(facts.maxSharedPerBlock, 232448);
  EXPECT_EQ(facts.totalMemory, size_t(80) << 30);
  EXPECT_EQ(gpu->target(), "cuda:90");
  EXPECT_EQ(*cuda::gpuCount(), 2);
}

TEST_F(Cuda, properties_that_cannot_be_read) {
  fake.fail("cuDeviceGetAttribute", 1);
  auto made = cuda::makeGpu(gpu->driver(), 1);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message, "cuDeviceGetAttribute failed while reading the properties of "
                                  "cuda:1: CUDA_ERROR_INVALID_VALUE (invalid argument)");
}

TEST_F(Cuda, there_is_no_such_gpu) {
  auto found = cuda::gpu(7);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().kind, ErrorKind::NoDevice);
  EXPECT_EQ(found.error().message, "there is no device cuda:7: this process can use 2 NVIDIA GPUs");
  EXPECT_FALSE(cuda::gpu(-1).ok());
}

TEST_F(Cuda, a_context_that_cannot_be_made_for_lack_of_memory) {
  auto fresh = cuda::makeGpu(gpu->driver(), 1);
  ASSERT_TRUE(fresh.ok());
  fake.fail("cuDevicePrimaryCtxRetain", 2);
  auto context = (*fresh)->context();
  ASSERT_FALSE(context.ok());
  EXPECT_EQ(context.error().kind, ErrorKind::OutOfMemory);
  EXPECT_EQ(context.error().message, "cuDevicePrimaryCtxRetain failed while preparing cuda:1: "
                                     "CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  EXPECT_TRUE((*fresh)->context().ok()) << "it may work later";
}

TEST_F(Cuda, a_context_is_retained_once) {
  auto fresh = cuda::makeGpu(gpu->driver(), 1);
  ASSERT_TRUE(fresh.ok());
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE((*fresh)->context().ok());
  EXPECT_EQ(fake.log(), "retain 1\n");
}

TEST_F(Cuda, a_scope_restores_the_previous_context) {
  fake.setCurrent(1);
  {
    auto scope = cuda::ContextScope::enter(*gpu, "testing");
    ASSERT_TRUE(scope.ok());
    EXPECT_EQ(fake.current(), 0);
  }
  EXPECT_EQ(fake.current(), 1);
  fake.setCurrent(-1);
  ASSERT_TRUE(gpu->synchronize().ok());
  EXPECT_EQ(fake.current(), -1);
}

TEST_F(Cuda, waiting_shows_what_a_kernel_did_wrong) {
  fake.fail("cuCtxSynchronize", 700);
  EXPECT_EQ(gpu->synchronize().error().message,
            "cuCtxSynchronize failed while waiting for cuda:0: CUDA_ERROR_ILLEGAL_ADDRESS (an "
            "illegal memory access was encountered)");
}

TEST_F(Cuda, ptx_becomes_a_cubin) {
  auto cubin = cuda::linkPtx(*gpu, "some ptx", "dropout");
  ASSERT_TRUE(cubin.ok()) << cubin.error().message;
  EXPECT_EQ(*cubin, "cubin of some ptx with lines");
  EXPECT_EQ(fake.log(), "link destroyed\n");
  EXPECT_EQ(fake.current(), -1);
}

TEST_F(Cuda, refused_ptx_shows_the_linkers_log) {
  auto cubin = cuda::linkPtx(*gpu, "wrong ptx", "dropout");
  ASSERT_FALSE(cubin.ok());
  EXPECT_EQ(cubin.error().message,
            "cuLinkAddData failed while linking the PTX of kernel 'dropout' for cuda:0: "
            "CUDA_ERROR_INVALID_PTX (a PTX JIT compilation failed)\n"
            "ptxas dropout, line 3; error   : Unknown symbol 'wrong'");
  EXPECT_EQ(fake.log(), "link destroyed\n");
}

TEST_F(Cuda, ptx_that_cannot_be_loaded_shows_the_assemblers_log) {
  auto kernel = AnyKernel::loadCuda(0, "wrong ptx", "dropout", {});
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.error().message,
            "cuModuleLoadDataEx failed while loading kernel 'dropout' on cuda:0: "
            "CUDA_ERROR_INVALID_PTX (a PTX JIT compilation failed)\n"
            "ptxas application ptx input, line 3; error   : Unknown symbol 'wrong'");
  EXPECT_EQ(fake.log(), "");
}

TEST_F(Cuda, linking_may_fail_at_every_step) {
  for (const char *call : {"cuLinkCreate", "cuLinkAddData", "cuLinkComplete"}) {
    bool first = std::string(call) != "cuLinkComplete";
    fake.fail((std::string(call) + (first ? "_v2" : "")).c_str(), 2);
    auto cubin = cuda::linkPtx(*gpu, "some ptx", "dropout");
    ASSERT_FALSE(cubin.ok());
    EXPECT_EQ(cubin.error().kind, ErrorKind::OutOfMemory);
    EXPECT_EQ(cubin.error().message,
              std::string(call) + " failed while linking the PTX of kernel 'dropout' for cuda:0: "
                                  "CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  }
}

TEST_F(Cuda, a_launch_passes_on_grid_block_stream_and_parameters) {
  auto kernel = load("params=3", {8, 1024});
  auto grid = kernel->check({3, 4, 5});
  ASSERT_TRUE(grid.ok());
  uint64_t slots[] = {0xabc, 7, 0x3f800000};
  auto stream = reinterpret_cast<cuda::StreamHandle>(size_t(77));
  ASSERT_TRUE(kernel->launch(*grid, slots, stream).ok());
  EXPECT_EQ(fake.log(), "load on 0\nlaunch dropout on 0 grid 3 4 5 block 256 1 1 shared 1024 "
                        "stream 77: abc 7 3f800000\n");
  EXPECT_EQ(fake.current(), -1);
  EXPECT_FALSE(kernel->returnsAtOnce(*grid));
}

TEST_F(Cuda, programs_that_share_a_block_have_its_rows) {
  auto kernel = load("params=0", {1, 0, 7});
  ASSERT_TRUE(kernel->launch(*kernel->check({20000, 4, 5}), {}).ok());
  ASSERT_TRUE(kernel->launch(*kernel->check({20, 4, 5}), {}).ok());
  EXPECT_EQ(fake.log(), "load on 0\nlaunch dropout on 0 grid 5000 4 5 block 32 4 1 shared 0 "
                        "stream 0:\n"
                        "launch dropout on 0 grid 20 4 5 block 32 1 1 shared 0 stream 0:\n");
}

TEST_F(Cuda, more_parameters_than_fit_on_the_stack) {
  auto kernel = load("params=100");
  std::vector<uint64_t> slots(100);
  std::string expected = "stream 0:";
  for (unsigned i = 0; i < 100; ++i) {
    slots[i] = i % 10;
    expected += " " + std::to_string(i % 10);
  }
  ASSERT_TRUE(kernel->launch(*kernel->check({1, 1, 1}), slots).ok());
  EXPECT_NE(fake.log().find(expected + "\n"), std::string::npos) << fake.log();
}

TEST_F(Cuda, an_empty_grid_launches_nothing) {
  auto kernel = load("params=0");
  fake.clear();
  EXPECT_TRUE(kernel->launch(*kernel->check({4, 0, 4}), {}).ok());
  EXPECT_EQ(fake.log(), "");
}

TEST_F(Cuda, a_grid_beyond_the_devices_limit) {
  auto kernel = load("params=0");
  EXPECT_EQ(kernel->check({1, 1, 65536}).error().message,
            "grid of kernel 'dropout' has 65536 programs in z, expected 0 to 65535 on cuda:0");
}

TEST_F(Cuda, a_launch_goes_to_the_kernels_own_device_and_restores_the_other) {
  auto kernel = load("params=0", {}, 1);
  fake.clear();
  fake.setCurrent(0);
  ASSERT_TRUE(kernel->launch(*kernel->check({1, 1, 1}), {}).ok());
  EXPECT_NE(fake.log().find("launch dropout on 1 "), std::string::npos);
  EXPECT_EQ(fake.current(), 0);
}

TEST_F(Cuda, a_launch_from_a_thread_that_has_no_context) {
  auto kernel = load("params=0");
  std::thread([&] { EXPECT_TRUE(kernel->launch(*kernel->check({1, 1, 1}), {}).ok()); }).join();
}

TEST_F(Cuda, a_refused_launch_names_the_kernel) {
  auto kernel = load("params=0");
  for (const char *call : {"cuLaunchKernel", "cuCtxSetCurrent", "cuCtxGetCurrent"}) {
    fake.fail(call, 2);
    Status status = kernel->launch(*kernel->check({1, 1, 1}), {});
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().message, std::string(call) +
                                          " failed while launching kernel 'dropout' on cuda:0: "
                                          "CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
    EXPECT_EQ(fake.current(), -1);
  }
}

TEST_F(Cuda, an_assertion_that_fails_is_told_once_and_by_its_launch) {
  auto kernel = load("eft$failure");
  auto holds = *kernel->check({4, 1, 1}), fails = *kernel->check({4, 1, 2});
  EXPECT_TRUE(kernel->launch(holds, {}).ok());
  Status status = kernel->launch(fails, {});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::Assertion);
  EXPECT_EQ(status.error().message,
            "kernel.py:7: too large (an assertion failed in program (3, 0, 1))");
  EXPECT_TRUE(kernel->launch(holds, {}).ok());
}

TEST_F(Cuda, assertions_that_fail_in_several_threads_are_told_by_their_own_launches) {
  auto kernel = load("eft$failure");
  auto launchOften = [&](uint32_t extent) {
    std::string expected = "kernel.py:7: too large (an assertion failed in program (" +
                           std::to_string(extent - 1) + ", 0, 1))";
    auto grid = *kernel->check({extent, 1, 2});
    for (int i = 0; i < 100; ++i) {
      Status status = kernel->launch(grid, {});
      ASSERT_FALSE(status.ok());
      ASSERT_EQ(status.error().message, expected);
    }
  };
  std::thread other(launchOften, 5);
  launchOften(9);
  other.join();
}

TEST_F(Cuda, a_launch_does_not_wait_for_assertions_that_trap) {
  cuda::KernelShape shape;
  shape.assertionsTrap = true;
  auto kernel = load("eft$failure", shape);
  auto fails = *kernel->check({4, 1, 2});
  fake.fail("cuStreamSynchronize", 700);
  EXPECT_TRUE(kernel->launch(fails, {}).ok());
  // After the trap, the driver refuses all calls.
  for (int i = 0; i < 2; ++i) {
    fake.fail("cuLaunchKernel", 710);
    Status status = kernel->launch(fails, {});
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().kind, ErrorKind::Assertion);
    EXPECT_EQ(status.error().message,
              "kernel.py:7: too large (an assertion failed in program (3, 0, 1))");
  }
}

TEST_F(Cuda, an_error_of_another_kind_where_assertions_trap) {
  cuda::KernelShape shape;
  shape.assertionsTrap = true;
  auto kernel = load("eft$failure", shape);
  fake.fail("cuLaunchKernel", 700);
  Status status = kernel->launch(*kernel->check({1, 1, 1}), {});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::Cuda);
}

TEST_F(Cuda, a_kernel_with_assertions_that_goes_wrong_otherwise) {
  auto kernel = load("eft$failure");
  fake.fail("cuStreamSynchronize", 700);
  Status status = kernel->launch(*kernel->check({1, 1, 1}), {});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::Cuda);
  EXPECT_NE(status.error().message.find("running kernel 'dropout' on cuda:0"), std::string::npos)
      << status.error().message;
}

TEST_F(Cuda, a_wait_that_is_ended_leaves_the_kernel_to_the_next_launch) {
  struct : Interruption {
    bool look() override { return ++looks >= 3; }
    int looks = 0;
  } atTheThirdLook, atOnce;
  atOnce.looks = 2;
  auto kernel = load("eft$failure");
  auto holds = *kernel->check({4, 1, 1}), fails = *kernel->check({4, 1, 2});
  auto begin = std::chrono::steady_clock::now();
  fake.stayBusy(-1);
  EXPECT_TRUE(kernel->launch(fails, {}, nullptr, &atTheThirdLook).ok());
  EXPECT_EQ(atTheThirdLook.looks, 3);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(150));
  fake.clear();
  EXPECT_TRUE(kernel->launch(holds, {}, nullptr, &atOnce).ok());
  EXPECT_EQ(fake.log(), "") << "launched while the GPU was busy";
  EXPECT_EQ(fake.current(), -1);
  fake.stayBusy(0);
  // This launch does not report the failure of the first launch.
  EXPECT_TRUE(kernel->launch(holds, {}).ok());
  EXPECT_FALSE(kernel->launch(fails, {}).ok());
}

TEST_F(Cuda, much_shared_memory_is_asked_for) {
  auto kernel = load("params=0", {4, 100000});
  EXPECT_EQ(fake.log(), "load on 0\nshared limit 100000\n");
  EXPECT_TRUE(kernel->launch(*kernel->check({1, 1, 1}), {}).ok());
}

TEST_F(Cuda, more_shared_memory_than_there_is) {
  auto kernel = AnyKernel::loadCuda(0, "params=0", "dropout", {4, 300000});
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.error().message,
            "kernel 'dropout' needs 300000 bytes of shared memory, but cuda:0 has 232448 for a "
            "block: smaller blocks of values need less");
}

TEST_F(Cuda, loading_may_fail_and_leaves_nothing_behind) {
  fake.fail("cuModuleLoadDataEx", 2);
  auto kernel = AnyKernel::loadCuda(0, "params=0", "dropout", {});
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.error().message, "cuModuleLoadDataEx failed while loading kernel 'dropout' on "
                                    "cuda:0: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  EXPECT_EQ(fake.log(), "");
  fake.fail("cuModuleGetFunction", 500);
  EXPECT_EQ(AnyKernel::loadCuda(0, "params=0", "dropout", {}).error().message,
            "cuModuleGetFunction failed while loading kernel 'dropout' on cuda:0: "
            "CUDA_ERROR_NOT_FOUND (named symbol not found)");
  EXPECT_EQ(fake.log(), "load on 0\nunload on 0\n");
  fake.fail("cuFuncLoad", 2);
  EXPECT_EQ(AnyKernel::loadCuda(0, "params=0", "dropout", {}).error().message,
            "cuFuncLoad failed while loading kernel 'dropout' on cuda:0: "
            "CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  fake.fail("cuFuncGetAttribute", 2);
  EXPECT_EQ(AnyKernel::loadCuda(0, "params=0", "dropout", {}).error().message,
            "cuFuncGetAttribute failed while loading kernel 'dropout' on cuda:0: "
            "CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  fake.fail("cuFuncSetAttribute", 1);
  EXPECT_EQ(AnyKernel::loadCuda(0, "params=0", "dropout", {4, 100000}).error().message,
            "cuFuncSetAttribute failed while loading kernel 'dropout' on cuda:0: "
            "CUDA_ERROR_INVALID_VALUE (invalid argument)");
}

TEST_F(Cuda, loading_is_allowed_while_a_stream_is_captured_and_changes_no_mode) {
  EXPECT_TRUE(cuda::linkPtx(*gpu, "some ptx", "dropout").ok());
  load("params=0");
  EXPECT_EQ(fake.captureMode(), 0);
}

TEST_F(Cuda, a_kernel_with_hardly_too_many_registers_is_loaded_with_fewer) {
  auto kernel = load("\n.reqntid 128, 1, 1\n{ params=0 registers=130", {4, 50000});
  EXPECT_EQ(fake.log(), "load on 0\nload on 0\nunload on 0\nshared limit 50000\n");
  EXPECT_EQ(kernel->resources()->registers, 127);
}

TEST_F(Cuda, a_limit_of_registers_that_spills_is_not_kept) {
  auto kernel = load("\n.reqntid 128, 1, 1\n{ params=0 registers=130 spilled=8", {4, 50000});
  EXPECT_EQ(fake.log(), "load on 0\nload on 0\nunload on 0\nshared limit 50000\n");
  EXPECT_EQ(kernel->resources()->registers, 130);
  EXPECT_EQ(kernel->resources()->stackBytes, 0);
}

TEST_F(Cuda, a_second_block_of_many_warps_may_spill_a_little) {
  auto kernel = load("\n.reqntid 1024, 1, 1\n{ params=0 registers=48 spilled=16", {32, 0});
  ASSERT_TRUE(kernel.get());
  EXPECT_EQ(kernel->resources()->registers, 31);
  EXPECT_EQ(kernel->resources()->stackBytes, 16);
  kernel = load("\n.reqntid 1024, 1, 1\n{ params=0 registers=48 spilled=24", {32, 0});
  ASSERT_TRUE(kernel.get());
  EXPECT_EQ(kernel->resources()->registers, 48);
}

TEST_F(Cuda, local_memory_does_not_count_as_spilled_registers) {
  auto kernel = load("\n.reqntid 1024, 1, 1\n{ __local_depot0[96] params=0 registers=48 stack=96 "
                     "spilled=112",
                     {32, 0});
  ASSERT_TRUE(kernel.get());
  EXPECT_EQ(kernel->resources()->registers, 31);
  EXPECT_EQ(kernel->resources()->stackBytes, 112);
}

TEST_F(Cuda, a_kernel_that_spills_gets_all_registers_of_its_block) {
  auto kernel =
      load("\n.reqntid 1024, 1, 1\n{ params=0 registers=32 stack=100 spilled=40", {32, 0});
  ASSERT_TRUE(kernel.get());
  EXPECT_EQ(kernel->resources()->registers, 63);
  EXPECT_EQ(kernel->resources()->stackBytes, 40);
  kernel = load("\n.reqntid 1024, 1, 1\n{ params=0 registers=32 stack=100 spilled=100", {32, 0});
  ASSERT_TRUE(kernel.get());
  EXPECT_EQ(kernel->resources()->registers, 32);
}

TEST_F(Cuda, registers_are_limited_only_where_another_block_fits) {
  for (auto [code, shape] : {
           std::pair("\n.reqntid 128, 1, 1\n{ params=0 registers=137", cuda::KernelShape{4, 50000}),
           std::pair("\n.reqntid 128, 1, 1\n{ params=0 registers=128", cuda::KernelShape{4, 50000}),
           std::pair("\n.reqntid 128, 1, 1\n{ params=0 registers=130", cuda::KernelShape{4, 60000}),
           std::pair("\n.reqntid 128, 1, 1\n.maxnreg 200\n{ params=0", cuda::KernelShape{4, 0}),
           std::pair("params=0 registers=130", cuda::KernelShape{4, 50000}),
       }) {
    fake.clear();
    auto kernel = load(code, shape);
    EXPECT_EQ(fake.log().find("load on 0\nload"), std::string::npos) << code;
  }
}

TEST_F(Cuda, a_kernel_is_unloaded_in_its_own_context) {
  auto kernel = load("params=0", {}, 1);
  fake.clear();
  kernel.reset();
  EXPECT_EQ(fake.log(), "unload on 1\n");
  EXPECT_EQ(fake.current(), -1);
}

TEST_F(Cuda, events_tell_the_time_between_them) {
  auto first = cuda::Event::create(*gpu), second = cuda::Event::create(*gpu);
  ASSERT_TRUE(first.ok() && second.ok());
  auto stream = cuda::Stream::create(*gpu);
  ASSERT_TRUE(stream.ok());
  EXPECT_TRUE((*first)->record(nullptr).ok());
  EXPECT_TRUE((*second)->record((*stream)->handle()).ok());
  EXPECT_TRUE((*second)->synchronize().ok());
  EXPECT_TRUE((*stream)->synchronize().ok());
  EXPECT_EQ(*(*second)->millisecondsSince(**first), 1.0f);
  fake.fail("cuEventElapsedTime", 1);
  EXPECT_EQ((*second)->millisecondsSince(**first).error().message,
            "cuEventElapsedTime failed while reading the time between two events on cuda:0: "
            "CUDA_ERROR_INVALID_VALUE (invalid argument)");
}

TEST_F(Cuda, streams_tell_whether_they_are_captured) {
  auto stream = cuda::Stream::create(*gpu);
  ASSERT_TRUE(stream.ok());
  EXPECT_FALSE(*cuda::isCapturing(*gpu, (*stream)->handle()));
  fake.capture((*stream)->handle());
  EXPECT_TRUE(*cuda::isCapturing(*gpu, (*stream)->handle()));
  EXPECT_FALSE(*cuda::isCapturing(*gpu, nullptr));
  fake.fail("cuStreamIsCapturing",
            906); // the result for the default stream while another stream is captured
  EXPECT_TRUE(*cuda::isCapturing(*gpu, nullptr));
  fake.fail("cuStreamIsCapturing", 1);
  EXPECT_EQ(cuda::isCapturing(*gpu, nullptr).error().message,
            "cuStreamIsCapturing failed while asking for the state of a stream on cuda:0: "
            "CUDA_ERROR_INVALID_VALUE (invalid argument)");
}

TEST_F(Cuda, events_and_streams_go_with_their_owners) {
  {
    auto event = cuda::Event::create(*gpu);
  }
  {
    auto stream = cuda::Stream::create(*gpu);
  }
  EXPECT_EQ(fake.log(), "event destroyed\nstream destroyed\n");
}

TEST_F(Cuda, an_event_that_cannot_be_made) {
  fake.fail("cuEventCreate", 2);
  EXPECT_EQ(cuda::Event::create(*gpu).error().message,
            "cuEventCreate failed while making an event on cuda:0: CUDA_ERROR_OUT_OF_MEMORY (out "
            "of memory)");
  fake.fail("cuStreamCreate", 2);
  EXPECT_EQ(cuda::Stream::create(*gpu).error().message,
            "cuStreamCreate failed while making a stream on cuda:0: CUDA_ERROR_OUT_OF_MEMORY (out "
            "of memory)");
}

TEST_F(Cuda, the_device_of_a_pointer) {
  fake.setCurrent(0);
  EXPECT_EQ(*cuda::gpuOfPointer(uint64_t(17) << 32), 1);
  EXPECT_EQ(cuda::gpuOfPointer(5).error().message,
            "cuPointerGetAttribute failed while asking for the device of a pointer: "
            "CUDA_ERROR_INVALID_VALUE (invalid argument)");
  fake.setCurrent(-1);
  EXPECT_EQ(*cuda::gpuOfPointer(uint64_t(16) << 32), 0) << "also with no context current";
}

TEST_F(Cuda, a_forked_child_is_told_that_cuda_does_not_survive) {
  auto kernel = load("params=0");
  fake.clear();
  pid_t child = fork();
  if (child == 0) {
    const std::string words = "this process was forked after its parent had started CUDA, which "
                              "does not survive that: start workers with multiprocessing's "
                              "'spawn' method, or fork before the first use of a GPU";
    bool right = cuda::driver().error().message == words && cuda::gpu(0).error().message == words &&
                 cuda::gpuCount().error().message == words &&
                 kernel->launch(*kernel->check({1, 1, 1}), {}).error().message == words;
    kernel.reset();
    _exit(right && fake.log().empty() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}
