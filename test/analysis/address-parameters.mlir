// RUN: eft-opt %s -test-print-address-parameters -o /dev/null | FileCheck %s

// An offset and a stride reach an address. A count that bounds a mask, and a seed, do not.
// CHECK-LABEL: @mask_and_offset
// CHECK-NEXT: reach an address: 2 of 4 3 of 4{{$}}
func.func @mask_and_offset(%x: !eft.ptr<f32>, %n: i32, %offset: i64, %stride: i32, %seed: i64) {
  %pid = eft.program_id x
  %row = arith.muli %pid, %stride : i32
  %rows = eft.splat %row : i32 -> tensor<64xi32>
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %columns = arith.addi %rows, %range : tensor<64xi32>
  %ns = eft.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %columns, %ns : tensor<64xi32>
  %w:4 = eft.philox seed %seed counter %columns, %columns, %columns, %columns rounds 10
      : i64, tensor<64xi32>
  %f = arith.bitcast %w#0 : tensor<64xi32> to tensor<64xf32>
  %base = eft.addptr %x, %offset : !eft.ptr<f32>, i64
  %bases = eft.splat %base : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>>
  %p = eft.addptr %bases, %columns : tensor<64x!eft.ptr<f32>>, tensor<64xi32>
  eft.store %p, %f, mask %mask : tensor<64x!eft.ptr<f32>>
  return
}

// CHECK-LABEL: @stored_value
// CHECK-NEXT: reach an address:{{$}}
func.func @stored_value(%x: !eft.ptr<i32>, %value: i32) {
  eft.store %x, %value : !eft.ptr<i32>
  return
}

// The condition of a selection between two offsets does not affect their divisibility.
// CHECK-LABEL: @chosen_offset
// CHECK-NEXT: reach an address: 2 of 4 3 of 4{{$}}
func.func @chosen_offset(%x: !eft.ptr<i32>, %n: i32, %a: i32, %b: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %less = arith.cmpi slt, %n, %zero : i32
  %offset = arith.select %less, %a, %b : i32
  %p = eft.addptr %x, %offset : !eft.ptr<i32>, i32
  %value = eft.load %p : !eft.ptr<i32>
  return %value : i32
}

// A loop's counter depends on the start and the step, not on the end.
// CHECK-LABEL: @loop_counter
// CHECK-NEXT: reach an address: 1 of 4 3 of 4{{$}}
func.func @loop_counter(%x: !eft.ptr<i32>, %begin: i32, %end: i32, %step: i32) {
  %one = arith.constant 1 : i32
  scf.for %i = %begin to %end step %step : i32 {
    %p = eft.addptr %x, %i : !eft.ptr<i32>, i32
    eft.store %p, %one : !eft.ptr<i32>
  }
  return
}

// CHECK-LABEL: @loop_carries_a_pointer
// CHECK-NEXT: reach an address: 2 of 4 3 of 4{{$}}
func.func @loop_carries_a_pointer(%x: !eft.ptr<i32>, %n: i32, %offset: i32, %stride: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = eft.addptr %x, %offset : !eft.ptr<i32>, i32
  %last = scf.for %i = %zero to %n step %one iter_args(%p = %start) -> !eft.ptr<i32> : i32 {
    eft.store %p, %one : !eft.ptr<i32>
    %next = eft.addptr %p, %stride : !eft.ptr<i32>, i32
    scf.yield %next : !eft.ptr<i32>
  }
  return
}

// CHECK-LABEL: @branches_and_while
// CHECK-NEXT: reach an address: 2 of 4 3 of 4 4 of 4{{$}}
func.func @branches_and_while(%x: !eft.ptr<i32>, %c: i1, %a: i32, %b: i32, %step: i32, %n: i32) {
  %offset = scf.if %c -> i32 {
    scf.yield %a : i32
  } else {
    scf.yield %b : i32
  }
  %one = arith.constant 1 : i32
  %end = scf.while (%i = %offset) : (i32) -> i32 {
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %i : i32
  } do {
  ^bb0(%i: i32):
    %next = arith.addi %i, %step : i32
    scf.yield %next : i32
  }
  %p = eft.addptr %x, %end : !eft.ptr<i32>, i32
  eft.store %p, %one : !eft.ptr<i32>
  return
}

// The length of the runs of offsets that wrap around depends on the divisibility of the number at
// which they wrap around. The bound of a mask that differs between programs does not matter, even if
// the mask compares the same offsets.
// CHECK-LABEL: @remainder_in_an_address
// CHECK-NEXT: reach an address: 1 of 4 2 of 4{{$}}
func.func @remainder_in_an_address(%x: !eft.ptr<i32>, %start: i32, %n: i32, %bound: i32) {
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %pid = eft.program_id x
  %first = arith.addi %start, %pid : i32
  %starts = eft.splat %first : i32 -> tensor<64xi32>
  %offsets = arith.addi %starts, %range : tensor<64xi32>
  %ns = eft.splat %n : i32 -> tensor<64xi32>
  %wrapped = arith.remsi %offsets, %ns : tensor<64xi32>
  %bounds = eft.splat %bound : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %wrapped, %bounds : tensor<64xi32>
  %xs = eft.splat %x : !eft.ptr<i32> -> tensor<64x!eft.ptr<i32>>
  %p = eft.addptr %xs, %wrapped : tensor<64x!eft.ptr<i32>>, tensor<64xi32>
  eft.store %p, %range, mask %mask : tensor<64x!eft.ptr<i32>>
  return
}

