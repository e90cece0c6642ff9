// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds variants, and compiles those that are missing.
#include "frontend/bindings/runtime/Variants.h"

#include "frontend/bindings/runtime/LoadedKernel.h"
#include "runtime/cuda/Gpu.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <unistd.h>

namespace eft::python {
namespace {

uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 32);
}

bool isConstexprParameter(const Call &call, size_t i) {
  return call.signature[i].kind == Parameter::Constexpr;
}

// Returns a hash of the facts by which a call finds its Entry: the device, num_warps, the types and
// the constexpr values. Returns nothing, with an exception set, if a constexpr can't be hashed.
std::optional<uint64_t> hashCall(const Call &call) {
  uint64_t hash =
      mix(static_cast<uint64_t>(call.device.kind) << 32 | static_cast<uint32_t>(call.device.index),
          static_cast<uint32_t>(call.options.numWarps));
  for (size_t i = 0; i < call.signature.size(); ++i) {
    hash = mix(hash, call.codes[i]);
    if (!isConstexprParameter(call, i))
      continue;
    Py_hash_t own = PyObject_Hash(call.values[i]);
    if (own == -1) {
      if (PyErr_ExceptionMatches(PyExc_TypeError))
        raise(PyExc_TypeError,
              call.signature.where(i).message("is a constexpr and must be hashable, got " +
                                              typeName(call.values[i])));
      return std::nullopt;
    }
    hash = mix(hash, static_cast<uint64_t>(own));
  }
  for (const DescriptorType &type : call.descriptors.types)
    hash = mix(hash, type.hash());
  return hash;
}

Special specialOf(uint64_t value, const Entry::Examined &examined) {
  if (examined.mayBeOne && value == 1)
    return 1;
  for (Special divisor : examined.divisors)
    if (divisor != 0 && (value & (divisor - 1u)) == 0)
      return divisor;
  return 0;
}

// The next functions make arguments of the owner's Python methods.

// Returns a tuple with the name of each parameter's type, or None for a parameter that the compiled
// kernel does not have.
Ref typeTuple(const Call &call) {
  Ref types = Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(call.signature.size())));
  auto descriptor = call.descriptors.types.begin();
  for (size_t i = 0; types && i < call.signature.size(); ++i) {
    TypeCode code = call.codes[i];
    PyObject *name = nullptr;
    if (isConstant(code))
      name = Py_NewRef(Py_None);
    else if (isDescriptor(code))
      name = PyUnicode_FromString((descriptor++)->name().c_str());
    else
      name = PyUnicode_FromString(typeCodeName(code).c_str());
    if (!name)
      return {};
    PyTuple_SET_ITEM(types.get(), static_cast<Py_ssize_t>(i), name);
  }
  return types;
}

Ref constexprDict(const Call &call) {
  Ref dict = Ref::steal(PyDict_New());
  for (size_t i = 0; dict && i < call.signature.size(); ++i)
    if (isConstant(call.codes[i]) &&
        PyDict_SetItem(dict.get(), call.signature[i].nameObject.get(), call.values[i]) < 0)
      return {};
  return dict;
}

Ref targetText(const Call &call) {
  if (call.device.isHost())
    return Ref::steal(PyUnicode_FromString("cpu"));
  auto gpu = cuda::gpu(call.device.index);
  if (!gpu.ok()) {
    raise(gpu.error());
    return {};
  }
  return Ref::steal(PyUnicode_FromString((*gpu)->target().c_str()));
}

constexpr Divisors divisorsOfAddress = {16, 0};

constexpr unsigned bytesOfAccess = 16; // the bytes of the widest access

