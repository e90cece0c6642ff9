// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A description of the code files in a folder, by which two builds of Eft are told apart.
#pragma once

#include "eft/Export.h"

#include <string>

namespace eft::cache {

// One line for each .py and .so file in a folder: its name, its size, and the time of its last
// change. The lines are sorted by name, and subfolders are not searched. Two builds with equal
// lines are taken for the same build. Empty if the folder can't be read.
EFT_API std::string describeCodeFiles(const std::string &folder);

} // namespace eft::cache
