// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Python module `eft._ops`: the operators on views. The package eft.ops makes the views of
// arrays.
#include "eft/Ops.h"
#include "frontend/bindings/Failure.h"

#include <pybind11/stl.h>

namespace py = pybind11;
using namespace eft;

namespace {

/// A view of an array: the address, the shape, the strides in elements, the element type's name in
/// signatures, and the GPU's number, or -1 for the host.
using View = std::tuple<uintptr_t, std::vector<int64_t>, std::vector<int64_t>, std::string, int>;

Tensor tensorOf(const View &view) {
  const auto &[address, shape, strides, dtype, gpu] = view;
  Tensor tensor;
  auto known = dataTypeFromName(dtype);
  if (!known)
    throw python::mistake("operators know no dtype '" + dtype + "'");
  if (shape.size() > Tensor::maxRank || strides.size() != shape.size())
    throw python::mistake("operators take arrays of at most " + std::to_string(Tensor::maxRank) +
                          " axes, got " + std::to_string(shape.size()));
  tensor.data = reinterpret_cast<void *>(address);
  tensor.dtype = *known;
  tensor.device = gpu < 0 ? Device::host() : Device::cuda(gpu);
  tensor.rank = unsigned(shape.size());
  std::copy(shape.begin(), shape.end(), tensor.shape.begin());
  std::copy(strides.begin(), strides.end(), tensor.strides.begin());
  return tensor;
}

/// Returns the Status for the code that a function of dropout returned. Must be called in the
/// thread that called the function of dropout, because the message belongs to that thread.
Status statusOf(int code) {
  if (code == DropoutSuccess)
    return {};
  return Error{code == DropoutRuntimeError ? ErrorKind::Cuda : ErrorKind::InvalidArgument,
               dropout_message()};
}

/// Calls `run` without the GIL, and throws a Failure if `run` returns an error.
template <typename Run> void runReleased(Run run) {
  py::gil_scoped_release released;
  python::unwrap(run());
}

/// A tensor that may be missing.
class Optional {
public:
  Optional(const std::optional<View> &view) {
    if (view)
      tensor = tensorOf(*view);
  }

  Tensor *get() { return tensor ? &*tensor : nullptr; }

private:
  std::optional<Tensor> tensor;
};

using MaybeView = std::optional<View>;

StreamHandle streamOf(uintptr_t stream) { return reinterpret_cast<StreamHandle>(stream); }

uint64_t dropout(const View &x, const View &y, const std::optional<View> &mask, float p,
                 bool scales, uint64_t seed, uintptr_t stream) {
  Tensor X = tensorOf(x), Y = tensorOf(y), M = mask ? tensorOf(*mask) : Tensor();
  uint64_t used = 0;
  runReleased([&] {
    return statusOf(
        dropout_run(X, Y, mask ? &M : nullptr, {p, scales, seed}, streamOf(stream), &used));
  });
  return used;
}

void dropoutBackward(const View &dy, const View &mask, const View &dx, float p, bool scales,
                     uintptr_t stream) {
  Tensor dY = tensorOf(dy), M = tensorOf(mask), dX = tensorOf(dx);
  runReleased(
      [&] { return statusOf(dropout_backward_run(dY, M, dX, {p, scales, 0}, streamOf(stream))); });
}

void dropoutSeedBackward(const View &dy, const View &dx, float p, bool scales, uint64_t seed,
                         uintptr_t stream) {
  Tensor dY = tensorOf(dy), dX = tensorOf(dx);
  runReleased([&] {
    return statusOf(dropout_seed_backward_run(dY, dX, {p, scales, seed}, streamOf(stream)));
  });
}

NormAttrs attrsOf(bool isLayer, float eps, float p, bool scales, uint64_t seed) {
  return {isLayer ? NormKind::Layer : NormKind::RootMeanSquare, eps, {p, scales, seed}};
}

uint64_t norm(const View &x, const MaybeView &residual, const View &weight, const MaybeView &bias,
              const View &z, const View &y, const MaybeView &mean, const View &rstd, bool isLayer,
              float eps, float p, bool scales, uint64_t seed, uintptr_t stream) {
  Tensor X = tensorOf(x), W = tensorOf(weight), Z = tensorOf(z), Y = tensorOf(y);
  Tensor Rstd = tensorOf(rstd);
  Optional R = residual, B = bias, Mean = mean;
  uint64_t used = 0;
  runReleased([&] {
    return normForward({X, R.get(), W, B.get(), Z, Y, Mean.get(), Rstd},
                       attrsOf(isLayer, eps, p, scales, seed), streamOf(stream), &used);
  });
  return used;
}

void gradientsOfNorm(const View &dy, const MaybeView &dz, const View &z, const View &weight,
                     const MaybeView &mean, const View &rstd, const MaybeView &dx,
                     const MaybeView &dresidual, const MaybeView &dweight, const MaybeView &dbias,
                     const MaybeView &workspace, bool isLayer, float p, bool scales, uint64_t seed,
                     uintptr_t stream) {
  Tensor dY = tensorOf(dy), Z = tensorOf(z), W = tensorOf(weight), Rstd = tensorOf(rstd);
  Optional dZ = dz, Mean = mean, dX = dx, dR = dresidual, dW = dweight, dB = dbias;
  Optional Workspace = workspace;
  runReleased([&] {
    return normBackward({dY, dZ.get(), Z, W, Mean.get(), Rstd, dX.get(), dR.get(), dW.get(),
                         dB.get(), Workspace.get()},
                        attrsOf(isLayer, 0, p, scales, seed), streamOf(stream));
  });
}

} // namespace

PYBIND11_MODULE(_ops, module) {
  python::translateFailures();
  module.doc() = "Eft's operators, on views: (address, shape, strides, type, GPU or -1).";
  module.def("dropout", &dropout, py::arg("x"), py::arg("y"), py::arg("mask"), py::arg("p"),
             py::arg("scale_in_train"), py::arg("seed"), py::arg("stream"),
             "Writes y, and the mask if it is not None; gives the seed that was used.");
  module.def("dropout_backward", &dropoutBackward, py::arg("dy"), py::arg("mask"), py::arg("dx"),
             py::arg("p"), py::arg("scale_in_train"), py::arg("stream"));
  module.def("dropout_seed_backward", &dropoutSeedBackward, py::arg("dy"), py::arg("dx"),
             py::arg("p"), py::arg("scale_in_train"), py::arg("seed"), py::arg("stream"));
  module.def("norm", &norm, py::arg("x"), py::arg("residual"), py::arg("weight"), py::arg("bias"),
             py::arg("z"), py::arg("y"), py::arg("mean"), py::arg("rstd"), py::arg("is_layer"),
             py::arg("eps"), py::arg("p"), py::arg("scale_in_train"), py::arg("seed"),
             py::arg("stream"), "Writes z, y and the statistics; gives the seed that was used.");
  module.def("norm_backward", &gradientsOfNorm, py::arg("dy"), py::arg("dz"), py::arg("z"),
             py::arg("weight"), py::arg("mean"), py::arg("rstd"), py::arg("dx"),
             py::arg("dresidual"), py::arg("dweight"), py::arg("dbias"), py::arg("workspace"),
             py::arg("is_layer"), py::arg("p"), py::arg("scale_in_train"), py::arg("seed"),
             py::arg("stream"));
  module.def("norm_workspace", &normWorkspace, py::arg("rows"), py::arg("columns"),
             "How many floats the workspace of a backward must have.");
}
