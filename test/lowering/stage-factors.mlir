// RUN: eft-opt %s -pass-pipeline='builtin.module(func.func(eft-stage-factors))' | FileCheck %s
// RUN: eft-opt %s -pass-pipeline='builtin.module(func.func(eft-stage-factors{max-bytes=1500}))' | FileCheck %s --check-prefix=NO-ROOM

#c = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#b = #eft.layout<register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0], [0, 0]]>
#bt = #eft.layout<register = [[0, 1], [0, 8], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [0, 0]]>
#rows = #eft.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
#rowsOfA = #eft.layout<register = [[0, 1], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>

// Both factors are written to slots, in orders whose rows are along the same dimension as the runs of
// the threads. One barrier makes both visible.
// CHECK-LABEL: @both
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<64x16xf16, {{.*}}>, %[[Y:[a-z0-9]*]]: tensor<16x16xf16
// CHECK: %[[A:.*]] = eft.alloc_shared : <1, tensor<64x16xf16, #{{.*}}>>
// CHECK: %[[B:.*]] = eft.alloc_shared : <1, tensor<16x16xf16, #{{.*}}>>
// CHECK-NEXT: eft.write_shared %[[X]], %[[A]][%[[ZERO:.*]]]
// CHECK-NEXT: eft.write_shared %[[Y]], %[[B]][%[[ZERO]]]
// CHECK-NEXT: eft.barrier
// CHECK-NEXT: %[[D:.*]] = eft.dot_async %[[A]][%[[ZERO]]], %[[B]][%[[ZERO]]], %{{.*}}
// CHECK-NEXT: %[[R:.*]] = eft.wait_dots %[[D]] pending 0
// CHECK-NEXT: eft.dealloc_shared %[[B]]
// CHECK-NEXT: eft.dealloc_shared %[[A]]
// CHECK-NEXT: return %[[R]]
// NO-ROOM-LABEL: @both
// NO-ROOM-NOT: eft.dot_async
func.func @both(%x: tensor<64x16xf16, #rowsOfA>, %y: tensor<16x16xf16, #rows>, %acc: tensor<64x16xf32, #c>) -> tensor<64x16xf32, #c> {
  %a = eft.convert_layout %x : tensor<64x16xf16, #rowsOfA> -> tensor<64x16xf16, #c>
  %b = eft.convert_layout %y : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #b>
  %d = eft.dot %a, %b, %acc precision ieee {warpgroups} : tensor<64x16xf16, #c>, tensor<16x16xf16, #b> -> tensor<64x16xf32, #c>
  return %d : tensor<64x16xf32, #c>
}

// A first factor in registers stays there. The transposition of the second factor becomes an attribute
// of the product, which reads the slot.
// CHECK-LABEL: @first_in_registers
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<64x16xf16, {{.*}}>, %[[Y:[a-z0-9]*]]: tensor<16x16xf16
// CHECK: eft.write_shared %[[Y]], %[[B:.*]][%[[ZERO:.*]]]
// CHECK: eft.dot_async %[[X]], %[[B]][%[[ZERO]]] transposed, %{{.*}}
// CHECK-NOT: eft.trans
// NO-ROOM-LABEL: @first_in_registers
// NO-ROOM: eft.dot_async
func.func @first_in_registers(%x: tensor<64x16xf16, #c>, %y: tensor<16x16xf16, #rows>, %acc: tensor<64x16xf32, #c>) -> tensor<64x16xf32, #c> {
  %t = eft.convert_layout %y : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #bt>
  %b = eft.trans %t order [1, 0] : tensor<16x16xf16, #bt> -> tensor<16x16xf16, #b>
  %d = eft.dot %x, %b, %acc precision ieee {warpgroups} : tensor<64x16xf16, #c>, tensor<16x16xf16, #b> -> tensor<64x16xf32, #c>
  return %d : tensor<64x16xf32, #c>
}

// Single warps compute a product that placing has not marked for warpgroups.
// CHECK-LABEL: @by_warps
// CHECK: eft.dot %
func.func @by_warps(%x: tensor<64x16xf16, #c>, %b: tensor<16x16xf16, #b>, %acc: tensor<64x16xf32, #c>) -> tensor<64x16xf32, #c> {
  %d = eft.dot %x, %b, %acc precision ieee : tensor<64x16xf16, #c>, tensor<16x16xf16, #b> -> tensor<64x16xf32, #c>
  return %d : tensor<64x16xf32, #c>
}

