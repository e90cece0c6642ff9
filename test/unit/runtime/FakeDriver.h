// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A test's access to the fake driver: reads its log and controls its answers.
#pragma once

#include <cstdlib>
#include <dlfcn.h>
#include <string>

// Opens the same library as Eft, and calls its functions whose names begin with "fake".
class FakeDriver {
public:
  static std::string path() { return EFT_FAKE_CUDA; }

  FakeDriver() : library(dlopen(EFT_FAKE_CUDA, RTLD_NOW)) {}

  std::string log() const { return call<const char *()>("fakeLog")(); }
  void clear() const { call<void()>("fakeClear")(); }
  void fail(const char *name, int result) const {
    call<void(const char *, int)>("fakeFail")(name, result);
  }
  void stayBusy(int questions) const { call<void(int)>("fakeBusy")(questions); }
  void capture(void *stream) const { call<void(void *)>("fakeCapture")(stream); }
  int current() const { return call<int()>("fakeCurrent")(); }
  int captureMode() const { return call<int()>("fakeCaptureMode")(); }
  void setCurrent(int ordinal) const { call<void(int)>("fakeSetCurrent")(ordinal); }

private:
  template <typename Function> Function *call(const char *name) const {
    return reinterpret_cast<Function *>(dlsym(library, name));
  }

  void *library;
};
