// RUN: eft-opt %s -eft-share-blocks -split-input-file | FileCheck %s
// RUN: eft-opt %s -eft-share-blocks=max-programs=3 -split-input-file | FileCheck %s --check-prefix=THREE
// RUN: eft-opt %s -eft-share-blocks=max-programs=1 -split-input-file | FileCheck %s --check-prefix=ONE
// RUN: eft-opt %s -eft-share-blocks=max-operations=7 -split-input-file | FileCheck %s --check-prefix=SEVEN
// RUN: eft-opt %s -eft-share-blocks=max-operations=8 -split-input-file | FileCheck %s --check-prefix=EIGHT

// CHECK-LABEL: llvm.func @one_warp
// CHECK-SAME: nvvm.maxntid = array<i32: 32, 7, 1>
// CHECK-NOT: nvvm.reqntid
// THREE-LABEL: llvm.func @one_warp
// THREE-SAME: nvvm.maxntid = array<i32: 32, 3, 1>
// ONE-LABEL: llvm.func @one_warp
// ONE-SAME: nvvm.reqntid = array<i32: 32, 1, 1>
// ONE-NOT: nvvm.read.ptx.sreg.ntid.y
llvm.func @one_warp(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
  // CHECK-DAG: %[[BLOCK:.*]] = nvvm.read.ptx.sreg.ctaid.x
  // CHECK-DAG: %[[ROWS:.*]] = nvvm.read.ptx.sreg.ntid.y
  // CHECK-DAG: %[[FIRST:.*]] = llvm.mul %[[BLOCK]], %[[ROWS]] overflow<nsw, nuw>
  // CHECK-DAG: %[[ROW:.*]] = nvvm.read.ptx.sreg.tid.y
  // CHECK: %[[PROGRAM:.*]] = llvm.add %[[FIRST]], %[[ROW]] overflow<nsw, nuw>
  %x = nvvm.read.ptx.sreg.ctaid.x : i32
  // CHECK-DAG: %[[BLOCKS:.*]] = nvvm.read.ptx.sreg.nctaid.x
  // CHECK-DAG: %[[ROWS:.*]] = nvvm.read.ptx.sreg.ntid.y
  // CHECK: %[[PROGRAMS:.*]] = llvm.mul %[[BLOCKS]], %[[ROWS]] overflow<nsw, nuw>
  %programs = nvvm.read.ptx.sreg.nctaid.x : i32
  // The other axes do not change.
  // CHECK-NEXT: %[[Y:.*]] = nvvm.read.ptx.sreg.ctaid.y
  // CHECK-NEXT: %[[LANE:.*]] = nvvm.read.ptx.sreg.tid.x
  %y = nvvm.read.ptx.sreg.ctaid.y : i32
  %lane = nvvm.read.ptx.sreg.tid.x : i32
  // CHECK-NEXT: llvm.add %[[PROGRAM]], %[[PROGRAMS]]
  %0 = llvm.add %x, %programs : i32
  %1 = llvm.add %y, %lane : i32
  %2 = llvm.add %0, %1 : i32
  llvm.store %2, %out : i32, !llvm.ptr<1>
  llvm.return
}

// -----

// A block has at most 256 threads.
// CHECK-LABEL: llvm.func @four_warps
// CHECK-SAME: nvvm.maxntid = array<i32: 128, 2, 1>
llvm.func @four_warps() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  %x = nvvm.read.ptx.sreg.ctaid.x : i32
  llvm.return
}

// -----

// CHECK-LABEL: llvm.func @eight_warps
// CHECK-SAME: nvvm.reqntid = array<i32: 256, 1, 1>
llvm.func @eight_warps() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256, 1, 1>} {
  %x = nvvm.read.ptx.sreg.ctaid.x : i32
  llvm.return
}

// -----

