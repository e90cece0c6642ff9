// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A view of an array that somebody else owns: what operators take.
#pragma once

#include "eft/DataType.h"
#include "eft/Device.h"
#include "eft/Error.h"
#include "eft/Export.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace eft {

/// An array in memory: where it is and how to read it. Owns nothing; copies show the same memory,
/// which must outlive the work on it. A value like any other to threads.
struct Tensor {
  static constexpr unsigned maxRank = 8;

  void *data = nullptr; ///< the address of the element whose indices are all 0
  DataType dtype = DataType::F32;
  Device device;
  unsigned rank = 0;
  std::array<int64_t, maxRank> shape = {};
  std::array<int64_t, maxRank> strides = {}; ///< in elements

  /// A row-major matrix without gaps.
  static Tensor matrix(void *data, int64_t rows, int64_t columns, DataType dtype = DataType::F32,
                       Device device = Device::host()) {
    return {data, dtype, device, 2, {rows, columns}, {columns, 1}};
  }

  /// The view that a DLTensor of DLPack's describes, whatever header of DLPack the caller has; for
  /// a DLManagedTensor pass its `dl_tensor`. Ownership stays where it is. Fails with
  /// InvalidArgument for a device, a type or a rank that Tensor can't show; says which.
  template <typename DLTensor> static Expected<Tensor> fromDLPack(const DLTensor &other) {
    return fromParts({static_cast<char *>(other.data) + other.byte_offset,
                      static_cast<int>(other.device.device_type),
                      static_cast<int>(other.device.device_id), other.dtype.code, other.dtype.bits,
                      other.dtype.lanes, other.ndim, other.shape, other.strides});
  }

  /// "[3, 4]"
  EFT_API std::string shapeText() const;
  EFT_API std::string stridesText() const;

private:
  /// The fields of DLTensor, in its words.
  struct Parts {
    void *data;
    int deviceType, deviceId;
    int code, bits, lanes;
    int rank;
    const int64_t *shape, *strides;
  };
  EFT_API static Expected<Tensor> fromParts(const Parts &parts);
};

} // namespace eft
