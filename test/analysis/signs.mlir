// RUN: eft-opt %s -test-print-signs -o /dev/null | FileCheck %s
// For each number that a function returns, the pass prints whether it is known to be at most 0 or at least 0.

// CHECK-LABEL: @less_its_maximum
// CHECK-NEXT: at most 0
func.func @less_its_maximum(%x: tensor<64xf32>) -> tensor<64xf32> {
  %m = eft.reduce %x axis 0 order_free : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %max = eft.max_num %a, %b : f32
    eft.yield %max : f32
  }
  %ms = eft.splat %m : f32 -> tensor<64xf32>
  %r = arith.subf %x, %ms : tensor<64xf32>
  return %r : tensor<64xf32>
}

// The maxima of the rows bound neither the columns, nor another block, nor the transposed block.
// CHECK-LABEL: @less_the_maximum_of_its_row
// CHECK-NEXT: at most 0
// CHECK-NEXT: any
// CHECK-NEXT: any
// CHECK-NEXT: any
func.func @less_the_maximum_of_its_row(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>)
    -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  %m = eft.reduce %x axis 1 order_free : (tensor<64x64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %max = eft.max_num %a, %b : f32
    eft.yield %max : f32
  }
  %column = eft.expand_dims %m axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %columns = eft.broadcast %column : tensor<64x1xf32> -> tensor<64x64xf32>
  %row = eft.expand_dims %m axis 0 : tensor<64xf32> -> tensor<1x64xf32>
  %rows = eft.broadcast %row : tensor<1x64xf32> -> tensor<64x64xf32>
  %transposed = eft.trans %x order [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  %r = arith.subf %x, %columns : tensor<64x64xf32>
  %s = arith.subf %x, %rows : tensor<64x64xf32>
  %t = arith.subf %y, %columns : tensor<64x64xf32>
  %u = arith.subf %transposed, %columns : tensor<64x64xf32>
  return %r, %s, %t, %u
      : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}

// The maximum along both axes.
// CHECK-LABEL: @less_the_maximum_of_all
// CHECK-NEXT: at most 0
func.func @less_the_maximum_of_all(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %m = eft.reduce %x axis 0 order_free : (tensor<4x64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %max = arith.maximumf %a, %b : f32
    eft.yield %max : f32
  }
  %n = eft.reduce %m axis 0 order_free : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %max = arith.maximumf %a, %b : f32
    eft.yield %max : f32
  }
  %ns = eft.splat %n : f32 -> tensor<4x64xf32>
  %r = arith.subf %x, %ns : tensor<4x64xf32>
  return %r : tensor<4x64xf32>
}

// The maximum so far and the maximum of a new block, as in a softmax that reads its row once.
// CHECK-LABEL: @less_the_maximum_so_far
// CHECK-NEXT: at most 0
// CHECK-NEXT: at most 0
func.func @less_the_maximum_so_far(%so_far: f32, %narrow: tensor<64xbf16>)
    -> (f32, tensor<64xf32>) {
  %x = arith.extf %narrow : tensor<64xbf16> to tensor<64xf32>
  %again = arith.extf %narrow : tensor<64xbf16> to tensor<64xf32>
  %m = eft.reduce %x axis 0 order_free : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %max = eft.max_num %a, %b : f32
    eft.yield %max : f32
  }
  %new = eft.max_num %so_far, %m : f32
  %news = eft.splat %new : f32 -> tensor<64xf32>
  %r = arith.subf %so_far, %new : f32
  %s = arith.subf %x, %news : tensor<64xf32>
  return %r, %s : f32, tensor<64xf32>
}

