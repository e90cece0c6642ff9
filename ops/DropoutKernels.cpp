// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches the compiled kernels.
#include "ops/DropoutCompiled.h"
#include "ops/Launch.h"

namespace eft::ops {
namespace {

constexpr OperatorName dropout = {"dropout", "launching dropout"};

bool isEmpty(const Forward &what) { return what.rows == 0 || what.columns == 0; }
bool isEmpty(const Backward &what) { return what.count == 0; }

} // namespace

Status launchOnCpu(const Forward &what) {
  if (isEmpty(what))
    return {};
  CpuForward plan = planForCpu(what);
  return runOnCpu(dropout, kernelFor(plan), plan.programs, plan);
}

Status launchOnCpu(const Backward &what) {
  if (isEmpty(what))
    return {};
  return runOnCpu(dropout, cpuKernelFor(what), programsOf(what), what);
}

Status launchOnCpu(const Strided &what) {
  if (isEmpty(what))
    return {};
  return runOnCpu(dropout, cpuKernelFor(what), programsOf(what), what);
}

Status launchOnCuda(const Forward &what, int ordinal, StreamHandle stream) {
  auto gpu = findGpu(ordinal);
  if (!gpu.ok())
    return gpu.error();
  if (isEmpty(what))
    return {};
  GpuForward plan = planForGpu(what);
  return runOnCuda(dropout, **gpu, kernelFor(plan), plan.programs, plan, stream);
}

Status launchOnCuda(const Backward &what, int ordinal, StreamHandle stream) {
  auto gpu = findGpu(ordinal);
  if (!gpu.ok())
    return gpu.error();
  if (isEmpty(what))
    return {};
  return runOnCuda(dropout, **gpu, gpuKernelFor(what), programsOf(what), what, stream);
}

Status launchOnCuda(const Strided &what, int ordinal, StreamHandle stream) {
  auto gpu = findGpu(ordinal);
  if (!gpu.ok())
    return gpu.error();
  if (isEmpty(what))
    return {};
  return runOnCuda(dropout, **gpu, gpuKernelFor(what), programsOf(what), what, stream);
}

} // namespace eft::ops
