// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests arguments that match their parameters, and arguments that do not.
#include "Support.h"

using namespace eft;

namespace {

void nothing(const uint64_t *, const uint32_t *, uint64_t, uint64_t) {}

// The error of a launch of a kernel that has only this parameter, or "".
template <typename T> std::string verdict(Parameter parameter, const T &argument) {
  auto kernel = Kernel::loadHost(nothing, {.name = "k", .parameters = {parameter}});
  Status status = kernel->launch({}, Stream(), argument);
  return status.ok() ? "" : status.error().message;
}

Parameter value(DataType type) { return {type, false, 1}; }
Parameter pointer(DataType type) { return {type, true, 1}; }

TEST(Argument, types_of_cpp) {
  EXPECT_EQ(dataTypeOf<bool>(), DataType::I1);
  EXPECT_EQ(dataTypeOf<int8_t>(), DataType::I8);
  EXPECT_EQ(dataTypeOf<unsigned char>(), DataType::U8);
  EXPECT_EQ(dataTypeOf<short>(), DataType::I16);
  EXPECT_EQ(dataTypeOf<uint32_t>(), DataType::U32);
  EXPECT_EQ(dataTypeOf<long>(), DataType::I64);
  EXPECT_EQ(dataTypeOf<unsigned long long>(), DataType::U64);
  EXPECT_EQ(dataTypeOf<double>(), DataType::F64);
  EXPECT_EQ(dataTypeOf<BFloat16>(), DataType::BF16);
  EXPECT_EQ(dataTypeOf<long double>(), std::nullopt);
  EXPECT_EQ(dataTypeOf<std::string>(), std::nullopt);
}

TEST(Argument, scalars_of_their_type_fit) {
  EXPECT_EQ(verdict(value(DataType::I1), true), "");
  EXPECT_EQ(verdict(value(DataType::I8), 'x'), "");
  EXPECT_EQ(verdict(value(DataType::I16), uint16_t(1)), "");
  EXPECT_EQ(verdict(value(DataType::I32), 1), "");
  EXPECT_EQ(verdict(value(DataType::I32), 1u), "");
  EXPECT_EQ(verdict(value(DataType::U32), 1), "");
  EXPECT_EQ(verdict(value(DataType::I64), size_t(1)), "");
  EXPECT_EQ(verdict(value(DataType::F16), Half{0x3c00}), "");
  EXPECT_EQ(verdict(value(DataType::BF16), BFloat16{0x3f80}), "");
  EXPECT_EQ(verdict(value(DataType::F32), 1.0f), "");
  EXPECT_EQ(verdict(value(DataType::F64), 1.0), "");
}

TEST(Argument, other_scalars_are_not_converted) {
  auto message = [](const std::string &expected, const std::string &found) {
    return "kernel 'k' parameter 0 must be " + expected + ", got " + found;
  };
  EXPECT_EQ(verdict(value(DataType::I64), 1), message("i64", "i32"));
  EXPECT_EQ(verdict(value(DataType::I32), 1ul), message("i32", "u64"));
  EXPECT_EQ(verdict(value(DataType::I8), true), message("i8", "i1"));
  EXPECT_EQ(verdict(value(DataType::I1), 1), message("i1", "i32"));
  EXPECT_EQ(verdict(value(DataType::F32), 1.0), message("fp32", "fp64"));
  EXPECT_EQ(verdict(value(DataType::F32), 1), message("fp32", "i32"));
  EXPECT_EQ(verdict(value(DataType::F16), BFloat16{}), message("fp16", "bf16"));
  EXPECT_EQ(verdict(pointer(DataType::F32), uint64_t(64)), message("*fp32", "u64"));
}

TEST(Argument, pointers) {
  float number = 0;
  const float constant = 0;
  bool flag = false;
  EXPECT_EQ(verdict(pointer(DataType::F32), &number), "");
  EXPECT_EQ(verdict(pointer(DataType::F32), &constant), "");
  EXPECT_EQ(verdict(pointer(DataType::F32), static_cast<const void *>(&number)), "");
  EXPECT_EQ(verdict(pointer(DataType::F32), reinterpret_cast<std::byte *>(&number)), "");
  EXPECT_EQ(verdict(pointer(DataType::F32), nullptr), "");
  EXPECT_EQ(verdict(pointer(DataType::I32), static_cast<unsigned *>(nullptr)), "");
  EXPECT_EQ(verdict(pointer(DataType::I8), &flag), "");
  EXPECT_EQ(verdict(pointer(DataType::F32), static_cast<int *>(nullptr)),
            "kernel 'k' parameter 0 must be *fp32, got *i32");
  EXPECT_EQ(verdict(pointer(DataType::F16), static_cast<uint16_t *>(nullptr)),
            "kernel 'k' parameter 0 must be *fp16, got *u16");
  EXPECT_EQ(verdict(value(DataType::F32), &number),
            "kernel 'k' parameter 0 must be fp32, got *fp32");
  EXPECT_EQ(verdict(value(DataType::I64), nullptr),
            "kernel 'k' parameter 0 must be i64, got a pointer");
}

TEST(Argument, buffers) {
  auto buffer = Buffer::allocate(Device::host(), 16);
  EXPECT_EQ(verdict(pointer(DataType::F32), *buffer), "");
  EXPECT_EQ(verdict(pointer(DataType::I64), Buffer()), "");
  EXPECT_EQ(verdict(value(DataType::I64), *buffer),
            "kernel 'k' parameter 0 must be i64, got a buffer on cpu");
}

TEST_F(PaperGpus, buffers_of_another_device_do_not_fit) {
  auto buffer = Buffer::allocate(Device::cuda(1), 16);
  EXPECT_EQ(verdict(pointer(DataType::F32), *buffer),
            "kernel 'k' parameter 0 must be *fp32 on cpu, got a buffer on cuda:1");
  auto kernel = Kernel::loadCuda(Device::cuda(1), "params=1",
                                 {.name = "k", .parameters = {pointer(DataType::F32)}});
  EXPECT_TRUE(kernel->launch({}, Stream(Device::cuda(1)), *buffer).ok());
}

TEST(Argument, divisibility_is_checked) {
  alignas(64) char memory[64];
  Parameter aligned{DataType::F32, true, 16};
  EXPECT_EQ(verdict(aligned, static_cast<void *>(memory + 32)), "");
  EXPECT_EQ(verdict(aligned, nullptr), "");
  EXPECT_EQ(verdict(aligned, static_cast<void *>(memory + 4)),
            "kernel 'k' parameter 0 must be *fp32 and a multiple of 16, got " +
                std::to_string(reinterpret_cast<uintptr_t>(memory + 4)));
  Parameter count{DataType::I32, false, 16};
  EXPECT_EQ(verdict(count, -32), "");
  EXPECT_EQ(verdict(count, 40), "kernel 'k' parameter 0 must be i32 and a multiple of 16, got 40");
}

TEST(Argument, divisibility_must_be_a_power_of_two) {
  EXPECT_ERROR(
      Kernel::loadHost(nothing, {.name = "k", .parameters = {{}, {DataType::I32, false, 3}}}),
      ErrorKind::InvalidArgument,
      "kernel 'k' has a parameter 1 whose divisibility must be a power of two, got 3");
}

TEST(Argument, their_number_must_be_right) {
  auto kernel = Kernel::loadHost(
      nothing, {.name = "k", .parameters = {pointer(DataType::F32), value(DataType::I32)}});
  EXPECT_ERROR(kernel->launch({}, Stream(), nullptr), ErrorKind::InvalidArgument,
               "kernel 'k' takes 2 arguments (*fp32, i32), got 1");
  EXPECT_ERROR(kernel->launch({}, Stream(), nullptr, 1, 1), ErrorKind::InvalidArgument,
               "kernel 'k' takes 2 arguments (*fp32, i32), got 3");
  EXPECT_ERROR(kernel->launch({}, Stream()), ErrorKind::InvalidArgument,
               "kernel 'k' takes 2 arguments (*fp32, i32), got 0");
  auto bare = Kernel::loadHost(nothing, {.name = "k", .parameters = {}});
  EXPECT_ERROR(bare->launch({}, Stream(), 1), ErrorKind::InvalidArgument,
               "kernel 'k' takes 0 arguments (), got 1");
  EXPECT_TRUE(bare->launch({}, Stream()).ok());
}

} // namespace
