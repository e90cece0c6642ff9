// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ways of reading an array that go through Python objects.
#include "frontend/bindings/runtime/ArrayReader.h"
#include "frontend/bindings/runtime/Stream.h"
#include "runtime/cuda/Gpu.h"

#include <cstdlib>
#include <string_view>

namespace eft::python {
namespace {

bool toUnsigned(PyObject *object, uint64_t &value) {
  Ref number = Ref::steal(PyNumber_Index(object));
  if (!number)
    return false;
  value = PyLong_AsUnsignedLongLong(number.get());
  return !PyErr_Occurred();
}

// The address that `source` of an array gives.
bool readAddress(PyObject *object, const char *source, const Where &where, ArrayFacts &facts) {
  if (toUnsigned(object, facts.address))
    return true;
  if (PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_OverflowError) ||
      PyErr_ExceptionMatches(PyExc_ValueError))
    raise(PyExc_TypeError,
          where.message("has no address: " + std::string(source) + " gives " + describe(object)));
  return false;
}

// The GPU of an array that doesn't say on which it is. Empty arrays may have no address.
bool findGpu(const Where &where, ArrayFacts &facts) {
  if (facts.address == 0) {
    facts.place = Place::Unknown;
    return true;
  }
  auto ordinal = cuda::gpuOfPointer(facts.address);
  if (!ordinal.ok()) {
    raise(ordinal.error());
    return false;
  }
  facts.place = Place::Cuda;
  facts.index = *ordinal;
  return true;
}

// "<f4" and the like. Big-endian ones are refused by name.
bool elementTypeFromTypestr(std::string_view typestr, const Where &where, DataType &type) {
  constexpr struct {
    std::string_view name;
    DataType type;
  } known[] = {
      {"b1", DataType::I1},  {"i1", DataType::I8},  {"i2", DataType::I16}, {"i4", DataType::I32},
      {"i8", DataType::I64}, {"u1", DataType::U8},  {"u2", DataType::U16}, {"u4", DataType::U32},
      {"u8", DataType::U64}, {"f2", DataType::F16}, {"f4", DataType::F32}, {"f8", DataType::F64},
  };
  if (typestr.size() == 3 && (typestr[0] == '<' || typestr[0] == '|' || typestr[0] == '='))
    for (const auto &row : known)
      if (row.name == typestr.substr(1)) {
        type = row.type;
        return true;
      }
  raiseElementType("'" + std::string(typestr) + "'", where);
  return false;
}

// What __array_interface__ and __cuda_array_interface__ have in common.
bool readInterface(PyObject *object, PyObject *interface, const Where &where, ArrayFacts &facts) {
  PyObject *data = nullptr, *typestr = nullptr; // borrowed
  if (PyDict_Check(interface)) {
    data = PyDict_GetItemString(interface, "data");
    typestr = PyDict_GetItemString(interface, "typestr");
  }
  if (!data || !PyTuple_Check(data) || PyTuple_GET_SIZE(data) != 2 || !typestr) {
    raise(PyExc_TypeError, where.message("has an array interface without 'data' or 'typestr'"));
    return false;
  }
  int readOnly = PyObject_IsTrue(PyTuple_GET_ITEM(data, 1));
  PyObject *address = PyTuple_GET_ITEM(data, 0);
  if (readOnly < 0 ||
      (address != Py_None && !readAddress(address, "an array interface's 'data'", where, facts)))
    return false;
  facts.readOnly = readOnly;
  std::string name = text(typestr);
  // Types that the interface has no name for, bfloat16 among them, call themselves "V".
  if (name.find('V') != std::string::npos)
    if (Ref dtype = findAttribute(object, "dtype"))
      return elementType(dtype.get(), where, facts.type);
  return elementTypeFromTypestr(name, where, facts.type);
}

// A pending exception that says "not this object", or else a failure.
Reading notThisOr(PyObject *exception) {
  if (!PyErr_ExceptionMatches(exception))
    return Reading::Failed;
  PyErr_Clear();
  return Reading::NotThisWay;
}

std::string dlpackTypeName(const dlpack::Type &type) {
  constexpr const char *names[] = {"int",
                                   "uint",
                                   "float",
                                   "opaque",
                                   "bfloat",
                                   "complex",
                                   "bool",
                                   "float8_e3m4",
                                   "float8_e4m3",
                                   "float8_e4m3b11fnuz",
                                   "float8_e4m3fn",
                                   "float8_e4m3fnuz",
                                   "float8_e5m2",
                                   "float8_e5m2fnuz",
                                   "float8_e8m0fnu",
                                   "float6_e2m3fn",
                                   "float6_e3m2fn",
                                   "float4_e2m1fn"};
  constexpr size_t count = sizeof(names) / sizeof(names[0]);
  std::string name =
      type.code < count ? names[type.code] : "of DLPack's code " + std::to_string(type.code);
  bool sized = type.code < 7;
  if (sized)
    name += std::to_string(type.bits);
  if (type.lanes != 1)
    name += "x" + std::to_string(type.lanes);
  return name;
}

bool elementTypeFromDLPack(const dlpack::Type &type, const Where &where, DataType &found) {
  auto by = [&](std::initializer_list<DataType> types) {
    for (DataType candidate : types)
      if (type.lanes == 1 && bitsInMemory(candidate) == type.bits) {
        found = candidate;
        return true;
      }
    raiseElementType(dlpackTypeName(type), where);
    return false;
  };
  switch (type.code) {
  case dlpack::intCode:
    return by({DataType::I8, DataType::I16, DataType::I32, DataType::I64});
  case dlpack::uintCode:
    return by({DataType::U8, DataType::U16, DataType::U32, DataType::U64});
  case dlpack::floatCode:
    return by({DataType::F16, DataType::F32, DataType::F64});
  case dlpack::bfloatCode:
    return by({DataType::BF16});
  case dlpack::boolCode:
    return by({DataType::I1});
  default:
    return by({});
  }
}

void raiseDevice(const std::string &found, const Where &where) {
  raise(PyExc_ValueError, where.message("is on " + found + ", expected a CPU or a CUDA device"));
}

// Calls object.__dlpack__. Older producers know fewer arguments.
Ref callDLPack(PyObject *object, PyObject *stream) {
  Ref method = Ref::steal(PyObject_GetAttrString(object, "__dlpack__"));
  if (!method)
    return {};
  Ref none = Ref::steal(PyTuple_New(0));
  Ref version = Ref::steal(Py_BuildValue("(ii)", static_cast<int>(dlpack::majorVersion),
                                         static_cast<int>(dlpack::minorVersion)));
  if (!none || !version)
    return {};
  for (int attempt = 0;; ++attempt) {
    Ref named = Ref::steal(PyDict_New());
    if (!named || (stream && PyDict_SetItemString(named.get(), "stream", stream) < 0))
      return {};
    if (attempt == 0 && (PyDict_SetItemString(named.get(), "max_version", version.get()) < 0 ||
                         PyDict_SetItemString(named.get(), "copy", Py_False) < 0))
      return {};
    Ref capsule = Ref::steal(PyObject_Call(method.get(), none.get(), named.get()));
    if (capsule || attempt == 1 || !PyErr_ExceptionMatches(PyExc_TypeError))
      return capsule;
    PyErr_Clear();
  }
}

bool readCapsule(PyObject *capsule, const Where &where, ArrayFacts &facts) {
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    auto *managed =
        static_cast<dlpack::VersionedTensor *>(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
    if (managed->version.major != dlpack::majorVersion) {
      raise(PyExc_TypeError,
            where.message("speaks DLPack " + std::to_string(managed->version.major) + "." +
                          std::to_string(managed->version.minor) + ", expected version 1"));
      return false;
    }
    if (managed->flags & dlpack::isCopiedFlag) {
      raise(PyExc_TypeError, where.message("is handed out by DLPack as a copy only, so a kernel "
                                           "can't work on it in place"));
      return false;
    }
    facts.readOnly = managed->flags & dlpack::readOnlyFlag;
    return readTensor(managed->tensor, where, facts);
  }
  if (PyCapsule_IsValid(capsule, "dltensor"))
    return readTensor(
        static_cast<dlpack::ManagedTensor *>(PyCapsule_GetPointer(capsule, "dltensor"))->tensor,
        where, facts);
  raise(PyExc_TypeError, where.message("returns no DLPack capsule from __dlpack__"));
  return false;
}

// A buffer's format, of one letter after an optional mark of the byte order. Sizes are the
// machine's, so the letter only tells the kind.
bool elementTypeFromFormat(const char *format, Py_ssize_t size, const Where &where,
                           DataType &type) {
  std::string_view letters = format ? format : "B";
  if (letters.size() == 2 && (letters[0] == '@' || letters[0] == '=' || letters[0] == '<'))
    letters.remove_prefix(1);
  std::string typestr = "|";
  if (letters == "?")
    typestr += "b";
  else if (letters.size() == 1 && std::string_view("bhilqn").find(letters) != std::string::npos)
    typestr += "i";
  else if (letters.size() == 1 && std::string_view("BHILQN").find(letters) != std::string::npos)
    typestr += "u";
  else if (letters.size() == 1 && std::string_view("efd").find(letters) != std::string::npos)
    typestr += "f";
  else {
    raiseElementType("'" + std::string(format) + "'", where);
    return false;
  }
  return elementTypeFromTypestr(typestr + std::to_string(size), where, type);
}

} // namespace