// Reads a tuple (number of the parameter, divisor) or (number, divisor, divisor) for an address
// parameter. Returns false with an exception set if the tuple is malformed.
bool readAddressParameter(const Signature &signature, PyObject *item,
                          std::vector<Divisors> &divisors) {
  Py_ssize_t number = 0;
  Divisors read = {};
  if (!PyTuple_Check(item) || !PyArg_ParseTuple(item, "nb|b", &number, &read[0], &read[1])) {
    raise(PyExc_TypeError, "_address_parameters of kernel '" + signature.kernelName() +
                               "' must give tuples of a number and one or two divisors, got " +
                               describe(item));
    return false;
  }
  if (number < 0 || static_cast<size_t>(number) >= signature.size()) {
    raise(PyExc_IndexError, "_address_parameters of kernel '" + signature.kernelName() +
                                "' names parameter " + std::to_string(number) + " of " +
                                std::to_string(signature.size()));
    return false;
  }
  auto isDivisor = [](Special divisor) { return divisor == 0 || std::popcount(divisor) == 1; };
  if (!std::ranges::all_of(read, isDivisor)) {
    raise(PyExc_ValueError, "_address_parameters of kernel '" + signature.kernelName() +
                                "' must give powers of two as divisors, got " + describe(item));
    return false;
  }
  divisors[static_cast<size_t>(number)] = read;
  return true;
}

// Calls owner._address_parameters. The method returns the address parameters, and an object
// `known`, which is later passed to _compile so that work is not done twice.
bool addressParameters(PyObject *owner, const Call &call, std::vector<Divisors> &divisors,
                       Ref &known) {
  Ref target = targetText(call), types = typeTuple(call), constants = constexprDict(call),
      options = call.options.toDict();
  if (!target || !types || !constants || !options)
    return false;
  Ref answer = Ref::steal(PyObject_CallMethod(owner, "_address_parameters", "OOOO", target.get(),
                                              types.get(), constants.get(), options.get()));
  if (!answer)
    return false;
  PyObject *parameters = nullptr, *rest = nullptr;
  if (!PyTuple_Check(answer.get()) || !PyArg_ParseTuple(answer.get(), "OO", &parameters, &rest)) {
    raise(PyExc_TypeError, "_address_parameters of kernel '" + call.signature.kernelName() +
                               "' must give a pair of parameters and what else was found, got " +
                               describe(answer.get()));
    return false;
  }
  known = Ref::borrow(rest);
  Ref items = Ref::steal(PySequence_Tuple(parameters));
  if (!items)
    return false;
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(items.get()); ++k)
    if (!readAddressParameter(call.signature, PyTuple_GET_ITEM(items.get(), k), divisors))
      return false;
  return true;
}

// Returns the variant with these specialisations, compiled or being compiled, or null.
Variant *findVariant(Entry &entry, const Special *special) {
  for (const std::unique_ptr<Variant> &variant : entry.variants)
    if (std::equal(variant->special.begin(), variant->special.end(), special))
      return variant.get();
  return nullptr;
}

} // namespace

int Variants::matches(const Entry &entry, const Call &call) const {
  if (entry.device != call.device || entry.options != call.options ||
      !std::equal(entry.codes.begin(), entry.codes.end(), call.codes.data()) ||
      entry.descriptors != call.descriptors.types)
    return 0;
  size_t constant = 0;
  for (size_t i = 0; i < call.signature.size(); ++i) {
    if (!isConstexprParameter(call, i))
      continue;
    int same = sameConstant(entry.constants[constant++].get(), call.values[i]);
    if (same <= 0)
      return same;
  }
  return 1;
}

Entry *Variants::findEntry(const Call &call, uint64_t hash, bool &failed) {
  // A comparison may run Python code that adds entries, so the candidates are collected first.
  std::vector<Entry *> candidates;
  auto [begin, end] = byHash.equal_range(hash);
  for (auto item = begin; item != end; ++item)
    candidates.push_back(item->second);
  for (Entry *entry : candidates) {
    int same = matches(*entry, call);
    failed = same < 0;
    if (same != 0)
      return failed ? nullptr : entry;
  }
  return nullptr;
}

