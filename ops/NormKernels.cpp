// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches the compiled kernels of norms.
#include "ops/DrawOrder.h"
#include "ops/Launch.h"
#include "ops/NormCompiled.h"

namespace eft::ops {
namespace {

constexpr OperatorName name = {"dropout and norm", "launching dropout and norm"};

// QUADS of norm.py: a program of the backward has `quads` times four rows.
constexpr int64_t quads = 4;

bool isEmpty(const Norm &what) { return what.rows == 0 || what.columns == 0; }

Status launch(const NormForwardWork &what, const cuda::Gpu *gpu, StreamHandle stream) {
  if (isEmpty(what))
    return {};
  return gpu ? runOnCuda(name, *gpu, gpuKernelFor(what), programsOf(what), what, stream)
             : runOnCpu(name, cpuKernelFor(what), programsOf(what), what);
}

/// Launches the kernel that computes the gradients of x and of the residual, and the partial sums.
Status launchRows(const NormBackwardWork &what, const cuda::Gpu *gpu, StreamHandle stream) {
  if (isEmpty(what))
    return {};
  return gpu ? runOnCuda(name, *gpu, gpuKernelFor(what), programsOf(what), what, stream)
             : runOnCpu(name, cpuKernelFor(what), programsOf(what), what);
}

/// Launches the kernel that adds up the partial sums. The results are the gradients of the weight
/// and the bias.
Status launchSums(const NormBackwardWork &what, const cuda::Gpu *gpu, StreamHandle stream) {
  if (!what.dweight || what.columns == 0)
    return {};
  return gpu ? runOnCuda(name, *gpu, gpuSumsFor(what), sumProgramsOf(what), what, stream)
             : runOnCpu(name, cpuSumsFor(what), sumProgramsOf(what), what);
}

Status launch(const NormBackwardWork &what, const cuda::Gpu *gpu, StreamHandle stream) {
  Status status = launchRows(what, gpu, stream);
  return status.ok() ? launchSums(what, gpu, stream) : std::move(status);
}

} // namespace

int64_t programsOf(const NormForwardWork &what) { return firstRows(what.rows); }

int64_t programsOf(const NormBackwardWork &what) { return ceilDivide(firstRows(what.rows), quads); }

int64_t sumProgramsOf(const NormBackwardWork &what) {
  return ceilDivide(what.columns, EFT_NORM_SUM_COLUMNS) * (what.dbias ? 2 : 1);
}

Status launchOnCpu(const NormForwardWork &what) { return launch(what, nullptr, nullptr); }
Status launchOnCpu(const NormBackwardWork &what) { return launch(what, nullptr, nullptr); }

Status launchOnCuda(const NormForwardWork &what, int ordinal, StreamHandle stream) {
  return withGpu(ordinal, [&](const cuda::Gpu &gpu) { return launch(what, &gpu, stream); });
}

Status launchOnCuda(const NormBackwardWork &what, int ordinal, StreamHandle stream) {
  return withGpu(ordinal, [&](const cuda::Gpu &gpu) { return launch(what, &gpu, stream); });
}

} // namespace eft::ops
