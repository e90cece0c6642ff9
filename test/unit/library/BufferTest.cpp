// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory on the host, and on GPUs of a fake driver.
#include "Support.h"

#include <vector>

using namespace eft;

// Makes a failed allocation return a null pointer under sanitizers too.
// NOLINTBEGIN(bugprone-reserved-identifier): the sanitizers' own names.
extern "C" const char *__asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" const char *__tsan_default_options() { return "allocator_may_return_null=1"; }
// NOLINTEND(bugprone-reserved-identifier)

namespace {

using Buffers = PaperGpus;

void expectRoundTrip(Device device) {
  auto buffer = Buffer::allocate(device, 40);
  ASSERT_OK(buffer);
  EXPECT_EQ(buffer->device(), device);
  EXPECT_EQ(buffer->bytes(), 40u);
  EXPECT_TRUE(buffer->fill(7).ok());
  const int32_t numbers[] = {1, 2, 3};
  EXPECT_TRUE(buffer->copyFromHost(numbers, sizeof(numbers), 8).ok());
  int32_t back[5] = {};
  EXPECT_TRUE(buffer->copyToHost(back, sizeof(back), 4).ok());
  EXPECT_EQ(std::vector<int32_t>(back, back + 5),
            (std::vector<int32_t>{0x07070707, 1, 2, 3, 0x07070707}));
}

TEST(Buffer, keeps_bytes_on_the_host) { expectRoundTrip(Device::host()); }

TEST_F(Buffers, keep_bytes_on_a_gpu) {
  expectRoundTrip(Device::cuda(1));
  EXPECT_EQ(fake.log(), "allocate 40 on 1\n"
                        "fill 40 in stream 0\n"
                        "copy 12 to the device in stream 0\nstream synchronized\n"
                        "copy 20 to the host in stream 0\nstream synchronized\n"
                        "free on 1\n");
  EXPECT_EQ(fake.current(), -1);
}

TEST_F(Buffers, work_in_the_stream_that_is_given) {
  auto buffer = Buffer::allocate(Device::cuda(0), 8);
  Stream stream = Stream::borrow(Device::cuda(0), reinterpret_cast<CUstream_st *>(9));
  fake.clear();
  char bytes[8] = {};
  EXPECT_TRUE(buffer->copyFromHost(stream, bytes, 8).ok());
  EXPECT_TRUE(buffer->copyToHost(stream, bytes, 8).ok());
  EXPECT_TRUE(buffer->fill(stream, 0).ok());
  EXPECT_EQ(fake.log(), "copy 8 to the device in stream 9\nstream synchronized\n"
                        "copy 8 to the host in stream 9\nstream synchronized\n"
                        "fill 8 in stream 9\n");
}

TEST(Buffer, is_aligned_for_vectors) {
  for (size_t bytes : {1, 63, 64, 100}) {
    auto buffer = Buffer::allocate(Device::host(), bytes);
    ASSERT_OK(buffer);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % 64, 0u);
    EXPECT_EQ(buffer->bytes(), bytes);
  }
}

TEST_F(Buffers, of_no_bytes_ask_for_nothing) {
  for (Device device : {Device::host(), Device::cuda(0)}) {
    auto buffer = Buffer::allocate(device, 0);
    ASSERT_OK(buffer);
    EXPECT_EQ(buffer->data(), nullptr);
    EXPECT_TRUE(buffer->fill(1).ok());
    EXPECT_TRUE(buffer->copyFromHost(nullptr, 0).ok());
    EXPECT_TRUE(buffer->copyToHost(nullptr, 0).ok());
  }
  EXPECT_EQ(fake.log(), "");
}

