// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps the process from crashing at its end if some threads still run then.
//
// **Threads of Python.** When the interpreter shuts down, Python up to 3.13 calls pthread_exit in
// each daemon thread that tries to take the GIL. pthread_exit unwinds the stack of the thread, also
// through Eft's frames that called Python or were taking the GIL. Destructors in these frames would
// drop references without the GIL, and the first `noexcept` frame would end the process with
// SIGABRT. Any call of Python may lead to this, so it is prevented in one place: the personality
// routine, which the unwinder calls for every C++ frame. The linker option `--wrap` replaces that
// routine by the one below. On a forced unwind it never returns, so the thread sleeps until the
// process ends. Python 3.14 and later suspends such threads itself.
//
// **Threads of the compiler.** An abandoned compile may still run when the process ends. It uses
// objects of LLVM and MLIR with static storage, so these must not be destroyed at exit. Therefore
// the linker also replaces `__cxa_atexit`, by a function that registers nothing. An extension
// module is never unloaded, and its memory is freed with the process.
#include <cstdint>
#include <unistd.h>
#include <unwind.h>

extern "C" {

_Unwind_Reason_Code __real___gxx_personality_v0(int version, _Unwind_Action actions,
                                                _Unwind_Exception_Class kind,
                                                _Unwind_Exception *exception,
                                                _Unwind_Context *context);

_Unwind_Reason_Code __wrap___gxx_personality_v0(int version, _Unwind_Action actions,
                                                _Unwind_Exception_Class kind,
                                                _Unwind_Exception *exception,
                                                _Unwind_Context *context) {
  while (actions & _UA_FORCE_UNWIND)
    pause();
  return __real___gxx_personality_v0(version, actions, kind, exception, context);
}

int __wrap___cxa_atexit(void (*)(void *), void *, void *) { return 0; }

} // extern "C"
