// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dropout operator: checks the tensors and makes the arguments of the kernels.
#include "eft/Dropout.h"

#include "ops/DropoutRule.h"

namespace eft {
namespace {

using ops::checkAttrs;
using ops::checkDistinct;
using ops::checkDtype;
using ops::checkKind;
using ops::checkLike;
using ops::checkMemory;
using ops::checkTensor;
using ops::Named;
using ops::Verdict;

/// The role of an array in a call.
enum class Role { Input, Output };

struct Argument : Named {
  Role role;
};

Argument input(const char *name, const Tensor &tensor) { return {{name, tensor}, Role::Input}; }
Argument output(const char *name, const Tensor &tensor) { return {{name, tensor}, Role::Output}; }

/// Checks one call. The first argument is the input, the second the output of the same type, and
/// the third, if there is one, the mask.
Verdict check(const DropoutAttrs &attrs, std::initializer_list<Argument> arguments) {
  const Argument *all = arguments.begin();
  if (Verdict verdict = checkAttrs(attrs))
    return verdict;
  if (Verdict verdict =
          checkDtype(all[0], {DataType::F16, DataType::BF16, DataType::F32, DataType::F64}))
    return verdict;
  if (Verdict verdict = checkDtype(all[1], {all[0].tensor.dtype}))
    return verdict;
  if (Verdict verdict = arguments.size() > 2 ? checkDtype(all[2], {DataType::I32}) : Verdict())
    return verdict;
  for (const Argument &each : arguments)
    if (Verdict verdict = checkTensor(each))
      return verdict;
  for (const Argument &each : arguments)
    if (Verdict verdict = each.role == Role::Output ? checkDistinct(each) : Verdict())
      return verdict;
  for (const Argument &each : arguments)
    if (Verdict verdict = checkLike(each, all[0]))
      return verdict;
  // An output must not share memory with an input, nor with an output before it in the list.
  for (const Argument &output : arguments)
    for (const Argument &other : arguments) {
      bool isPair = output.role == Role::Output && &other != &output &&
                    (other.role == Role::Input || &other < &output);
      if (Verdict verdict = isPair ? checkMemory(output, other, true) : Verdict())
        return verdict;
    }
  return {};
}

Verdict checkForward(const Tensor &X, const Tensor &Y, const Tensor *mask,
                     const DropoutAttrs &attrs) {
  Argument x = input("X", X), y = output("Y", Y);
  return mask ? check(attrs, {x, y, output("mask", *mask)}) : check(attrs, {x, y});
}

Verdict checkBackward(const Tensor &dY, const Tensor &mask, const Tensor &dX,
                      const DropoutAttrs &attrs) {
  return check(attrs, {input("dY", dY), output("dX", dX), input("mask", mask)});
}

Verdict checkSeedBackward(const Tensor &dY, const Tensor &dX, const DropoutAttrs &attrs) {
  if (attrs.seed == 0)
    return {DropoutBadAttribute, "the seed is 0, expected the one that the forward used"};
  return check(attrs, {input("dY", dY), output("dX", dX)});
}

ops::Forward forwardOf(const Tensor &X, const Tensor &Y, const Tensor *mask,
                       const DropoutAttrs &attrs, uint64_t seed) {
  ops::Forward what{ops::ruleOf(attrs, X.dtype, seed)};
  what.dtype = X.dtype;
  what.x = X.data;
  what.y = Y.data;
  what.mask = mask ? static_cast<int32_t *>(mask->data) : nullptr;
  what.rows = ops::rowsOf(X);
  what.columns = ops::columnsOf(X);
  return what;
}

/// Returns the work on strided arrays. Without a mask, Y's strides fill the mask's place in the
/// axes.
ops::Strided stridedOf(const ops::Forward &what, const Tensor &X, const Tensor &Y,
                       const Tensor *mask) {
  ops::Strided strided;
  static_cast<ops::Forward &>(strided) = what;
  if (ops::elementsOf(X) == 0)
    return strided;
  const std::array<const Tensor *, 3> tensors = {&X, &Y, mask ? mask : &Y};
  strided.axes = ops::axesOf(tensors);
  if (!strided.axes.isUnit && !X.device.isHost())
    strided.memory = ops::memoryAxesOf(tensors);
  return strided;
}

template <typename What> Status launch(const What &what, Device device, StreamHandle stream) {
  return device.isHost() ? ops::launchOnCpu(what) : ops::launchOnCuda(what, device.index, stream);
}

// The operators on tensors that were checked, on the device of the tensors.

Status forward(const Tensor &X, Tensor &Y, Tensor *mask, const DropoutAttrs &attrs,
               StreamHandle stream, uint64_t *usedSeed) {
  uint64_t seed = ops::seedOf(attrs);
  ops::Forward what = forwardOf(X, Y, mask, attrs, seed);
  bool isRowMajor = ops::isRowMajor(X) && ops::isRowMajor(Y) && (!mask || ops::isRowMajor(*mask));
  Status status = isRowMajor ? launch(what, X.device, stream)
                             : launch(stridedOf(what, X, Y, mask), X.device, stream);
  if (usedSeed && status.ok())
    *usedSeed = seed;
  return status;
}

Status backward(const Tensor &dY, const Tensor &mask, Tensor &dX, const DropoutAttrs &attrs,
                StreamHandle stream) {
  if (ops::isRowMajor(dY) && ops::isRowMajor(mask) && ops::isRowMajor(dX))
    return launch(ops::Backward{dY.dtype, dY.data, static_cast<const int32_t *>(mask.data), dX.data,
                                ops::elementsOf(dY), ops::ruleOf(attrs, dY.dtype, 0).scale},
                  dY.device, stream);
  ops::Strided what = stridedOf(forwardOf(dY, dX, &mask, attrs, 0), dY, dX, &mask);
  what.readsMask = true;
  return launch(what, dY.device, stream);
}

/// The backward from the seed drops the elements of dY that the forward dropped of X, so it runs
/// the forward on dY.
Status seedBackward(const Tensor &dY, Tensor &dX, const DropoutAttrs &attrs, StreamHandle stream) {
  return forward(dY, dX, nullptr, attrs, stream, nullptr);
}

// The two ways to report a failure: a Status, or a code with a message.

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
    return withStatus(checkKind({"X", X}, KIND), checkForward(X, Y, mask, attrs),                  \
                      [&] { return forward(X, Y, mask, attrs, stream, usedSeed); });               \
  }                                                                                                \
  Status NAME##BackwardLaunch(const Tensor &dY, const Tensor &mask, Tensor &dX,                    \
                              const DropoutAttrs &attrs, StreamHandle stream) {                    \
    return withStatus(checkKind({"dY", dY}, KIND), checkBackward(dY, mask, dX, attrs),             \
                      [&] { return backward(dY, mask, dX, attrs, stream); });                      \
  }                                                                                                \
  Status NAME##SeedBackwardLaunch(const Tensor &dY, Tensor &dX, const DropoutAttrs &attrs,         \
                                  StreamHandle stream) {                                           \
    return withStatus(checkKind({"dY", dY}, KIND), checkSeedBackward(dY, dX, attrs),               \
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
