// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameters of a kernel, and how the arguments of a call find them.
#pragma once

#include "frontend/bindings/runtime/ArrayReader.h"
#include "frontend/bindings/runtime/Constants.h"

#include <array>
#include <string>
#include <vector>

namespace eft::python {

// The options that a call may give beside the kernel's own arguments. −1: not given.
struct Options {
  int32_t numWarps = 4;
  int32_t numStages = -1;
  int32_t numCtas = -1;
  int32_t maxRegisters = -1;
  int32_t debug = -1;

  bool operator==(const Options &) const = default;
  // {"num_warps": 4, …}: those that were given, and num_warps always.
  Ref toDict() const;
};

struct Parameter {
  enum Kind : uint8_t { Value = 0, NeverSpecialized = 1, Constexpr = 2 };

  std::string name;
  Ref nameObject; // interned
  Kind kind = Value;
  Ref fallback;          // none if there is no default
  bool isDouble = false; // declared as fp64, so that a float keeps all of its bits
  // The reader of the last argument's type: most calls bring the same again.
  PyTypeObject *lastType = nullptr;
  const TypeReader *lastReader = nullptr;
};

class Signature {
public:
  // From a sequence of (name, kind, default, type), see KernelBase. False with an exception set if
  // it is none.
  bool init(std::string kernelName, PyObject *parameters);

  // Finds the argument of each parameter, in Python's own way, and the options. `values` has room
  // for size() borrowed references; they live as long as the arguments and this signature. Keyword
  // `grid` is left alone if `allowGrid`.
  bool bind(PyObject *const *args, size_t nargs, PyObject *keywords, PyObject **values,
            Options &options, PyObject **grid = nullptr);

  // A new dict {name: value}.
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
  Ref emptyDict; // has all names, and None for each; toDict() begins with a copy
};

// Sets an option. 1 if `name` is one, 0 if it is none, −1 with an exception set if its value is
// wrong.
int setOption(const std::string &kernel, PyObject *name, PyObject *value, Options &options);

// _runtime.MISSING: stands for "no default". Borrowed.
extern PyObject *missingDefault;

} // namespace eft::python
