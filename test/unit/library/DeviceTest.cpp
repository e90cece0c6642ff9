// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices and streams, with and without GPUs.
#include "Support.h"

using namespace eft;

namespace {

using Devices = PaperGpus;

TEST(Device, the_host_is_always_there) {
  EXPECT_EQ(Device(), Device::host());
  EXPECT_EQ(*Device::host().target(), "cpu");
  EXPECT_EQ(*Device::host().product(), "cpu");
  EXPECT_TRUE(Device::host().synchronize().ok());
  auto stream = Stream::create(Device::host());
  ASSERT_OK(stream);
  EXPECT_EQ(stream->device(), Device::host());
  EXPECT_TRUE(stream->synchronize().ok());
}

TEST_F(Devices, say_what_they_are) {
  EXPECT_EQ(*Device::cudaCount(), 2);
  EXPECT_EQ(Device::cuda(1).name(), "cuda:1");
  EXPECT_EQ(*Device::cuda(1).product(), "Paper GPU 1");
  EXPECT_EQ(*Device::cuda(1).target(), "cuda:90");
  EXPECT_TRUE(Device::cuda(1).synchronize().ok());
  EXPECT_EQ(fake.log(), "synchronize 1\n");
  EXPECT_EQ(fake.current(), -1);
}

TEST_F(Devices, that_are_not_there_are_errors) {
  const char *message = "there is no device cuda:2: this process can use 2 NVIDIA GPUs";
  EXPECT_ERROR(Device::cuda(2).target(), ErrorKind::NoDevice, message);
  EXPECT_ERROR(Device::cuda(2).product(), ErrorKind::NoDevice, message);
  EXPECT_ERROR(Device::cuda(2).synchronize(), ErrorKind::NoDevice, message);
  EXPECT_ERROR(Stream::create(Device::cuda(2)), ErrorKind::NoDevice, message);
  EXPECT_ERROR(Stream(Device::cuda(2)).synchronize(), ErrorKind::NoDevice, message);
  EXPECT_ERROR(Buffer::allocate(Device::cuda(2), 8), ErrorKind::NoDevice, message);
  EXPECT_ERROR(Kernel::loadCuda(Device::cuda(2), "ptx", {.name = "k", .parameters = {}}),
               ErrorKind::NoDevice, message);
}

TEST_F(Devices, report_what_went_wrong_on_them) {
  fake.fail("cuCtxSynchronize", 700);
  EXPECT_ERROR(Device::cuda(0).synchronize(), ErrorKind::Cuda,
               "cuCtxSynchronize failed while waiting for cuda:0: CUDA_ERROR_ILLEGAL_ADDRESS (an "
               "illegal memory access was encountered)");
  EXPECT_TRUE(Device::cuda(0).synchronize().ok());
}

TEST_F(Devices, a_stream_that_was_moved_from_is_the_default_one) {
  auto stream = Stream::create(Device::cuda(1));
  ASSERT_OK(stream);
  std::optional<Stream> taken = std::move(*stream);
  EXPECT_NE(taken->handle(), nullptr);
  EXPECT_EQ(stream->handle(), nullptr);
  EXPECT_EQ(stream->device(), Device::cuda(1));
  *stream = *std::exchange(taken, std::nullopt);
  EXPECT_NE(stream->handle(), nullptr);
}

TEST_F(Devices, a_stream_goes_with_its_last_copy) {
  std::optional<Stream> copy;
  {
    auto stream = Stream::create(Device::cuda(1));
    ASSERT_OK(stream);
    EXPECT_NE(stream->handle(), nullptr);
    copy = *stream;
    EXPECT_EQ(copy->handle(), stream->handle());
  }
  EXPECT_TRUE(copy->synchronize().ok());
  EXPECT_EQ(fake.log(), "stream synchronized\n");
  copy.reset();
  EXPECT_EQ(fake.log(), "stream synchronized\nstream destroyed\n");
}

TEST_F(Devices, a_borrowed_stream_stays) {
  auto *handle = reinterpret_cast<CUstream_st *>(0x77);
  {
    Stream stream = Stream::borrow(Device::cuda(0), handle);
    EXPECT_EQ(stream.handle(), handle);
    fake.fail("cuStreamSynchronize", 700);
    EXPECT_EQ(stream.synchronize().error().kind, ErrorKind::Cuda);
  }
  EXPECT_EQ(fake.log(), "");
  EXPECT_EQ(Stream::borrow(Device::host(), handle).handle(), nullptr);
}

// Runs in a separate process, since a process looks for the driver only once.
void useMachineWithoutDriver() {
  setenv("EFT_LIBCUDA", "libdoes-not-exist.so.1", 1);
  auto check = [](bool right, int place) {
    if (!right)
      exit(place);
  };
  auto count = Device::cudaCount();
  check(count.ok() && *count == 0, 1);
  for (int again = 0; again < 2; ++again) {
    check(Device::cuda(0).target().error().kind == ErrorKind::NoDriver, 2);
    check(Stream::create(Device::cuda(0)).error().kind == ErrorKind::NoDriver, 3);
    check(Buffer::allocate(Device::cuda(0), 8).error().kind == ErrorKind::NoDriver, 4);
    auto kernel = Kernel::loadCuda(Device::cuda(0), "ptx", {.name = "k", .parameters = {}});
    check(kernel.error().kind == ErrorKind::NoDriver, 5);
    auto buffer = Buffer::allocate(Device::host(), 8);
    check(buffer.ok() && buffer->fill(1).ok(), 6);
  }
  exit(0);
}

TEST(NoDriver, leaves_the_host) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(useMachineWithoutDriver(), testing::ExitedWithCode(0), "");
}

} // namespace
