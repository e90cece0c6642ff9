// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the arguments of a launch. Each Python type is examined once: whether its objects are
// numbers or arrays, and by which ways arrays of the type can be read. The ways are:
//
//   exchange   DLPack's table of C functions (PyTorch from 2.10): no Python code, no allocation
//   numpy      the fields of NumPy's array structure
//   data_ptr   a method data_ptr() and attributes dtype, device: PyTorch before 2.10, and
//              placeholders for tensors
//   cuda       __cuda_array_interface__ (CuPy, Numba)
//   dlpack     __dlpack__ (JAX and others), with either kind of capsule
//   buffer     Python's buffer protocol (array.array, memoryview, bytes)
//   array      __array_interface__
//
// If a type offers one of the first two ways, its objects are read by this way alone. Otherwise the
// ways that the type offers are tried in this order until one fits the object. A way may not fit
// every object of the type: for an array on the host, __cuda_array_interface__ raises
// AttributeError.
#pragma once

#include "frontend/bindings/runtime/DLPack.h"
#include "frontend/bindings/runtime/Object.h"
#include "frontend/bindings/runtime/TypeCode.h"

#include <optional>
#include <vector>

namespace eft::python {

// The memory that holds an array: of the host or of a GPU. GPUs can use pinned memory of the host
// too. An array for which this is `Unknown` does not affect the choice of the device.
enum class Place : uint8_t { Unknown, Host, Pinned, Cuda };

struct ArrayFacts {
  uint64_t address = 0;
  DataType type = DataType::I8;
  bool readOnly = false;
  Place place = Place::Unknown;
  int32_t index = 0;      // the number of the GPU
  bool hasStream = false; // the object names the stream that works on it
  uint64_t stream = 0;    // that stream
};

// Keeps the objects and buffers alive that protocols returned, until the launch is over.
class HeldObjects {
public:
  HeldObjects() = default;
  HeldObjects(const HeldObjects &) = delete;
  ~HeldObjects();

  void keep(Ref object) { objects.push_back(std::move(object)); }
  // Takes ownership of the view and releases it in the destructor.
  void keep(const Py_buffer &view) { views.push_back(view); }

private:
  std::vector<Ref> objects;
  std::vector<Py_buffer> views;
};

enum class Library : uint8_t { Torch, CuPy, Other };

// The facts about a Python type. Made once for each type and never freed.
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

// Returns the reader of the object's type, or null with an exception set if examining the type
// failed.
const TypeReader *readerOf(PyObject *object);

// Reads an array into `facts`. Returns false with an exception set if the array can't be read.
bool readArray(const TypeReader &reader, PyObject *object, const Where &where, HeldObjects &held,
               ArrayFacts &facts);

// Finds the element type of a NumPy dtype, or of an object whose str() ends in a type's name, such
// as "torch.float32". Returns false with an exception set if kernels don't have the type.
bool elementType(PyObject *dtype, const Where &where, DataType &type);

// Sets the exception for an element type that kernels don't have.
void raiseElementType(const std::string &found, const Where &where);

// Checks the address of an array. Returns false with an exception set if the address is null and
// the array may have elements. `elements` is nothing if their number is not known.
//
// The address is null for the placeholder tensors with which PyTorch traces or compiles, and for
// tensors whose storage was freed.
bool checkAddress(uint64_t address, std::optional<uint64_t> elements, const Where &where);

// Returns the number of elements of a shape, or nothing if `shape` is null or not a sequence of
// ints.
std::optional<uint64_t> elementsOf(PyObject *shape);

// Sets the exception for an array on a device that is neither a CPU nor a CUDA device.
void raiseDevice(const std::string &found, const Where &where);

// The result of a reader below. NotThisWay: this object can't be read in this way, although its
// type offers it; no exception is set. Failed: an exception is set.
enum class Reading { Done, NotThisWay, Failed };

// If the pending exception is of the class `exception`, clears it and returns NotThisWay. Otherwise
// keeps it and returns Failed.
Reading notThisOr(PyObject *exception);

// The readers of one way each, in ArrayProtocols.cpp and DLPackReader.cpp.
Reading readDataPointer(PyObject *object, const Where &where, ArrayFacts &facts);
Reading readCudaInterface(PyObject *object, const Where &where, HeldObjects &held,
                          ArrayFacts &facts);
Reading readDLPack(PyObject *object, const Where &where, HeldObjects &held, ArrayFacts &facts);
Reading readBuffer(PyObject *object, const Where &where, HeldObjects &held, ArrayFacts &facts);
Reading readArrayInterface(PyObject *object, const Where &where, HeldObjects &held,
                           ArrayFacts &facts);

// Sets the exception for an array that a library refused to describe by DLPack. It has the text of
// the library's pending exception. Returns false.
bool refuseDLPack(PyObject *object, const Where &where);

// Fills `facts` from a DLPack tensor. Returns false with an exception set if kernels can't use it.
bool readTensor(const dlpack::Tensor &tensor, const Where &where, ArrayFacts &facts);

} // namespace eft::python
