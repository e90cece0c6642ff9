// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "eft/Error.h"

#include <gtest/gtest.h>

using namespace eft;

TEST(Error, a_status_is_success_unless_it_holds_an_error) {
  Status fine;
  EXPECT_TRUE(fine.ok());
  Status failed = Error{ErrorKind::Cuda, "no luck"};
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().kind, ErrorKind::Cuda);
  EXPECT_EQ(std::move(failed).error().message, "no luck");
}

TEST(Error, an_expected_value_moves_out) {
  Expected<std::unique_ptr<int>> value = std::make_unique<int>(3);
  ASSERT_TRUE(value.ok());
  std::unique_ptr<int> inside = *std::move(value);
  EXPECT_EQ(*inside, 3);
}

TEST(Error, an_expected_value_may_be_an_error) {
  Expected<int> value = Error{ErrorKind::NoDevice, "none"};
  ASSERT_FALSE(value.ok());
  EXPECT_EQ(value.error().message, "none");
}
