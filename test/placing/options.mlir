// RUN: not eft-opt %s -eft-place='target=tpu' 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not eft-opt %s -eft-place='num-warps=3' 2>&1 | FileCheck %s --check-prefix=WARPS
// RUN: not eft-opt %s -eft-place='num-warps=64' 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not eft-opt %s -eft-place='target=cpu vector-bits=96' 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: not eft-opt %s -eft-lower-to-gpu='num-warps=3' 2>&1 | FileCheck %s --check-prefix=LOWER

// TARGET: error: eft-place: target must be 'sm_' or 'cuda:' with the compute capability times ten, {{.*}}, got 'tpu'
// WARPS: error: eft-place: num-warps must be a power of two from 1 to 32, got 3
// MANY: error: eft-place: num-warps must be a power of two from 1 to 32, got 64
// BITS: error: eft-place: vector-bits must be a power of two of at least 64, got 96
// LOWER: error: eft-lower-to-gpu: num-warps must be a power of two from 1 to 32, got 3
module {}
