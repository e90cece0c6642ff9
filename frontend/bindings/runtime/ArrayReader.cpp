// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Examines Python types, and reads arrays through DLPack's exchange table and NumPy's fields.
#include "frontend/bindings/runtime/ArrayReader.h"

#include "frontend/bindings/runtime/DescriptorReader.h"

#include <cstring>
#include <memory>
#include <string_view>
#include <unordered_map>

namespace eft::python {
namespace {

// The fields of NumPy's array object that Eft reads. NumPy's binary interface has kept them since
// version 1.7. numpyFieldsAreKnown() checks that they still have this meaning.
struct NumpyArray {
  PyObject_HEAD char *data;
  int nd;
  Py_ssize_t *dimensions;
  Py_ssize_t *strides;
  PyObject *base;
  PyObject *descr;
  int flags;
};
constexpr int numpyWriteable = 0x0400;

// Returns true if the fields of an array agree with its Python attributes.
bool numpyFieldsAreKnown(PyObject *object) {
  auto *array = reinterpret_cast<NumpyArray *>(object);
  if (Py_TYPE(object)->tp_basicsize < static_cast<Py_ssize_t>(sizeof(NumpyArray)))
    return false;
  Ref interface = findAttribute(object, "__array_interface__");
  Ref dtype = findAttribute(object, "dtype");
  Ref flags = findAttribute(object, "flags");
  Ref writeable = flags ? findAttribute(flags.get(), "writeable") : Ref();
  PyObject *data = interface && PyDict_Check(interface.get())
                       ? PyDict_GetItemString(interface.get(), "data")
                       : nullptr;
  bool known = false;
  if (data && PyTuple_Check(data) && PyTuple_GET_SIZE(data) == 2 && dtype && writeable) {
    void *address = PyLong_AsVoidPtr(PyTuple_GET_ITEM(data, 0));
    bool says = writeable.get() == Py_True;
    known = array->data == address && array->descr == dtype.get() &&
            ((array->flags & numpyWriteable) != 0) == says;
  }
  PyErr_Clear();
  return known;
}

bool hasBase(PyTypeObject *type, std::string_view name) {
  PyObject *bases = type->tp_mro;
  if (!bases)
    return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(bases); ++i)
    if (reinterpret_cast<PyTypeObject *>(PyTuple_GET_ITEM(bases, i))->tp_name == name)
      return true;
  return false;
}

bool offers(PyTypeObject *type, PyObject *object, const char *name) {
  // Look the attribute up in the type first. This does not evaluate a property, which may fail for
  // this object but work for others. If the type lacks the attribute, ask the object, which may
  // make attributes dynamically.
  if (findAttribute(reinterpret_cast<PyObject *>(type), name))
    return true;
  PyErr_Clear();
  bool found = static_cast<bool>(findAttribute(object, name));
  PyErr_Clear();
  return found;
}

const dlpack::ExchangeApi *findExchange(PyTypeObject *type) {
  Ref capsule = findAttribute(reinterpret_cast<PyObject *>(type), "__dlpack_c_exchange_api__");
  constexpr const char *name = "dlpack_exchange_api";
  const dlpack::ExchangeApi *api = nullptr;
  if (capsule && PyCapsule_IsValid(capsule.get(), name))
    api = static_cast<const dlpack::ExchangeApi *>(PyCapsule_GetPointer(capsule.get(), name));
  PyErr_Clear();
  while (api && api->version.major != dlpack::majorVersion)
    api = api->previous;
  return api;
}

TypeReader::Kind scalarKind(PyTypeObject *type) {
  if (hasBase(type, "numpy.bool") || hasBase(type, "numpy.bool_"))
    return TypeReader::Boolean;
  PyNumberMethods *number = type->tp_as_number;
  if (hasBase(type, "numpy.generic")) {
    if (hasBase(type, "numpy.integer"))
      return TypeReader::Integer;
    // numpy.generic defines __float__ for strings and dates too, so it proves nothing. The floats
    // of ml_dtypes derive from numpy.generic directly and not from numpy.floating.
    bool isFloat = hasBase(type, "numpy.floating") ||
                   (typeName(type).starts_with("ml_dtypes.") && number && number->nb_float);
    return isFloat ? TypeReader::Float : TypeReader::Unsupported;
  }
  return number && number->nb_index ? TypeReader::Integer : TypeReader::Unsupported;
}

Library libraryOf(PyTypeObject *type) {
  std::string name = typeName(type);
  if (name.starts_with("torch.") || hasBase(type, "torch._C.TensorBase"))
    return Library::Torch;
  return name.starts_with("cupy.") ? Library::CuPy : Library::Other;
}

uint8_t findWays(PyTypeObject *type, PyObject *object) {
  // NumPy's arrays get here only if their fields are not as expected. They are not read by DLPack,
  // which would refuse read-only arrays.
  if (hasBase(type, "numpy.ndarray"))
    return TypeReader::ArrayInterface;
  uint8_t ways = 0;
  if (offers(type, object, "data_ptr") && offers(type, object, "dtype"))
    ways |= TypeReader::DataPointer;
  if (offers(type, object, "__cuda_array_interface__"))
    ways |= TypeReader::CudaInterface;
  if (offers(type, object, "__dlpack__"))
    ways |= TypeReader::DLPack;
  if (PyObject_CheckBuffer(object))
    ways |= TypeReader::Buffer;
  if (offers(type, object, "__array_interface__"))
    ways |= TypeReader::ArrayInterface;
  return ways;
}

std::unique_ptr<TypeReader> examine(PyTypeObject *type, PyObject *object) {
  auto reader = std::make_unique<TypeReader>();
  // Readers are looked up by the type's address, so keep the type alive.
  reader->type = reinterpret_cast<PyTypeObject *>(Py_NewRef(reinterpret_cast<PyObject *>(type)));
  if (PyBool_Check(object))
    reader->kind = TypeReader::Boolean;
  else if (PyLong_Check(object))
    reader->kind = TypeReader::Integer;
  else if (PyFloat_Check(object))
    reader->kind = TypeReader::Float;
  else if (isDescriptorType(type))
    reader->kind = TypeReader::Descriptor;
  else if (hasBase(type, "numpy.generic") || PyType_Check(object))
    reader->kind = PyType_Check(object) ? TypeReader::Unsupported : scalarKind(type);
  else {
    reader->exchange = findExchange(type);
    reader->numpy = hasBase(type, "numpy.ndarray") && numpyFieldsAreKnown(object);
    reader->ways = findWays(type, object);
    reader->library = libraryOf(type);
    bool array = reader->exchange || reader->numpy || reader->ways;
    bool tuple = PyTuple_Check(object) || PyList_Check(object);
    reader->kind = array ? TypeReader::Array : tuple ? TypeReader::Tuple : scalarKind(type);
  }
  return reader;
}

// Returns true if a PyTorch tensor may be a lazily negated view. Such a view shares the memory of a
// tensor that holds the negated numbers, and DLPack does not show that the numbers are negated. The
// view arises from the imaginary part of a conjugated complex tensor, so all of its strides are
// even. Most tensors have an odd stride (1) and need no further check.
bool mayBeNegated(const dlpack::Tensor &tensor) {
  for (int32_t i = 0; tensor.shape && tensor.strides && i < tensor.ndim; ++i)
    if (tensor.shape[i] > 1 && tensor.strides[i] % 2 != 0)
      return false;
  return tensor.type.code == dlpack::floatCode;
}

bool checkSign(PyObject *object, const Where &where) {
  Ref method = findAttribute(object, "is_neg");
  Ref answer = method ? Ref::steal(PyObject_CallNoArgs(method.get())) : Ref();
  if (!answer)
    return !PyErr_Occurred();
  if (answer.get() != Py_True)
    return true;
  raise(PyExc_TypeError,
        where.message("is a view of numbers of the other sign (its negative bit is "
                      "set), expected one of its own numbers: resolve_neg() "
                      "makes it"));
  return false;
}

bool readExchange(const TypeReader &reader, PyObject *object, const Where &where,
                  ArrayFacts &facts) {
  const dlpack::ExchangeApi &api = *reader.exchange;
  auto readDescribed = [&](const dlpack::Tensor &tensor) {
    return readTensor(tensor, where, facts) &&
           (reader.library != Library::Torch || !mayBeNegated(tensor) || checkSign(object, where));
  };
  if (api.describeObject) {
    dlpack::Tensor tensor;
    if (api.describeObject(object, &tensor) != 0)
      return refuseDLPack(object, where);
    return readDescribed(tensor);
  }
  dlpack::VersionedTensor *managed = nullptr;
  if (api.fromObject(object, &managed) != 0)
    return refuseDLPack(object, where);
  facts.readOnly = managed->flags & dlpack::readOnlyFlag;
  bool read = readDescribed(managed->tensor);
  // The argument keeps the memory alive. `managed` only describes it and can be freed.
  if (managed->deleter)
    managed->deleter(managed);
  return read;
}

// Returns the element type of a NumPy dtype object, from a cache. A process usually has about a
// dozen dtype objects. The cache keeps them alive, so it is limited to 64 for programs that make
// dtypes dynamically.
bool numpyElementType(PyObject *dtype, const Where &where, DataType &type) {
  struct Entry {
    PyObject *dtype;
    DataType type;
  };
  constexpr size_t most = 64;
  static std::vector<Entry> &known = *new std::vector<Entry>;
  for (const Entry &entry : known)
    if (entry.dtype == dtype) {
      type = entry.type;
      return true;
    }
  if (!elementType(dtype, where, type))
    return false;
  if (known.size() < most)
    known.push_back({Py_NewRef(dtype), type});
  return true;
}

bool readNumpy(PyObject *object, const Where &where, ArrayFacts &facts) {
  auto *array = reinterpret_cast<NumpyArray *>(object);
  facts.address = reinterpret_cast<uint64_t>(array->data);
  facts.readOnly = !(array->flags & numpyWriteable);
  facts.place = Place::Host;
  if (!array->data) {
    uint64_t elements = 1;
    for (int i = 0; i < array->nd; ++i)
      elements *= static_cast<uint64_t>(array->dimensions[i]);
    if (!checkAddress(0, elements, where))
      return false;
  }
  return numpyElementType(array->descr, where, facts.type);
}

} // namespace

