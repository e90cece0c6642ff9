// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variants: the compiled forms of a kernel. A call finds its variant in two steps.
//
// The first step finds an Entry by the device, the types, the constexpr values and the options. An
// Entry lists the arguments that the code is specialised on: pointers, address parameters, and the
// last extents of descriptors.
//
// The second step looks only at the values of these arguments. For a pointer it tests whether 16
// divides the address. For an address parameter it tests whether the value equals 1, and else
// whether one of the parameter's divisors (see Divisors) divides the value. For the last extent of
// a descriptor it tests whether the number of elements in 16 bytes divides the extent. So another
// value of a seed makes another variant only if the value has another type.
//
// The code of a variant may be right only for a limited number of programs. A launch of more
// programs finds another variant, whose code is for all grids.
//
// A Python object, the owner, compiles. Its methods may run any code, even launches of the same
// kernel in other threads. So no iterator or pointer that such code could invalidate is kept across
// a call of these methods.
#pragma once

#include "frontend/bindings/runtime/Call.h"
#include "frontend/bindings/runtime/CompileInProgress.h"

#include <pthread.h>
#include <unordered_map>

namespace eft::python {

// The specialisation on a value: a power of two above 1 that divides the value, 1 if the value
// equals 1, or 0 if nothing is known. Python receives it as text, and 0 as "".
using Special = uint8_t;

// The divisors for which a value is tested, the larger one first; 0 means no divisor. For an
// address parameter on a GPU they are the number of elements in the widest access, of 16 bytes, and
// in the smallest asynchronous copy, of 4 bytes. On a CPU the only one is 16.
using Divisors = std::array<Special, 2>;

struct Variant {
  // A specialisation for each examined slot of the entry, and then 1 if the code is for all grids.
  std::vector<Special> special;
  Ref kernel;              // a LoadedKernel; null while it is being compiled
  pthread_t compiler = {}; // the thread that compiles it
  long process = 0;        // the process of that thread: a forked child lacks the thread
  std::shared_ptr<CompileInProgress> progress; // the progress of that compile
};

struct Entry {
  struct Examined {
    size_t slot;
    size_t parameter;
    bool mayBeOne; // whether to test for equality to 1 as well
    Divisors divisors;
  };

  Device device;
  Options options;
  std::vector<TypeCode> codes;
  // The types of the descriptors among the arguments, in order.
  std::vector<DescriptorType> descriptors;
  std::vector<Ref> constants; // the values of the constexpr parameters, in order
  std::vector<Examined> examined;
  std::vector<std::unique_ptr<Variant>> variants;
};

class Variants {
public:
  // Returns the LoadedKernel for a call, and compiles it for the first call of its kind. `grid` is
  // the grid of the launch, or null if the kernel is only compiled. The reference is borrowed and
  // lives as long as this object. Returns null with an exception set on failure. `owner` has the
  // methods _address_parameters and _compile. The first returns a pair, whose second item is passed
  // to _compile. If the code must be for all grids, the options that _compile gets contain
  // all_grids=True.
  PyObject *find(PyObject *owner, Call &call, const Grid *grid);

  // Forgets all variants, so that the next call of each kind compiles again. The LoadedKernels stay
  // alive as long as this object, because they may be in use.
  void forget();

  int traverse(visitproc visit, void *argument) const;

private:
  int matches(const Entry &entry, const Call &call) const;
  Entry *findEntry(const Call &call, uint64_t hash, bool &failed);
  Entry *makeEntry(PyObject *owner, const Call &call, uint64_t hash, Ref &known);
  void examine(Entry &entry, const Call &call, const std::vector<Divisors> &divisors) const;
  PyObject *compile(PyObject *owner, const Call &call, Entry &entry,
                    const std::vector<Special> &special, const Ref &known);

  std::vector<std::unique_ptr<Entry>> entries; // including forgotten ones
  std::unordered_multimap<uint64_t, Entry *> byHash;
  Entry *last = nullptr;
};

} // namespace eft::python
