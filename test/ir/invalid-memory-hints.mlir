// RUN: eft-opt %s -split-input-file -verify-diagnostics

func.func @load_modifier(%p: !eft.ptr<i32>) {
  // expected-error @+1 {{'eft.load' op cache modifier must be ca, cg, cs or cv, got wb}}
  %0 = eft.load %p cache wb : !eft.ptr<i32>
  return
}

// -----

func.func @store_modifier(%p: !eft.ptr<i32>, %x: i32) {
  // expected-error @+1 {{'eft.store' op cache modifier must be wb, cg, cs or wt, got ca}}
  eft.store %p, %x cache ca : !eft.ptr<i32>
  return
}

// -----

func.func @hint_of_another_rank(%x: tensor<8xi32>) {
  // expected-error @+1 {{'eft.hint' op must have a number for each dimension, expected 1, got 2}}
  %0 = eft.hint %x contiguity [4, 4] : tensor<8xi32>
  return
}

// -----

func.func @hint_of_nothing(%x: tensor<8xi32>) {
  // expected-error @+1 {{'eft.hint' op must have positive numbers, got 0}}
  %0 = eft.hint %x divisibility [0] : tensor<8xi32>
  return
}

// -----

func.func @print_of_narrow_integers(%x: tensor<8xi32>) {
  // expected-error @+1 {{'eft.print' op operand #0 must be i64, f64, a pointer, or a block or buffer of these, but got 'tensor<8xi32>'}}
  eft.print "x" %x : tensor<8xi32>
  return
}

// -----

func.func @hexadecimal_floats(%x: f64) {
  // expected-error @+1 {{'eft.print' op hex needs integers, got 'f64'}}
  eft.print "x" %x hex 8 : f64
  return
}

// -----

func.func @too_many_digits(%x: i64) {
  // expected-error @+1 {{'eft.print' op hex must be from 1 to 16, got 17}}
  eft.print "x" %x hex 17 : i64
  return
}