// Lanes of a warp may exchange values.
// CHECK-LABEL: llvm.func @shuffle
// CHECK-SAME: nvvm.maxntid = array<i32: 32, 7, 1>
llvm.func @shuffle(%value: i32) -> i32 attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
  %x = nvvm.read.ptx.sreg.ctaid.x : i32
  %lanes = llvm.mlir.constant(-1 : i32) : i32
  %other = llvm.mlir.constant(1 : i32) : i32
  %wide = llvm.mlir.constant(31 : i32) : i32
  %0 = nvvm.shfl.sync bfly %lanes, %value, %other, %wide : i32 -> i32
  %1 = llvm.inline_asm asm_dialect = att "add.u32 $0, $1, 1;", "=r,r" %0 : (i32) -> i32
  llvm.return %1 : i32
}

// -----

// CHECK-LABEL: llvm.func @barrier
// CHECK-SAME: nvvm.reqntid = array<i32: 64, 1, 1>
// CHECK: nvvm.barrier0
llvm.func @barrier() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
  %x = nvvm.read.ptx.sreg.ctaid.x : i32
  nvvm.barrier0
  llvm.return
}

// -----

llvm.mlir.global external @area() {addr_space = 3 : i32} : !llvm.array<0 x i8>

// CHECK-LABEL: llvm.func @shared_memory
// CHECK-SAME: nvvm.reqntid = array<i32: 32, 1, 1>
llvm.func @shared_memory() -> !llvm.ptr<3> attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
  %x = nvvm.read.ptx.sreg.ctaid.x : i32
  %0 = llvm.mlir.addressof @area : !llvm.ptr<3>
  llvm.return %0 : !llvm.ptr<3>
}

// -----

// Assembly that the kernel's author wrote may read the position of the thread.
// CHECK-LABEL: llvm.func @given_assembly
// CHECK-SAME: nvvm.reqntid = array<i32: 32, 1, 1>
llvm.func @given_assembly() -> i32 attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
  %x = nvvm.read.ptx.sreg.ctaid.x : i32
  %0 = llvm.inline_asm asm_dialect = att {eft.given_ptx} "mov.u32 $0, %ctaid.x;", "=r" : () -> i32
  llvm.return %0 : i32
}

// -----

// The kernel waits in a function that it calls.
// CHECK-LABEL: llvm.func @barrier_in_part
// CHECK-SAME: nvvm.reqntid = array<i32: 64, 1, 1>
llvm.func @barrier_in_part() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
  %x = nvvm.read.ptx.sreg.ctaid.x : i32
  llvm.call @part() : () -> ()
  llvm.return
}
llvm.func @part() {
  nvvm.barrier0
  llvm.return
}

// -----

// CHECK-LABEL: llvm.func @position_in_part
// CHECK-SAME: nvvm.maxntid = array<i32: 32, 7, 1>
llvm.func @position_in_part() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
  %0 = llvm.call @part() : () -> i32
  llvm.return
}
// CHECK-LABEL: llvm.func @part
// CHECK: nvvm.read.ptx.sreg.tid.y
llvm.func @part() -> i32 {
  %x = nvvm.read.ptx.sreg.ctaid.x : i32
  llvm.return %x : i32
}

// -----

// CHECK-LABEL: llvm.func @one_of_two
// CHECK-SAME: nvvm.reqntid = array<i32: 32, 1, 1>
llvm.func @one_of_two() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
  %x = nvvm.read.ptx.sreg.ctaid.x : i32
  llvm.return
}
// CHECK-LABEL: llvm.func @other_of_two
// CHECK-SAME: nvvm.reqntid = array<i32: 64, 1, 1>
llvm.func @other_of_two() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
  %x = nvvm.read.ptx.sreg.ctaid.x : i32
  llvm.return
}

// -----

