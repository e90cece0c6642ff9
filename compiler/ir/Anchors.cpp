// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations that have an anchor.
#include "compiler/ir/EftDialect.h"

using namespace mlir;
using namespace eft;

// They cost more than to move their results.
bool ReduceOp::hasAnchor() { return true; }
bool ScanOp::hasAnchor() { return true; }
bool SortOp::hasAnchor() { return true; }
bool DotOp::hasAnchor() { return true; }

// They move elements in any layout.
bool ExchangeOp::hasAnchor() { return true; }
bool GatherOp::hasAnchor() { return true; }
bool HistogramOp::hasAnchor() { return true; }

// They change memory, or read it anew each time. So they must not be made twice.
bool AtomicRMWOp::hasAnchor() { return true; }
bool AtomicCASOp::hasAnchor() { return true; }
bool AtomicLoadOp::hasAnchor() { return true; }
bool LoadOp::hasAnchor() { return readsAnew(); }

/// The indices are made where the result is, but each of them may lead to any place of the source.
bool GatherOp::requiresDefaultLayout(OpOperand &operand) { return &operand == &getSourceMutable(); }

/// Each element may count in any bin.
bool HistogramOp::requiresDefaultLayout(OpOperand &) { return true; }
