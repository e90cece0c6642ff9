// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams and events, implemented by driver calls.
#include "runtime/cuda/Event.h"

#include "runtime/cuda/Wait.h"

namespace eft::cuda {

Status synchronize(const Gpu &gpu, StreamHandle stream) {
  return inContext(gpu, "cuStreamSynchronize", "waiting for a stream on " + gpu.name(),
                   [&](const Driver &driver) { return driver.cuStreamSynchronize(stream); });
}

Expected<bool> isCapturing(const Gpu &gpu, StreamHandle stream) {
  CaptureStatus state = captureNone;
  bool isImplicit = false;
  Status status =
      inContext(gpu, "cuStreamIsCapturing", "asking for the state of a stream on " + gpu.name(),
                [&](const Driver &driver) {
                  Result result = driver.cuStreamIsCapturing(stream, &state);
                  isImplicit = result == errorCaptureImplicit;
                  return isImplicit ? success : result;
                });
  if (!status.ok())
    return std::move(status).error();
  return isImplicit || state != captureNone;
}

Expected<std::unique_ptr<const Stream>> Stream::create(const Gpu &gpu) {
  std::unique_ptr<Stream> made(new Stream(gpu));
  Status status =
      inContext(gpu, "cuStreamCreate", "making a stream on " + gpu.name(),
                [&](const Driver &driver) { return driver.cuStreamCreate(&made->stream, 0); });
  if (!status.ok())
    return std::move(status).error();
  return std::unique_ptr<const Stream>(std::move(made));
}

Stream::~Stream() {
  if (stream && !forkedAfterStart())
    (void)inContext(*owner, "cuStreamDestroy", "ending a stream",
                    [&](const Driver &driver) { return driver.cuStreamDestroy(stream); });
}

Status Stream::synchronize() const { return cuda::synchronize(*owner, stream); }

Expected<std::unique_ptr<const Event>> Event::create(const Gpu &gpu) {
  std::unique_ptr<Event> made(new Event(gpu));
  Status status =
      inContext(gpu, "cuEventCreate", "making an event on " + gpu.name(),
                [&](const Driver &driver) { return driver.cuEventCreate(&made->event, 0); });
  if (!status.ok())
    return std::move(status).error();
  return std::unique_ptr<const Event>(std::move(made));
}

Event::~Event() {
  if (event && !forkedAfterStart())
    (void)inContext(*owner, "cuEventDestroy", "ending an event",
                    [&](const Driver &driver) { return driver.cuEventDestroy(event); });
}

Status Event::record(StreamHandle stream) const {
  return inContext(*owner, "cuEventRecord", "recording an event on " + owner->name(),
                   [&](const Driver &driver) { return driver.cuEventRecord(event, stream); });
}

Status Event::synchronize(Interruption *interruption) const {
  return inContext(*owner, "cuEventSynchronize", "waiting for an event on " + owner->name(),
                   [&](const Driver &driver) {
                     auto isDone = [&] { return driver.cuEventQuery(event) != errorNotReady; };
                     if (interruption && !waitUntil(isDone, *interruption))
                       return success;
                     return driver.cuEventSynchronize(event);
                   });
}

Expected<float> Event::millisecondsSince(const Event &start) const {
  float milliseconds = 0;
  Status status = inContext(*owner, "cuEventElapsedTime",
                            "reading the time between two events on " + owner->name(),
                            [&](const Driver &driver) {
                              return driver.cuEventElapsedTime(&milliseconds, start.event, event);
                            });
  if (!status.ok())
    return std::move(status).error();
  return milliseconds;
}

} // namespace eft::cuda
