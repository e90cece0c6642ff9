// A pass loads the dialects of the operations that it creates, even if the input has no operations
// of them.
// RUN: eft-opt %s -eft-fuse-multiply-add -o /dev/null
// RUN: eft-opt %s -eft-expand-sort -o /dev/null
// RUN: eft-opt %s -eft-expand-math -o /dev/null
// RUN: eft-opt %s -eft-widen-dot -o /dev/null
// RUN: eft-opt %s -eft-reduce-assertions -o /dev/null
// RUN: eft-opt %s -eft-expand-narrow-floats -o /dev/null
// RUN: eft-opt %s -eft-expand-float-to-int -o /dev/null
// RUN: eft-opt %s -eft-expand-min-max -o /dev/null
// RUN: eft-opt %s -eft-expand-integer-corners -o /dev/null
// RUN: eft-opt %s -eft-expand-philox -o /dev/null
// RUN: eft-opt %s -eft-hoist-uniform -o /dev/null
// RUN: eft-opt %s -eft-uniform-division -o /dev/null
// RUN: eft-opt %s -eft-carry-scalars | FileCheck %s --check-prefix=CARRY
// RUN: eft-opt %s -eft-place=target=cpu | FileCheck %s --check-prefix=PLACE
// RUN: eft-opt %s -eft-place=target=gpu | FileCheck %s --check-prefix=PLACE
// RUN: eft-opt %s -eft-keep-in-buffers -o /dev/null
// RUN: eft-opt %s -eft-tile-blocks -o /dev/null
// RUN: eft-opt %s -eft-place=target=cpu -eft-lower-to-cpu -eft-lower-to-llvm -o /dev/null
// RUN: eft-opt %s -eft-place=target=gpu -eft-lower-to-gpu -eft-lower-to-llvm -o /dev/null

// CARRY: eft.splat
// PLACE: dense<1> : tensor<4xi32, #
func.func @kernel(%n: i32, %c0: i32, %c1: i32) {
  %a = arith.constant dense<1> : tensor<4xi32>
  %x = arith.constant dense<1.0> : tensor<4xf32>
  %y = arith.divf %x, %x : tensor<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a) -> (tensor<4xi32>) : i32 {
    %q = arith.addi %p, %a : tensor<4xi32>
    scf.yield %q : tensor<4xi32>
  }
  return
}