Entry *Variants::makeEntry(PyObject *owner, const Call &call, uint64_t hash, Ref &known) {
  std::vector<Divisors> divisors(call.signature.size());
  if (!addressParameters(owner, call, divisors, known))
    return nullptr;
  bool failed = false;
  if (Entry *meanwhile = findEntry(call, hash, failed); meanwhile || failed)
    return meanwhile;

  auto entry = std::make_unique<Entry>();
  entry->device = call.device;
  entry->options = call.options;
  entry->codes.assign(call.codes.data(), call.codes.data() + call.codes.size());
  entry->descriptors = call.descriptors.types;
  for (size_t i = 0; i < call.signature.size(); ++i)
    if (isConstexprParameter(call, i))
      entry->constants.push_back(Ref::borrow(call.values[i]));
  examine(*entry, call, divisors);
  entries.push_back(std::move(entry));
  byHash.emplace(hash, entries.back().get());
  return entries.back().get();
}

// Finds the slots whose values distinguish the entry's variants. For a descriptor, this is the slot
// of the last extent: if the extent is a multiple of the number of elements in the widest access,
// no access crosses the end of a row.
void Variants::examine(Entry &entry, const Call &call,
                       const std::vector<Divisors> &divisors) const {
  size_t slot = 0;
  size_t firstExtent = call.slots().size() - call.descriptors.numbers.size();
  auto descriptor = entry.descriptors.begin();
  for (size_t i = 0; i < call.signature.size(); ++i) {
    TypeCode code = call.codes[i];
    if (isConstant(code))
      continue;
    bool isWanted = call.signature[i].kind == Parameter::Value;
    if (isDescriptor(code)) {
      auto elements = static_cast<Special>(bytesOfAccess * 8 / bitsInMemory(descriptor->element));
      if (isWanted)
        entry.examined.push_back({firstExtent + descriptor->rank - 1, i, false, {elements, 0}});
      firstExtent += 2 * descriptor->rank - 1u;
      ++descriptor;
    } else if (isWanted && isPointer(code)) {
      entry.examined.push_back({slot, i, false, divisorsOfAddress});
    } else if (isWanted && isInteger(code) && divisors[i] != Divisors()) {
      entry.examined.push_back({slot, i, true, divisors[i]});
    }
    ++slot;
  }
}

PyObject *Variants::find(PyObject *owner, Call &call, const Grid *grid) {
  // A comparison may run Python code, during which another thread's launch may change `last`.
  Entry *entry = last;
  int same = entry ? matches(*entry, call) : 0;
  if (same < 0)
    return nullptr;
  Ref known;
  if (!same) {
    std::optional<uint64_t> hash = hashCall(call);
    if (!hash)
      return nullptr;
    bool failed = false;
    entry = findEntry(call, *hash, failed);
    if (!entry && !failed)
      entry = makeEntry(owner, call, *hash, known);
    if (!entry)
      return nullptr;
    last = entry;
  }
  std::span<const uint64_t> slots = call.slots();
  const size_t numExamined = entry->examined.size();
  SmallArray<Special> special(numExamined + 1);
  for (size_t i = 0; i < numExamined; ++i)
    special[i] = specialOf(slots[entry->examined[i].slot], entry->examined[i]);
  auto kernelFor = [&](bool allGrids) {
    special[numExamined] = allGrids;
    if (Variant *variant = findVariant(*entry, special.data()); variant && variant->kernel)
      return variant->kernel.get();
    return compile(owner, call, *entry, {special.data(), special.data() + special.size()}, known);
  };
  PyObject *kernel = kernelFor(false);
  if (!kernel || !grid || !kernelOf(kernel).hasTooManyPrograms(*grid))
    return kernel;
  known = Ref(); // only one variant may specialise the lowered kernel that it holds
  return kernelFor(true);
}

