// RUN: eft-opt %s -pass-pipeline='builtin.module(func.func(eft-keep-in-buffers{vector-bits=128}))' | FileCheck %s

#large = #eft.layout<lane = [[1]], step = [[2], [4], [8], [16], [32], [64], [128], [256], [512], [1024], [2048], [4096], [8192], [16384], [32768]]>

// The buffers in use at one time may take 1 MiB. Here each buffer of 512 KiB is used before the next one
// is filled.
// CHECK-LABEL: @one_after_the_other
// CHECK-COUNT-3: eft.buffer :
// CHECK-NOT: eft.exchange
// CHECK: return
func.func @one_after_the_other(%x: !eft.ptr<i64>) {
  %ps = eft.splat %x : !eft.ptr<i64> -> tensor<65536x!eft.ptr<i64>, #large>
  %a = eft.load %ps : tensor<65536x!eft.ptr<i64>, #large>
  %ae = eft.exchange %a axis 0 mask 65535 : tensor<65536xi64, #large>
  eft.store %ps, %ae : tensor<65536x!eft.ptr<i64>, #large>
  %b = eft.load %ps : tensor<65536x!eft.ptr<i64>, #large>
  %be = eft.exchange %b axis 0 mask 65535 : tensor<65536xi64, #large>
  eft.store %ps, %be : tensor<65536x!eft.ptr<i64>, #large>
  %c = eft.load %ps : tensor<65536x!eft.ptr<i64>, #large>
  %ce = eft.exchange %c axis 0 mask 65535 : tensor<65536xi64, #large>
  eft.store %ps, %ce : tensor<65536x!eft.ptr<i64>, #large>
  return
}

// Here all three blocks are used where the sum is stored, so the third, which is moved first, gets no
// buffer.
// CHECK-LABEL: @used_together
// CHECK-COUNT-2: eft.buffer :
// CHECK-NOT: eft.buffer :
// CHECK: eft.exchange
// CHECK-NOT: eft.exchange
// CHECK: return
func.func @used_together(%x: !eft.ptr<i64>) {
  %ps = eft.splat %x : !eft.ptr<i64> -> tensor<65536x!eft.ptr<i64>, #large>
  %a = eft.load %ps : tensor<65536x!eft.ptr<i64>, #large>
  %ae = eft.exchange %a axis 0 mask 65535 : tensor<65536xi64, #large>
  %b = eft.load %ps : tensor<65536x!eft.ptr<i64>, #large>
  %be = eft.exchange %b axis 0 mask 65535 : tensor<65536xi64, #large>
  %c = eft.load %ps : tensor<65536x!eft.ptr<i64>, #large>
  %ce = eft.exchange %c axis 0 mask 65535 : tensor<65536xi64, #large>
  %ab = arith.addi %ae, %be : tensor<65536xi64, #large>
  %abc = arith.addi %ab, %ce : tensor<65536xi64, #large>
  eft.store %ps, %abc : tensor<65536x!eft.ptr<i64>, #large>
  return
}

// A loop may use in every iteration a block that was loaded before it.
// CHECK-LABEL: @used_in_a_loop
// CHECK-COUNT-2: eft.buffer :
// CHECK-NOT: eft.buffer :
// CHECK: eft.exchange
// CHECK: scf.for
// CHECK: return
func.func @used_in_a_loop(%x: !eft.ptr<i64>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ps = eft.splat %x : !eft.ptr<i64> -> tensor<65536x!eft.ptr<i64>, #large>
  %a = eft.load %ps : tensor<65536x!eft.ptr<i64>, #large>
  %ae = eft.exchange %a axis 0 mask 65535 : tensor<65536xi64, #large>
  %b = eft.load %ps : tensor<65536x!eft.ptr<i64>, #large>
  scf.for %i = %c0 to %n step %c1 : i32 {
    eft.store %ps, %ae : tensor<65536x!eft.ptr<i64>, #large>
    %be = eft.exchange %b axis 0 mask 65535 : tensor<65536xi64, #large>
    eft.store %ps, %be : tensor<65536x!eft.ptr<i64>, #large>
    %c = eft.load %ps : tensor<65536x!eft.ptr<i64>, #large>
    %ce = eft.exchange %c axis 0 mask 65535 : tensor<65536xi64, #large>
    eft.store %ps, %ce : tensor<65536x!eft.ptr<i64>, #large>
  }
  return
}