// Each program stores a row. The mask of the row's columns is the same in all programs, so its bound
// counts. The bound of the rows does not: that mask differs between programs. Nor does the bound of a
// mask that is the same for all elements.
// CHECK-LABEL: @columns_of_a_row
// CHECK-NEXT: reach an address: 1 of 2 2 of 2{{$}}
func.func @columns_of_a_row(%x: !eft.ptr<f16>, %stride: i32, %columns: i32, %rows: i32, %more: i32) {
  %zero = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %none = arith.constant dense<0.0> : tensor<1x64xf16>
  %pid = eft.program_id x
  %start = arith.muli %pid, %stride : i32
  %row = eft.addptr %x, %start : !eft.ptr<f16>, i32
  %rowp = eft.splat %row : !eft.ptr<f16> -> tensor<1x64x!eft.ptr<f16>>
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %pids = eft.splat %pid : i32 -> tensor<1x1xi32>
  %rs = eft.splat %rows : i32 -> tensor<1x1xi32>
  %below = arith.cmpi slt, %pids, %rs : tensor<1x1xi32>
  %belows = eft.broadcast %below : tensor<1x1xi1> -> tensor<1x64xi1>
  %any = arith.cmpi slt, %zero, %more : i32
  %anys = eft.splat %any : i1 -> tensor<1x64xi1>
  %both = arith.andi %belows, %anys : tensor<1x64xi1>
  scf.for %off = %zero to %columns step %c64 : i32 {
    %offs = eft.splat %off : i32 -> tensor<64xi32>
    %column = arith.addi %offs, %range : tensor<64xi32>
    %ends = eft.splat %columns : i32 -> tensor<64xi32>
    %in = arith.cmpi slt, %column, %ends : tensor<64xi32>
    %ins = eft.expand_dims %in axis 0 : tensor<64xi1> -> tensor<1x64xi1>
    %mask = arith.andi %ins, %both : tensor<1x64xi1>
    %at = eft.expand_dims %column axis 0 : tensor<64xi32> -> tensor<1x64xi32>
    %p = eft.addptr %rowp, %at : tensor<1x64x!eft.ptr<f16>>, tensor<1x64xi32>
    eft.store %p, %none, mask %mask : tensor<1x64x!eft.ptr<f16>>
  }
  return
}

// A loaded index is a part of an address, but the address from which it was loaded is not a part of
// it. The offset `at` counts because it reaches an address itself: that of the load.
// CHECK-LABEL: @index_from_memory
// CHECK-NEXT: reach an address: 2 of 4{{$}}
func.func @index_from_memory(%x: !eft.ptr<i32>, %table: !eft.ptr<i32>, %at: i32, %f: f32) {
  %q = eft.addptr %table, %at : !eft.ptr<i32>, i32
  %index = eft.load %q : !eft.ptr<i32>
  %rounded = arith.fptosi %f : f32 to i32
  %sum = arith.addi %index, %rounded : i32
  %p = eft.addptr %x, %sum : !eft.ptr<i32>, i32
  eft.store %p, %index : !eft.ptr<i32>
  return
}

// The default for masked elements is mixed with loaded values, whose divisibility is unknown. So
// the divisibility of the default does not matter.
// CHECK-LABEL: @index_or_default
// CHECK-NEXT: reach an address:{{$}}
func.func @index_or_default(%x: !eft.ptr<i32>, %default: i32, %mask: i1) {
  %index = eft.load %x, mask %mask other %default : !eft.ptr<i32>
  %p = eft.addptr %x, %index : !eft.ptr<i32>, i32
  eft.store %p, %index : !eft.ptr<i32>
  return
}

// CHECK-LABEL: @address_as_a_number
// CHECK-NEXT: reach an address: 0 of 4{{$}}
func.func @address_as_a_number(%address: i64, %value: i32) {
  %p = eft.cast_ptr %address : i64 -> !eft.ptr<i32>
  eft.store %p, %value : !eft.ptr<i32>
  return
}

// A parameter that reaches addresses of elements of several sizes counts for the smallest, of which
// an access of 16 bytes has the most.
// CHECK-LABEL: @smallest_elements
// CHECK-NEXT: reach an address: 2 of 2 3 of 8 4 of 2{{$}}
func.func @smallest_elements(%x: !eft.ptr<f64>, %y: !eft.ptr<f16>, %stride: i32, %wide: i32,
                             %narrow: i32) {
  %far = arith.addi %stride, %wide : i32
  %p = eft.addptr %x, %far : !eft.ptr<f64>, i32
  %a = eft.load %p : !eft.ptr<f64>
  eft.store %p, %a : !eft.ptr<f64>
  %near = arith.addi %stride, %narrow : i32
  %q = eft.addptr %y, %near : !eft.ptr<f16>, i32
  %b = eft.load %q : !eft.ptr<f16>
  eft.store %q, %b : !eft.ptr<f16>
  return
}
