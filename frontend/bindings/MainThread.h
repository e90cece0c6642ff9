// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread that Python's signals are for.
#pragma once

#include <unistd.h>

namespace eft::python {

// True in the process's first thread, and in that of a forked child. Python's main thread is that
// one, unless a program that embeds Python starts it in another: there signals wait until the work
// is done.
inline bool isMainThread() { return gettid() == getpid(); }

} // namespace eft::python