// The maximum that was found before the conversion.
// CHECK-LABEL: @less_a_narrow_maximum
// CHECK-NEXT: at most 0
func.func @less_a_narrow_maximum(%narrow: tensor<64xf16>) -> tensor<64xf32> {
  %m = eft.reduce %narrow axis 0 order_free : (tensor<64xf16>) -> f16 {
  ^bb0(%a: f16, %b: f16):
    %max = eft.max_num %a, %b : f16
    eft.yield %max : f16
  }
  %wide = arith.extf %m : f16 to f32
  %ms = eft.splat %wide : f32 -> tensor<64xf32>
  %x = arith.extf %narrow : tensor<64xf16> to tensor<64xf32>
  %r = arith.subf %x, %ms : tensor<64xf32>
  return %r : tensor<64xf32>
}

// If y is NaN, the inner maximum is NaN, and the outer one is z, which x may exceed.
// CHECK-LABEL: @nan_hides_a_bound
// CHECK-NEXT: at most 0
// CHECK-NEXT: any
func.func @nan_hides_a_bound(%x: f32, %y: f32, %z: f32) -> (f32, f32) {
  %inner = arith.maximumf %x, %y : f32
  %outer = eft.max_num %inner, %z : f32
  %r = arith.subf %x, %inner : f32
  %s = arith.subf %x, %outer : f32
  return %r, %s : f32, f32
}

// Minima and sums are no bounds, and a reduction of two operations is not looked into.
// CHECK-LABEL: @other_reductions
// CHECK-NEXT: any
// CHECK-NEXT: any
func.func @other_reductions(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %m = eft.reduce %x axis 0 order_free : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %min = eft.min_num %a, %b : f32
    eft.yield %min : f32
  }
  %n = eft.reduce %x axis 0 : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    %max = eft.max_num %sum, %b : f32
    eft.yield %max : f32
  }
  %ms = eft.splat %m : f32 -> tensor<64xf32>
  %ns = eft.splat %n : f32 -> tensor<64xf32>
  %r = arith.subf %x, %ms : tensor<64xf32>
  %s = arith.subf %x, %ns : tensor<64xf32>
  return %r, %s : tensor<64xf32>, tensor<64xf32>
}

// A maximum that ignores NaN, of maxima that do not, may exceed no element.
// CHECK-LABEL: @two_kinds_of_maxima
// CHECK-NEXT: any
// CHECK-NEXT: at most 0
func.func @two_kinds_of_maxima(%x: tensor<64xf32>, %y: tensor<64xf32>)
    -> (tensor<64xf32>, tensor<64xf32>) {
  %inner = arith.maximumf %x, %y : tensor<64xf32>
  %m = eft.reduce %inner axis 0 order_free : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %max = eft.max_num %a, %b : f32
    eft.yield %max : f32
  }
  %other = eft.max_num %x, %y : tensor<64xf32>
  %n = eft.reduce %other axis 0 order_free : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %max = arith.maximumf %a, %b : f32
    eft.yield %max : f32
  }
  %ms = eft.splat %m : f32 -> tensor<64xf32>
  %ns = eft.splat %n : f32 -> tensor<64xf32>
  %r = arith.subf %x, %ms : tensor<64xf32>
  %s = arith.subf %x, %ns : tensor<64xf32>
  return %r, %s : tensor<64xf32>, tensor<64xf32>
}

// CHECK-LABEL: @other_signs
// CHECK-NEXT: at most 0
// CHECK-NEXT: any
// CHECK-NEXT: at most 0
func.func @other_signs(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x2xf32>) {
  %two = arith.constant dense<2.0> : tensor<64xf32>
  %minus_zero = arith.constant dense<-0.0> : tensor<64xf32>
  %root = math.sqrt %x : tensor<64xf32>
  %negated = arith.negf %root : tensor<64xf32>
  %twice = arith.mulf %negated, %two : tensor<64xf32>
  %zeros = arith.mulf %negated, %minus_zero : tensor<64xf32>
  %both = eft.join %twice, %negated : tensor<64xf32> -> tensor<64x2xf32>
  return %twice, %zeros, %both : tensor<64xf32>, tensor<64xf32>, tensor<64x2xf32>
}

