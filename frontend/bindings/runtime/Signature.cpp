// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binds arguments to parameters, with the messages that Python has for wrong calls.
#include "frontend/bindings/runtime/Signature.h"

#include <algorithm>

namespace eft::python {
namespace {

// "'a'", "'a' and 'b'", "'a', 'b', and 'c'"
std::string listNames(const std::vector<std::string> &names) {
  std::string words;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0)
      words += names.size() == 2 ? " and " : i + 1 == names.size() ? ", and " : ", ";
    words += "'" + names[i] + "'";
  }
  return words;
}

} // namespace

PyObject *missingDefault = nullptr;

bool Signature::init(std::string kernelName, PyObject *sequence) {
  kernel = std::move(kernelName);
  Ref items = Ref::steal(PySequence_Fast(
      sequence, "the parameters must be a sequence of (name, kind, default, type)"));
  if (!items)
    return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    PyObject *item = PySequence_Fast_GET_ITEM(items.get(), i);
    PyObject *name = nullptr, *fallback = nullptr;
    int kind = 0;
    const char *type = nullptr;
    if (!PyTuple_Check(item)) {
      raise(PyExc_TypeError,
            "a parameter must be a tuple (name, kind, default, type), got " + describe(item));
      return false;
    }
    if (!PyArg_ParseTuple(item, "UiO|z", &name, &kind, &fallback, &type))
      return false;
    if (kind < Parameter::Value || kind > Parameter::Constexpr || find(name) >= 0) {
      raise(PyExc_ValueError,
            "parameter " + describe(name) + " of kernel '" + kernel +
                (find(name) >= 0 ? "' appears twice"
                                 : "' must be of kind 0, 1 or 2, got " + std::to_string(kind)));
      return false;
    }
    Parameter parameter;
    parameter.name = text(name);
    Py_INCREF(name);
    PyUnicode_InternInPlace(&name);
    parameter.nameObject = Ref::steal(name);
    parameter.kind = static_cast<Parameter::Kind>(kind);
    parameter.isDouble = type && dataTypeName(DataType::F64) == type;
    if (fallback != missingDefault)
      parameter.fallback = Ref::borrow(fallback);
    parameters.push_back(std::move(parameter));
  }
  emptyDict = Ref::steal(PyDict_New());
  for (const Parameter &parameter : parameters)
    if (!emptyDict || PyDict_SetItem(emptyDict.get(), parameter.nameObject.get(), Py_None) < 0)
      return false;
  return bool(emptyDict);
}

Ref Signature::toDict(PyObject *const *values) const {
  // Copying a dict that has all names is faster than filling a new one, which would grow several
  // times.
  Ref dict = Ref::steal(PyDict_Copy(emptyDict.get()));
  for (size_t i = 0; dict && i < parameters.size(); ++i)
    if (PyDict_SetItem(dict.get(), parameters[i].nameObject.get(), values[i]) < 0)
      return {};
  return dict;
}

int Signature::find(PyObject *name) const {
  // Most names in calls are interned, as those here are, so compare the pointers first.
  for (size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].nameObject.get() == name)
      return static_cast<int>(i);
  for (size_t i = 0; i < parameters.size(); ++i)
    if (PyUnicode_Compare(parameters[i].nameObject.get(), name) == 0)
      return static_cast<int>(i);
  return -1;
}

bool Signature::bindKeyword(PyObject *name, PyObject *value, PyObject **values, Options &options,
                            PyObject **grid) {
  if (int i = find(name); i >= 0) {
    if (values[i]) {
      raise(PyExc_TypeError,
            kernel + "() got multiple values for argument '" + parameters[i].name + "'");
      return false;
    }
    values[i] = value;
    // A constexpr parameter with the name of an option, such as num_warps, sets the option too.
    return parameters[i].kind != Parameter::Constexpr ||
           setOption(kernel, name, value, options) >= 0;
  }
  if (grid && PyUnicode_CompareWithASCIIString(name, "grid") == 0) {
    *grid = value;
    return true;
  }
  int set = setOption(kernel, name, value, options);
  if (set == 0)
    raise(PyExc_TypeError,
          kernel + "() got an unexpected keyword argument '" + text(name) +
              "'; the options are num_warps, num_stages, num_ctas, maxnreg and debug");
  return set > 0;
}

bool Signature::bind(PyObject *const *args, size_t nargs, PyObject *keywords, PyObject **values,
                     Options &options, PyObject **grid) {
  size_t count = parameters.size();
  if (nargs > count)
    return tooMany(nargs);
  std::copy(args, args + nargs, values);
  std::fill(values + nargs, values + count, nullptr);
  size_t numKeywords = keywords ? static_cast<size_t>(PyTuple_GET_SIZE(keywords)) : 0;
  for (size_t i = 0; i < numKeywords; ++i)
    if (!bindKeyword(PyTuple_GET_ITEM(keywords, i), args[nargs + i], values, options, grid))
      return false;
  bool complete = true;
  for (size_t i = nargs; i < count; ++i) {
    if (!values[i])
      values[i] = parameters[i].fallback.get();
    complete &= values[i] != nullptr;
  }
  return complete || missing(values);
}

bool Signature::tooMany(size_t given) const {
  size_t most = parameters.size();
  auto hasDefault = [](const Parameter &parameter) { return bool(parameter.fallback); };
  size_t least =
      most - static_cast<size_t>(std::count_if(parameters.begin(), parameters.end(), hasDefault));
  std::string takes = least == most
                          ? std::to_string(most)
                          : "from " + std::to_string(least) + " to " + std::to_string(most);
  raise(PyExc_TypeError, kernel + "() takes " + takes + " positional argument" +
                             (most == 1 ? "" : "s") + " but " + std::to_string(given) +
                             (given == 1 ? " was given" : " were given"));
  return false;
}

bool Signature::missing(PyObject *const *values) const {
  std::vector<std::string> names;
  for (size_t i = 0; i < parameters.size(); ++i)
    if (!values[i])
      names.push_back(parameters[i].name);
  raise(PyExc_TypeError, kernel + "() missing " + std::to_string(names.size()) +
                             " required positional argument" + (names.size() == 1 ? "" : "s") +
                             ": " + listNames(names));
  return false;
}

int Signature::traverse(visitproc visit, void *arg) const {
  for (const Parameter &parameter : parameters)
    Py_VISIT(parameter.fallback.get());
  return 0;
}

} // namespace eft::python
