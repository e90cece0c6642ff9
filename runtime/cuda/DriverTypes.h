// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The few types and constants of the CUDA Driver API that Eft uses, so that it builds with no CUDA
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
inline constexpr Result errorNotReady = 600; // no error: the GPU is still at it
// The default stream was asked for something while a stream that it waits for is being captured.
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

// Of cuEventCreate.
inline constexpr unsigned disableTiming = 2;

// The calls that a thread may make while a stream of its own or of another thread is being
// captured.
enum CaptureMode : int { captureRelaxed = 2 };

// Whether what is put into a stream becomes part of a graph.
enum CaptureStatus : int { captureNone = 0, captureActive = 1, captureInvalidated = 2 };

enum LinkInput : int { inputPtx = 1 };

// Options of the driver's assembler and linker. Each value travels in a void *: a pointer, or a
// number in its low bytes.
enum JitOption : int {
  infoLogBuffer = 3,
  infoLogBytes = 4,
  errorLogBuffer = 5,
  errorLogBytes = 6,
  generateLineInfo = 13,
};

// The number of the default stream that waits for all others.
inline constexpr size_t legacyDefaultStream = 1;

} // namespace eft::cuda
