// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files of a build of Eft.
#pragma once

#include "eft/Export.h"

#include <string>

namespace eft::cache {

// A line with the name, the size and the time of the last change for each Python file and each
// library in a folder, but not in those inside it, in the order of their names. Two builds whose
// lines are equal are taken for the same one. Empty if the folder can't be read.
EFT_API std::string describeCodeFiles(const std::string &folder);

} // namespace eft::cache
