// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads arrays through data_ptr(), __cuda_array_interface__, the buffer protocol and
// __array_interface__. DLPackReader.cpp has DLPack.
#include "frontend/bindings/runtime/ArrayReader.h"
#include "runtime/cuda/Gpu.h"

#include <charconv>
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

// Reads an address from `object`. `source` is the attribute or method that gave it, for the
// message. Returns false with an exception set if `object` is not an unsigned integer of 64 bits.
bool readAddress(PyObject *object, const char *source, const Where &where, ArrayFacts &facts) {
  if (toUnsigned(object, facts.address))
    return true;
  if (PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_OverflowError) ||
      PyErr_ExceptionMatches(PyExc_ValueError))
    raise(PyExc_TypeError,
          where.message("has no address: " + std::string(source) + " gives " + describe(object)));
  return false;
}

// Asks the driver for the GPU of an array that does not name its GPU. The place of an array with
// the address 0 is unknown.
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

// Reads an element type such as "<f4". Big-endian types are refused with a message that names them.
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

// Reads what __array_interface__ and __cuda_array_interface__ share: the address, whether the
// memory is read-only, and the element type.
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
      (address != Py_None && !readAddress(address, "an array interface's 'data'", where, facts)) ||
      (facts.address == 0 &&
       !checkAddress(0, elementsOf(PyDict_GetItemString(interface, "shape")), where)))
    return false;
  facts.readOnly = readOnly;
  if (!PyUnicode_Check(typestr)) {
    raise(PyExc_TypeError,
          where.message("has an array interface whose 'typestr' must be a str, got " +
                        describe(typestr)));
    return false;
  }
  std::string name = text(typestr);
  // The interface has no name for some types, such as bfloat16. Their typestr has a "V", so the
  // dtype is read.
  if (name.find('V') != std::string::npos)
    if (Ref dtype = findAttribute(object, "dtype"))
      return elementType(dtype.get(), where, facts.type);
  return elementTypeFromTypestr(name, where, facts.type);
}

// Reads a buffer's format: one letter after an optional mark of the byte order. The letter decides
// the kind of number, and `size` its bytes, because a letter's size depends on the machine.
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

Reading notThisOr(PyObject *exception) {
  if (!PyErr_ExceptionMatches(exception))
    return Reading::Failed;
  PyErr_Clear();
  return Reading::NotThisWay;
}

void raiseDevice(const std::string &found, const Where &where) {
  raise(PyExc_ValueError, where.message("is on " + found + ", expected a CPU or a CUDA device"));
}

Reading readDataPointer(PyObject *object, const Where &where, ArrayFacts &facts) {
  Ref address = Ref::steal(PyObject_CallMethod(object, "data_ptr", nullptr));
  Ref dtype = address ? Ref::steal(PyObject_GetAttrString(object, "dtype")) : Ref();
  if (!dtype || !readAddress(address.get(), "data_ptr()", where, facts))
    return Reading::Failed;
  if (facts.address == 0) {
    Ref shape = findAttribute(object, "shape");
    if ((!shape && PyErr_Occurred()) || !checkAddress(0, elementsOf(shape.get()), where))
      return Reading::Failed;
  }
  if (!elementType(dtype.get(), where, facts.type))
    return Reading::Failed;
  Ref device = findAttribute(object, "device");
  if (!device)
    // Objects without the attribute `device` have an unknown place.
    return PyErr_Occurred() ? Reading::Failed : Reading::Done;
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
  std::string_view number = std::string_view(name).substr(5);
  auto [end, fault] = std::from_chars(number.data(), number.data() + number.size(), facts.index);
  if (fault != std::errc() || end != number.data() + number.size() || facts.index < 0) {
    raiseDevice("'" + name + "'", where);
    return Reading::Failed;
  }
  facts.place = Place::Cuda;
  return Reading::Done;
}

Reading readCudaInterface(PyObject *object, const Where &where, HeldObjects &held,
                          ArrayFacts &facts) {
  Ref interface = Ref::steal(PyObject_GetAttrString(object, "__cuda_array_interface__"));
  if (!interface)
    return notThisOr(PyExc_AttributeError); // an array of this type that is on the host
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
  if (!view.buf && !checkAddress(0, static_cast<uint64_t>(view.len), where))
    return Reading::Failed;
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
