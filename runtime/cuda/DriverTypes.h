// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types and constants of the CUDA Driver API that Eft uses, so that Eft builds without the CUDA
// toolkit. Their values are part of the driver's stable binary interface.
#pragma once

#include <cstddef>

namespace eft::cuda {

using Result = int;
using DeviceHandle = int;
using ContextHandle = struct ContextObject *;
using ModuleHandle = struct ModuleObject *;
using FunctionHandle = struct FunctionObject *;
using StreamHandle = struct StreamObject *;
using EventHandle = struct EventObject *;
using LinkHandle = struct LinkObject *;
using DevicePointer = unsigned long long;

inline constexpr Result success = 0;
inline constexpr Result errorOutOfMemory = 2;
inline constexpr Result errorNoDevice = 100;
inline constexpr Result errorInvalidContext = 201;
inline constexpr Result errorNotFound = 500;
inline constexpr Result errorNotReady = 600; // not an error: the GPU is still working
// The default stream was used while another stream, for which it would have to wait, is being
// captured.
inline constexpr Result errorCaptureImplicit = 906;

enum DeviceAttribute : int {
  maxGridX = 5,
  maxGridY = 6,
  maxGridZ = 7,
  maxRegistersPerBlock = 12,
  clockRateKilohertz = 13,
  multiprocessorCount = 16,
  memoryClockKilohertz = 36,
  memoryBusBits = 37,
  l2CacheBytes = 38,
  maxThreadsPerMultiprocessor = 39,
  capabilityMajor = 75,
  capabilityMinor = 76,
  maxSharedPerMultiprocessor = 81,
  maxRegistersPerMultiprocessor = 82,
  maxSharedPerBlockOptIn = 97,
  maxBlocksPerMultiprocessor = 106,
};

enum FunctionAttribute : int { localBytes = 3, registersPerThread = 4, maxDynamicSharedBytes = 8 };

enum PointerAttribute : int { pointerDeviceOrdinal = 9 };

// A flag of cuEventCreate.
inline constexpr unsigned disableTiming = 2;

// The capture mode of a thread: it decides which calls the thread may make while a stream of this
// thread or of another thread is captured.
enum CaptureMode : int { captureRelaxed = 2 };

// The capture status of a stream. While a stream is captured, its work becomes part of a graph
// instead of running.
enum CaptureStatus : int { captureNone = 0, captureActive = 1, captureInvalidated = 2 };

enum LinkInput : int { inputPtx = 1 };

// Options of the driver's assembler and linker. Each value is passed as a void *, which is a
// pointer or holds a number in its low bytes.
enum JitOption : int {
  infoLogBuffer = 3,
  infoLogBytes = 4,
  errorLogBuffer = 5,
  errorLogBytes = 6,
  generateLineInfo = 13,
};

// The handle, as a number, of the legacy default stream, which waits for all other streams except
// those that were created as non-blocking.
inline constexpr size_t legacyDefaultStream = 1;

} // namespace eft::cuda
