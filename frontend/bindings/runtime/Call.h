// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Call: binds the arguments of one call of a kernel to its parameters and reads them.
#pragma once

#include "eft/Device.h"
#include "frontend/bindings/runtime/DescriptorReader.h"
#include "frontend/bindings/runtime/Signature.h"
#include "frontend/bindings/runtime/Stream.h"
#include "runtime/launch/Grid.h"

#include <memory>
#include <span>

namespace eft::python {

// An array whose size is known at run time. Up to 32 elements are on the stack, more on the heap.
template <typename T> class SmallArray {
public:
  explicit SmallArray(size_t size) : count(size) {
    if (size > inlineSize)
      heap.reset(new T[size]);
  }
  T *data() { return count > inlineSize ? heap.get() : stack; }
  const T *data() const { return count > inlineSize ? heap.get() : stack; }
  T &operator[](size_t i) { return data()[i]; }
  const T &operator[](size_t i) const { return data()[i]; }
  size_t size() const { return count; }

private:
  static constexpr size_t inlineSize = 32;
  size_t count;
  T stack[inlineSize]; // not initialised: initialising costs more than using it
  std::unique_ptr<T[]> heap;
};

class Call {
public:
  explicit Call(Signature &signature)
      : signature(signature), values(signature.size()), codes(signature.size()),
        slotStorage(signature.size()) {}

  // These functions return false with a Python exception set on failure. `bind` finds the argument
  // of each parameter; see Signature::bind.
  bool bind(PyObject *const *args, size_t nargs, PyObject *keywords, PyObject **grid = nullptr) {
    return signature.bind(args, nargs, keywords, values.data(), options, grid);
  }
  // Reads every argument and chooses the device. Also returns false, without an exception, if an
  // argument is a tuple.
  bool read();
  // Returns true if `read` failed because an argument is a tuple.
  bool hasTuple() const { return tupleParameter < signature.size(); }
  // Sets the exception for a tuple that a kernel can't take.
  void refuseTuple() const;
  // Reads the grid. If `object` is a function, calls it with a dict of the arguments and reads the
  // result.
  bool readGrid(PyObject *object, Grid &grid);
  bool findStream(uint64_t &stream) const { return streamChoice.find(device.index, stream); }

  std::span<const uint64_t> slots() const {
    if (!allSlots.empty())
      return allSlots;
    return {slotStorage.data(), numSlots};
  }

  Signature &signature;
  SmallArray<PyObject *> values; // borrowed, by parameter
  SmallArray<TypeCode> codes;    // a code for each parameter
  DescriptorArguments descriptors;
  Options options;
  Device device;

private:
  bool readArgument(size_t i);
  void refuse(size_t i) const;
  bool readInteger(size_t i, PyObject *value);
  void setFloat(size_t i, double value);
  bool readObject(size_t i, PyObject *value);
  bool readScalar(const TypeReader &reader, size_t i, PyObject *value);
  bool readDescriptorArgument(size_t i, PyObject *value);
  void appendDescriptors();
  bool placeArray(size_t i, const TypeReader &reader, const ArrayFacts &facts);
  bool chooseDevice();
  void setSlot(size_t i, TypeCode code, uint64_t value) {
    codes[i] = code;
    slotStorage[numSlots++] = value;
  }

  SmallArray<uint64_t> slotStorage; // the slots of the arguments that the compiled kernel has
  size_t numSlots = 0;
  // All slots, those for the descriptors' numbers last. Empty if there are no descriptors.
  std::vector<uint64_t> allSlots;
  Place decided = Place::Unknown;   // the place that decided the device so far
  size_t decidedBy = 0;             // the parameter whose argument decided the device
  size_t tupleParameter = SIZE_MAX; // the parameter whose argument is a tuple
  StreamChoice streamChoice;
  HeldObjects held;
};

} // namespace eft::python
