// RUN: eft-opt %s -split-input-file -verify-diagnostics

func.func @extent_is_no_power_of_two() {
  // expected-error @+1 {{'eft.arange' op extent must be a power of two, got 24}}
  %0 = "eft.arange"() {start = 0 : i32, end = 24 : i32} : () -> tensor<32xi32>
  return
}

// -----

func.func @block_is_no_power_of_two(%x: f32) {
  // expected-error @+1 {{result #0 must be block (a static tensor whose extents are powers of two), but got 'tensor<24xf32>'}}
  %0 = eft.splat %x : f32 -> tensor<24xf32>
  return
}

// -----

func.func @range_is_empty() {
  // expected-error @+1 {{extent must be a power of two, got 0}}
  %0 = eft.arange 4 to 4 : tensor<1xi32>
  return
}

// -----

func.func @range_of_another_shape() {
  // expected-error @+1 {{result must be of shape [8], got 'tensor<16xi32>'}}
  %0 = eft.arange 0 to 8 : tensor<16xi32>
  return
}

// -----

func.func @range_of_another_type() {
  // expected-error @+1 {{result must be a block of i32, got 'tensor<8xi64>'}}
  %0 = eft.arange 0 to 8 : tensor<8xi64>
  return
}

// -----

func.func @splat_of_another_type(%x: f32) {
  // expected-error @+1 {{must keep the element type, got 'f32' and 'f64'}}
  %0 = eft.splat %x : f32 -> tensor<8xf64>
  return
}

// -----

func.func @axis_outside(%x: tensor<8xf32>) {
  // expected-error @+1 {{axis must lie between 0 and 1, got 2}}
  %0 = eft.expand_dims %x axis 2 : tensor<8xf32> -> tensor<8x1xf32>
  return
}

// -----

func.func @expanded_to_another_shape(%x: tensor<8xf32>) {
  // expected-error @+1 {{result must be of shape [8, 1], got 'tensor<1x8xf32>'}}
  %0 = eft.expand_dims %x axis 1 : tensor<8xf32> -> tensor<1x8xf32>
  return
}

// -----