TEST_F(Buffers, copies_must_lie_inside) {
  char bytes[8] = {};
  for (Device device : {Device::host(), Device::cuda(0)}) {
    auto buffer = Buffer::allocate(device, 8);
    EXPECT_ERROR(buffer->copyFromHost(bytes, 8, 1), ErrorKind::InvalidArgument,
                 "a copy of 8 bytes at offset 1 does not lie inside a buffer of 8 bytes");
    EXPECT_ERROR(buffer->copyToHost(bytes, 9), ErrorKind::InvalidArgument,
                 "a copy of 9 bytes at offset 0 does not lie inside a buffer of 8 bytes");
    EXPECT_ERROR(buffer->copyToHost(bytes, SIZE_MAX, 8), ErrorKind::InvalidArgument,
                 "a copy of 18446744073709551615 bytes at offset 8 does not lie inside a buffer of "
                 "8 bytes");
    EXPECT_TRUE(buffer->copyToHost(bytes, 0, 8).ok());
  }
}

TEST_F(Buffers, streams_must_be_of_the_same_device) {
  auto buffer = Buffer::allocate(Device::cuda(0), 8);
  char bytes[8] = {};
  const char *message = "the buffer is on cuda:0, the stream on cuda:1";
  Stream other(Device::cuda(1));
  EXPECT_ERROR(buffer->copyFromHost(other, bytes, 8), ErrorKind::InvalidArgument, message);
  EXPECT_ERROR(buffer->copyToHost(other, bytes, 8), ErrorKind::InvalidArgument, message);
  EXPECT_ERROR(buffer->fill(other, 0), ErrorKind::InvalidArgument, message);
}

TEST_F(Buffers, too_large_is_out_of_memory) {
  EXPECT_ERROR(Buffer::allocate(Device::host(), SIZE_MAX), ErrorKind::OutOfMemory,
               "allocating 18446744073709551615 bytes on cpu failed: out of memory");
  EXPECT_ERROR(Buffer::allocate(Device::host(), SIZE_MAX / 4), ErrorKind::OutOfMemory,
               "allocating 4611686018427387903 bytes on cpu failed: out of memory");
  EXPECT_ERROR(Buffer::allocate(Device::cuda(0), size_t(1) << 40), ErrorKind::OutOfMemory,
               "cuMemAlloc failed while allocating 1099511627776 bytes on cuda:0: "
               "CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  expectRoundTrip(Device::cuda(0));
}

TEST_F(Buffers, failures_of_the_driver_are_reported) {
  auto buffer = Buffer::allocate(Device::cuda(0), 8);
  char bytes[8] = {};
  auto expect = [&](const char *call, const Status &status, const std::string &doing) {
    EXPECT_ERROR(status, ErrorKind::Cuda,
                 std::string(call) + " failed while " + doing +
                     " cuda:0: CUDA_ERROR_INVALID_VALUE (invalid argument)");
  };
  fake.fail("cuMemcpyHtoDAsync_v2", 1);
  expect("cuMemcpyHtoDAsync", buffer->copyFromHost(bytes, 8), "copying 8 bytes to");
  fake.fail("cuMemcpyDtoHAsync_v2", 1);
  expect("cuMemcpyDtoHAsync", buffer->copyToHost(bytes, 8), "copying 8 bytes from");
  fake.fail("cuMemsetD8Async", 1);
  expect("cuMemsetD8Async", buffer->fill(0), "filling 8 bytes on");
  fake.fail("cuStreamSynchronize", 1);
  expect("cuStreamSynchronize", buffer->copyToHost(bytes, 8), "waiting for a stream on");
  EXPECT_TRUE(buffer->copyToHost(bytes, 8).ok());
}

TEST_F(Buffers, moving_leaves_nothing_behind) {
  auto first = Buffer::allocate(Device::cuda(0), 8);
  auto second = Buffer::allocate(Device::host(), 16);
  void *memory = first->data();
  fake.clear();
  *second = std::move(*first);
  EXPECT_EQ(second->data(), memory);
  EXPECT_EQ(second->device(), Device::cuda(0));
  EXPECT_EQ(first->data(), nullptr);
  EXPECT_EQ(first->bytes(), 0u);
  Buffer third = std::move(*second);
  third = Buffer();
  EXPECT_EQ(fake.log(), "free on 0\n");
}

} // namespace
