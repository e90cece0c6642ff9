// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor: a view of an array, as the operators take it.
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

/// A view of an array: its address, type, device, shape and strides. A Tensor owns no memory.
/// Copies refer to the same memory, which must outlive the work on it. Like any plain struct, a
/// Tensor must not be changed while another thread uses it.
struct Tensor {
  static constexpr unsigned maxRank = 8;

  void *data = nullptr; ///< the address of the element whose indices are all 0
  DataType dtype = DataType::F32;
  Device device;
  unsigned rank = 0;
  std::array<int64_t, maxRank> shape = {};
  std::array<int64_t, maxRank> strides = {}; ///< in elements

  /// Returns the view of a row-major matrix without gaps.
  static Tensor matrix(void *data, int64_t rows, int64_t columns, DataType dtype = DataType::F32,
                       Device device = Device::host()) {
    return {data, dtype, device, 2, {rows, columns}, {columns, 1}};
  }

  /// Returns the view that a DLPack tensor describes. `DLTensor` is the struct of this name from
  /// the caller's own DLPack header. Of a DLManagedTensor, pass the field `dl_tensor`. The view
  /// takes no ownership. Fails with InvalidArgument for a device, a type or a rank that a Tensor
  /// can't have; the message says which.
  template <typename DLTensor> static Expected<Tensor> fromDLPack(const DLTensor &other) {
    return fromParts({static_cast<char *>(other.data) + other.byte_offset,
                      static_cast<int>(other.device.device_type),
                      static_cast<int>(other.device.device_id), other.dtype.code, other.dtype.bits,
                      other.dtype.lanes, other.ndim, other.shape, other.strides});
  }

  /// The shape as text, such as "[3, 4]".
  EFT_API std::string shapeText() const;
  EFT_API std::string stridesText() const;

private:
  /// The fields of a DLTensor, with DLPack's codes for the device and the type.
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
