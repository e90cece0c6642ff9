// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the arguments of a call into slots of eight bytes, type codes and a device.
#include "frontend/bindings/runtime/Call.h"

#include "runtime/cuda/Gpu.h"

#include <bit>

namespace eft::python {

bool Call::read() {
  for (size_t i = 0; i < signature.size(); ++i)
    if (!readArgument(i))
      return false;
  if (!descriptors.types.empty())
    appendDescriptors();
  return chooseDevice();
}

void Call::appendDescriptors() {
  allSlots.assign(slotStorage.data(), slotStorage.data() + numSlots);
  allSlots.insert(allSlots.end(), descriptors.numbers.begin(), descriptors.numbers.end());
}

bool Call::readArgument(size_t i) {
  PyObject *value = values[i];
  if (isConstexpr(value)) {
    Ref inner = unwrapConstexpr(value);
    if (!inner)
      return false;
    value = values[i] = inner.get();
    held.keep(std::move(inner));
  }
  if (signature[i].kind == Parameter::Constexpr || value == Py_None) {
    codes[i] = constantCode;
    return true;
  }
  if (PyLong_CheckExact(value))
    return readInteger(i, value);
  if (PyFloat_CheckExact(value)) {
    setFloat(i, PyFloat_AS_DOUBLE(value));
    return true;
  }
  if (PyBool_Check(value)) {
    setSlot(i, scalarCode(DataType::I1), value == Py_True);
    return true;
  }
  return readObject(i, value);
}

// Stores a float as fp32, as in Triton, or as fp64 if the parameter is declared so.
void Call::setFloat(size_t i, double value) {
  if (signature[i].isDouble)
    setSlot(i, scalarCode(DataType::F64), std::bit_cast<uint64_t>(value));
  else
    setSlot(i, scalarCode(DataType::F32), std::bit_cast<uint32_t>(static_cast<float>(value)));
}

// Stores an int as the first of i32, i64 and u64 that holds it, as in Triton.
bool Call::readInteger(size_t i, PyObject *value) {
  int overflow = 0;
  long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (number == -1 && PyErr_Occurred())
    return false;
  if (overflow == 0) {
    bool narrow = number >= INT32_MIN && number <= INT32_MAX;
    setSlot(i, scalarCode(narrow ? DataType::I32 : DataType::I64), static_cast<uint64_t>(number));
    return true;
  }
  unsigned long long large = overflow > 0 ? PyLong_AsUnsignedLongLong(value) : 0;
  if (overflow > 0 && !PyErr_Occurred()) {
    setSlot(i, scalarCode(DataType::U64), large);
    return true;
  }
  PyErr_Clear();
  Ref bits = Ref::steal(PyObject_CallMethod(value, "bit_length", nullptr));
  if (!bits)
    return false;
  // Python refuses to print an int of very many digits, so the message has the number of bits.
  bool isShort = PyLong_AsSize_t(bits.get()) <= 128;
  PyErr_Clear();
  raise(PyExc_TypeError,
        signature.where(i).message(
            "must be an int from -2**63 to 2**64 - 1, got " +
            (isShort ? describe(value) : "one of " + describe(bits.get()) + " bits")));
  return false;
}

bool Call::readObject(size_t i, PyObject *value) {
  Parameter &parameter = signature[i];
  const TypeReader *reader = parameter.lastReader;
  if (parameter.lastType != Py_TYPE(value)) {
    reader = readerOf(value);
    if (!reader)
      return false;
    parameter.lastType = Py_TYPE(value);
    parameter.lastReader = reader;
  }
  if (reader->kind == TypeReader::Descriptor)
    return readDescriptorArgument(i, value);
  if (reader->kind != TypeReader::Array)
    return readScalar(*reader, i, value);
  ArrayFacts facts;
  if (!readArray(*reader, value, signature.where(i), held, facts))
    return false;
  setSlot(i, pointerCode(facts.type, facts.readOnly), facts.address);
  return placeArray(i, *reader, facts);
}

// Reads a number that is not exactly an int, float or bool of Python: a subclass, or a scalar of
// NumPy.
bool Call::readScalar(const TypeReader &reader, size_t i, PyObject *value) {
  switch (reader.kind) {
  case TypeReader::Boolean: {
    int truth = PyObject_IsTrue(value);
    if (truth < 0)
      return false;
    setSlot(i, scalarCode(DataType::I1), static_cast<uint64_t>(truth));
    return true;
  }
  case TypeReader::Integer: {
    Ref number = Ref::steal(PyNumber_Index(value));
    return number && readInteger(i, number.get());
  }
  case TypeReader::Float: {
    double number = PyFloat_AsDouble(value);
    if (number == -1 && PyErr_Occurred())
      return false;
    setFloat(i, number);
    return true;
  }
  case TypeReader::Tuple:
    tupleParameter = i;
    return false;
  default:
    refuse(i);
    return false;
  }
}

void Call::refuse(size_t i) const {
  raise(PyExc_TypeError,
        signature.where(i).message("must be an array, int, float, bool or None, got " +
                                   typeName(values[i])));
}

void Call::refuseTuple() const { refuse(tupleParameter); }

bool Call::readDescriptorArgument(size_t i, PyObject *value) {
  const TypeReader *reader = nullptr;
  ArrayFacts facts;
  if (!readDescriptor(value, signature.where(i), held, reader, facts, descriptors))
    return false;
  setSlot(i, descriptorCode, facts.address);
  return placeArray(i, *reader, facts);
}

bool Call::placeArray(size_t i, const TypeReader &reader, const ArrayFacts &facts) {
  if (facts.place == Place::Unknown)
    return true;
  if (facts.place == Place::Cuda)
    streamChoice.consider(reader, facts);
  auto nameOf = [](Place place, int index) {
    return (place == Place::Cuda ? Device::cuda(index) : Device::host()).name();
  };
  bool first = decided == Place::Unknown;
  bool agree = decided == facts.place && (decided != Place::Cuda || device.index == facts.index);
  // Both the host and GPUs can use pinned memory, so the other arrays decide.
  if (first || (decided == Place::Pinned && !agree)) {
    decided = facts.place;
    decidedBy = i;
    device = facts.place == Place::Cuda ? Device::cuda(facts.index) : Device::host();
    return true;
  }
  if (agree || facts.place == Place::Pinned)
    return true;
  raise(PyExc_ValueError, std::string("kernel '") + signature.kernelName() + "': argument '" +
                              signature[decidedBy].name + "' is on " +
                              nameOf(decided, device.index) + ", but argument '" +
                              signature[i].name + "' is on " + nameOf(facts.place, facts.index) +
                              ": expected all arrays on one device");
  return false;
}

// If no array decides the device, a launch goes to the first GPU, or to the host if there is no
// GPU.
bool Call::chooseDevice() {
  if (decided != Place::Unknown)
    return true;
  auto count = cuda::gpuCount();
  if (!count.ok()) {
    raise(count.error());
    return false;
  }
  device = *count > 0 ? Device::cuda(0) : Device::host();
  return true;
}

} // namespace eft::python
