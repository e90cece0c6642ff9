// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The headers that most unit tests use, precompiled. Each file still includes the headers that it
// uses.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>