// A block without a layout determines no order for a slot. The pass leaves the product to the lowering,
// which reports an error.
// CHECK-LABEL: @without_layouts
// CHECK: eft.dot %
// CHECK-LABEL: @conversion_of_a_block_without_layout
// CHECK: eft.dot %
func.func @without_layouts(%a: tensor<64x16xf16>, %b: tensor<16x16xf16>, %acc: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %d = eft.dot %a, %b, %acc precision ieee {warpgroups} : tensor<64x16xf16>, tensor<16x16xf16> -> tensor<64x16xf32>
  return %d : tensor<64x16xf32>
}
func.func @conversion_of_a_block_without_layout(%x: tensor<64x16xf16>, %y: tensor<16x16xf16, #rows>, %acc: tensor<64x16xf32, #c>) -> tensor<64x16xf32, #c> {
  %a = eft.convert_layout %x : tensor<64x16xf16> -> tensor<64x16xf16, #c>
  %b = eft.convert_layout %y : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #b>
  %d = eft.dot %a, %b, %acc precision ieee {warpgroups} : tensor<64x16xf16, #c>, tensor<16x16xf16, #b> -> tensor<64x16xf32, #c>
  return %d : tensor<64x16xf32, #c>
}

// A first factor from before a loop stays in its registers, unless ptxas makes calls in the loop.
// CHECK-LABEL: @first_from_before_loop
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<64x16xf16
// CHECK: scf.for
// CHECK: eft.dot_async %[[X]], %{{.*}}[%{{.*}}], %{{.*}}
// CHECK: scf.for
// CHECK: %[[A:.*]] = eft.alloc_shared : <1, tensor<64x16xf16, #{{.*}}>>
// CHECK: eft.write_shared %[[X]], %[[A]]
// CHECK: eft.dot_async %[[A]][%{{.*}}], %{{.*}}[%{{.*}}], %{{.*}}
func.func @first_from_before_loop(%x: tensor<64x16xf16, #c>, %y: tensor<16x16xf16, #rows>, %acc: tensor<64x16xf32, #c>, %n: i32) -> (tensor<64x16xf32, #c>, tensor<64x16xf32, #c>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %zero to %n step %one iter_args(%sum = %acc) -> (tensor<64x16xf32, #c>) : i32 {
    %b = eft.convert_layout %y : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #b>
    %d = eft.dot %x, %b, %sum precision ieee {warpgroups} : tensor<64x16xf16, #c>, tensor<16x16xf16, #b> -> tensor<64x16xf32, #c>
    scf.yield %d : tensor<64x16xf32, #c>
  }
  %s = scf.for %i = %zero to %n step %one iter_args(%sum = %acc) -> (tensor<64x16xf32, #c>) : i32 {
    %b = eft.convert_layout %y : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #b>
    %d = eft.dot %x, %b, %acc precision ieee {warpgroups} : tensor<64x16xf16, #c>, tensor<16x16xf16, #b> -> tensor<64x16xf32, #c>
    %q = arith.divf %sum, %d : tensor<64x16xf32, #c>
    scf.yield %q : tensor<64x16xf32, #c>
  }
  return %r, %s : tensor<64x16xf32, #c>, tensor<64x16xf32, #c>
}

// The loop with the calls may be an outer loop of the product's loop. Quotients of 32 bits are no calls.
// CHECK-LABEL: @call_in_the_outer_loop
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<64x16xf16
// CHECK: eft.write_shared %[[X]], %[[A:.*]][
// CHECK: eft.dot_async %[[A]][
// CHECK: eft.dot_async %[[X]],
func.func @call_in_the_outer_loop(%x: tensor<64x16xf16, #c>, %y: tensor<16x16xf16, #rows>, %acc: tensor<64x16xf32, #c>, %n: i32) -> (tensor<64x16xf32, #c>, tensor<64x16xf32, #c>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %zero to %n step %one iter_args(%outer = %acc) -> (tensor<64x16xf32, #c>) : i32 {
    %s = scf.for %j = %zero to %n step %one iter_args(%sum = %outer) -> (tensor<64x16xf32, #c>) : i32 {
      %b = eft.convert_layout %y : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #b>
      %d = eft.dot %x, %b, %sum precision ieee {warpgroups} : tensor<64x16xf16, #c>, tensor<16x16xf16, #b> -> tensor<64x16xf32, #c>
      scf.yield %d : tensor<64x16xf32, #c>
    }
    %q = arith.divf %s, %acc : tensor<64x16xf32, #c>
    scf.yield %q : tensor<64x16xf32, #c>
  }
  %t:2 = scf.for %i = %zero to %n step %one iter_args(%sum = %acc, %number = %n) -> (tensor<64x16xf32, #c>, i32) : i32 {
    %b = eft.convert_layout %y : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #b>
    %d = eft.dot %x, %b, %sum precision ieee {warpgroups} : tensor<64x16xf16, #c>, tensor<16x16xf16, #b> -> tensor<64x16xf32, #c>
    %next = arith.divsi %number, %n : i32
    scf.yield %d, %next : tensor<64x16xf32, #c>, i32
  }
  return %r, %t#0 : tensor<64x16xf32, #c>, tensor<64x16xf32, #c>
}
