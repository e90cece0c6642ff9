// The negation of the least i16, and its absolute value, are the least i16 again, even if the
// result is widened. The assembler compiles neg.s16 and abs.s16 wrongly in this case, so the PTX
// has neither.
// RUN: eft-compile %s --target=sm_90 --emit=ptx -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_90 %t.ptx -o %t.cubin %}

// CHECK-LABEL: .visible .entry widened(
// CHECK-NOT: {{neg|abs}}.s16
// CHECK: sub.u16 %rs{{[0-9]+}}, 0, %rs[[VALUE:[0-9]+]];
// CHECK: sub.u16 %rs[[NEGATED:[0-9]+]], 0, %rs[[VALUE]];
// CHECK: max.s16 %rs{{[0-9]+}}, %rs[[VALUE]], %rs[[NEGATED]];
// CHECK-NOT: {{neg|abs}}.s16
func.func @widened(%x: !eft.ptr<i16>, %y: !eft.ptr<i32>) {
  %i = eft.arange 0 to 128 : tensor<128xi32>
  %xs = eft.splat %x : !eft.ptr<i16> -> tensor<128x!eft.ptr<i16>>
  %p = eft.addptr %xs, %i : tensor<128x!eft.ptr<i16>>, tensor<128xi32>
  %v = eft.load %p : tensor<128x!eft.ptr<i16>>
  %zero = arith.constant dense<0> : tensor<128xi16>
  %n = arith.subi %zero, %v : tensor<128xi16>
  %m = math.absi %v : tensor<128xi16>
  %a = arith.extsi %n : tensor<128xi16> to tensor<128xi32>
  %b = arith.extsi %m : tensor<128xi16> to tensor<128xi32>
  %ab = arith.muli %a, %b : tensor<128xi32>
  %ys = eft.splat %y : !eft.ptr<i32> -> tensor<128x!eft.ptr<i32>>
  %q = eft.addptr %ys, %i : tensor<128x!eft.ptr<i32>>, tensor<128xi32>
  eft.store %q, %ab : tensor<128x!eft.ptr<i32>>
  return
}
