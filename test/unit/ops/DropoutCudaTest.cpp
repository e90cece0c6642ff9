// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests dropout with the fake driver: what is launched where, and the errors if the driver refuses.
#include "eft/Ops.h"
#include "test/unit/runtime/FakeDriver.h"

#include <gtest/gtest.h>

using namespace eft;

namespace {

/// A matrix at an invented address. Masks are far from all other matrices.
Tensor onGpu(int64_t rows, int64_t columns, DataType dtype = DataType::F32, int ordinal = 1,
             uintptr_t offset = 0) {
  auto address = (uintptr_t(16 + ordinal) << 32) + offset;
  if (dtype == DataType::I32)
    address += uintptr_t(1) << 60;
  return Tensor::matrix(reinterpret_cast<void *>(address), rows, columns, dtype,
                        Device::cuda(ordinal));
}

struct DropoutCuda : testing::Test {
  FakeDriver fake;
  StreamHandle stream = reinterpret_cast<StreamHandle>(48);

  void SetUp() override {
    setenv("EFT_LIBCUDA", EFT_FAKE_CUDA, 1);
    fake.setCurrent(-1);
    // Launch the fp32 kernels of device 1 once, so that a test of these loads no kernel.
    for (uintptr_t offset : {0, 4}) {
      Tensor X = onGpu(2, 2, DataType::F32, 1, offset), mask = onGpu(2, 2, DataType::I32);
      ASSERT_EQ(dropout_run(X, X, nullptr, {0.5f, true, 1}, stream), 0) << dropout_message();
      ASSERT_EQ(dropout_run(X, X, &mask, {0.5f, true, 1}, stream), 0) << dropout_message();
      ASSERT_EQ(dropout_backward_run(X, mask, X, {}, stream), 0) << dropout_message();
    }
    fake.clear();
  }

  /// Launches dropout, and returns the fake driver's log of it.
  std::string launched(int64_t rows, int64_t columns, bool withMask = false, uintptr_t offset = 0) {
    Tensor X = onGpu(rows, columns, DataType::F32, 1, offset);
    Tensor mask = onGpu(rows, columns, DataType::I32);
    fake.clear();
    EXPECT_EQ(dropout_run(X, X, withMask ? &mask : nullptr, {0.5f, true, 1}, stream), 0)
        << dropout_message();
    return fake.log();
  }
};

std::string launch(const char *kernel, const char *programs, const char *threads) {
  return std::string("launch ") + kernel + " on 1 grid " + programs + " 1 1 block " + threads +
         " 1 1 shared 0 stream 48:\n";
}

} // namespace

TEST_F(DropoutCuda, the_grid_covers_the_matrix) {
  EXPECT_EQ(launched(33, 28, true), launch("forward", "33", "64"));
  EXPECT_EQ(launched(33, 3076), launch("forward", "132", "64"));
  EXPECT_EQ(launched(4096, 1, true), launch("forward", "1027", "64"));
  EXPECT_EQ(launched(4096, 1, false, 4), launch("forward", "1028", "64"));
  EXPECT_EQ(launched(1 << 20, 1024), launch("forward", "1049600", "64"));
  EXPECT_EQ(launched(1, int64_t(1) << 32), launch("forward", "4194305", "64"));
  EXPECT_EQ(fake.current(), -1);
}

TEST_F(DropoutCuda, the_backward_is_one_row) {
  Tensor dY = onGpu(300, 100), mask = onGpu(300, 100, DataType::I32);
  ASSERT_TRUE(DropoutCudaBackwardLaunch(dY, mask, dY, {}, stream).ok());
  EXPECT_EQ(fake.log(), "launch backward on 1 grid 15 1 1 block 256 1 1 shared 0 stream 48:\n");
  fake.clear();
  ASSERT_TRUE(DropoutCudaSeedBackwardLaunch(dY, dY, {0.5f, true, 1}, nullptr).ok());
  EXPECT_EQ(fake.log(), "launch forward on 1 grid 300 1 1 block 64 1 1 shared 0 stream 0:\n");
}

TEST_F(DropoutCuda, each_type_has_its_kernel) {
  for (DataType dtype : {DataType::F16, DataType::BF16, DataType::F32, DataType::F64}) {
    Tensor X = onGpu(4, 4, dtype);
    ASSERT_TRUE(DropoutCudaLaunch(X, X, nullptr, {0.5f, true, 1}, stream).ok());
    EXPECT_TRUE(fake.log().ends_with(launch("forward", "4", "64"))) << fake.log();
    fake.clear();
  }
}

TEST_F(DropoutCuda, aligned_rows_of_16_bits_have_a_kernel) {
  Tensor X = onGpu(4, 64, DataType::BF16);
  ASSERT_TRUE(DropoutCudaLaunch(X, X, nullptr, {0.5f, true, 1}, stream).ok());
  EXPECT_TRUE(fake.log().ends_with(launch("wide", "4", "64"))) << fake.log();
}

