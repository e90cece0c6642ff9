// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fake driver's functions for its version, for errors and for GPUs.
#include "FakeCuda.h"

#include <cstdio>
#include <map>

namespace eft::cuda::fake {

Result cuDriverGetVersion(int *version) {
  *version = setting("FAKE_CUDA_VERSION", 13000);
  return success;
}

Result cuInit(unsigned) { return setting("FAKE_CUDA_INIT", 0); }

Result cuGetErrorName(Result result, const char **name) {
  static const std::map<Result, const char *> names = {
      {1, "CUDA_ERROR_INVALID_VALUE"},     {2, "CUDA_ERROR_OUT_OF_MEMORY"},
      {100, "CUDA_ERROR_NO_DEVICE"},       {201, "CUDA_ERROR_INVALID_CONTEXT"},
      {218, "CUDA_ERROR_INVALID_PTX"},     {500, "CUDA_ERROR_NOT_FOUND"},
      {700, "CUDA_ERROR_ILLEGAL_ADDRESS"}, {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"}};
  auto found = names.find(result);
  *name = found == names.end() ? nullptr : found->second;
  return found == names.end() ? 1 : success;
}

Result cuGetErrorString(Result result, const char **words) {
  static const std::map<Result, const char *> texts = {
      {1, "invalid argument"},
      {2, "out of memory"},
      {100, "no CUDA-capable device is detected"},
      {201, "invalid device context"},
      {218, "a PTX JIT compilation failed"},
      {500, "named symbol not found"},
      {700, "an illegal memory access was encountered"},
      {803, "system has unsupported display driver / cuda driver combination"}};
  auto found = texts.find(result);
  *words = found == texts.end() ? nullptr : found->second;
  return found == texts.end() ? 1 : success;
}

Result cuDeviceGetCount(int *count) {
  FAIL_IF_TOLD
  *count = setting("FAKE_CUDA_DEVICES", 2);
  return success;
}

Result cuDeviceGet(DeviceHandle *device, int ordinal) {
  FAIL_IF_TOLD
  *device = ordinal;
  return success;
}

Result cuDeviceGetName(char *name, int size, DeviceHandle device) {
  FAIL_IF_TOLD
  std::snprintf(name, static_cast<size_t>(size), "Paper GPU %d", device);
  return success;
}

Result cuDeviceTotalMem_v2(size_t *bytes, DeviceHandle) {
  FAIL_IF_TOLD
  *bytes = size_t(80) << 30;
  return success;
}

Result cuDeviceGetAttribute(int *value, DeviceAttribute attribute, DeviceHandle) {
  FAIL_IF_TOLD
  static const std::map<int, int> values = {{maxGridX, 2147483647},
                                            {maxGridY, 65535},
                                            {maxGridZ, 65535},
                                            {clockRateKilohertz, 1980000},
                                            {multiprocessorCount, 132},
                                            {l2CacheBytes, 50 << 20},
                                            {maxBlocksPerMultiprocessor, 32},
                                            {maxThreadsPerMultiprocessor, 2048},
                                            {maxSharedPerMultiprocessor, 233472},
                                            {maxRegistersPerMultiprocessor, 65536},
                                            {memoryClockKilohertz, 3201000},
                                            {memoryBusBits, 6144},
                                            {maxRegistersPerBlock, 65536},
                                            {capabilityMajor, 9},
                                            {capabilityMinor, 0},
                                            {maxSharedPerBlockOptIn, 232448}};
  auto found = values.find(attribute);
  if (found == values.end())
    return 1;
  *value = found->second;
  return success;
}

Result cuPointerGetAttribute(void *value, PointerAttribute, DevicePointer pointer) {
  FAIL_IF_TOLD
  NEED_CONTEXT
  int device = static_cast<int>(pointer >> 32) - 16;
  if (device < 0 || device >= setting("FAKE_CUDA_DEVICES", 2))
    return 1;
  *static_cast<int *>(value) = device;
  return success;
}

} // namespace eft::cuda::fake
