// All names of one target give the same output, in eft-compile and in eft-opt.
// RUN: eft-compile %s --emit=ptx --target=sm_90 > %t.sm_90
// RUN: eft-compile %s --emit=ptx --target=cuda:90 | cmp - %t.sm_90
// RUN: eft-compile %s --emit=ptx --target=compute_90 | cmp - %t.sm_90
// RUN: eft-compile %s --emit=ptx --target=gpu | FileCheck %s --check-prefix=ANY
// RUN: eft-compile %s --emit=llvm --target=cpu > %t.cpu
// RUN: eft-compile %s --emit=llvm --target=host | cmp - %t.cpu
// RUN: eft-opt %s --eft-place="target=gpu" > %t.gpu
// RUN: eft-opt %s --eft-place="target=sm_90" | cmp - %t.gpu
// RUN: eft-opt %s --eft-place="target=cuda:90" | cmp - %t.gpu
// RUN: eft-opt %s --eft-place="target=cpu" > %t.cpu
// RUN: eft-opt %s --eft-place="target=host" | cmp - %t.cpu

// ANY: .target sm_80
func.func @fill(%p: !eft.ptr<f32>) {
  %x = arith.constant 1.0 : f32
  eft.store %p, %x : !eft.ptr<f32>
  return
}