// CHECK-LABEL: @signs
// CHECK-NEXT: at most 0
// CHECK-NEXT: at most 0
// CHECK-NEXT: at most 0
// CHECK-NEXT: at most 0
// CHECK-NEXT: any
// CHECK-NEXT: any
func.func @signs(%x: tensor<64xf32>, %c: tensor<64xi1>)
    -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf16>, tensor<64xf32>, tensor<64xf32>,
        tensor<64xf32>) {
  %none = arith.constant 0xFF800000 : f32
  %nones = eft.splat %none : f32 -> tensor<64xf32>
  %two = arith.constant dense<2.0> : tensor<64xf32>
  %magnitude = math.absf %x : tensor<64xf32>
  %square = arith.mulf %x, %x : tensor<64xf32>
  %of_magnitude = arith.negf %magnitude : tensor<64xf32>
  %of_square = arith.negf %square : tensor<64xf32>
  %twice = arith.mulf %two, %of_square : tensor<64xf32>
  %chosen = arith.select %c, %twice, %nones : tensor<64xi1>, tensor<64xf32>
  %narrow = arith.truncf %chosen : tensor<64xf32> to tensor<64xf16>
  %less = arith.subf %of_square, %two : tensor<64xf32>
  %more = arith.addf %of_square, %two : tensor<64xf32>
  %product = arith.mulf %of_square, %of_magnitude : tensor<64xf32>
  return %of_magnitude, %chosen, %narrow, %less, %more, %product
      : tensor<64xf32>, tensor<64xf32>, tensor<64xf16>, tensor<64xf32>, tensor<64xf32>,
        tensor<64xf32>
}

// CHECK-LABEL: @minima_and_maxima
// CHECK-COUNT-4: at least 0
// CHECK-NOT: any
func.func @minima_and_maxima(%x: tensor<64xf32>, %n: f32)
    -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %e = math.exp %x : tensor<64xf32>
  %t = eft.exp10 %x : tensor<64xf32>
  %f = math.exp2 %n : f32
  %fs = eft.splat %f : f32 -> tensor<64xf32>
  %least = eft.min_num %e, %t : tensor<64xf32>
  %propagated = arith.minimumf %e, %fs : tensor<64xf32>
  %most = eft.max_num %e, %t : tensor<64xf32>
  %root = math.sqrt %x : tensor<64xf32>
  return %least, %propagated, %most, %root
      : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// CHECK-LABEL: @at_least_zero
// CHECK-COUNT-8: at least 0
// CHECK-NOT: any
func.func @at_least_zero(%x: tensor<64xf32>, %y: tensor<64xf32>, %c: tensor<64xi1>)
    -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>,
        tensor<64xf32>, tensor<64xf16>, tensor<64x1xf32>) {
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %e = math.exp %x : tensor<64xf32>
  %s = eft.sigmoid %y : tensor<64xf32>
  %square = arith.mulf %x, %x : tensor<64xf32>
  %product = arith.mulf %e, %s : tensor<64xf32>
  %sum = arith.addf %one, %e : tensor<64xf32>
  %clamped = eft.max_num %x, %one : tensor<64xf32>
  %propagated = arith.maximumf %x, %e : tensor<64xf32>
  %choice = arith.select %c, %e, %square : tensor<64xi1>, tensor<64xf32>
  %narrow = arith.truncf %choice : tensor<64xf32> to tensor<64xf16>
  %column = eft.expand_dims %s axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  return %e, %square, %product, %sum, %clamped, %propagated, %narrow, %column
      : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>,
        tensor<64xf32>, tensor<64xf16>, tensor<64x1xf32>
}

