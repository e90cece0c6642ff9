// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signature: the parameters of a kernel, to which the arguments of a call are bound.
#pragma once

#include "frontend/bindings/runtime/ArrayReader.h"
#include "frontend/bindings/runtime/Constants.h"

#include <array>
#include <string>
#include <vector>

namespace eft::python {

// The options that a call may give in addition to the kernel's arguments. −1 means not given.
struct Options {
  int32_t numWarps = 4;
  int32_t numStages = -1;
  int32_t numCtas = -1;
  int32_t maxRegisters = -1;
  int32_t debug = -1;

  bool operator==(const Options &) const = default;
  // Returns a dict such as {"num_warps": 4, …}, with the options that were given, and always
  // num_warps.
  Ref toDict() const;
};

struct Parameter {
  enum Kind : uint8_t { Value = 0, NeverSpecialized = 1, Constexpr = 2 };

  std::string name;
  Ref nameObject; // interned
  Kind kind = Value;
  Ref fallback;          // the default; null if there is none
  bool isDouble = false; // declared as fp64, so that a float keeps all of its bits
  // The type of the last argument and its reader, because most calls pass the same type again.
  PyTypeObject *lastType = nullptr;
  const TypeReader *lastReader = nullptr;
};

class Signature {
public:
  // Reads the parameters from a sequence of (name, kind, default, type); see KernelBase. Returns
  // false with an exception set if something is wrong.
  bool init(std::string kernelName, PyObject *parameters);

  // Finds the argument of each parameter by Python's rules, and reads the options. Fills `values`
  // with size() borrowed references, which are valid as long as the arguments and this signature
  // live. If `grid` is not null, the keyword `grid` is accepted and stored there. Returns false
  // with an exception set if the arguments don't fit.
  bool bind(PyObject *const *args, size_t nargs, PyObject *keywords, PyObject **values,
            Options &options, PyObject **grid = nullptr);

  // Returns a new dict {name: value} of all parameters.
  Ref toDict(PyObject *const *values) const;

  size_t size() const { return parameters.size(); }
  Parameter &operator[](size_t i) { return parameters[i]; }
  const std::string &kernelName() const { return kernel; }
  Where where(size_t i) const { return {kernel.c_str(), parameters[i].name.c_str()}; }

  int traverse(visitproc visit, void *argument) const;

private:
  int find(PyObject *name) const;
  bool bindKeyword(PyObject *name, PyObject *value, PyObject **values, Options &options,
                   PyObject **grid);
  bool tooMany(size_t given) const;
  bool missing(PyObject *const *values) const;

  std::string kernel;
  std::vector<Parameter> parameters;
  Ref emptyDict; // all names, each with None; toDict() fills a copy of it
};

// Sets an option. Returns 1 if `name` is an option, 0 if it is not, and −1 with an exception set if
// its value is wrong.
int setOption(const std::string &kernel, PyObject *name, PyObject *value, Options &options);

// The object _runtime.MISSING, which means "no default". A borrowed reference.
extern PyObject *missingDefault;

} // namespace eft::python
