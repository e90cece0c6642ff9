// The texts of all assertions are in one variable, and each assertion knows the position of its
// text there.
// RUN: eft-compile %s --target=sm_90 --emit=ptx -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_90 %t.ptx -o %t.cubin %}

// CHECK: .visible .global .align {{.*}} .b8 eft$sites[
// CHECK: cas.b32 %before, [%{{.*}}], 0, [[FIRST:%r[0-9]+]];
// CHECK: cas.b32 %before, [%{{.*}}], 0, [[SECOND:%r[0-9]+]];
// CHECK: cas.b32 %before, [%{{.*}}], 0, [[THIRD:%r[0-9]+]];
func.func @checks(%p: !eft.ptr<i32>, %a: i1, %b: i1) {
  eft.assert %a, "one" : i1
  eft.assert %b, "two" : i1
  eft.assert %b, "two" : i1
  %c1 = arith.constant 1 : i32
  eft.store %p, %c1 : !eft.ptr<i32>
  return
}
