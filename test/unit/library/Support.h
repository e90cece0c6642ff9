// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Helpers for the tests of the public interface.
#pragma once

#include "FakeDriver.h"
#include "eft/Runtime.h"

#include <gtest/gtest.h>

// Expects that the result is an error of this kind with exactly this message.
#define EXPECT_ERROR(result, expectedKind, expectedMessage)                                        \
  do {                                                                                             \
    const auto &outcome = result;                                                                  \
    ASSERT_FALSE(outcome.ok());                                                                    \
    EXPECT_EQ(outcome.error().kind, expectedKind);                                                 \
    EXPECT_EQ(outcome.error().message, expectedMessage);                                           \
  } while (false)

#define ASSERT_OK(result) ASSERT_TRUE((result).ok()) << (result).error().message

// The fixture of tests with the two GPUs of the fake driver.
struct PaperGpus : testing::Test {
  FakeDriver fake;

  static void SetUpTestSuite() { setenv("EFT_LIBCUDA", EFT_FAKE_CUDA, 1); }
  void SetUp() override {
    // The process retains the primary contexts only once. Do that here, so that the log of a test
    // has only its own calls.
    ASSERT_TRUE(eft::Device::cuda(0).synchronize().ok());
    ASSERT_TRUE(eft::Device::cuda(1).synchronize().ok());
    fake.setCurrent(-1);
    fake.clear();
  }
};
