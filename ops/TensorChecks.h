// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checks of tensors that operators share. An operator makes all checks of single tensors before
// the checks that compare two.
#pragma once

#include "eft/Dropout.h"

namespace eft::ops {

/// The result of a check: the code of a mistake and its message, or DropoutSuccess and no message.
/// It converts to true if there is a mistake. Messages are made only for mistakes, because most
/// calls have none.
struct Verdict {
  int code = DropoutSuccess;
  std::string words;

  explicit operator bool() const { return code != DropoutSuccess; }
};

Verdict badTensor(std::string words);

struct Named {
  const char *name;
  const Tensor &tensor;
};

/// Checks that a tensor has one of these types.
Verdict checkDtype(Named what, std::initializer_list<DataType> dtypes);

/// Checks a tensor's rank, extents and address: at most 8 axes, at most 2^60 elements, and an
/// address that is a multiple of the elements' size and not null if there are elements.
Verdict checkTensor(Named what);

/// Checks that no two elements of a tensor that is written share memory.
Verdict checkDistinct(Named what);

/// Checks that `what` is on the device of `first`.
Verdict checkDevice(Named what, Named first);

/// Checks that `what` has the device and the shape of `first`.
Verdict checkLike(Named what, Named first);

/// Checks that an output does not overlap an input, since a program writes its elements while other
/// programs still read. With `mayBeInPlace` the output may be the input itself, with the same
/// address, shape, type and strides: then the program that writes an element is the one that reads
/// it.
Verdict checkMemory(Named output, Named input, bool mayBeInPlace);

/// Checks that a tensor is on a device of this kind.
Verdict checkKind(Named what, DeviceKind kind);

int64_t elementsOf(const Tensor &tensor);

/// Whether a tensor is row-major without gaps. The stride of an axis with extent 1 does not matter,
/// and a tensor without elements is row-major.
bool isRowMajor(const Tensor &tensor);

} // namespace eft::ops
