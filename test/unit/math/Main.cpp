// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// math-test [--exhaustive]: tests the arithmetic that the transforms emit.
#include "Samples.h"

#include <gtest/gtest.h>

#include <string_view>

namespace eft::test {
bool exhaustive = false;
}

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i)
    eft::test::exhaustive |= std::string_view(argv[i]) == "--exhaustive";
  return RUN_ALL_TESTS();
}
