// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests views of DLPack tensors.
#include "eft/Tensor.h"

#include <gtest/gtest.h>

using namespace eft;

namespace {

// The same declarations as in DLPack's header.
struct DLDevice {
  int32_t device_type;
  int32_t device_id;
};
struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct DLTensor {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
};

float numbers[12];
int64_t shape[9] = {3, 4, 1, 1, 1, 1, 1, 1, 1};
int64_t strides[2] = {1, 3};

DLTensor matrix() { return {numbers, {1, 0}, 2, {2, 32, 1}, shape, strides, 0}; }

std::string errorOf(const DLTensor &tensor) {
  auto found = Tensor::fromDLPack(tensor);
  return found.ok() ? "" : found.error().message;
}

} // namespace

TEST(Tensor, shows_what_dlpack_does) {
  DLTensor given = matrix();
  given.byte_offset = 8;
  auto found = Tensor::fromDLPack(given);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->data, numbers + 2);
  EXPECT_EQ(found->dtype, DataType::F32);
  EXPECT_EQ(found->device, Device::host());
  EXPECT_EQ(found->rank, 2u);
  EXPECT_EQ(found->shapeText(), "[3, 4]");
  EXPECT_EQ(found->stridesText(), "[1, 3]");
}

TEST(Tensor, without_strides_it_is_row_major) {
  DLTensor given = matrix();
  given.strides = nullptr;
  EXPECT_EQ(Tensor::fromDLPack(given)->stridesText(), "[4, 1]");
  given.ndim = 0;
  EXPECT_EQ(Tensor::fromDLPack(given)->shapeText(), "[]");
}

TEST(Tensor, devices) {
  DLTensor given = matrix();
  given.device = {2, 3};
  EXPECT_EQ(Tensor::fromDLPack(given)->device, Device::cuda(3));
  given.device = {13, 1};
  EXPECT_EQ(Tensor::fromDLPack(given)->device, Device::cuda(1));
  given.device = {3, 0};
  EXPECT_EQ(Tensor::fromDLPack(given)->device, Device::host());
  given.device = {10, 0};
  EXPECT_EQ(errorOf(given), "the tensor of DLPack has a device of type 10, expected the CPU (1, 3) "
                            "or CUDA (2, 13)");
}

TEST(Tensor, types) {
  DLTensor given = matrix();
  const std::pair<DLDataType, DataType> known[] = {{{6, 8, 1}, DataType::I1},
                                                   {{0, 64, 1}, DataType::I64},
                                                   {{1, 8, 1}, DataType::U8},
                                                   {{2, 16, 1}, DataType::F16},
                                                   {{4, 16, 1}, DataType::BF16}};
  for (auto [dtype, expected] : known) {
    given.dtype = dtype;
    EXPECT_EQ(Tensor::fromDLPack(given)->dtype, expected);
  }
  given.dtype = {5, 64, 1};
  EXPECT_EQ(errorOf(given), "the tensor of DLPack has elements of code 5, 64 bits and 1 lanes, "
                            "which kernels don't know");
  given.dtype = {2, 32, 4};
  EXPECT_EQ(errorOf(given), "the tensor of DLPack has elements of code 2, 32 bits and 4 lanes, "
                            "which kernels don't know");
}

TEST(Tensor, rank) {
  DLTensor given = matrix();
  given.strides = nullptr;
  given.ndim = 8;
  EXPECT_EQ(Tensor::fromDLPack(given)->rank, 8u);
  given.ndim = 9;
  EXPECT_EQ(errorOf(given), "the tensor of DLPack has rank 9, expected 0 to 8");
  given.ndim = -1;
  EXPECT_EQ(errorOf(given), "the tensor of DLPack has rank -1, expected 0 to 8");
}
