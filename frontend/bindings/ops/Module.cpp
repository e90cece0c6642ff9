// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `eft._ops`: the operators on views of arrays, which eft.ops makes of arrays.
#include "eft/Ops.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace eft;

namespace {

/// A view: address, shape, strides in elements, the dtype's name, and the GPU's number or -1.
using View = std::tuple<uintptr_t, std::vector<int64_t>, std::vector<int64_t>, std::string, int>;

Tensor tensorOf(const View &view) {
  const auto &[address, shape, strides, dtype, gpu] = view;
  Tensor tensor;
  auto known = dataTypeFromArrayName(dtype);
  if (!known)
    throw py::value_error("operators know no dtype '" + dtype + "'");
  if (shape.size() > Tensor::maxRank || strides.size() != shape.size())
    throw py::value_error("operators take arrays of at most " + std::to_string(Tensor::maxRank) +
                          " axes, got " + std::to_string(shape.size()));
  tensor.data = reinterpret_cast<void *>(address);
  tensor.dtype = *known;
  tensor.device = gpu < 0 ? Device::host() : Device::cuda(gpu);
  tensor.rank = unsigned(shape.size());
  std::copy(shape.begin(), shape.end(), tensor.shape.begin());
  std::copy(strides.begin(), strides.end(), tensor.strides.begin());
  return tensor;
}

/// Runs without the interpreter's lock, and raises what the code stands for.
template <typename Run> void runReleased(Run run) {
  int code = 0;
  std::string message;
  {
    py::gil_scoped_release released;
    code = run();
    if (code != DropoutSuccess)
      message = dropout_message();
  }
  if (code == DropoutRuntimeError)
    throw std::runtime_error(message);
  if (code != DropoutSuccess)
    throw py::value_error(message);
}

StreamHandle streamOf(uintptr_t stream) { return reinterpret_cast<StreamHandle>(stream); }

uint64_t dropout(const View &x, const View &y, const std::optional<View> &mask, float p,
                 bool scales, uint64_t seed, uintptr_t stream) {
  Tensor X = tensorOf(x), Y = tensorOf(y), M = mask ? tensorOf(*mask) : Tensor();
  uint64_t used = 0;
  runReleased([&] {
    return dropout_run(X, Y, mask ? &M : nullptr, {p, scales, seed}, streamOf(stream), &used);
  });
  return used;
}

void dropoutBackward(const View &dy, const View &mask, const View &dx, float p, bool scales,
                     uintptr_t stream) {
  Tensor dY = tensorOf(dy), M = tensorOf(mask), dX = tensorOf(dx);
  runReleased([&] { return dropout_backward_run(dY, M, dX, {p, scales, 0}, streamOf(stream)); });
}

void dropoutSeedBackward(const View &dy, const View &dx, float p, bool scales, uint64_t seed,
                         uintptr_t stream) {
  Tensor dY = tensorOf(dy), dX = tensorOf(dx);
  runReleased(
      [&] { return dropout_seed_backward_run(dY, dX, {p, scales, seed}, streamOf(stream)); });
}

} // namespace

PYBIND11_MODULE(_ops, module) {
  module.doc() = "Eft's operators, on views: (address, shape, strides, dtype, GPU or -1).";
  module.def("dropout", &dropout, py::arg("x"), py::arg("y"), py::arg("mask"), py::arg("p"),
             py::arg("scale_in_train"), py::arg("seed"), py::arg("stream"),
             "Writes y, and the mask if it is not None; gives the seed that was used.");
  module.def("dropout_backward", &dropoutBackward, py::arg("dy"), py::arg("mask"), py::arg("dx"),
             py::arg("p"), py::arg("scale_in_train"), py::arg("stream"));
  module.def("dropout_seed_backward", &dropoutSeedBackward, py::arg("dy"), py::arg("dx"),
             py::arg("p"), py::arg("scale_in_train"), py::arg("seed"), py::arg("stream"));
}
