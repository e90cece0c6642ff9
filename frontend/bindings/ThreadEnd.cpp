// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of threads that are still at work when the process ends.
//
// **Threads of Python.** When the interpreter ends, Python up to 3.13 ends each daemon thread as
// soon as it wants the GIL, by pthread_exit. That unwinds the thread's stack, through every frame
// of ours below which Python was called or the GIL taken: destructors would then drop references
// without the GIL, and the first frame that lets no exception out would end the process by
// SIGABRT. As any call of Python may lead there, the one place to prevent it is where C++ is asked
// what to do with a frame: the personality routine, which the linker replaces by the one below
// (`--wrap`). A thread that is being ended stays where it is, and goes with the process. From 3.14
// on Python itself does the same.
//
// **Threads of the compiler.** One that nobody waits for any more may be compiling. So the objects
// with static storage that LLVM and MLIR use stay: nothing is registered for destruction at exit.
// A module is never unloaded, and the process's memory goes with it.
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
