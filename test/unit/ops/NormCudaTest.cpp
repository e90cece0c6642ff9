// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests dropout and norm with the fake driver: what is launched where.
#include "eft/Ops.h"
#include "test/unit/runtime/FakeDriver.h"

#include <gtest/gtest.h>

using namespace eft;

namespace {

/// An array at an invented address, far from the arrays with other numbers.
Tensor onGpu(int number, int64_t rows, int64_t columns, DataType dtype = DataType::F32) {
  return Tensor::matrix(reinterpret_cast<void *>(uintptr_t(number) << 40), rows, columns, dtype,
                        Device::cuda(1));
}

Tensor vectorOf(int number, int64_t count, DataType dtype = DataType::F32) {
  Tensor tensor = onGpu(number, 1, count, dtype);
  tensor.rank = 1;
  tensor.shape = {count};
  tensor.strides = {1};
  return tensor;
}

struct NormCuda : testing::Test {
  FakeDriver fake;
  StreamHandle stream = reinterpret_cast<StreamHandle>(48);
  NormAttrs attrs{.dropout = {0.5f, true, 1}};
  uintptr_t first = 0; // the offset in bytes of x and dX from an aligned address

  /// The array, moved `first` bytes from its aligned address.
  Tensor moved(Tensor tensor) const {
    tensor.data = static_cast<char *>(tensor.data) + first;
    return tensor;
  }

  void SetUp() override {
    setenv("EFT_LIBCUDA", EFT_FAKE_CUDA, 1);
    fake.setCurrent(-1);
    fake.clear();
  }

  Status forward(int64_t rows, int64_t columns, DataType dtype) {
    Tensor X = moved(onGpu(1, rows, columns, dtype)), Z = onGpu(2, rows, columns, dtype);
    Tensor Y = onGpu(3, rows, columns, dtype), W = vectorOf(4, columns, dtype);
    Tensor mean = vectorOf(5, rows), rstd = vectorOf(6, rows);
    return normForward({X, nullptr, W, nullptr, Z, Y, &mean, rstd}, attrs, stream);
  }

  Status backward(int64_t rows, int64_t columns, DataType dtype) {
    Tensor dY = onGpu(1, rows, columns, dtype), Z = onGpu(2, rows, columns, dtype);
    Tensor dX = moved(onGpu(3, rows, columns, dtype)), W = vectorOf(4, columns, dtype);
    Tensor mean = vectorOf(5, rows), rstd = vectorOf(6, rows), dW = vectorOf(7, columns, dtype);
    Tensor dB = vectorOf(8, columns, dtype), room = vectorOf(9, normWorkspace(rows, columns));
    return normBackward({dY, nullptr, Z, W, &mean, rstd, &dX, nullptr, &dW, &dB, &room}, attrs,
                        stream);
  }
};

std::string launch(const char *kernel, int64_t programs, int threads) {
  return std::string("launch ") + kernel + " on 1 grid " + std::to_string(programs) +
         " 1 1 block " + std::to_string(threads) + " 1 1 shared";
}

} // namespace

TEST_F(NormCuda, each_type_and_length_has_its_kernel) {
  for (DataType dtype : {DataType::F16, DataType::BF16, DataType::F32})
    for (auto [columns, threads] :
         {std::pair<int64_t, int>{1024, 64}, {1025, 128}, {2049, 256}, {4097, 512}, {8193, 512}}) {
      ASSERT_TRUE(forward(100, columns, dtype).ok());
      EXPECT_NE(fake.log().find(launch("forward", 32, threads)), std::string::npos) << fake.log();
      fake.clear();
      ASSERT_TRUE(backward(100, columns, dtype).ok());
      EXPECT_NE(fake.log().find(launch("backward", 8, threads)), std::string::npos) << fake.log();
      int64_t sums = 2 * ((columns + 31) / 32);
      EXPECT_NE(fake.log().find(launch("add_partials", sums, 256)), std::string::npos)
          << fake.log();
      fake.clear();
    }
  EXPECT_EQ(fake.current(), -1);
}

TEST_F(NormCuda, arrays_may_lie_anywhere) {
  // A kernel for aligned arrays would refuse these addresses.
  for (int64_t columns : {1016, 1023, 8192, 8190, 9000, 9001})
    for (uintptr_t offset : {0, 2, 8}) {
      first = offset;
      EXPECT_TRUE(forward(4, columns, DataType::F16).ok()) << columns << " at " << offset;
      EXPECT_TRUE(backward(4, columns, DataType::F16).ok()) << columns << " at " << offset;
    }
}

TEST_F(NormCuda, of_no_rows_only_sums_are_made) {
  ASSERT_TRUE(forward(0, 64, DataType::F32).ok());
  ASSERT_TRUE(backward(0, 64, DataType::F32).ok());
  EXPECT_EQ(fake.log().find("forward"), std::string::npos);
  EXPECT_EQ(fake.log().find("backward"), std::string::npos);
  EXPECT_NE(fake.log().find(launch("add_partials", 4, 256)), std::string::npos);
}

TEST_F(NormCuda, what_the_driver_refuses) {
  ASSERT_TRUE(forward(4, 4, DataType::F32).ok());
  fake.fail("cuLaunchKernel", 700);
  Status status = forward(4, 4, DataType::F32);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::Cuda);
  EXPECT_EQ(status.error().message, "launching dropout and norm on cuda:1 failed with code 700: an "
                                    "illegal memory access was encountered");
}
