// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assertions in kernels on a GPU.
//
// Code with assertions has two variables: `eft$sites` holds the texts of the assertions, and
// `eft$failure` holds the address of a record in host memory. A program whose assertion fails
// writes that assertion to the record, unless another program has done so before, and ends. The
// launch waits for the kernel and reads the record. All other work on the GPU is unaffected.
// Launches of the same kernel run one after the other, even from several threads, so that each
// launch reads the failures of its own programs only.
//
// A kernel may be loaded so that its assertions trap. Then its launches don't wait, and can be
// captured into a graph. A failed assertion ends all work of the process on the GPU, as it does in
// CUDA: all later calls of the driver fail. Launches of the same kernel then read the record, and
// tell of the assertion.
#pragma once

#include "runtime/cuda/Gpu.h"

#include <memory>
#include <mutex>

namespace eft::cuda {

// The record to which a module's code writes a failed assertion. Must be destroyed before the
// module.
class Assertions {
public:
  // The symbol by which code with assertions is recognised.
  static constexpr std::string_view symbol = "eft$failure";

  // The assertions of a module; null if the module has none. The module's context must be current.
  // `trap` says whether they trap. `doing` says what Eft is doing, for an error message.
  static Expected<std::unique_ptr<Assertions>> of(const Driver &driver, ModuleHandle module,
                                                  bool trap, std::string_view doing);
  ~Assertions();
  Assertions(const Assertions &) = delete;

  bool trap() const { return traps; }

  // Returns the error of the assertion in the record; success if there is none.
  Status failure() const;

  // Begins a launch of a kernel whose assertions don't trap: waits until earlier launches of the
  // kernel are done, and returns a lock, which the caller keeps until `wait` has returned. If the
  // interruption ends the waiting, the returned lock is not held, and the kernel must not be
  // launched.
  [[nodiscard]] std::unique_lock<std::mutex> beginLaunch(Interruption *interruption);

  // Waits for the kernel that was launched into the stream, and returns the error of the failed
  // assertion, if there is one. If the interruption ends the wait, the next launch first waits for
  // this kernel.
  Status wait(StreamHandle stream, std::string_view doing, Interruption *interruption);

private:
  // The layout that code from GpuDebug.cpp writes.
  struct Record {
    uint32_t site; // the offset of the text in `sites`, plus 1; 0 if no assertion failed
    uint32_t program[3];
    uint32_t traps; // whether a failed assertion traps
  };

  Assertions(const Driver &driver, bool traps) : driver(driver), traps(traps) {}
  void abandon(StreamHandle stream);
  Status prepare(ModuleHandle module, DevicePointer variable, std::string_view doing);

  const Driver &driver;
  const bool traps; // not read from the record, which launches clear
  Record *record = nullptr;
  std::string sites;
  std::mutex oneLaunch;
  EventHandle abandoned = nullptr; // recorded after a launch whose wait was ended early
};

} // namespace eft::cuda
