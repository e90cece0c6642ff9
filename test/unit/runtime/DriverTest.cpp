// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests the opening of the CUDA driver, and the errors for a driver that can't be used.
#include "runtime/cuda/Driver.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace eft;

namespace {

// An environment variable that is set during the lifetime of the object.
struct Setting {
  Setting(const char *name, const char *value) : name(name) { setenv(name, value, 1); }
  ~Setting() { unsetenv(name); }
  const char *name;
};

Error openError(const std::string &path) {
  auto driver = cuda::Driver::open(path);
  EXPECT_FALSE(driver.ok());
  return driver.ok() ? Error{} : driver.error();
}

} // namespace

TEST(Driver, a_missing_library_is_no_driver) {
  Error error = openError("libdoes-not-exist.so.1");
  EXPECT_EQ(error.kind, ErrorKind::NoDriver);
  EXPECT_EQ(error.message,
            "no NVIDIA GPU can be used: the driver's library could not be opened: "
            "libdoes-not-exist.so.1: cannot open shared object file: No such file or directory");
}

TEST(Driver, an_old_driver_is_told_from_what_is_needed) {
  Setting version("FAKE_CUDA_VERSION", "12020");
  Error error = openError(EFT_FAKE_CUDA);
  EXPECT_EQ(error.kind, ErrorKind::NoDevice);
  EXPECT_EQ(error.message, "the NVIDIA driver is too old: it serves CUDA 12.2, expected at least "
                           "12.5 (driver 555 or later)");
}

TEST(Driver, a_library_without_an_entry_point_is_named_by_it) {
  Error error = openError("libm.so.6");
  EXPECT_EQ(error.kind, ErrorKind::NoDevice);
  EXPECT_EQ(error.message, "the NVIDIA driver has no entry point 'cuDriverGetVersion'");
}

TEST(Driver, a_driver_that_does_not_start_says_why) {
  Setting init("FAKE_CUDA_INIT", "803");
  Error error = openError(EFT_FAKE_CUDA);
  EXPECT_EQ(error.kind, ErrorKind::Cuda);
  EXPECT_EQ(error.message,
            "cuInit failed while starting the CUDA driver: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH "
            "(system has unsupported display driver / cuda driver combination)");
}

TEST(Driver, a_driver_with_no_gpu_has_no_devices) {
  Setting init("FAKE_CUDA_INIT", "100");
  auto driver = cuda::Driver::open(EFT_FAKE_CUDA);
  ASSERT_TRUE(driver.ok());
  EXPECT_FALSE((*driver)->hasDevices());
}

TEST(Driver, an_unknown_result_still_has_words) {
  auto driver = cuda::Driver::open(EFT_FAKE_CUDA);
  ASSERT_TRUE(driver.ok());
  EXPECT_EQ((*driver)->version(), 13000);
  EXPECT_EQ((*driver)->error(4711, "cuInit", "testing").message,
            "cuInit failed while testing: error 4711 (no description)");
}
