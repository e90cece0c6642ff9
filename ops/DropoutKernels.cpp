// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches the compiled kernels of dropout.
#include "ops/DropoutCompiled.h"
#include "ops/Launch.h"

namespace eft::ops {
namespace {

constexpr OperatorName dropout = {"dropout", "launching dropout"};

bool isEmpty(const Forward &what) { return what.rows == 0 || what.columns == 0; }
bool isEmpty(const Backward &what) { return what.count == 0; }

/// Launches a kernel on a GPU, for work that needs no plan.
template <typename What>
Status launchAsItIs(const What &what, int64_t programs, int ordinal, StreamHandle stream) {
  return withGpu(ordinal, [&](const cuda::Gpu &gpu) {
    return isEmpty(what) ? Status()
                         : runOnCuda(dropout, gpu, gpuKernelFor(what), programs, what, stream);
  });
}

/// Launches a kernel on the CPU, for work that needs no plan.
template <typename What> Status launchAsItIs(const What &what, int64_t programs) {
  return isEmpty(what) ? Status() : runOnCpu(dropout, cpuKernelFor(what), programs, what);
}

} // namespace

Status launchOnCpu(const Forward &what) {
  if (isEmpty(what))
    return {};
  CpuForward plan = planForCpu(what);
  return runOnCpu(dropout, kernelFor(plan), plan.programs, plan);
}

Status launchOnCpu(const Backward &what) { return launchAsItIs(what, programsOf(what)); }

Status launchOnCpu(const Strided &what) {
  return launchAsItIs(what, programsOf(what, /*onGpu=*/false));
}

Status launchOnCuda(const Forward &what, int ordinal, StreamHandle stream) {
  return withGpu(ordinal, [&](const cuda::Gpu &gpu) -> Status {
    if (isEmpty(what))
      return {};
    GpuForward plan = planForGpu(what);
    return runOnCuda(dropout, gpu, kernelFor(plan), plan.programs, plan, stream);
  });
}

Status launchOnCuda(const Backward &what, int ordinal, StreamHandle stream) {
  return launchAsItIs(what, programsOf(what), ordinal, stream);
}

Status launchOnCuda(const Strided &what, int ordinal, StreamHandle stream) {
  return launchAsItIs(what, programsOf(what, /*onGpu=*/true), ordinal, stream);
}

} // namespace eft::ops