// Returns a tuple with each parameter's specialisation as text.
static Ref specialTuple(const Call &call, const Entry &entry, const std::vector<Special> &special) {
  std::vector<Special> byParameter(call.signature.size(), 0);
  for (size_t i = 0; i < entry.examined.size(); ++i)
    byParameter[entry.examined[i].parameter] = special[i];
  Ref tuple = Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(byParameter.size())));
  for (size_t i = 0; tuple && i < byParameter.size(); ++i) {
    std::string text = byParameter[i] == 0 ? "" : std::to_string(byParameter[i]);
    PyObject *word = PyUnicode_InternFromString(text.c_str());
    if (!word)
      return {};
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), word);
  }
  return tuple;
}

// Calls owner._compile, and checks that it returns a LoadedKernel on the call's device.
static Ref callCompile(PyObject *owner, const Call &call, const Entry &entry,
                       const std::vector<Special> &special, const Ref &known) {
  Ref target = targetText(call), types = typeTuple(call), constants = constexprDict(call),
      options = call.options.toDict(), specials = specialTuple(call, entry, special);
  if (!target || !types || !constants || !options || !specials)
    return {};
  if (special.back() && PyDict_SetItemString(options.get(), "all_grids", Py_True) < 0)
    return {};
  int device = call.device.isHost() ? -1 : call.device.index;
  Ref kernel = Ref::steal(PyObject_CallMethod(owner, "_compile", "OiOOOOO", target.get(), device,
                                              types.get(), constants.get(), options.get(),
                                              specials.get(), known ? known.get() : Py_None));
  if (!kernel)
    return {};
  bool right = PyObject_TypeCheck(kernel.get(), loadedKernelType);
  if (right && kernelOf(kernel.get()).device() == call.device)
    return kernel;
  raise(PyExc_TypeError,
        "_compile of kernel '" + call.signature.kernelName() + "' must return a LoadedKernel on " +
            call.device.name() + ", got " +
            (right ? "one on " + kernelOf(kernel.get()).device().name() : typeName(kernel.get())));
  return {};
}

PyObject *Variants::compile(PyObject *owner, const Call &call, Entry &entry,
                            const std::vector<Special> &special, const Ref &known) {
  auto progress = std::make_shared<CompileInProgress>();
  // Each wait may run other code, so look for the variant again after it.
  for (;;) {
    Variant *variant = findVariant(entry, special.data());
    if (variant && variant->kernel)
      return variant->kernel.get();
    if (!variant || variant->process != getpid() ||
        pthread_equal(variant->compiler, pthread_self())) {
      if (!variant) {
        entry.variants.push_back(std::make_unique<Variant>());
        variant = entry.variants.back().get();
        variant->special = special;
      }
      variant->compiler = pthread_self();
      variant->process = getpid();
      variant->progress = progress;
      break;
    }
    // Another thread is compiling this variant: wait and use its result.
    std::shared_ptr<CompileInProgress> other = variant->progress;
    if (!other->wait())
      return nullptr;
  }
  Ref kernel = callCompile(owner, call, entry, special, known);
  progress->finish();
  Variant *variant = findVariant(entry, special.data());
  if (kernel) {
    // The variant is missing if a nested compile of the same variant failed and removed it.
    if (!variant) {
      entry.variants.push_back(std::make_unique<Variant>());
      variant = entry.variants.back().get();
      variant->special = special;
    }
    if (!variant->kernel)
      variant->kernel = std::move(kernel);
    return variant->kernel.get();
  }
  if (variant && !variant->kernel)
    std::erase_if(entry.variants, [&](const auto &item) { return item.get() == variant; });
  return nullptr;
}

void Variants::forget() {
  byHash.clear();
  last = nullptr;
}

int Variants::traverse(visitproc visit, void *arg) const {
  for (const std::unique_ptr<Entry> &entry : entries) {
    for (const Ref &constant : entry->constants)
      Py_VISIT(constant.get());
    for (const std::unique_ptr<Variant> &variant : entry->variants)
      Py_VISIT(variant->kernel.get());
  }
  return 0;
}

} // namespace eft::python
