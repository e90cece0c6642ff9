// RUN: eft-opt %s -split-input-file -verify-diagnostics -eft-range-min-max

func.func @a_length_that_is_no_power_of_two(%a: vector<12xf32>) -> vector<12xf32> {
  // expected-error @+1 {{'eft.max_num' op must be on f32, f64 or a vector of these whose length is a power of two}}
  %r = eft.max_num %a, %a : vector<12xf32>
  return %r : vector<12xf32>
}

// -----

func.func @two_dimensions(%a: vector<2x8xf32>) -> vector<2x8xf32> {
  // expected-error @+1 {{'eft.min_num' op must be on f32, f64 or a vector of these whose length is a power of two}}
  %r = eft.min_num %a, %a : vector<2x8xf32>
  return %r : vector<2x8xf32>
}
