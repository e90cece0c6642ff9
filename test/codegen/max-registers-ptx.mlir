// The option for the most registers of a thread.
// RUN: eft-compile %s --target=sm_90 --emit=ptx --max-registers=40 -o %t.ptx
// RUN: FileCheck %s --check-prefix=BOUND < %t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_90 %t.ptx -o %t.cubin %}
// RUN: eft-compile %s --target=sm_90 --emit=ptx | FileCheck %s --check-prefix=FREE
// RUN: not eft-compile %s --target=sm_90 --emit=ptx --max-registers=256 2>&1 | FileCheck %s --check-prefix=MANY

// BOUND: .visible .entry fill(
// BOUND: .reqntid 128, 1, 1
// BOUND-NEXT: .maxnreg 40
// FREE-NOT: .maxnreg
// MANY: error: number of registers must be at most 255, got 256
func.func @fill(%x: !eft.ptr<i32>, %n: i32) {
  eft.store %x, %n : !eft.ptr<i32>
  return
}
