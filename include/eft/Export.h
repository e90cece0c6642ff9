// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Marks what the shared libraries offer. Everything else in them is hidden.
#pragma once

#define EFT_API __attribute__((visibility("default")))
