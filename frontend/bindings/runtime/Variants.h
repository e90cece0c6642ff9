// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiled forms of a kernel, found in two steps.
//
// First by what is part of the kernel's meaning: device, types, constexpr values, options. The
// entry found there knows which arguments the code can make use of knowing more about: pointers,
// and integers that reach an address. Only of those the values are looked at, in the second step:
// an address divisible by 16 or not; an integer equal to 1, or divisible by as many elements as the
// widest access has, or by as many as the least copy has, or neither. So a count or a seed never
// makes another variant.
//
// The object that knows how to compile is in Python. Its methods may run anything, other threads'
// launches of the same kernel included, so nothing here is held across a call of them.
#pragma once

#include "frontend/bindings/runtime/Call.h"
#include "frontend/bindings/runtime/CompileInProgress.h"

#include <pthread.h>
#include <unordered_map>

namespace eft::python {

// The knowledge of a value: a power of two from 2 on that divides it; 1, which it equals; or 0:
// nothing. Python sees a number as text, and nothing as an empty one.
using Special = uint8_t;

// The divisors that a value is told apart by, the larger one first, or zeros.
using Divisors = std::array<Special, 2>;

struct Variant {
  std::vector<Special> special; // what is known of each examined slot of the entry
  Ref kernel;                   // a LoadedKernel; none while it is being compiled …
  pthread_t compiler = {};      // … by this thread …
  long process = 0;             // … of this process: a forked child has no such thread
  std::shared_ptr<CompileInProgress> progress; // the progress of that compile
};

struct Entry {
  struct Examined {
    size_t slot;
    size_t parameter;
    bool mayBeOne; // whether being equal to 1 counts as well
    Divisors divisors;
  };

  Device device;
  Options options;
  std::vector<TypeCode> codes;
  // The types of those parameters that are descriptors, in order.
  std::vector<DescriptorType> descriptors;
  std::vector<Ref> constants; // the values of the constexpr parameters, in order
  std::vector<Examined> examined;
  std::vector<std::unique_ptr<Variant>> variants;
};

class Variants {
public:
  // The LoadedKernel for a call, compiled if it is the first of its kind. Borrowed: it lives as
  // long as this object. Null with an exception set if compiling failed. `owner` has the methods
  // _address_parameters and _compile. What the first one has found is passed to the second one.
  PyObject *find(PyObject *owner, Call &call);

  // The next call of each kind compiles again. What is in use stays as long as this object.
  void forget();

  int traverse(visitproc visit, void *argument) const;

private:
  int matches(const Entry &entry, const Call &call) const;
  Entry *findEntry(const Call &call, uint64_t hash, bool &failed);
  Entry *makeEntry(PyObject *owner, const Call &call, uint64_t hash, Ref &known);
  void examine(Entry &entry, const Call &call, const std::vector<Divisors> &divisors) const;
  PyObject *compile(PyObject *owner, const Call &call, Entry &entry,
                    const std::vector<Special> &special, const Ref &known);

  std::vector<std::unique_ptr<Entry>> entries; // the forgotten ones too
  std::unordered_multimap<uint64_t, Entry *> byHash;
  Entry *last = nullptr;
};

} // namespace eft::python
