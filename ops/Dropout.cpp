// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dropout operator: the checks of its tensors, and what its kernels get.
#include "eft/Dropout.h"

#include "ops/DropoutKernels.h"

#include <atomic>
#include <cmath>

namespace eft {
namespace {

/// What is wrong, and the code for it; no code if nothing is.
struct Verdict {
  int code = DropoutSuccess;
  std::string words;

  explicit operator bool() const { return code != DropoutSuccess; }
};

// The names are no strings until something is wrong: most calls have nothing to say.

Verdict badTensor(std::string words) { return {DropoutBadTensor, std::move(words)}; }

Verdict checkAttrs(const DropoutAttrs &attrs) {
  if (attrs.p >= 0 && attrs.p <= 1)
    return {};
  return {DropoutBadAttribute, "p is " + std::to_string(attrs.p) + ", expected 0 to 1"};
}

int64_t elements(const Tensor &matrix) { return matrix.shape[0] * matrix.shape[1]; }

bool isRowMajor(const Tensor &matrix) {
  auto [rows, columns] = std::pair(matrix.shape[0], matrix.shape[1]);
  // Where an axis has one index or none, its stride means nothing.
  return rows == 0 || columns == 0 ||
         ((columns == 1 || matrix.strides[1] == 1) && (rows == 1 || matrix.strides[0] == columns));
}

Verdict checkMatrix(const char *name, const Tensor &tensor, DataType dtype) {
  if (tensor.dtype != dtype)
    return badTensor(std::string(name) + " has dtype " + std::string(dataTypeName(tensor.dtype)) +
                     ", expected " + std::string(dataTypeName(dtype)));
  if (tensor.rank != 2)
    return badTensor(std::string(name) + " has rank " + std::to_string(tensor.rank) +
                     ", expected 2");
  int64_t count = 0;
  if (tensor.shape[0] < 0 || tensor.shape[1] < 0 ||
      __builtin_mul_overflow(tensor.shape[0], tensor.shape[1], &count) ||
      count > (int64_t(1) << 60))
    return badTensor(std::string(name) + " has shape " + tensor.shapeText() +
                     ", expected extents from 0 on and at most 2^60 elements");
  if (!isRowMajor(tensor))
    return badTensor(std::string(name) + " has strides " + tensor.stridesText() + ", expected [" +
                     std::to_string(tensor.shape[1]) + ", 1]: row-major without gaps");
  if (count > 0 && !tensor.data)
    return badTensor(std::string(name) + " has no data: its pointer is null, expected " +
                     std::to_string(count) + " elements");
  if (reinterpret_cast<uintptr_t>(tensor.data) % 4 != 0)
    return badTensor(std::string(name) +
                     " has an address that is not divisible by 4, the size of its elements");
  return {};
}

/// Whether `tensor` is where `first` is, and of its shape.
Verdict checkLike(const char *name, const Tensor &tensor, const char *firstName,
                  const Tensor &first) {
  if (!(tensor.device == first.device))
    return badTensor(std::string(name) + " is on " + tensor.device.name() + ", expected " +
                     firstName + "'s device " + first.device.name());
  if (tensor.shape[0] != first.shape[0] || tensor.shape[1] != first.shape[1])
    return {DropoutBadShape, std::string(name) + " has shape " + tensor.shapeText() +
                                 ", expected " + firstName + "'s shape " + first.shapeText()};
  return {};
}

/// Whether two matrices of one shape, whose elements all have 32 bits, share some of their memory.
bool overlap(const Tensor &one, const Tensor &other) {
  auto start = reinterpret_cast<uintptr_t>(one.data);
  auto otherStart = reinterpret_cast<uintptr_t>(other.data);
  uintptr_t distance = start < otherStart ? otherStart - start : start - otherStart;
  return distance < 4 * uint64_t(elements(one));
}

/// Each program writes its own elements while others still read theirs. An output may be the input
/// of the same type: every element is read by whoever writes it. It shares no other memory.
Verdict checkOutput(const char *name, const Tensor &output, const char *inputName,
                    const Tensor &input) {
  if (!overlap(output, input))
    return {};
  if (output.dtype != input.dtype)
    return badTensor(std::string(name) + " overlaps " + inputName + ", expected memory of its own");
  if (output.data != input.data)
    return badTensor(std::string(name) + " overlaps " + inputName + " in part, expected " +
                     inputName + " itself or memory of its own");
  return {};
}

struct Named {
  const char *name;
  const Tensor &tensor;
  DataType dtype = DataType::F32;
};

/// The checks of one call; the first of the tensors says where and how large. All that concerns one
/// tensor alone comes before what concerns two.
Verdict check(const DropoutAttrs &attrs, std::initializer_list<Named> tensors) {
  if (Verdict verdict = checkAttrs(attrs))
    return verdict;
  for (const Named &each : tensors)
    if (Verdict verdict = checkMatrix(each.name, each.tensor, each.dtype))
      return verdict;
  const Named &first = *tensors.begin();
  for (const Named &each : tensors)
    if (Verdict verdict = checkLike(each.name, each.tensor, first.name, first.tensor))
      return verdict;
  return {};
}

Verdict checkForward(const Tensor &X, const Tensor &Y, const Tensor *mask,
                     const DropoutAttrs &attrs) {
  Verdict verdict = mask ? check(attrs, {{"X", X}, {"Y", Y}, {"mask", *mask, DataType::I32}})
                         : check(attrs, {{"X", X}, {"Y", Y}});
  if (!verdict)
    verdict = checkOutput("Y", Y, "X", X);
  if (!verdict && mask)
    verdict = checkOutput("mask", *mask, "X", X);
  if (!verdict && mask)
    verdict = checkOutput("mask", *mask, "Y", Y);
  return verdict;
}

Verdict checkBackward(const Tensor &dY, const Tensor &mask, const Tensor &dX,
                      const DropoutAttrs &attrs) {
  Verdict verdict = check(attrs, {{"dY", dY}, {"mask", mask, DataType::I32}, {"dX", dX}});
  if (!verdict)
    verdict = checkOutput("dX", dX, "dY", dY);
  if (!verdict)
    verdict = checkOutput("dX", dX, "mask", mask);
  return verdict;
}

Verdict checkSeedBackward(const Tensor &dY, const Tensor &dX, const DropoutAttrs &attrs) {
  if (attrs.seed == 0)
    return {DropoutBadAttribute, "the seed is 0, expected the one that the forward used"};
  Verdict verdict = check(attrs, {{"dY", dY}, {"dX", dX}});
  return verdict ? verdict : checkOutput("dX", dX, "dY", dY);
}

float scaleOf(const DropoutAttrs &attrs) {
  if (!attrs.scale_in_train)
    return 1;
  return attrs.p < 1 ? 1 / (1 - attrs.p) : 0;
}

uint64_t seedOf(const DropoutAttrs &attrs) {
  static std::atomic<uint64_t> fresh = uint64_t(1) << 63;
  return attrs.seed ? attrs.seed : fresh.fetch_add(1, std::memory_order_relaxed) + 1;
}

ops::Forward forwardOf(const Tensor &X, const Tensor &Y, const Tensor *mask,
                       const DropoutAttrs &attrs, uint64_t seed) {
  ops::Forward what;
  what.x = static_cast<const float *>(X.data);
  what.y = static_cast<float *>(Y.data);
  what.mask = mask ? static_cast<int32_t *>(mask->data) : nullptr;
  what.rows = X.shape[0];
  what.columns = X.shape[1];
  what.seed = seed;
  // Exact: p has 24 bits. For p = 1 the threshold has 33.
  what.mayKeep = attrs.p < 1;
  what.threshold = what.mayKeep ? uint32_t(std::ceil(double(attrs.p) * 0x1p32)) : UINT32_MAX;
  what.scale = scaleOf(attrs);
  return what;
}

ops::Backward backwardOf(const Tensor &dY, const Tensor &mask, const Tensor &dX,
                         const DropoutAttrs &attrs) {
  return {static_cast<const float *>(dY.data), static_cast<const int32_t *>(mask.data),
          static_cast<float *>(dX.data), elements(dY), scaleOf(attrs)};
}

template <typename What> Status launch(const What &what, Device device, StreamHandle stream) {
  return device.isHost() ? ops::launchOnCpu(what) : ops::launchOnCuda(what, device.index, stream);
}

// The checked operators, wherever the tensors are.

Status forward(const Tensor &X, Tensor &Y, Tensor *mask, const DropoutAttrs &attrs,
               StreamHandle stream, uint64_t *usedSeed) {
  uint64_t seed = seedOf(attrs);
  Status status = launch(forwardOf(X, Y, mask, attrs, seed), X.device, stream);
  if (usedSeed && status.ok())
    *usedSeed = seed;
  return status;
}

Status backward(const Tensor &dY, const Tensor &mask, Tensor &dX, const DropoutAttrs &attrs,
                StreamHandle stream) {
  return launch(backwardOf(dY, mask, dX, attrs), dY.device, stream);
}

/// What was dropped of X is dropped of dY, and scaled alike: it is the forward once more.
Status seedBackward(const Tensor &dY, Tensor &dX, const DropoutAttrs &attrs, StreamHandle stream) {
  return launch(forwardOf(dY, dX, nullptr, attrs, attrs.seed), dY.device, stream);
}

// Two ways to say what went wrong.

Verdict checkKind(const char *name, const Tensor &tensor, DeviceKind kind) {
  if (tensor.device.kind == kind)
    return {};
  return badTensor(std::string(name) + " is on " + tensor.device.name() + ", expected " +
                   (kind == DeviceKind::Host ? "the CPU" : "a CUDA device"));
}

template <typename Run> Status withStatus(Verdict device, Verdict verdict, Run run) {
  if (Verdict &first = device ? device : verdict)
    return Error{ErrorKind::InvalidArgument, "dropout: " + first.words};
  return run();
}

thread_local std::string message;

template <typename Run> int withCode(Verdict verdict, Run run) {
  message.clear();
  if (verdict) {
    message = "dropout: " + verdict.words;
    return verdict.code;
  }
  Status status = run();
  if (status.ok())
    return DropoutSuccess;
  message = status.error().message;
  return DropoutRuntimeError;
}

} // namespace

#define EFT_DROPOUT(NAME, KIND)                                                                    \
  Status NAME##Launch(const Tensor &X, Tensor &Y, Tensor *mask, const DropoutAttrs &attrs,         \
                      StreamHandle stream, uint64_t *usedSeed) {                                   \
    return withStatus(checkKind("X", X, KIND), checkForward(X, Y, mask, attrs),                    \
                      [&] { return forward(X, Y, mask, attrs, stream, usedSeed); });               \
  }                                                                                                \
  Status NAME##BackwardLaunch(const Tensor &dY, const Tensor &mask, Tensor &dX,                    \
                              const DropoutAttrs &attrs, StreamHandle stream) {                    \
    return withStatus(checkKind("dY", dY, KIND), checkBackward(dY, mask, dX, attrs),               \
                      [&] { return backward(dY, mask, dX, attrs, stream); });                      \
  }                                                                                                \
  Status NAME##SeedBackwardLaunch(const Tensor &dY, Tensor &dX, const DropoutAttrs &attrs,         \
                                  StreamHandle stream) {                                           \
    return withStatus(checkKind("dY", dY, KIND), checkSeedBackward(dY, dX, attrs),                 \
                      [&] { return seedBackward(dY, dX, attrs, stream); });                        \
  }

EFT_DROPOUT(DropoutCuda, DeviceKind::Cuda)
EFT_DROPOUT(DropoutCpu, DeviceKind::Host)
#undef EFT_DROPOUT

int dropout_run(const Tensor &X, Tensor &Y, Tensor *mask, const DropoutAttrs &attrs,
                StreamHandle stream, uint64_t *usedSeed) {
  return withCode(checkForward(X, Y, mask, attrs),
                  [&] { return forward(X, Y, mask, attrs, stream, usedSeed); });
}

int dropout_backward_run(const Tensor &dY, const Tensor &mask, Tensor &dX,
                         const DropoutAttrs &attrs, StreamHandle stream) {
  return withCode(checkBackward(dY, mask, dX, attrs),
                  [&] { return backward(dY, mask, dX, attrs, stream); });
}

int dropout_seed_backward_run(const Tensor &dY, Tensor &dX, const DropoutAttrs &attrs,
                              StreamHandle stream) {
  return withCode(checkSeedBackward(dY, dX, attrs),
                  [&] { return seedBackward(dY, dX, attrs, stream); });
}

const char *dropout_message() { return message.c_str(); }

} // namespace eft
