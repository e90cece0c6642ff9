// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The assertions of a kernel on a GPU.
//
// Code with assertions has two variables: `eft$sites`, the texts of its assertions, and
// `eft$failure`, the address of a record in the host's memory. A program in which an assertion
// fails notes that there, if it is the first to do so, and ends. The launch waits for the kernel
// and looks at the record; nothing else on the GPU takes harm. So that each launch is told of its
// own programs, launches of one kernel come one after the other, also from several threads.
#pragma once

#include "runtime/cuda/Gpu.h"

#include <memory>
#include <mutex>

namespace eft::cuda {

// The records that a module's code writes when an assertion fails. Must go before the module.
class Assertions {
public:
  // The symbol that code with assertions has.
  static constexpr std::string_view symbol = "eft$failure";

  // Null if the module has no assertions. Its context must be current.
  static Expected<std::unique_ptr<Assertions>> of(const Driver &driver, ModuleHandle module,
                                                  std::string_view doing);
  ~Assertions();
  Assertions(const Assertions &) = delete;

  // Held from before a launch until `wait` has returned. Not held if the interruption has ended the
  // wait for earlier launches.
  [[nodiscard]] std::unique_lock<std::mutex> beginLaunch(Interruption *interruption);

  // Waits for what was launched into the stream, and gives the assertion that has failed, if any.
  // If the interruption ends the wait, the next launch waits first.
  Status wait(StreamHandle stream, std::string_view doing, Interruption *interruption);

private:
  // As the code of GpuDebug.cpp writes it.
  struct Record {
    uint32_t site; // the text's place in `sites`, counted from 1; 0: none has failed
    uint32_t program[3];
  };

  explicit Assertions(const Driver &driver) : driver(driver) {}
  void abandon(StreamHandle stream);
  Status prepare(ModuleHandle module, DevicePointer variable, std::string_view doing);

  const Driver &driver;
  Record *record = nullptr;
  std::string sites;
  std::mutex oneLaunch;
  EventHandle abandoned = nullptr; // marks the end of the launch whose wait was ended early
};

} // namespace eft::cuda
