// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of all CUDA driver entry points that Eft uses: X(name in Eft and in messages, symbol in
// libcuda, parameters). All of them return a Result.
#pragma once

// clang-format off
#define EFT_CUDA_DRIVER_FUNCTIONS(X)                                                               \
  X(cuDriverGetVersion, cuDriverGetVersion, (int *version))                                        \
  X(cuInit, cuInit, (unsigned flags))                                                              \
  X(cuGetErrorName, cuGetErrorName, (Result result, const char **text))                            \
  X(cuGetErrorString, cuGetErrorString, (Result result, const char **text))                        \
  X(cuDeviceGetCount, cuDeviceGetCount, (int *count))                                              \
  X(cuDeviceGet, cuDeviceGet, (DeviceHandle *device, int ordinal))                                 \
  X(cuDeviceGetName, cuDeviceGetName, (char *name, int size, DeviceHandle device))                 \
  X(cuDeviceGetAttribute, cuDeviceGetAttribute,                                                    \
    (int *value, DeviceAttribute attribute, DeviceHandle device))                                  \
  X(cuDeviceTotalMem, cuDeviceTotalMem_v2, (size_t *bytes, DeviceHandle device))                   \
  X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain,                                            \
    (ContextHandle *context, DeviceHandle device))                                                 \
  X(cuCtxGetCurrent, cuCtxGetCurrent, (ContextHandle *context))                                    \
  X(cuCtxSetCurrent, cuCtxSetCurrent, (ContextHandle context))                                     \
  X(cuCtxSynchronize, cuCtxSynchronize, ())                                                        \
  X(cuCtxRecordEvent, cuCtxRecordEvent, (ContextHandle context, EventHandle event))                \
  X(cuLinkCreate, cuLinkCreate_v2,                                                                 \
    (unsigned count, JitOption *options, void **values, LinkHandle *link))                        \
  X(cuLinkAddData, cuLinkAddData_v2,                                                               \
    (LinkHandle link, LinkInput kind, void *data, size_t size, const char *name,                   \
     unsigned count, JitOption *options, void **values))                                          \
  X(cuLinkComplete, cuLinkComplete, (LinkHandle link, void **cubin, size_t *size))                 \
  X(cuLinkDestroy, cuLinkDestroy, (LinkHandle link))                                               \
  X(cuModuleLoadDataEx, cuModuleLoadDataEx,                                                        \
    (ModuleHandle * module, const void *image, unsigned count, JitOption *options, void **values))  \
  X(cuModuleUnload, cuModuleUnload, (ModuleHandle module))                                         \
  X(cuModuleGetFunction, cuModuleGetFunction,                                                      \
    (FunctionHandle *function, ModuleHandle module, const char *name))                             \
  X(cuModuleGetGlobal, cuModuleGetGlobal_v2,                                                       \
    (DevicePointer * pointer, size_t *bytes, ModuleHandle module, const char *name))               \
  X(cuMemHostAlloc, cuMemHostAlloc, (void **pointer, size_t bytes, unsigned flags))                \
  X(cuMemFreeHost, cuMemFreeHost, (void *pointer))                                                 \
  X(cuMemcpyHtoD, cuMemcpyHtoD_v2, (DevicePointer to, const void *from, size_t bytes))             \
  X(cuMemcpyDtoH, cuMemcpyDtoH_v2, (void *to, DevicePointer from, size_t bytes))                   \
  X(cuFuncLoad, cuFuncLoad, (FunctionHandle function))                                             \
  X(cuThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode, (CaptureMode *mode))     \
  X(cuFuncGetAttribute, cuFuncGetAttribute,                                                        \
    (int *value, FunctionAttribute attribute, FunctionHandle function))                            \
  X(cuFuncSetAttribute, cuFuncSetAttribute,                                                        \
    (FunctionHandle function, FunctionAttribute attribute, int value))                             \
  X(cuLaunchKernel, cuLaunchKernel,                                                                \
    (FunctionHandle function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,     \
     unsigned blockY, unsigned blockZ, unsigned sharedBytes, StreamHandle stream,                  \
     void **parameters, void **extra))                                                             \
  X(cuStreamCreate, cuStreamCreate, (StreamHandle *stream, unsigned flags))                        \
  X(cuStreamDestroy, cuStreamDestroy_v2, (StreamHandle stream))                                    \
  X(cuStreamQuery, cuStreamQuery, (StreamHandle stream))                                           \
  X(cuStreamIsCapturing, cuStreamIsCapturing, (StreamHandle stream, CaptureStatus * status))       \
  X(cuStreamSynchronize, cuStreamSynchronize, (StreamHandle stream))                               \
  X(cuEventCreate, cuEventCreate, (EventHandle *event, unsigned flags))                            \
  X(cuEventDestroy, cuEventDestroy_v2, (EventHandle event))                                        \
  X(cuEventRecord, cuEventRecord, (EventHandle event, StreamHandle stream))                        \
  X(cuEventQuery, cuEventQuery, (EventHandle event))                                               \
  X(cuEventSynchronize, cuEventSynchronize, (EventHandle event))                                   \
  X(cuEventElapsedTime, cuEventElapsedTime,                                                        \
    (float *milliseconds, EventHandle start, EventHandle end))                                     \
  X(cuMemAlloc, cuMemAlloc_v2, (DevicePointer * pointer, size_t bytes))                            \
  X(cuMemFree, cuMemFree_v2, (DevicePointer pointer))                                              \
  X(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2,                                                       \
    (DevicePointer target, const void *source, size_t bytes, StreamHandle stream))                 \
  X(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2,                                                       \
    (void *target, DevicePointer source, size_t bytes, StreamHandle stream))                       \
  X(cuMemsetD8Async, cuMemsetD8Async,                                                              \
    (DevicePointer target, unsigned char value, size_t bytes, StreamHandle stream))                \
  X(cuPointerGetAttribute, cuPointerGetAttribute,                                                  \
    (void *value, PointerAttribute attribute, DevicePointer pointer))
// clang-format on
