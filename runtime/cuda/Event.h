// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams and events, by which kernels on a GPU are timed.
#pragma once

#include "runtime/cuda/Gpu.h"

#include <memory>

namespace eft::cuda {

// Waits for all work that was submitted to the stream before. A null stream is the default stream.
Status synchronize(const Gpu &gpu, StreamHandle stream);

// True if work that is submitted to the stream would become part of a graph. Also true if no work
// may be submitted, because the stream is the default stream and another stream is being captured.
Expected<bool> isCapturing(const Gpu &gpu, StreamHandle stream);

// A stream. Owns the driver's handle.
class Stream {
public:
  static Expected<std::unique_ptr<const Stream>> create(const Gpu &gpu);
  ~Stream();
  Stream(const Stream &) = delete;

  const Gpu &gpu() const { return *owner; }
  StreamHandle handle() const { return stream; }
  // Waits for all work that was submitted to the stream before.
  Status synchronize() const;

private:
  explicit Stream(const Gpu &gpu) : owner(&gpu) {}

  const Gpu *owner;
  StreamHandle stream = nullptr;
};

// An event: a mark in a stream, which stores the time at which the GPU reaches it. Owns the
// driver's handle.
class Event {
public:
  static Expected<std::unique_ptr<const Event>> create(const Gpu &gpu);
  ~Event();
  Event(const Event &) = delete;

  const Gpu &gpu() const { return *owner; }
  Status record(StreamHandle stream) const;
  // Waits until the GPU has reached the event, or until the interruption, if there is one, ends the
  // wait.
  Status synchronize(Interruption *interruption = nullptr) const;
  // The time from `start` to this event. The GPU must have reached both.
  Expected<float> millisecondsSince(const Event &start) const;

private:
  explicit Event(const Gpu &gpu) : owner(&gpu) {}

  const Gpu *owner;
  EventHandle event = nullptr;
};

} // namespace eft::cuda
