// An object for the host has tables of lines and functions, for debuggers and profilers.
// RUN: eft-compile --target=host --emit=obj %s -o %t.o && llvm-dwarfdump --debug-line %t.o | FileCheck %s --check-prefix=LINES
// RUN: llvm-dwarfdump --debug-info %t.o | FileCheck %s
// RUN: eft-compile --target=host --emit=obj --lines=false %s -o %t.none.o && llvm-dwarfdump --debug-line %t.none.o | FileCheck %s --check-prefix=NONE

// LINES-DAG: name: "kernels.py"
// LINES-DAG: name: "helpers.py"
// LINES-DAG: {{0x[0-9a-f]+}} 30 1
// LINES-DAG: {{0x[0-9a-f]+}} 3 9
// NONE-NOT: kernels.py

// CHECK: DW_TAG_inlined_subroutine
// CHECK: DW_AT_abstract_origin ({{.*}} "square")
// CHECK: DW_AT_call_file ("kernels.py")
// CHECK-NEXT: DW_AT_call_line (31)
// CHECK-NEXT: DW_AT_call_column (5)
func.func private @square(%x: tensor<128xf32>) -> tensor<128xf32> {
  %0 = arith.mulf %x, %x : tensor<128xf32> loc("helpers.py":3:9)
  return %0 : tensor<128xf32> loc("helpers.py":3:2)
} loc("helpers.py":2:1)
func.func @kernel(%p: !eft.ptr<f32>) {
  %i = eft.arange 0 to 128 : tensor<128xi32> loc("kernels.py":29:3)
  %b = eft.splat %p : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>> loc("kernels.py":29:5)
  %q = eft.addptr %b, %i : tensor<128x!eft.ptr<f32>>, tensor<128xi32> loc("kernels.py":29:7)
  %0 = eft.load %q : tensor<128x!eft.ptr<f32>> loc("kernels.py":30:1)
  %1 = call @square(%0) : (tensor<128xf32>) -> tensor<128xf32> loc("kernels.py":31:5)
  eft.store %q, %1 : tensor<128x!eft.ptr<f32>> loc("kernels.py":32:1)
  return loc("kernels.py":33:1)
} loc("kernels.py":28:1)