bool readTensor(const dlpack::Tensor &tensor, const Where &where, ArrayFacts &facts) {
  facts.address = reinterpret_cast<uint64_t>(tensor.data) + tensor.byteOffset;
  switch (tensor.device.type) {
  case dlpack::cpu:
    facts.place = Place::Host;
    break;
  case dlpack::cudaHost:
    facts.place = Place::Pinned;
    break;
  case dlpack::cuda:
  case dlpack::cudaManaged:
    facts.place = Place::Cuda;
    facts.index = tensor.device.id;
    break;
  default:
    raiseDevice("a device of DLPack's type " + std::to_string(tensor.device.type), where);
    return false;
  }
  return elementTypeFromDLPack(tensor.type, where, facts.type);
}

Reading readDataPointer(PyObject *object, const Where &where, ArrayFacts &facts) {
  Ref address = Ref::steal(PyObject_CallMethod(object, "data_ptr", nullptr));
  Ref dtype = address ? Ref::steal(PyObject_GetAttrString(object, "dtype")) : Ref();
  if (!dtype || !readAddress(address.get(), "data_ptr()", where, facts) ||
      !elementType(dtype.get(), where, facts.type))
    return Reading::Failed;
  Ref device = findAttribute(object, "device");
  if (!device)
    return PyErr_Occurred() ? Reading::Failed : Reading::Done; // of unknown place
  Ref shown = Ref::steal(PyObject_Str(device.get()));
  if (!shown)
    return Reading::Failed;
  std::string name = text(shown.get());
  if (name == "cpu") {
    facts.place = Place::Host;
    return Reading::Done;
  }
  if (name == "cuda")
    return findGpu(where, facts) ? Reading::Done : Reading::Failed;
  if (!name.starts_with("cuda:")) {
    raiseDevice("'" + name + "'", where);
    return Reading::Failed;
  }
  facts.place = Place::Cuda;
  facts.index = std::atoi(name.c_str() + 5);
  return Reading::Done;
}

