// RUN: not eft-opt %s -eft-lower-to-cpu=vector-bits=96 2>&1 | FileCheck %s

// CHECK: vector-bits must be a power of two of at least 64, got 96
module {}
