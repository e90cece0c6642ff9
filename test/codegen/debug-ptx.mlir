// Prints and assertions on a GPU.
// RUN: eft-compile %s --target=sm_90 --emit=ptx -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: eft-compile %s --target=sm_80 --emit=ptx -o %t.80.ptx
// RUN: FileCheck %s < %t.80.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_90 %t.ptx -o %t.cubin %}
// RUN: %if ptxas %{ %ptxas -arch=sm_80 %t.80.ptx -o %t.80.cubin %}

// The host finds these two variables by their names.
// CHECK-DAG: .visible .global .align {{.*}} eft$sites
// CHECK-DAG: .visible .global .align 8 .u64 eft$failure
// CHECK: .visible .entry debug(
func.func @debug(%x: !eft.ptr<i32>, %n: i32) {
  // One thread prints a scalar.
  // CHECK: vprintf
  %wide = arith.extsi %n : i32 to i64
  eft.print " n: " %wide : i64
  %i = eft.arange 0 to 128 : tensor<128xi32>
  %ns = eft.splat %n : i32 -> tensor<128xi32>
  %c = arith.cmpi slt, %i, %ns : tensor<128xi32>
  // All threads vote on the condition, and leave the kernel together if it is false in one of them.
  // CHECK: {{bar|barrier}}.red{{.*}}or.pred
  // CHECK: ld.global.b64 %{{.*}}, [eft$failure]
  // CHECK: atom.global.relaxed.gpu.cas.b32
  // CHECK: bra.uni [[END:.*]];
  eft.assert %c, "too large" : tensor<128xi1>
  // CHECK: st.global.b32
  // CHECK-NEXT: [[END]]:
  // CHECK-NEXT: ret;
  %xs = eft.splat %x : !eft.ptr<i32> -> tensor<128x!eft.ptr<i32>>
  %p = eft.addptr %xs, %i : tensor<128x!eft.ptr<i32>>, tensor<128xi32>
  eft.store %p, %i : tensor<128x!eft.ptr<i32>>
  return
}