// The warps have four operations each: the limit is for both together.
// CHECK-LABEL: llvm.func @two_warps
// CHECK-SAME: nvvm.maxntid = array<i32: 64, 4, 1>
// SEVEN-LABEL: llvm.func @two_warps
// SEVEN-SAME: nvvm.reqntid = array<i32: 64, 1, 1>
// EIGHT-LABEL: llvm.func @two_warps
// EIGHT-SAME: nvvm.maxntid = array<i32: 64, 4, 1>
llvm.func @two_warps(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
  %one = llvm.mlir.constant(1 : i32) : i32
  %x = nvvm.read.ptx.sreg.ctaid.x : i32
  %next = llvm.add %x, %one : i32
  llvm.store %next, %out : i32, !llvm.ptr<1>
  llvm.return
}

// -----

// CHECK-LABEL: llvm.func @loop
// CHECK-SAME: nvvm.reqntid = array<i32: 32, 1, 1>
llvm.func @loop(%again: i1) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
  %x = nvvm.read.ptx.sreg.ctaid.x : i32
  llvm.br ^loop
^loop:
  llvm.cond_br %again, ^loop, ^end
^end:
  llvm.return
}

// -----

// CHECK-LABEL: llvm.func @branch
// CHECK-SAME: nvvm.maxntid = array<i32: 32, 7, 1>
llvm.func @branch(%condition: i1) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
  %x = nvvm.read.ptx.sreg.ctaid.x : i32
  llvm.cond_br %condition, ^then, ^end
^then:
  llvm.br ^end
^end:
  llvm.return
}

// -----

// All threads of the block vote.
// CHECK-LABEL: llvm.func @vote
// CHECK-SAME: nvvm.reqntid = array<i32: 64, 1, 1>
// CHECK: llvm.nvvm.barrier0.or
llvm.func @vote(%mine: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
  %x = nvvm.read.ptx.sreg.ctaid.x : i32
  %any = llvm.call_intrinsic "llvm.nvvm.barrier0.or"(%mine) : (i32) -> i32
  llvm.return
}

// -----

// A vote of the warp.
// CHECK-LABEL: llvm.func @vote_of_warp
// CHECK-SAME: nvvm.maxntid = array<i32: 32, 7, 1>
llvm.func @vote_of_warp(%lanes: i32, %mine: i1) -> i1 attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
  %x = nvvm.read.ptx.sreg.ctaid.x : i32
  nvvm.bar.warp.sync %lanes : i32
  %any = llvm.call_intrinsic "llvm.nvvm.vote.any.sync"(%lanes, %mine) : (i32, i1) -> i1
  llvm.return %any : i1
}

// -----

// CHECK-LABEL: llvm.func @number_alone
// CHECK-SAME: nvvm.maxntid = array<i32: 32, 7, 1>
llvm.func @number_alone() -> i32 attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
  %programs = nvvm.read.ptx.sreg.nctaid.x : i32
  llvm.return %programs : i32
}

// -----

// All programs along x do the same.
// CHECK-LABEL: llvm.func @no_position
// CHECK-SAME: nvvm.reqntid = array<i32: 32, 1, 1>
llvm.func @no_position() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
  %y = nvvm.read.ptx.sreg.ctaid.y : i32
  llvm.return
}

// -----

// A program has whole warps, along x only.
// CHECK-LABEL: llvm.func @no_threads
// CHECK-SAME: nvvm.reqntid = array<i32: 0, 1, 1>
llvm.func @no_threads() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 0, 1, 1>} {
  %x = nvvm.read.ptx.sreg.ctaid.x : i32
  llvm.return
}

// -----

// CHECK-LABEL: llvm.func @rows_already
// CHECK-SAME: nvvm.reqntid = array<i32: 32, 2, 1>
llvm.func @rows_already() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 2, 1>} {
  %x = nvvm.read.ptx.sreg.ctaid.x : i32
  llvm.return
}

// -----

// CHECK-LABEL: llvm.func @part_of_a_warp
// CHECK-SAME: nvvm.reqntid = array<i32: 48, 1, 1>
llvm.func @part_of_a_warp() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 48, 1, 1>} {
  %x = nvvm.read.ptx.sreg.ctaid.x : i32
  llvm.return
}