Reading readCudaInterface(PyObject *object, const Where &where, HeldObjects &held,
                          ArrayFacts &facts) {
  Ref interface = Ref::steal(PyObject_GetAttrString(object, "__cuda_array_interface__"));
  if (!interface)
    return notThisOr(PyExc_AttributeError); // an array of this type on the host
  if (!readInterface(object, interface.get(), where, facts) || !findGpu(where, facts))
    return Reading::Failed;
  PyObject *stream = PyDict_GetItemString(interface.get(), "stream"); // borrowed
  if (stream && stream != Py_None) {
    if (!toUnsigned(stream, facts.stream)) {
      raise(PyExc_TypeError,
            where.message("names a stream that is no number: " + describe(stream)));
      return Reading::Failed;
    }
    facts.hasStream = true;
  }
  held.keep(std::move(interface));
  return Reading::Done;
}

Reading readDLPack(PyObject *object, const Where &where, HeldObjects &held, ArrayFacts &facts) {
  Ref place = Ref::steal(PyObject_CallMethod(object, "__dlpack_device__", nullptr));
  if (!place)
    return notThisOr(PyExc_AttributeError);
  int type = 0, index = 0;
  if (!PyTuple_Check(place.get()) || !PyArg_ParseTuple(place.get(), "ii", &type, &index))
    return Reading::Failed;
  Ref stream;
  if (type == dlpack::cuda) {
    // The producer makes this stream wait for its own work. Zero is not allowed: the legacy default
    // stream is called 1.
    uint64_t current = 0;
    if (!StreamChoice().find(index, current))
      return Reading::Failed;
    stream = Ref::steal(PyLong_FromUnsignedLongLong(current ? current : cuda::legacyDefaultStream));
    if (!stream)
      return Reading::Failed;
  }
  Ref capsule = callDLPack(object, stream.get());
  if (!capsule && PyErr_ExceptionMatches(PyExc_Exception))
    raise(PyExc_TypeError, where.message("can't be read by DLPack"));
  if (!capsule || !readCapsule(capsule.get(), where, facts))
    return Reading::Failed;
  held.keep(std::move(capsule));
  return Reading::Done;
}

Reading readBuffer(PyObject *object, const Where &where, HeldObjects &held, ArrayFacts &facts) {
  Py_buffer view;
  if (PyObject_GetBuffer(object, &view, PyBUF_FULL_RO) != 0) {
    PyErr_Clear();
    return Reading::NotThisWay;
  }
  held.keep(view);
  facts.address = reinterpret_cast<uint64_t>(view.buf);
  facts.readOnly = view.readonly;
  facts.place = Place::Host;
  if (view.suboffsets) {
    for (int i = 0; i < view.ndim; ++i)
      if (view.suboffsets[i] >= 0) {
        raise(PyExc_TypeError, where.message("is a buffer of pointers, expected plain memory"));
        return Reading::Failed;
      }
  }
  return elementTypeFromFormat(view.format, view.itemsize, where, facts.type) ? Reading::Done
                                                                              : Reading::Failed;
}

Reading readArrayInterface(PyObject *object, const Where &where, HeldObjects &held,
                           ArrayFacts &facts) {
  Ref interface = Ref::steal(PyObject_GetAttrString(object, "__array_interface__"));
  if (!interface)
    return notThisOr(PyExc_AttributeError);
  if (!readInterface(object, interface.get(), where, facts))
    return Reading::Failed;
  facts.place = Place::Host;
  held.keep(std::move(interface));
  return Reading::Done;
}

} // namespace eft::python
