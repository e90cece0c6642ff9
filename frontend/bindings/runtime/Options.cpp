// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of a launch, such as num_warps.
#include "frontend/bindings/runtime/Signature.h"

#include <algorithm>
#include <bit>

namespace eft::python {
namespace {

struct Option {
  const char *name;
  int32_t Options::*field;
  long least;
  long most;
  const char *expected;
};

constexpr Option table[] = {
    {"num_warps", &Options::numWarps, 1, 32, "a power of two from 1 to 32"},
    {"num_stages", &Options::numStages, 0, 1000, "an int from 0 to 1000"},
    {"num_ctas", &Options::numCtas, 1, 16, "an int from 1 to 16"},
    {"maxnreg", &Options::maxRegisters, 1, 255, "an int from 1 to 255, or None"},
    {"debug", &Options::debug, 0, 1, "a bool"},
};

// Options of Triton that Eft accepts and ignores. For example, enable_fp_fusion has no effect
// because the language fixes all roundings, and launch_pdl has none because launches in one stream
// never overlap.
constexpr const char *withoutEffect[] = {
    "enable_fp_fusion",  "enable_reflect_ftz", "launch_pdl",
    "sanitize_overflow", "cluster_dims",       "instrumentation_mode",
    "extern_libs",       "ptx_options",        "warp_size",
};

bool isWithoutEffect(PyObject *name) {
  return std::ranges::any_of(withoutEffect, [&](const char *each) {
    return PyUnicode_CompareWithASCIIString(name, each) == 0;
  });
}

// Refuses launch_cooperative_grid=True. A barrier between all programs needs them to run at the
// same time, which Eft does not guarantee. Returns 1, or −1 with an exception set.
int refuseCooperation(const std::string &kernel, PyObject *value) {
  int isAsked = PyObject_IsTrue(value);
  if (isAsked > 0)
    raise(PyExc_NotImplementedError,
          "kernel '" + kernel +
              "': option 'launch_cooperative_grid' must be False: the programs of a launch need "
              "not run at the same time");
  return isAsked == 0 ? 1 : -1;
}

bool accepts(const Option &option, long value) {
  if (value < option.least || value > option.most)
    return false;
  return option.field != &Options::numWarps ||
         std::has_single_bit(static_cast<unsigned long>(value));
}

} // namespace

int setOption(const std::string &kernel, PyObject *name, PyObject *value, Options &options) {
  for (const Option &option : table) {
    if (PyUnicode_CompareWithASCIIString(name, option.name) != 0)
      continue;
    if (value == Py_None) {
      options.*option.field = Options().*option.field;
      return 1;
    }
    bool isDebug = option.field == &Options::debug;
    long number = -1;
    if (PyIndex_Check(value) && (isDebug || !PyBool_Check(value))) {
      Ref index = Ref::steal(PyNumber_Index(value));
      int overflow = 0;
      number = index ? PyLong_AsLongAndOverflow(index.get(), &overflow) : -1;
      if (PyErr_Occurred())
        return -1;
    }
    if (!accepts(option, number)) {
      raise(PyExc_TypeError, "kernel '" + kernel + "': option '" + option.name + "' must be " +
                                 option.expected + ", got " + describe(value));
      return -1;
    }
    options.*option.field = static_cast<int32_t>(number);
    return 1;
  }
  if (PyUnicode_CompareWithASCIIString(name, "launch_cooperative_grid") == 0)
    return refuseCooperation(kernel, value);
  return isWithoutEffect(name) ? 1 : 0;
}

Ref Options::toDict() const {
  Ref dict = Ref::steal(PyDict_New());
  for (const Option &option : table) {
    int32_t value = this->*option.field;
    if (!dict || value < 0)
      continue;
    Ref object = Ref::steal(option.field == &Options::debug ? PyBool_FromLong(value)
                                                            : PyLong_FromLong(value));
    if (!object || PyDict_SetItemString(dict.get(), option.name, object.get()) < 0)
      return {};
  }
  return dict;
}

} // namespace eft::python
