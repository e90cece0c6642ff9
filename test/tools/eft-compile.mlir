// RUN: eft-compile %s --emit=ir --target=sm_10 | FileCheck %s --check-prefix=IR
// RUN: eft-compile %s --emit=placed | FileCheck %s --check-prefix=PLACED
// RUN: not eft-compile %s --emit=llvm -o %t.absent 2>&1 | FileCheck %s --check-prefix=LLVM
// RUN: not ls %t.absent

// A compile up to a stage runs no later stage. So `ir` works although no GPU has the compute
// capability 1.0, and `placed` works although the division has no lowering.
// IR: func.func @divide
// IR-NOT: eft.layout
// PLACED: eft.layout
// LLVM: error: failed to legalize operation 'arith.ceildivsi'
func.func @divide(%p: !eft.ptr<i32>, %x: i32) {
  %y = arith.ceildivsi %x, %x : i32
  %ys = eft.splat %y : i32 -> tensor<64xi32>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<64x!eft.ptr<i32>>
  eft.store %ps, %ys : tensor<64x!eft.ptr<i32>>
  return
}
