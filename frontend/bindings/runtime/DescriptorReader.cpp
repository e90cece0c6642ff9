// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the attributes of a descriptor, and checks the properties that compiled code relies on.
#include "frontend/bindings/runtime/DescriptorReader.h"

#include <bit>

namespace eft::python {
namespace {

PyObject *descriptorType = nullptr;

// The array's address and all strides but the last are multiples of this many bytes.
constexpr int64_t alignment = 16;

// The names of the attributes, as interned str objects.
struct Names {
  PyObject *base = PyUnicode_InternFromString("base");
  PyObject *shape = PyUnicode_InternFromString("shape");
  PyObject *strides = PyUnicode_InternFromString("strides");
  PyObject *blockShape = PyUnicode_InternFromString("block_shape");
  PyObject *padding = PyUnicode_InternFromString("padding");
};

const Names &names() {
  static const Names &known = *new Names;
  return known;
}

bool fail(PyObject *type, const Where &where, const std::string &words) {
  raise(type, where.message("is a tensor descriptor " + words));
  return false;
}

// The integers of an attribute: at most maxDescriptorRank.
struct Numbers {
  std::array<int64_t, maxDescriptorRank> values = {};
  size_t count = 0;

  // Reads the sequence of ints in the attribute `name`. Returns false with an exception set on
  // failure.
  bool read(PyObject *object, PyObject *name, const Where &where) {
    Ref attribute = Ref::steal(PyObject_GetAttr(object, name));
    Ref items = attribute ? Ref::steal(PySequence_Fast(attribute.get(), "no sequence")) : Ref();
    if (!items) {
      if (attribute && PyErr_ExceptionMatches(PyExc_TypeError))
        fail(PyExc_TypeError, where,
             "whose " + text(name) + " must be a list of ints, got " + describe(attribute.get()));
      return false;
    }
    count = static_cast<size_t>(PySequence_Fast_GET_SIZE(items.get()));
    if (count < 1 || count > values.size())
      return fail(PyExc_ValueError, where,
                  "whose " + text(name) + " must have 1 to 5 elements, got " +
                      std::to_string(count));
    for (size_t i = 0; i < count; ++i) {
      PyObject *item = PySequence_Fast_GET_ITEM(items.get(), static_cast<Py_ssize_t>(i));
      Ref number = Ref::steal(PyNumber_Index(item));
      values[i] = number ? PyLong_AsLongLong(number.get()) : -1;
      if (values[i] == -1 && PyErr_Occurred())
        return fail(PyExc_TypeError, where,
                    "whose " + text(name) + " must have ints of 64 bits, got " + describe(item));
    }
    return true;
  }
};

bool checkStrides(const Numbers &strides, int64_t bytes, const Where &where) {
  if (strides.values[strides.count - 1] != 1)
    return fail(PyExc_ValueError, where,
                "whose last stride must be 1, got " +
                    std::to_string(strides.values[strides.count - 1]));
  for (size_t i = 0; i + 1 < strides.count; ++i)
    // The unsigned product may wrap around. That does not change the remainder, because 16 divides
    // 2⁶⁴.
    if (static_cast<uint64_t>(strides.values[i]) * static_cast<uint64_t>(bytes) % alignment != 0)
      return fail(PyExc_ValueError, where,
                  "whose strides must be multiples of 16 bytes, got one of " +
                      std::to_string(strides.values[i]) + " elements of " + std::to_string(bytes));
  return true;
}

bool readBlockShape(const Numbers &extents, const Where &where, DescriptorType &type) {
  for (size_t i = 0; i < extents.count; ++i) {
    if (extents.values[i] < 1 || !std::has_single_bit(static_cast<uint64_t>(extents.values[i])))
      return fail(PyExc_ValueError, where,
                  "whose block_shape must have powers of two, got " +
                      std::to_string(extents.values[i]));
    type.logExtents[i] =
        static_cast<uint8_t>(std::countr_zero(static_cast<uint64_t>(extents.values[i])));
  }
  return true;
}

bool readPadding(PyObject *object, const Where &where, DescriptorType &type) {
  Ref padding = Ref::steal(PyObject_GetAttr(object, names().padding));
  if (!padding)
    return false;
  type.padsWithNan =
      PyUnicode_Check(padding.get()) && PyUnicode_CompareWithASCIIString(padding.get(), "nan") == 0;
  const bool isZero = PyUnicode_Check(padding.get()) &&
                      PyUnicode_CompareWithASCIIString(padding.get(), "zero") == 0;
  return type.padsWithNan || isZero ||
         fail(PyExc_ValueError, where,
              "whose padding must be 'zero' or 'nan', got " + describe(padding.get()));
}

bool readBase(PyObject *object, const Where &where, HeldObjects &held, const TypeReader *&reader,
              ArrayFacts &facts) {
  Ref base = Ref::steal(PyObject_GetAttr(object, names().base));
  if (!base || !(reader = readerOf(base.get())))
    return false;
  if (reader->kind != TypeReader::Array)
    return fail(PyExc_TypeError, where, "whose base must be an array, got " + typeName(base.get()));
  const bool read = readArray(*reader, base.get(), where, held, facts);
  held.keep(std::move(base));
  return read;
}

} // namespace

void setDescriptorType(PyObject *type) {
  Py_XINCREF(type);
  Py_XSETREF(descriptorType, type);
}

bool isDescriptorType(PyTypeObject *type) {
  return descriptorType && PyType_IsSubtype(type, reinterpret_cast<PyTypeObject *>(descriptorType));
}

std::string DescriptorType::name() const {
  std::string words = std::string("tensordesc<") + (readOnly ? "k" : "");
  words.append(dataTypeName(element));
  for (size_t i = 0; i < rank; ++i)
    words += (i == 0 ? "[" : ", ") + std::to_string(uint64_t(1) << logExtents[i]);
  words += "]";
  words += padsWithNan ? ", nan" : "";
  words += hasWideExtents ? ", i64" : "";
  return words + ">";
}

uint64_t DescriptorType::hash() const {
  uint64_t bits = static_cast<uint64_t>(element) << 3 | uint64_t(readOnly) << 2 |
                  uint64_t(padsWithNan) << 1 | uint64_t(hasWideExtents);
  for (size_t i = 0; i < rank; ++i)
    bits = bits << 6 | logExtents[i];
  return bits << 3 | rank;
}

bool readDescriptor(PyObject *object, const Where &where, HeldObjects &held,
                    const TypeReader *&reader, ArrayFacts &facts,
                    DescriptorArguments &descriptors) {
  Numbers shape, strides, blockShape;
  if (!readBase(object, where, held, reader, facts) || !shape.read(object, names().shape, where) ||
      !strides.read(object, names().strides, where) ||
      !blockShape.read(object, names().blockShape, where))
    return false;
  if (shape.count != strides.count || shape.count != blockShape.count)
    return fail(PyExc_ValueError, where,
                "of " + std::to_string(shape.count) + " extents, " + std::to_string(strides.count) +
                    " strides and a block_shape of " + std::to_string(blockShape.count) +
                    ": expected as many of each");
  if (facts.address % alignment != 0)
    return fail(PyExc_ValueError, where, "whose address must be a multiple of 16");
  DescriptorType type;
  type.element = facts.type;
  type.readOnly = facts.readOnly;
  type.rank = static_cast<uint8_t>(shape.count);
  if (!checkStrides(strides, bitsInMemory(facts.type) / 8, where) ||
      !readBlockShape(blockShape, where, type) || !readPadding(object, where, type))
    return false;
  for (size_t i = 0; i < shape.count; ++i) {
    type.hasWideExtents |= shape.values[i] < INT32_MIN || shape.values[i] > INT32_MAX;
    descriptors.numbers.push_back(static_cast<uint64_t>(shape.values[i]));
  }
  for (size_t i = 0; i + 1 < strides.count; ++i)
    descriptors.numbers.push_back(static_cast<uint64_t>(strides.values[i]));
  descriptors.types.push_back(type);
  return true;
}

} // namespace eft::python