func.func @broadcast_of_another_rank(%x: tensor<8xf32>) {
  // expected-error @+1 {{must keep the rank, got 'tensor<8xf32>' and 'tensor<8x8xf32>'}}
  %0 = eft.broadcast %x : tensor<8xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @broadcast_of_an_extent_that_is_not_one(%x: tensor<8x2xf32>) {
  // expected-error @+1 {{can only repeat an extent of 1, got 'tensor<8x2xf32>' and 'tensor<8x4xf32>'}}
  %0 = eft.broadcast %x : tensor<8x2xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @offset_of_another_shape(%p: tensor<8x!eft.ptr<f32>>, %o: tensor<4xi32>) {
  // expected-error @+1 {{pointer and offset must be of one shape, got 'tensor<8x!eft.ptr<f32>>' and 'tensor<4xi32>'}}
  %0 = eft.addptr %p, %o : tensor<8x!eft.ptr<f32>>, tensor<4xi32>
  return
}

// -----

func.func @offset_of_one_bit(%p: !eft.ptr<f32>, %o: i1) {
  // expected-error @+1 {{offset must have at least 8 bits, got i1}}
  %0 = eft.addptr %p, %o : !eft.ptr<f32>, i1
  return
}

// -----

func.func @offset_in_another_layout(
    %p: tensor<2x!eft.ptr<f32>, #eft.layout<lane = [[1]], step = []>>,
    %o: tensor<2xi32, #eft.layout<lane = [], step = [[1]]>>) {
  // expected-error @+1 {{pointer and offset must have one layout}}
  %0 = eft.addptr %p, %o : tensor<2x!eft.ptr<f32>, #eft.layout<lane = [[1]], step = []>>, tensor<2xi32, #eft.layout<lane = [], step = [[1]]>>
  return
}

// -----

func.func @load_of_a_number(%p: i64) {
  // expected-error @+1 {{operand #0 must be pointer or block of pointers, but got 'i64'}}
  %0 = "eft.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (i64) -> i64
  return
}

// -----

func.func @other_without_mask(%p: !eft.ptr<f32>, %o: f32) {
  // expected-error @+1 {{has a value for masked elements but no mask}}
  %0 = "eft.load"(%p, %o) {operandSegmentSizes = array<i32: 1, 0, 1>} : (!eft.ptr<f32>, f32) -> f32
  return
}

// -----

func.func @run_of_three(%p: tensor<8x!eft.ptr<f32>>) {
  // expected-error @+1 {{'eft.load' op run must be a power of two, got 3}}
  %0 = eft.load %p {run = 3 : i32} : tensor<8x!eft.ptr<f32>>
  return
}

// -----

func.func @run_of_nothing(%p: tensor<8x!eft.ptr<f32>>, %v: tensor<8xf32>) {
  // expected-error @+1 {{'eft.store' op run must be a power of two, got 0}}
  eft.store %p, %v {run = 0 : i32} : tensor<8x!eft.ptr<f32>>
  return
}

// -----

func.func @mask_of_another_shape(%p: tensor<8x!eft.ptr<f32>>, %m: i1) {
  // expected-error @+1 {{failed to verify that the mask to be an i1 or a block of i1 of the pointer's shape}}
  %0 = "eft.load"(%p, %m) {operandSegmentSizes = array<i32: 1, 1, 0>} : (tensor<8x!eft.ptr<f32>>, i1) -> tensor<8xf32>
  return
}

// -----

func.func @stored_value_of_another_type(%p: !eft.ptr<f32>, %v: f64) {
  // expected-error @+1 {{failed to verify that the value to have the shape of the pointer and the type of its pointee}}
  "eft.store"(%p, %v) : (!eft.ptr<f32>, f64) -> ()
  return
}

// -----

// expected-error @+1 {{a pointee must be an integer of 8, 16, 32 or 64 bits or f16, bf16, f32 or f64, got 'i1'}}
func.func @pointer_to_a_bit(%p: !eft.ptr<i1>) {
  return
}

// -----

func.func @seeds_of_another_shape(%s: tensor<4xi64>, %i: tensor<8xi32>) {
  // expected-error @+1 {{a block of seeds must have the counter's shape, got 'tensor<4xi64>' and 'tensor<8xi32>'}}
  %w:4 = eft.philox seed %s counter %i, %i, %i, %i rounds 10 : tensor<4xi64>, tensor<8xi32>
  return
}

// -----

func.func @no_rounds(%s: i64, %i: i32) {
  // expected-error @+1 {{attribute 'rounds' failed to satisfy constraint: 32-bit signless integer attribute whose value is positive}}
  %w:4 = eft.philox seed %s counter %i, %i, %i, %i rounds 0 : i64, i32
  return
}

// -----

func.func @uniform_division_of_halves(%x: tensor<8xf16>, %d: f16) {
  // expected-error @+1 {{must be of f32 or f64, got 'f16'}}
  %q = eft.uniform_div %x, %d, %d : tensor<8xf16>, f16
  return
}

// -----

func.func @divisor_of_another_type(%x: tensor<8xf32>, %d: f64) {
  // expected-error @+1 {{divisor must be of the dividend's element type, got 'f64' and 'f32'}}
  %q = eft.uniform_div %x, %d, %d : tensor<8xf32>, f64
  return
}

// -----

// expected-error @+1 {{layout does not fit its block: basis of register bit 0 must lie inside the block, whose extent in dimension 0 is 8, got 8}}
func.func @layout_outside_the_block(%x: tensor<8xf32, #eft.layout<register = [[8]]>>) {
  return
}

// -----

// expected-error @+1 {{layout is of rank 2, but the block of rank 1}}
func.func @layout_of_another_rank(%x: tensor<8xf32, #eft.layout<register = [[1, 0]]>>) {
  return
}

// -----

// expected-error @+1 {{expected 2 coordinates as in the first basis, got 1}}
func.func @layout_of_mixed_ranks(%x: tensor<8x8xf32, #eft.layout<register = [[1, 0], [2]]>>) {
  return
}

// -----

// expected-error @+1 {{layout names the dimension 'lane' twice}}
func.func @layout_names_a_dimension_twice(%x: tensor<8xf32, #eft.layout<lane = [[1]], lane = [[2]]>>) {
  return
}

// -----

// expected-error @+1 {{layout coordinates must not be negative, got -1}}
func.func @layout_with_a_negative_coordinate(%x: tensor<8xf32, #eft.layout<lane = [[-1]]>>) {
  return
}

// -----

// expected-error @+1 {{layout does not fit its block: extent of dimension 0 must be a power of two, got 6}}
func.func @layout_of_an_extent_that_is_no_power_of_two(%x: tensor<6xf32, #eft.layout<lane = [[1]]>>) {
  return
}

// -----

// expected-error @+1 {{layout needs a block whose extents are known}}
func.func @layout_of_an_unknown_extent(%x: tensor<?xf32, #eft.layout<lane = [[1]]>>) {
  return
}

// -----

// expected-error @+1 {{layout does not fit its block: place dimension 0 must have a name}}
func.func @layout_with_a_nameless_dimension(%x: tensor<8xf32, #eft.layout<"" = [[1]]>>) {
  return
}

// -----

// expected-error @+1 {{'eft.divisibility' must be a power of two, got 12 : i32}}
func.func @divisibility_is_no_power_of_two(%x: i32 {eft.divisibility = 12 : i32}) {
  return
}

// -----

// expected-error @+1 {{unknown argument attribute 'eft.alignment'}}
func.func @unknown_argument_attribute(%x: i32 {eft.alignment = 16 : i32}) {
  return
}

// -----

func.func @hex_without_a_value() {
  // expected-error @+1 {{'eft.print' op hex needs a value to print}}
  "eft.print"() <{text = "x", hexDigits = 8 : i32}> : () -> ()
  return
}

// -----

func.func @too_many_rounds(%s: i64, %i: i32) {
  // expected-error @+1 {{'eft.philox' op rounds must be at most 16, got 17}}
  %w:4 = eft.philox seed %s counter %i, %i, %i, %i rounds 17 : i64, i32
  return
}

// -----

// expected-error @+1 {{'eft.max_programs' must be an array of three i64 from 1 to 2^31 - 1, on a module; got array<i64: 1, 2>}}
module attributes {eft.max_programs = array<i64: 1, 2>} {
}

// -----

// expected-error @+1 {{'eft.max_programs' must be an array of three i64 from 1 to 2^31 - 1, on a module; got array<i64: 1, 0, 2>}}
module attributes {eft.max_programs = array<i64: 1, 0, 2>} {
}

// -----

// expected-error @+1 {{'eft.max_programs' must be an array of three i64 from 1 to 2^31 - 1, on a module; got array<i64: 1, 1, 2147483648>}}
module attributes {eft.max_programs = array<i64: 1, 1, 2147483648>} {
}

// -----

func.func @max_programs_of_an_operation() {
  // expected-error @+1 {{'eft.max_programs' must be an array of three i64 from 1 to 2^31 - 1, on a module; got array<i64: 1, 1, 1>}}
  %x = eft.program_id x {eft.max_programs = array<i64: 1, 1, 1>}
  return
}

// -----

func.func @constancy_is_no_power_of_two(%a: i32, %b: i32) -> i1 {
  // expected-error @+1 {{'eft.constancy' must be a power of two, got 3 : i32}}
  %less = arith.cmpi slt, %a, %b {eft.constancy = 3 : i32} : i32
  return %less : i1
}

// -----

func.func @block_of_the_first_thread(%x: tensor<8xi32>) {
  // expected-error @+1 {{operand #0 must be signless integer or index, but got 'tensor<8xi32>'}}
  %0 = eft.of_first_thread %x : tensor<8xi32>
  return
}
