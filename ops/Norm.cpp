// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operator of dropout and norm: checks the tensors and makes the arguments of the kernels.
#include "eft/Norm.h"

#include "ops/DropoutRule.h"
#include "ops/NormKernels.h"
#include "ops/TensorChecks.h"

namespace eft {
namespace {

using ops::Named;
using ops::Verdict;

/// A tensor of a call, with its expected type and shape. `tensor` is null if it is missing.
struct Argument {
  const char *name;
  const Tensor *tensor;
  DataType dtype;
  std::initializer_list<int64_t> shape; // empty: the shape of the first input

  Named named() const { return {name, *tensor}; }
};

std::string listText(std::initializer_list<int64_t> numbers) {
  std::string text = "[";
  for (int64_t number : numbers)
    text += (text.size() > 1 ? ", " : "") + std::to_string(number);
  return text + "]";
}

Verdict checkShape(const Argument &argument, Named first) {
  const Tensor &tensor = *argument.tensor;
  if (argument.shape.size() == 0)
    return ops::checkLike(argument.named(), first);
  if (Verdict verdict = ops::checkDevice(argument.named(), first))
    return verdict;
  if (tensor.rank == argument.shape.size() &&
      std::equal(argument.shape.begin(), argument.shape.end(), tensor.shape.begin()))
    return {};
  return {DropoutBadShape, std::string(argument.name) + " has shape " + tensor.shapeText() +
                               ", expected " + listText(argument.shape)};
}

Verdict checkAlone(const Argument &argument) {
  if (Verdict verdict = ops::checkDtype(argument.named(), {argument.dtype}))
    return verdict;
  if (Verdict verdict = ops::checkTensor(argument.named()))
    return verdict;
  if (ops::isRowMajor(*argument.tensor))
    return {};
  return ops::badTensor(std::string(argument.name) + " has shape " + argument.tensor->shapeText() +
                        " and strides " + argument.tensor->stridesText() +
                        ", expected row-major without gaps");
}

/// Returns whether an output may be this input itself. It may if the thread that writes an element
/// is the only one that reads it.
using MayBe = bool (*)(std::string_view output, std::string_view input);

/// Checks one call. The first input sets the device, and the shape for arguments with an empty
/// shape.
Verdict check(std::initializer_list<Argument> inputs, std::initializer_list<Argument> outputs,
              MayBe mayBe) {
  Named first = inputs.begin()->named();
  if (Verdict verdict = ops::checkDtype(first, {DataType::F16, DataType::BF16, DataType::F32}))
    return verdict;
  for (const auto &arguments : {inputs, outputs})
    for (const Argument &each : arguments)
      if (Verdict verdict = each.tensor ? checkAlone(each) : Verdict())
        return verdict;
  for (const auto &arguments : {inputs, outputs})
    for (const Argument &each : arguments)
      if (Verdict verdict = each.tensor ? checkShape(each, first) : Verdict())
        return verdict;
  for (const Argument &output : outputs) {
    for (const Argument &input : inputs)
      if (Verdict verdict =
              output.tensor && input.tensor
                  ? ops::checkMemory(output.named(), input.named(), mayBe(output.name, input.name))
                  : Verdict())
        return verdict;
    for (const Argument *other = outputs.begin(); other != &output; ++other)
      if (Verdict verdict = output.tensor && other->tensor
                                ? ops::checkMemory(output.named(), other->named(), false)
                                : Verdict())
        return verdict;
  }
  return {};
}

Verdict badAttribute(std::string words) { return {DropoutBadAttribute, std::move(words)}; }

Verdict checkAttrs(const NormAttrs &attrs) {
  if (Verdict verdict = ops::checkAttrs(attrs.dropout))
    return verdict;
  if (!(attrs.eps >= 0))
    return badAttribute("eps is " + std::to_string(attrs.eps) + ", expected 0 or more");
  return {};
}

/// Checks that a layer norm has the array of means, and that a root mean square norm has none.
Verdict checkMean(const Tensor *mean, const NormAttrs &attrs) {
  bool isLayer = attrs.kind == NormKind::Layer;
  if (isLayer == (mean != nullptr))
    return {};
  return ops::badTensor(isLayer ? "mean is missing, expected it for a layer norm"
                                : "mean is there, expected none for a root mean square norm");
}

Verdict checkForward(const NormForward &of, const NormAttrs &attrs) {
  if (Verdict verdict = checkAttrs(attrs))
    return verdict;
  if (Verdict verdict = checkMean(of.mean, attrs))
    return verdict;
  if (Verdict verdict = ops::checkTensor({"X", of.X}))
    return verdict;
  DataType dtype = of.X.dtype;
  int64_t rows = ops::rowsOf(of.X), columns = ops::columnsOf(of.X);
  return check({{"X", &of.X, dtype, {}},
                {"residual", of.residual, dtype, {}},
                {"weight", &of.weight, dtype, {columns}},
                {"bias", of.bias, dtype, {columns}}},
               {{"Z", &of.Z, dtype, {}},
                {"Y", &of.Y, dtype, {}},
                {"mean", of.mean, DataType::F32, {rows}},
                {"rstd", &of.rstd, DataType::F32, {rows}}},
               [](std::string_view output, std::string_view input) {
                 return output == "Z" && (input == "X" || input == "residual");
               });
}

Verdict checkWorkspace(const NormBackward &of) {
  if (!of.dWeight)
    return of.dBias ? ops::badTensor("dBias is there without dWeight, expected both or none")
                    : Verdict();
  int64_t needed = normWorkspace(ops::rowsOf(of.dY), ops::columnsOf(of.dY));
  if (!of.workspace)
    return ops::badTensor("workspace is missing, expected " + std::to_string(needed) +
                          " elements for dWeight");
  if (of.workspace->rank == 1 && of.workspace->shape[0] >= needed)
    return {};
  return {DropoutBadShape, "workspace has shape " + of.workspace->shapeText() +
                               ", expected one axis of at least " + std::to_string(needed)};
}

Verdict checkBackward(const NormBackward &of, const NormAttrs &attrs) {
  if (Verdict verdict = checkAttrs(attrs))
    return verdict;
  if (attrs.dropout.seed == 0 && attrs.dropout.p > 0)
    return badAttribute("the seed is 0, expected the one that the forward used");
  if (Verdict verdict = checkMean(of.mean, attrs))
    return verdict;
  if (Verdict verdict = ops::checkTensor({"dY", of.dY}))
    return verdict;
  DataType dtype = of.dY.dtype;
  int64_t rows = ops::rowsOf(of.dY), columns = ops::columnsOf(of.dY);
  // A workspace that is not needed is ignored. A workspace of a wrong rank is refused later, by
  // checkWorkspace.
  const Tensor *room =
      of.dWeight && of.workspace && of.workspace->rank == 1 ? of.workspace : nullptr;
  Verdict verdict = check({{"dY", &of.dY, dtype, {}},
                           {"dZ", of.dZ, dtype, {}},
                           {"Z", &of.Z, dtype, {}},
                           {"weight", &of.weight, dtype, {columns}},
                           {"mean", of.mean, DataType::F32, {rows}},
                           {"rstd", &of.rstd, DataType::F32, {rows}}},
                          {{"dX", of.dX, dtype, {}},
                           {"dResidual", of.dResidual, dtype, {}},
                           {"dWeight", of.dWeight, dtype, {columns}},
                           {"dBias", of.dBias, dtype, {columns}},
                           {"workspace", room, DataType::F32, {room ? room->shape[0] : 0}}},
                          [](std::string_view, std::string_view) { return false; });
  return verdict ? verdict : checkWorkspace(of);
}

template <typename Work>
Work workOf(const Tensor &first, const Tensor &weight, const Tensor *mean, const Tensor &rstd,
            const NormAttrs &attrs, uint64_t seed) {
  Work what;
  static_cast<ops::DropoutRule &>(what) = ops::ruleOf(attrs.dropout, first.dtype, seed);
  what.dtype = first.dtype;
  what.rows = ops::rowsOf(first);
  what.columns = ops::columnsOf(first);
  what.hasMean = attrs.kind == NormKind::Layer;
  what.eps = attrs.eps;
  what.weight = weight.data;
  what.mean = mean ? static_cast<float *>(mean->data) : nullptr;
  what.rstd = static_cast<float *>(rstd.data);
  return what;
}

void *dataOf(const Tensor *tensor) { return tensor ? tensor->data : nullptr; }

template <typename Work> Status launch(const Work &work, Device device, StreamHandle stream) {
  return device.isHost() ? ops::launchOnCpu(work) : ops::launchOnCuda(work, device.index, stream);
}

Error refused(const Verdict &verdict) {
  return {ErrorKind::InvalidArgument, "dropout and norm: " + verdict.words};
}

} // namespace

int64_t normWorkspace(int64_t rows, int64_t columns) {
  ops::NormBackwardWork what;
  what.rows = rows;
  return 2 * programsOf(what) * columns;
}

Status normForward(const NormForward &arrays, const NormAttrs &attrs, StreamHandle stream,
                   uint64_t *usedSeed) {
  if (Verdict verdict = checkForward(arrays, attrs))
    return refused(verdict);
  uint64_t seed = ops::seedOf(attrs.dropout);
  auto work =
      workOf<ops::NormForwardWork>(arrays.X, arrays.weight, arrays.mean, arrays.rstd, attrs, seed);
  work.x = arrays.X.data;
  work.residual = dataOf(arrays.residual);
  work.bias = dataOf(arrays.bias);
  work.z = arrays.Z.data;
  work.y = arrays.Y.data;
  Status status = launch(work, arrays.X.device, stream);
  if (usedSeed && status.ok())
    *usedSeed = seed;
  return status;
}

Status normBackward(const NormBackward &arrays, const NormAttrs &attrs, StreamHandle stream) {
  if (Verdict verdict = checkBackward(arrays, attrs))
    return refused(verdict);
  auto work = workOf<ops::NormBackwardWork>(arrays.dY, arrays.weight, arrays.mean, arrays.rstd,
                                            attrs, attrs.dropout.seed);
  work.dy = arrays.dY.data;
  work.dz = dataOf(arrays.dZ);
  work.z = arrays.Z.data;
  work.dx = dataOf(arrays.dX);
  work.dresidual = dataOf(arrays.dResidual);
  work.dweight = dataOf(arrays.dWeight);
  work.dbias = dataOf(arrays.dBias);
  work.partial = arrays.dWeight ? static_cast<float *>(arrays.workspace->data) : nullptr;
  return launch(work, arrays.dY.device, stream);
}

} // namespace eft
