// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stream that a launch goes to: the one that the arrays' library works on just now.
#pragma once

#include "frontend/bindings/runtime/ArrayReader.h"

namespace eft::python {

// Chooses the stream of a launch. It notes what the launch's arrays offer for that, array by array.
class StreamChoice {
public:
  // Takes note of an array on a GPU.
  void consider(const TypeReader &reader, const ArrayFacts &facts) {
    if (reader.exchange && !exchange)
      exchange = reader.exchange;
    if (reader.library != Library::Other && library == Library::Other)
      library = reader.library;
    if (facts.hasStream && !named) {
      named = true;
      stream = facts.stream;
    }
  }

  // The stream, as the driver numbers it: from DLPack's table, else from the library of the arrays,
  // else the one that an array names, else that of PyTorch or CuPy if they are loaded, else the
  // default one. False with an exception set if the library fails.
  bool find(int device, uint64_t &found) const;

private:
  const dlpack::ExchangeApi *exchange = nullptr;
  Library library = Library::Other;
  bool named = false;
  uint64_t stream = 0;
};

} // namespace eft::python
