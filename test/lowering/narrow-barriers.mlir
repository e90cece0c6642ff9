// RUN: eft-opt %s -eft-narrow-barriers -split-input-file | FileCheck %s

// CHECK-LABEL: llvm.func @one_warp
// CHECK-SAME: %[[MINE:.*]]: i32)
// CHECK: %[[LANES:.*]] = llvm.mlir.constant(-1 : i32)
// CHECK-NEXT: nvvm.bar.warp.sync %[[LANES]]
// CHECK: %[[LANES:.*]] = llvm.mlir.constant(-1 : i32)
// CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
// CHECK-NEXT: %[[HOLDS:.*]] = llvm.icmp "ne" %[[MINE]], %[[ZERO]]
// CHECK-NEXT: %[[ANY:.*]] = llvm.call_intrinsic "llvm.nvvm.vote.any.sync"(%[[LANES]], %[[HOLDS]])
// CHECK-NEXT: %[[WIDE:.*]] = llvm.zext %[[ANY]]
// CHECK-NEXT: llvm.return %[[WIDE]]
llvm.func @one_warp(%mine: i32) -> i32 attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
  nvvm.barrier0
  %any = llvm.call_intrinsic "llvm.nvvm.barrier0.or"(%mine) : (i32) -> i32
  llvm.return %any : i32
}

// -----

// CHECK-LABEL: llvm.func @two_warps
// CHECK-NEXT: nvvm.barrier0
// CHECK-NEXT: llvm.nvvm.barrier0.or
llvm.func @two_warps(%mine: i32) -> i32 attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
  nvvm.barrier0
  %any = llvm.call_intrinsic "llvm.nvvm.barrier0.or"(%mine) : (i32) -> i32
  llvm.return %any : i32
}

// -----

// CHECK-LABEL: llvm.func @caller
llvm.func @caller() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
  llvm.call @part() : () -> ()
  llvm.return
}
// CHECK-LABEL: llvm.func @part
// CHECK: nvvm.bar.warp.sync
// CHECK-NOT: nvvm.barrier0
llvm.func @part() {
  nvvm.barrier0
  llvm.return
}

// -----

// The function may be a part of either kernel.
// CHECK-LABEL: llvm.func @small
llvm.func @small() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
  llvm.call @common() : () -> ()
  llvm.return
}
llvm.func @large() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
  llvm.call @common() : () -> ()
  llvm.return
}
// CHECK-LABEL: llvm.func @common
// CHECK-NEXT: nvvm.barrier0
llvm.func @common() {
  nvvm.barrier0
  llvm.return
}
