// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fake driver's streams, events and memory. Memory of the host replaces that of the GPU.
#include "FakeCuda.h"

#include <atomic>
#include <thread>

namespace eft::cuda::fake {

namespace {

std::atomic<StreamHandle> capturedStream = reinterpret_cast<StreamHandle>(~size_t(0)); // none
int clockTicks = 0;

} // namespace

Result cuStreamCreate(StreamHandle *stream, unsigned) {
  FAIL_IF_TOLD
  NEED_CONTEXT
  *stream = new StreamObject;
  return success;
}

Result cuStreamDestroy_v2(StreamHandle stream) {
  delete stream;
  note("stream destroyed");
  return success;
}

static int questionsWhileBusy = 0;

static Result busyOrDone() {
  std::lock_guard guard(lock);
  if (questionsWhileBusy == 0)
    return success;
  if (questionsWhileBusy > 0)
    --questionsWhileBusy;
  return errorNotReady;
}

// Makes the next `questions` queries of a stream or an event return "not ready"; -1 means all.
EXPORT void fakeBusy(int questions) {
  std::lock_guard guard(lock);
  questionsWhileBusy = questions;
}

// Marks this stream as being captured from now on.
EXPORT void fakeCapture(void *stream) { capturedStream = static_cast<StreamHandle>(stream); }

Result cuStreamIsCapturing(StreamHandle stream, CaptureStatus *status) {
  FAIL_IF_TOLD
  NEED_CONTEXT
  *status = stream == capturedStream ? captureActive : captureNone;
  return success;
}

Result cuStreamQuery(StreamHandle) {
  FAIL_IF_TOLD
  return busyOrDone();
}

Result cuStreamSynchronize(StreamHandle) {
  FAIL_IF_TOLD
  std::this_thread::yield(); // lets other threads run while this one waits
  note("stream synchronized");
  return success;
}

Result cuEventCreate(EventHandle *event, unsigned) {
  FAIL_IF_TOLD
  NEED_CONTEXT
  *event = new EventObject{0};
  return success;
}

Result cuEventDestroy_v2(EventHandle event) {
  delete event;
  note("event destroyed");
  return success;
}

// Each recorded event advances the clock by one millisecond.
Result cuEventRecord(EventHandle event, StreamHandle stream) {
  FAIL_IF_TOLD
  event->time = ++clockTicks;
  note("record in stream " + std::to_string(reinterpret_cast<size_t>(stream)));
  return success;
}

Result cuEventQuery(EventHandle) {
  FAIL_IF_TOLD
  return busyOrDone();
}

Result cuCtxRecordEvent(ContextHandle context, EventHandle) {
  FAIL_IF_TOLD
  note("record behind all work on " + std::to_string(context->ordinal));
  return success;
}

Result cuEventSynchronize(EventHandle) {
  FAIL_IF_TOLD
  return success;
}

Result cuEventElapsedTime(float *milliseconds, EventHandle start, EventHandle end) {
  FAIL_IF_TOLD
  *milliseconds = static_cast<float>(end->time - start->time);
  return success;
}

Result cuMemHostAlloc(void **pointer, size_t bytes, unsigned) {
  FAIL_IF_TOLD
  *pointer = std::calloc(1, bytes);
  return success;
}

Result cuMemFreeHost(void *pointer) {
  std::free(pointer);
  return success;
}

Result cuMemcpyHtoD_v2(DevicePointer to, const void *from, size_t bytes) {
  FAIL_IF_TOLD
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return success;
}

Result cuMemcpyDtoH_v2(void *to, DevicePointer from, size_t bytes) {
  FAIL_IF_TOLD
  std::memcpy(to, reinterpret_cast<const void *>(from), bytes);
  return success;
}

Result cuMemAlloc_v2(DevicePointer *pointer, size_t bytes) {
  FAIL_IF_TOLD
  NEED_CONTEXT
  void *memory = bytes <= size_t(1) << 30 ? std::malloc(bytes) : nullptr;
  if (!memory)
    return errorOutOfMemory;
  *pointer = reinterpret_cast<DevicePointer>(memory);
  note("allocate " + std::to_string(bytes) + " on " + std::to_string(current->ordinal));
  return success;
}

Result cuMemFree_v2(DevicePointer pointer) {
  NEED_CONTEXT
  std::free(reinterpret_cast<void *>(pointer));
  note("free on " + std::to_string(current->ordinal));
  return success;
}

Result cuMemcpyHtoDAsync_v2(DevicePointer target, const void *source, size_t bytes,
                            StreamHandle stream) {
  FAIL_IF_TOLD
  NEED_CONTEXT
  std::memcpy(reinterpret_cast<void *>(target), source, bytes);
  note("copy " + std::to_string(bytes) + " to the device in stream " +
       std::to_string(reinterpret_cast<size_t>(stream)));
  return success;
}

Result cuMemcpyDtoHAsync_v2(void *target, DevicePointer source, size_t bytes, StreamHandle stream) {
  FAIL_IF_TOLD
  NEED_CONTEXT
  std::memcpy(target, reinterpret_cast<const void *>(source), bytes);
  note("copy " + std::to_string(bytes) + " to the host in stream " +
       std::to_string(reinterpret_cast<size_t>(stream)));
  return success;
}

Result cuMemsetD8Async(DevicePointer target, unsigned char value, size_t bytes,
                       StreamHandle stream) {
  FAIL_IF_TOLD
  NEED_CONTEXT
  std::memset(reinterpret_cast<void *>(target), value, bytes);
  note("fill " + std::to_string(bytes) + " in stream " +
       std::to_string(reinterpret_cast<size_t>(stream)));
  return success;
}

} // namespace eft::cuda::fake
