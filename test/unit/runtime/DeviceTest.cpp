// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests element types, names of devices, and the count of cores.
#include "eft/Device.h"
#include "eft/DataType.h"
#include "runtime/device/Host.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace eft;
namespace fs = std::filesystem;

TEST(DataType, names_in_signatures_and_in_arrays) {
  EXPECT_EQ(dataTypeName(DataType::I1), "i1");
  EXPECT_EQ(dataTypeName(DataType::BF16), "bf16");
  EXPECT_EQ(dataTypeName(DataType::F64), "fp64");
  EXPECT_EQ(dataTypeFromArrayName("bool"), DataType::I1);
  EXPECT_EQ(dataTypeFromArrayName("uint16"), DataType::U16);
  EXPECT_EQ(dataTypeFromArrayName("bfloat16"), DataType::BF16);
  EXPECT_EQ(dataTypeName(DataType::F8E4NV), "fp8e4nv");
  EXPECT_EQ(dataTypeFromArrayName("float8_e5m2"), DataType::F8E5);
  EXPECT_EQ(bitsInMemory(DataType::F8E4B15), 8u);
  EXPECT_EQ(dataTypeFromArrayName("complex64"), std::nullopt);
  EXPECT_EQ(dataTypeFromArrayName(""), std::nullopt);
  EXPECT_EQ(dataTypeFromName("fp16"), DataType::F16);
  EXPECT_EQ(dataTypeFromName("float16"), std::nullopt);
}

TEST(DataType, of_another_number_is_unknown) {
  EXPECT_EQ(dataTypeName(DataType(numDataTypes)), "unknown");
  EXPECT_EQ(dataTypeName(DataType(255)), "unknown");
  EXPECT_EQ(bitsInMemory(DataType(numDataTypes)), 0u);
}

TEST(DataType, a_boolean_takes_a_byte) {
  EXPECT_EQ(bitsInMemory(DataType::I1), 8u);
  EXPECT_EQ(bitsInMemory(DataType::F16), 16u);
  EXPECT_EQ(bitsInMemory(DataType::U64), 64u);
}

TEST(Device, names) {
  EXPECT_EQ(Device::host().name(), "cpu");
  EXPECT_EQ(Device::cuda(3).name(), "cuda:3");
  EXPECT_FALSE(Device::cuda(0) == Device::host());
}

// A temporary folder with control group files, which is removed after the test.
struct ControlGroups : testing::Test {
  fs::path mount = fs::temp_directory_path() / ("eft-cgroup-" + std::to_string(getpid()));
  void SetUp() override { fs::create_directories(mount); }
  void TearDown() override { fs::remove_all(mount); }
  void write(const std::string &name, const std::string &text) {
    fs::create_directories((mount / name).parent_path());
    std::ofstream(mount / name) << text;
  }
};

TEST_F(ControlGroups, version_2_takes_the_least_quota_on_the_way_to_the_root) {
  write("cpu.max", "max 100000\n");
  write("a/cpu.max", "150000 100000\n");
  write("a/b/cpu.max", "300000 100000\n");
  EXPECT_EQ(controlGroupQuota("0::/a/b\n", mount), 1.5);
}

TEST_F(ControlGroups, version_2_inside_a_container_reads_the_mount_itself) {
  write("cpu.max", "200000 100000\n");
  EXPECT_EQ(controlGroupQuota("0::/\n", mount), 2.0);
  EXPECT_EQ(controlGroupQuota("0::/docker/not/here\n", mount), 2.0);
}

TEST_F(ControlGroups, version_1_reads_the_cpu_controller) {
  write("cpu/job/cpu.cfs_quota_us", "400000\n");
  write("cpu/job/cpu.cfs_period_us", "100000\n");
  write("cpu/cpu.cfs_quota_us", "-1\n");
  write("cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(controlGroupQuota("7:memory:/job\n4:cpuacct,cpu:/job\n", mount), 4.0);
  EXPECT_EQ(controlGroupQuota("7:memory:/job\n5:cpuset:/job\n", mount), std::nullopt);
}

TEST_F(ControlGroups, none_or_nonsense_is_no_quota) {
  write("cpu.max", "max 100000\n");
  EXPECT_EQ(controlGroupQuota("0::/\n", mount), std::nullopt);
  EXPECT_EQ(controlGroupQuota("", mount), std::nullopt);
  EXPECT_EQ(controlGroupQuota("nonsense\n0:\n", mount), std::nullopt);
  write("cpu.max", "0 0\n");
  EXPECT_EQ(controlGroupQuota("0::/\n", mount), std::nullopt);
}

TEST(Host, this_process_has_a_core) { EXPECT_GE(usableCores(), 1u); }

TEST(Host, the_number_of_threads_can_be_set) {
  setenv("EFT_NUM_THREADS", "3", 1);
  EXPECT_EQ(*hostThreads(), 3u);
  setenv("EFT_NUM_THREADS", "", 1);
  EXPECT_EQ(*hostThreads(), usableCores());
  unsetenv("EFT_NUM_THREADS");
  EXPECT_EQ(*hostThreads(), usableCores());
}

TEST(Host, a_number_of_threads_that_is_none_is_an_error) {
  for (const char *text : {"0", "-1", "two", "4x", "1.5", "5000", "99999999999999"}) {
    auto parsed = parseThreadCount(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().kind, ErrorKind::InvalidArgument);
    EXPECT_EQ(parsed.error().message,
              std::string("EFT_NUM_THREADS must be an integer from 1 to 4096, got '") + text + "'");
  }
}
