// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams and events: what it takes to time kernels on a GPU.
#pragma once

#include "runtime/cuda/Gpu.h"

#include <memory>

namespace eft::cuda {

// Waits for the work that was put into the stream so far, which may be the default one, null.
Status synchronize(const Gpu &gpu, StreamHandle stream);

// True if what is put into the stream becomes part of a graph, or if nothing may be put there,
// because the stream is the default one and another stream is being captured.
Expected<bool> isCapturing(const Gpu &gpu, StreamHandle stream);

// Owns a stream.
class Stream {
public:
  static Expected<std::unique_ptr<const Stream>> create(const Gpu &gpu);
  ~Stream();
  Stream(const Stream &) = delete;

  const Gpu &gpu() const { return *owner; }
  StreamHandle handle() const { return stream; }
  // Waits for the work that was put into the stream so far.
  Status synchronize() const;

private:
  explicit Stream(const Gpu &gpu) : owner(&gpu) {}

  const Gpu *owner;
  StreamHandle stream = nullptr;
};

// Owns an event, a mark in a stream that keeps the time at which the GPU passed it.
class Event {
public:
  static Expected<std::unique_ptr<const Event>> create(const Gpu &gpu);
  ~Event();
  Event(const Event &) = delete;

  const Gpu &gpu() const { return *owner; }
  Status record(StreamHandle stream) const;
  // Waits until the GPU has passed the mark, or until the interruption, if there is one, ends that.
  Status synchronize(Interruption *interruption = nullptr) const;
  // The time from `start` to this event. Both must have been passed.
  Expected<float> millisecondsSince(const Event &start) const;

private:
  explicit Event(const Gpu &gpu) : owner(&gpu) {}

  const Gpu *owner;
  EventHandle event = nullptr;
};

} // namespace eft::cuda
