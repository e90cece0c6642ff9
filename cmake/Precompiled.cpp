// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An empty source file, which gives the precompiled header a target.
