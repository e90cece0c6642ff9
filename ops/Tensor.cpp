// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor: views of DLPack's tensors, and shapes as text.
#include "eft/Tensor.h"

#include <optional>

namespace eft {
namespace {

std::string listText(std::span<const int64_t> numbers) {
  std::string text = "[";
  for (int64_t number : numbers)
    text += (text.size() > 1 ? ", " : "") + std::to_string(number);
  return text + "]";
}

// DLPack's codes for devices and types, which are part of its binary interface.
enum DeviceType { dlCpu = 1, dlCuda = 2, dlCudaHost = 3, dlCudaManaged = 13 };
enum TypeCode { dlInt = 0, dlUInt = 1, dlFloat = 2, dlBFloat = 4, dlBool = 6 };

struct Row {
  int code, bits;
  DataType type;
};

constexpr Row types[] = {
    {dlBool, 8, DataType::I1},    {dlInt, 8, DataType::I8},       {dlInt, 16, DataType::I16},
    {dlInt, 32, DataType::I32},   {dlInt, 64, DataType::I64},     {dlUInt, 8, DataType::U8},
    {dlUInt, 16, DataType::U16},  {dlUInt, 32, DataType::U32},    {dlUInt, 64, DataType::U64},
    {dlFloat, 16, DataType::F16}, {dlBFloat, 16, DataType::BF16}, {dlFloat, 32, DataType::F32},
    {dlFloat, 64, DataType::F64},
};

std::optional<DataType> typeOf(int code, int bits, int lanes) {
  for (const Row &row : types)
    if (lanes == 1 && row.code == code && row.bits == bits)
      return row.type;
  return std::nullopt;
}

/// The host and GPUs can use pinned and managed memory alike. Here pinned memory counts as the
/// host's, and managed memory as that of the GPU that the tensor names.
std::optional<Device> deviceOf(int type, int id) {
  if (type == dlCpu || type == dlCudaHost)
    return Device::host();
  if (type == dlCuda || type == dlCudaManaged)
    return Device::cuda(id);
  return std::nullopt;
}

Error unfit(std::string what) {
  return {ErrorKind::InvalidArgument, "the tensor of DLPack has " + std::move(what)};
}

} // namespace

std::string Tensor::shapeText() const { return listText({shape.data(), rank}); }

std::string Tensor::stridesText() const { return listText({strides.data(), rank}); }

Expected<Tensor> Tensor::fromParts(const Parts &parts) {
  Tensor tensor;
  std::optional<Device> device = deviceOf(parts.deviceType, parts.deviceId);
  if (!device)
    return unfit("a device of type " + std::to_string(parts.deviceType) +
                 ", expected the CPU (1, 3) or CUDA (2, 13)");
  std::optional<DataType> dtype = typeOf(parts.code, parts.bits, parts.lanes);
  if (!dtype)
    return unfit("elements of code " + std::to_string(parts.code) + ", " +
                 std::to_string(parts.bits) + " bits and " + std::to_string(parts.lanes) +
                 " lanes, which kernels don't know");
  if (parts.rank < 0 || parts.rank > int(maxRank))
    return unfit("rank " + std::to_string(parts.rank) + ", expected 0 to " +
                 std::to_string(maxRank));
  tensor.data = parts.data;
  tensor.device = *device;
  tensor.dtype = *dtype;
  tensor.rank = unsigned(parts.rank);
  uint64_t step = 1; // without strides, DLPack means row-major order
  for (unsigned axis = tensor.rank; axis-- > 0; step *= uint64_t(tensor.shape[axis])) {
    tensor.shape[axis] = parts.shape[axis];
    tensor.strides[axis] = parts.strides ? parts.strides[axis] : int64_t(step);
  }
  return tensor;
}

} // namespace eft
