// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// EFT_API marks the symbols that the shared libraries export. All other symbols are hidden.
#pragma once

#define EFT_API __attribute__((visibility("default")))