HeldObjects::~HeldObjects() {
  for (Py_buffer &view : views)
    PyBuffer_Release(&view);
}

const TypeReader *readerOf(PyObject *object) {
  static auto &known = *new std::unordered_map<PyTypeObject *, std::unique_ptr<TypeReader>>;
  PyTypeObject *type = Py_TYPE(object);
  if (auto found = known.find(type); found != known.end())
    return found->second.get();
  // `examine` may run Python code, during which another thread may add a reader for the same type.
  std::unique_ptr<TypeReader> made = examine(type, object);
  auto [entry, isNew] = known.try_emplace(type, nullptr);
  if (isNew || !entry->second)
    entry->second = std::move(made);
  return entry->second.get();
}

bool readArray(const TypeReader &reader, PyObject *object, const Where &where, HeldObjects &held,
               ArrayFacts &facts) {
  if (reader.exchange)
    return readExchange(reader, object, where, facts);
  if (reader.numpy)
    return readNumpy(object, where, facts);
  Reading reading = Reading::NotThisWay;
  auto attempt = [&](TypeReader::Way way, auto read) {
    if (reading == Reading::NotThisWay && (reader.ways & way))
      reading = read();
  };
  attempt(TypeReader::DataPointer, [&] { return readDataPointer(object, where, facts); });
  attempt(TypeReader::CudaInterface, [&] { return readCudaInterface(object, where, held, facts); });
  attempt(TypeReader::DLPack, [&] { return readDLPack(object, where, held, facts); });
  attempt(TypeReader::Buffer, [&] { return readBuffer(object, where, held, facts); });
  attempt(TypeReader::ArrayInterface,
          [&] { return readArrayInterface(object, where, held, facts); });
  if (reading == Reading::NotThisWay)
    raise(PyExc_TypeError, where.message("is of type " + typeName(object) +
                                         ", but this one can't be read as an array"));
  return reading == Reading::Done;
}