TEST_F(DropoutCuda, the_alignment_and_the_mask_choose_a_kernel_of_16_bits) {
  // The 976 late rows (from row 1024 on) are 15 blocks of 64 rows and one of 16 rows. Each block
  // has 16 rows of draws, so there are 256 rows of draws.
  constexpr int64_t rows = 2000;
  for (DataType dtype : {DataType::F16, DataType::BF16}) {
    auto expect = [&](const char *kernel, const char *programs, int64_t columns, bool withMask,
                      uintptr_t offset = 0) {
      Tensor X = onGpu(rows, columns, dtype, 1, offset), mask = onGpu(rows, columns, DataType::I32);
      ASSERT_EQ(dropout_run(X, X, withMask ? &mask : nullptr, {0.5f, true, 1}, stream), 0);
      EXPECT_TRUE(fake.log().ends_with(launch(kernel, programs, "64")))
          << columns << (withMask ? " columns with a mask: " : " columns: ") << fake.log();
      fake.clear();
    };
    expect("wide", "1056", 64, false);
    expect("wide", "1088", 64, true);
    expect("wide", "1060", 36, true);     // a multiple of 4
    expect("forward", "1042", 36, false); // programs of 512 draws
    expect("forward", "1029", 9, false);
    expect("forward", "1033", 9, true);
    expect("forward", "1033", 8, false, 2); // the arrays do not begin at multiples of 16 bytes
    expect("forward", "1031", 7, false);    // less than a thread's run of 8 columns
  }
}

TEST_F(DropoutCuda, other_strides_have_a_kernel) {
  Tensor X = onGpu(20, 128), mask = onGpu(20, 128, DataType::I32);
  X.strides = {1, 20};
  ASSERT_TRUE(DropoutCudaLaunch(X, X, nullptr, {0.5f, true, 1}, stream).ok());
  EXPECT_TRUE(fake.log().ends_with(launch("strided", "4", "128"))) << fake.log();
  // Now the arrays have their elements in different orders, so there are no units.
  ASSERT_TRUE(DropoutCudaBackwardLaunch(X, mask, X, {}, stream).ok());
  EXPECT_TRUE(fake.log().ends_with(launch("strided", "2", "128"))) << fake.log();
}

TEST_F(DropoutCuda, images_with_the_channels_last_have_a_kernel) {
  Tensor X = onGpu(1, 2 * 32 * 10 * 12);
  X.rank = 4;
  X.shape = {2, 32, 10, 12};
  X.strides = {32 * 10 * 12, 1, 32 * 12, 32};
  ASSERT_TRUE(DropoutCudaLaunch(X, X, nullptr, {0.5f, true, 1}, stream).ok());
  EXPECT_TRUE(fake.log().ends_with(launch("permuted", "15", "128"))) << fake.log();
}

TEST_F(DropoutCuda, nothing_is_launched_for_nothing) {
  Tensor X = onGpu(0, 64), mask = onGpu(0, 64, DataType::I32);
  EXPECT_EQ(dropout_run(X, X, &mask, {}, stream), 0);
  EXPECT_EQ(dropout_backward_run(X, mask, X, {}, stream), 0);
  EXPECT_EQ(fake.log(), "");
}

TEST_F(DropoutCuda, the_context_of_the_caller_is_there_again) {
  fake.setCurrent(0);
  EXPECT_NE(launched(4, 4), "");
  EXPECT_EQ(fake.current(), 0);
}

TEST_F(DropoutCuda, each_device_has_its_kernel) {
  Tensor X = onGpu(4, 4, DataType::F32, 0);
  ASSERT_TRUE(DropoutCudaLaunch(X, X, nullptr, {0.5f, true, 1}, stream).ok());
  EXPECT_EQ(fake.log(),
            "retain 0\nload on 0\nlaunch forward on 0 grid 4 1 1 block 64 1 1 shared 0 stream "
            "48:\n");
}

TEST_F(DropoutCuda, a_device_that_is_not_there) {
  Tensor X = onGpu(4, 4, DataType::F32, 7);
  EXPECT_EQ(dropout_run(X, X, nullptr, {}, stream), -7);
  EXPECT_STREQ(dropout_message(), "there is no device cuda:7: this process can use 2 NVIDIA GPUs");
  Status status = DropoutCudaLaunch(X, X, nullptr, {}, stream);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::NoDevice);
}

TEST_F(DropoutCuda, more_programs_than_a_grid_can_have) {
  Tensor X = onGpu(1, int64_t(1) << 50);
  EXPECT_EQ(dropout_run(X, X, nullptr, {}, stream), -7);
  EXPECT_STREQ(dropout_message(), "grid of kernel 'dropout' has 1099511627777 programs in x, "
                                  "expected 0 to 2147483647 on cuda:1");
  X.device = Device::host();
  EXPECT_EQ(dropout_run(X, X, nullptr, {}, nullptr), -7);
  EXPECT_STREQ(dropout_message(), "grid of kernel 'dropout' has 68719476736 programs in x, "
                                  "expected 0 to 2147483647 on cpu");
  EXPECT_EQ(fake.log(), "");
}

TEST_F(DropoutCuda, what_the_driver_refuses) {
  Tensor X = onGpu(4, 4);
  fake.fail("cuLaunchKernel", 700);
  EXPECT_EQ(dropout_run(X, X, nullptr, {}, stream), -7);
  EXPECT_STREQ(dropout_message(), "launching dropout on cuda:1 failed with code 700: an illegal "
                                  "memory access was encountered");
  fake.fail("cuLaunchKernel", 2);
  Status status = DropoutCudaLaunch(X, X, nullptr, {}, stream);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::OutOfMemory);
  fake.fail("cuCtxGetCurrent", 201);
  EXPECT_EQ(dropout_run(X, X, nullptr, {}, stream), -7);
  EXPECT_STREQ(dropout_message(), "cuCtxGetCurrent failed while launching dropout: "
                                  "CUDA_ERROR_INVALID_CONTEXT (invalid device context)");
}
