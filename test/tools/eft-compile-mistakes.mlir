// RUN: not eft-compile %s --emit=ptx 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not eft-compile %s --emit=asm --target=sm_90 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: not eft-compile %s --target=tpu 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not eft-compile %s --num-warps=3 2>&1 | FileCheck %s --check-prefix=WARPS
// RUN: not eft-compile /dev/null 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not eft-compile %t.absent 2>&1 | FileCheck %s --check-prefix=ABSENT

// HOST: eft-compile: there is no stage 'ptx' for target host; there are ir, placed, llvm, asm, obj
// GPU: eft-compile: there is no stage 'asm' for target sm_90; there are ir, placed, llvm, ptx
// TARGET: eft-compile: target must be 'sm_' or 'cuda:' with the compute capability times ten, such as 'sm_90', 'gpu' for every GPU, 'host' or 'cpu' for the CPU at hand, or 'host:' with LLVM's name of a CPU, such as 'host:x86-64-v3', got 'tpu'
// WARPS: error: number of warps must be a power of two from 1 to 32, got 3
// EMPTY: error: 'builtin.module' op has no public function to compile
// ABSENT: eft-compile: cannot open input file '{{.*}}absent': No such file or directory
func.func @nothing() {
  return
}

// A failure to write the output is reported as an error of eft-compile, not as a fatal error of
// LLVM.
// RUN: not eft-compile %s --emit=asm -o /dev/full 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: not eft-compile %s --emit=obj -o %t.absent/kernel.o 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: bash -c '"$@" > /dev/full; test $? = 1' - eft-compile %s --emit=asm 2>&1 | FileCheck %s --check-prefix=STDOUT
// FULL-NOT: LLVM
// FULL: eft-compile: cannot write output file '/dev/full': No space left on device
// FOLDER: eft-compile: cannot open output file '{{.*}}absent/kernel.o': No such file or directory
// STDOUT-NOT: LLVM
// STDOUT: eft-compile: cannot write output file '-': No space left on device
