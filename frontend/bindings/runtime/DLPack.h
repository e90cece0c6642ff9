// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of DLPack 1.x's binary interface that Eft reads: the description of an array in memory,
// and a library's table of C functions that make such descriptions without a Python call.
#pragma once

#include <cstdint>

namespace eft::dlpack {

inline constexpr uint32_t majorVersion = 1;
inline constexpr uint32_t minorVersion = 3;

enum DeviceType : int32_t { cpu = 1, cuda = 2, cudaHost = 3, cudaManaged = 13 };

enum TypeCode : uint8_t {
  intCode = 0,
  uintCode = 1,
  floatCode = 2,
  bfloatCode = 4,
  boolCode = 6,
  float8E4M3FNCode = 10,
  float8E4M3FNUZCode = 11,
  float8E5M2Code = 12,
  float8E5M2FNUZCode = 13
};

struct Version {
  uint32_t major;
  uint32_t minor;
};

struct Device {
  int32_t type;
  int32_t id;
};

struct Type {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct Tensor {
  void *data;
  Device device;
  int32_t ndim;
  Type type;
  int64_t *shape;
  int64_t *strides;
  uint64_t byteOffset;
};

// The content of a capsule named "dltensor".
struct ManagedTensor {
  Tensor tensor;
  void *context;
  void (*deleter)(ManagedTensor *self);
};

inline constexpr uint64_t readOnlyFlag = 1;
inline constexpr uint64_t isCopiedFlag = 2;

// The content of a capsule named "dltensor_versioned". The fields after `flags` depend on the major
// version.
struct VersionedTensor {
  Version version;
  void *context;
  void (*deleter)(VersionedTensor *self);
  uint64_t flags;
  Tensor tensor;
};

// The content of a capsule named "dlpack_exchange_api", which is a type's attribute
// __dlpack_c_exchange_api__. The functions return 0, or −1 with a Python exception set. The table
// lives as long as the process.
struct ExchangeApi {
  Version version;
  ExchangeApi *previous; // the table of an older major version, or null
  int (*allocate)(Tensor *prototype, VersionedTensor **out, void *errorContext,
                  void (*setError)(void *context, const char *kind, const char *message));
  int (*fromObject)(void *object, VersionedTensor **out);
  int (*toObject)(VersionedTensor *tensor, void **out);
  int (*describeObject)(void *object, Tensor *out); // may be null; `out` borrows from the object
  int (*currentStream)(int32_t deviceType, int32_t deviceId, void **out);
};

} // namespace eft::dlpack
