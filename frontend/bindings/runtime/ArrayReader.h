// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the arguments of a launch. What a Python type is, and by which protocol its arrays are
// read, is found out once for each type:
//
//   exchange   DLPack's table of C functions (PyTorch from 2.10): no Python code, no allocation
//   numpy      the fields of NumPy's array structure
//   data_ptr   a method data_ptr() and attributes dtype, device: PyTorch before 2.10, and objects
//              that stand for a tensor
//   cuda       __cuda_array_interface__ (CuPy, Numba)
//   dlpack     __dlpack__ (JAX and others), with either kind of capsule
//   buffer     Python's buffer protocol (array.array, memoryview, bytes)
//   array      __array_interface__
//
// A type may offer several. They are tried in this order, since one may not fit each object of the
// type: __cuda_array_interface__ of an array on the host is an AttributeError.
#pragma once

#include "frontend/bindings/runtime/DLPack.h"
#include "frontend/bindings/runtime/Object.h"
#include "frontend/bindings/runtime/TypeCode.h"

#include <optional>
#include <vector>

namespace eft::python {

// The place of an array's memory. Pinned memory of the host can be used by GPUs too; of an unknown
// place nothing is known, so it goes with the other arguments.
enum class Place : uint8_t { Unknown, Host, Pinned, Cuda };

struct ArrayFacts {
  uint64_t address = 0;
  DataType type = DataType::I8;
  bool readOnly = false;
  Place place = Place::Unknown;
  int32_t index = 0;      // the number of the GPU
  bool hasStream = false; // the object names the stream that works on it …
  uint64_t stream = 0;    // … and it is this one
};

// Keeps what a protocol handed out until the launch is over.
class HeldObjects {
public:
  HeldObjects() = default;
  HeldObjects(const HeldObjects &) = delete;
  ~HeldObjects();

  void keep(Ref object) { objects.push_back(std::move(object)); }
  // The view belongs to this object from now on.
  void keep(const Py_buffer &view) { views.push_back(view); }

private:
  std::vector<Ref> objects;
  std::vector<Py_buffer> views;
};

enum class Library : uint8_t { Torch, CuPy, Other };

// The facts about a Python type that Eft has found out. Made once, never freed.
struct TypeReader {
  enum Kind : uint8_t { Boolean, Integer, Float, Array, Descriptor, Tuple, Unsupported };
  enum Way : uint8_t {
    DataPointer = 1,
    CudaInterface = 2,
    DLPack = 4,
    Buffer = 8,
    ArrayInterface = 16,
  };

  PyTypeObject *type = nullptr;
  Kind kind = Unsupported;
  Library library = Library::Other;
  bool numpy = false;
  uint8_t ways = 0;
  const dlpack::ExchangeApi *exchange = nullptr;
};

// The reader of the object's type. Null with an exception set if finding out failed.
const TypeReader *readerOf(PyObject *object);

// Reads an array. False with an exception set if it can't be.
bool readArray(const TypeReader &reader, PyObject *object, const Where &where, HeldObjects &held,
               ArrayFacts &facts);

// The element type of a NumPy dtype, or of an object whose str() ends in a type's name, such as
// "torch.float32". False with an exception set if kernels have no use for it.
bool elementType(PyObject *dtype, const Where &where, DataType &type);

// Sets the exception for an element type that kernels have no use for.
void raiseElementType(const std::string &found, const Where &where);

// Checks an address that an array gives: a null one is right only if the array has no elements. Of
// nothing, the number of elements is not known. False with an exception set if it is wrong.
//
// Tensors that stand for others while PyTorch traces or compiles have no memory, nor have those
// whose storage was freed.
bool checkAddress(uint64_t address, std::optional<uint64_t> elements, const Where &where);

// The number of elements that an object's attribute `shape` tells. Nothing if it tells none.
std::optional<uint64_t> elementsOf(PyObject *shape);

// Sets the exception for an array on a device that kernels don't run on.
void raiseDevice(const std::string &found, const Where &where);

// The results of the ways below: the object may not offer what its type does.
enum class Reading { Done, NotThisWay, Failed };

// A pending exception of this kind says "not this object"; any other is a failure.
Reading notThisOr(PyObject *exception);

// ArrayProtocols.cpp and DLPackReader.cpp.
Reading readDataPointer(PyObject *object, const Where &where, ArrayFacts &facts);
Reading readCudaInterface(PyObject *object, const Where &where, HeldObjects &held,
                          ArrayFacts &facts);
Reading readDLPack(PyObject *object, const Where &where, HeldObjects &held, ArrayFacts &facts);
Reading readBuffer(PyObject *object, const Where &where, HeldObjects &held, ArrayFacts &facts);
Reading readArrayInterface(PyObject *object, const Where &where, HeldObjects &held,
                           ArrayFacts &facts);

// Says that a library refused to describe an array, in the words of its exception. Returns false.
bool refuseDLPack(PyObject *object, const Where &where);

// Fills `facts` from a DLPack description.
bool readTensor(const dlpack::Tensor &tensor, const Where &where, ArrayFacts &facts);

} // namespace eft::python
