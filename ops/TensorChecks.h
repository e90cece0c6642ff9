// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checks of tensors that operators share. All that concerns one tensor alone comes before what
// concerns two.
#pragma once

#include "eft/Dropout.h"

namespace eft::ops {

/// A mistake and the code for it; no code if nothing is. The words are made when something is
/// wrong: most calls have nothing to say.
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

/// Whether a tensor has one of these types.
Verdict checkDtype(Named what, std::initializer_list<DataType> dtypes);

/// Whether a tensor shows memory that can be there: its rank, extents, address and pointer.
Verdict checkTensor(Named what);

/// Whether each index of a tensor that is written has memory of its own.
Verdict checkDistinct(Named what);

/// Whether `what` is where `first` is.
Verdict checkDevice(Named what, Named first);

/// Whether `what` is where `first` is, and of its shape.
Verdict checkLike(Named what, Named first);

/// Each program writes its own elements while others still read theirs. If an output may be in the
/// place of an input, it may be the input itself, of the same shape, type and strides: every
/// element is read by whoever writes it. It shares no other memory.
Verdict checkMemory(Named output, Named input, bool mayBeInPlace);

/// Whether a tensor is on a device of this kind.
Verdict checkKind(Named what, DeviceKind kind);

int64_t elementsOf(const Tensor &tensor);

/// Whether a tensor is row-major without gaps. Where an axis has one index or none, its stride
/// means nothing.
bool isRowMajor(const Tensor &tensor);

} // namespace eft::ops
