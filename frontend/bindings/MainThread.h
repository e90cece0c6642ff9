// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells whether this is the thread in which Python runs the handlers of signals.
#pragma once

#include <unistd.h>

namespace eft::python {

// Returns true in the first thread of the process, and in the only thread of a forked child. That
// is Python's main thread, unless a program that embeds Python starts the interpreter in another
// thread. In such a program, the handlers of signals usually run only when the compile, the launch
// or the wait is over.
inline bool isMainThread() { return gettid() == getpid(); }

} // namespace eft::python