// If e is NaN, the greater number is x. The quotient of 1 and the root of -0 is -∞.
// CHECK-LABEL: @below_zero
// CHECK-COUNT-5: any
func.func @below_zero(%x: tensor<64xf32>, %y: tensor<64xf32>, %c: tensor<64xi1>)
    -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %e = math.exp %x : tensor<64xf32>
  %greater = eft.max_num %x, %e : tensor<64xf32>
  %root = math.sqrt %x : tensor<64xf32>
  %quotient = arith.divf %one, %root : tensor<64xf32>
  %difference = arith.subf %e, %one : tensor<64xf32>
  %product = arith.mulf %x, %y : tensor<64xf32>
  %choice = arith.select %c, %e, %x : tensor<64xi1>, tensor<64xf32>
  return %greater, %quotient, %difference, %product, %choice
      : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// PyTorch's compiler writes maxima as choices.
// CHECK-LABEL: @maxima_by_choices
// CHECK-NEXT: at most 0
// CHECK-NEXT: at most 0
// CHECK-NEXT: at most 0
func.func @maxima_by_choices(%x: tensor<64xf32>, %y: tensor<64xf32>)
    -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %m = eft.reduce %x axis 0 : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %is_greater = arith.cmpf ogt, %a, %b : f32
    %is_nan = arith.cmpf une, %a, %a : f32
    %either = arith.ori %is_greater, %is_nan : i1
    %max = arith.select %either, %a, %b : f32
    eft.yield %max : f32
  }
  %is_greater = arith.cmpf ogt, %x, %y : tensor<64xf32>
  %is_nan = arith.cmpf uno, %x, %x : tensor<64xf32>
  %either = arith.ori %is_nan, %is_greater : tensor<64xi1>
  %n = arith.select %either, %x, %y : tensor<64xi1>, tensor<64xf32>
  %ms = eft.splat %m : f32 -> tensor<64xf32>
  %below = arith.subf %x, %ms : tensor<64xf32>
  %half = arith.constant dense<0.5> : tensor<1xf32>
  %halves = eft.broadcast %half : tensor<1xf32> -> tensor<64xf32>
  %r = arith.mulf %below, %halves : tensor<64xf32>
  %s = arith.subf %x, %n : tensor<64xf32>
  %t = arith.subf %y, %n : tensor<64xf32>
  return %r, %s, %t : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// A choice of the greater arm alone loses a NaN on the way, and is then no bound of earlier elements.
// A minimum is no bound. Other forms are not recognized.
// CHECK-LABEL: @other_choices
// CHECK-NEXT: any
// CHECK-NEXT: any
// CHECK-NEXT: any
// CHECK-NEXT: any
func.func @other_choices(%x: tensor<64xf32>, %y: tensor<64xf32>)
    -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %m = eft.reduce %x axis 0 : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %is_greater = arith.cmpf ogt, %a, %b : f32
    %max = arith.select %is_greater, %a, %b : f32
    eft.yield %max : f32
  }
  %n = eft.reduce %x axis 0 : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %is_less = arith.cmpf olt, %a, %b : f32
    %is_nan = arith.cmpf une, %a, %a : f32
    %either = arith.ori %is_less, %is_nan : i1
    %min = arith.select %either, %a, %b : f32
    eft.yield %min : f32
  }
  %is_greater = arith.cmpf ogt, %x, %y : tensor<64xf32>
  %is_other_nan = arith.cmpf une, %y, %y : tensor<64xf32>
  %either = arith.ori %is_greater, %is_other_nan : tensor<64xi1>
  %o = arith.select %either, %x, %y : tensor<64xi1>, tensor<64xf32>
  %is_nan = arith.cmpf une, %x, %x : tensor<64xf32>
  %both = arith.andi %is_greater, %is_nan : tensor<64xi1>
  %p = arith.select %both, %x, %y : tensor<64xi1>, tensor<64xf32>
  %ms = eft.splat %m : f32 -> tensor<64xf32>
  %ns = eft.splat %n : f32 -> tensor<64xf32>
  %r = arith.subf %x, %ms : tensor<64xf32>
  %s = arith.subf %x, %ns : tensor<64xf32>
  %t = arith.subf %x, %o : tensor<64xf32>
  %u = arith.subf %x, %p : tensor<64xf32>
  return %r, %s, %t, %u : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