std::optional<uint64_t> elementsOf(PyObject *shape) {
  Ref extents = shape ? Ref::steal(PySequence_Tuple(shape)) : Ref();
  uint64_t elements = 1;
  for (Py_ssize_t i = 0; extents && i < PyTuple_GET_SIZE(extents.get()); ++i) {
    Ref extent = Ref::steal(PyNumber_Index(PyTuple_GET_ITEM(extents.get(), i)));
    elements *= extent ? PyLong_AsUnsignedLongLong(extent.get()) : 0;
  }
  bool known = extents && !PyErr_Occurred();
  PyErr_Clear();
  return known ? std::optional(elements) : std::nullopt;
}

bool checkAddress(uint64_t address, std::optional<uint64_t> elements, const Where &where) {
  if (address != 0 || elements == 0)
    return true;
  std::string count = elements ? ", and it has " + std::to_string(*elements) + " element" +
                                     (*elements == 1 ? "" : "s")
                               : "";
  raise(PyExc_TypeError, where.message("has no memory: its address is 0" + count));
  return false;
}

void raiseElementType(const std::string &found, const Where &where) {
  raise(PyExc_TypeError,
        where.message("has element type " + found +
                      ", expected bool, int8 to int64, uint8 to uint64, float16, bfloat16, "
                      "float32, float64 or an 8-bit float"));
}

bool elementType(PyObject *dtype, const Where &where, DataType &type) {
  Ref shown = Ref::steal(PyObject_Str(dtype));
  if (!shown)
    return false;
  std::string words = text(shown.get());
  std::string name = text(findAttribute(dtype, "name").get());
  PyErr_Clear();
  if (name.empty())
    name = words.substr(words.rfind('.') + 1);
  Ref native = findAttribute(dtype, "isnative");
  PyErr_Clear();
  auto found = dataTypeFromArrayName(name);
  if (!found) // placeholders for tensors name types as in signatures
    found = dataTypeFromName(name);
  if (!found && name == "int1")
    found = DataType::I1;
  if (!found || native.get() == Py_False) {
    raiseElementType(words, where);
    return false;
  }
  type = *found;
  return true;
}

} // namespace eft::python
