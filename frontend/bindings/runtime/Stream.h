// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// StreamChoice: finds the stream of a launch, the current stream of the library that owns the
// arrays.
#pragma once

#include "frontend/bindings/runtime/ArrayReader.h"

namespace eft::python {

// Chooses the stream of a launch from what its arrays offer. `consider` is called for each array,
// then `find`.
class StreamChoice {
public:
  // Notes the sources of a stream that an array on a GPU offers. The first of each kind counts.
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

  // Finds the stream on a GPU, as the driver's handle. It comes from the first of these that
  // exists: DLPack's exchange table; the library of the arrays; the stream that an array names;
  // PyTorch or CuPy, if loaded; else it is the default stream, 0. Returns false with an exception
  // set if a library fails.
  bool find(int device, uint64_t &found) const;

private:
  const dlpack::ExchangeApi *exchange = nullptr;
  Library library = Library::Other;
  bool named = false;
  uint64_t stream = 0;
};

} // namespace eft::python
