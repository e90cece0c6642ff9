// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads arrays that DLPack describes.
#include "frontend/bindings/runtime/ArrayReader.h"
#include "frontend/bindings/runtime/Stream.h"
#include "runtime/cuda/DriverTypes.h"

namespace eft::python {
namespace {

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
  case dlpack::float8E4M3FNCode:
    return by({DataType::F8E4NV});
  case dlpack::float8E4M3FNUZCode:
    return by({DataType::F8E4B8});
  case dlpack::float8E5M2Code:
    return by({DataType::F8E5});
  case dlpack::float8E5M2FNUZCode:
    return by({DataType::F8E5B16});
  default:
    return by({});
  }
}

// Calls object.__dlpack__. If that raises TypeError, calls it again without `max_version` and
// `copy`, which older producers don't know.
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

// Returns true if a tensor is on PyTorch's device 'meta': it has a shape and a type but no memory.
bool isOnMetaDevice(PyObject *object) {
  PyObject *type = nullptr, *pending = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &pending, &trace);
  Ref device = findAttribute(object, "device");
  Ref shown = device ? Ref::steal(PyObject_Str(device.get())) : Ref();
  std::string name = text(shown.get());
  PyErr_Restore(type, pending, trace);
  return name == "meta";
}

std::optional<uint64_t> elementsOf(const dlpack::Tensor &tensor) {
  if (tensor.ndim > 0 && !tensor.shape)
    return std::nullopt;
  uint64_t elements = 1;
  for (int32_t i = 0; i < tensor.ndim; ++i)
    elements *= static_cast<uint64_t>(tensor.shape[i]);
  return elements;
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
  raise(PyExc_TypeError,
        where.message("must return a DLPack capsule from __dlpack__, got " + describe(capsule)));
  return false;
}

} // namespace

bool refuseDLPack(PyObject *object, const Where &where) {
  if (!PyErr_ExceptionMatches(PyExc_Exception))
    return false;
  std::string reason = pendingWords();
  if (isOnMetaDevice(object)) {
    raise(PyExc_TypeError, where.message("has no memory: it is on the device 'meta'"));
    return false;
  }
  raise(PyExc_TypeError,
        where.message("can't be read by DLPack" + (reason.empty() ? "" : ": " + reason)));
  return false;
}

bool readTensor(const dlpack::Tensor &tensor, const Where &where, ArrayFacts &facts) {
  if (!tensor.data && !checkAddress(0, elementsOf(tensor), where))
    return false;
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

Reading readDLPack(PyObject *object, const Where &where, HeldObjects &held, ArrayFacts &facts) {
  Ref place = Ref::steal(PyObject_CallMethod(object, "__dlpack_device__", nullptr));
  if (!place)
    return notThisOr(PyExc_AttributeError);
  int type = 0, index = 0;
  if (!PyTuple_Check(place.get()) || !PyArg_ParseTuple(place.get(), "ii", &type, &index)) {
    if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_Exception))
      raise(PyExc_TypeError, where.message("must return two ints from __dlpack_device__, got " +
                                           describe(place.get())));
    return Reading::Failed;
  }
  Ref stream;
  if (type == dlpack::cuda) {
    // The producer makes this stream wait for the work on the array. DLPack does not allow the
    // number 0: its number for the legacy default stream is 1.
    uint64_t current = 0;
    if (!StreamChoice().find(index, current))
      return Reading::Failed;
    stream = Ref::steal(PyLong_FromUnsignedLongLong(current ? current : cuda::legacyDefaultStream));
    if (!stream)
      return Reading::Failed;
  }
  Ref capsule = callDLPack(object, stream.get());
  if (!capsule)
    refuseDLPack(object, where);
  if (!capsule || !readCapsule(capsule.get(), where, facts))
    return Reading::Failed;
  held.keep(std::move(capsule));
  return Reading::Done;
}

} // namespace eft::python
