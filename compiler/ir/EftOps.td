// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of the dialect, one file for each family. The reference page is generated from
// this file.

#ifndef EFT_OPS
#define EFT_OPS

include "compiler/ir/ops/Program.td"
include "compiler/ir/ops/Shapes.td"
include "compiler/ir/ops/Memory.td"
include "compiler/ir/ops/Arithmetic.td"
include "compiler/ir/ops/Elementary.td"
include "compiler/ir/ops/Float8.td"
include "compiler/ir/ops/Debug.td"
include "compiler/ir/ops/Assembly.td"
include "compiler/ir/ops/Reductions.td"
include "compiler/ir/ops/Matrix.td"
include "compiler/ir/ops/Buffers.td"
include "compiler/ir/ops/Shared.td"
include "compiler/ir/ops/Warpgroups.td"
include "compiler/ir/ops/Threads.td"
include "compiler/ir/ops/Sorting.td"

#endif
