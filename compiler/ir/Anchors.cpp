// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations that have an anchor, except inline assembly (see AssemblyOps.cpp).
#include "compiler/ir/EftDialect.h"

using namespace mlir;
using namespace eft;

// Doing these twice would cost more than moving their results.
bool ReduceOp::hasAnchor() { return true; }
bool ScanOp::hasAnchor() { return true; }
bool SortOp::hasAnchor() { return true; }
bool DotOp::hasAnchor() { return true; }

// These may move elements between places, in whatever layout they make their results.
bool ExchangeOp::hasAnchor() { return true; }
bool GatherOp::hasAnchor() { return true; }
bool HistogramOp::hasAnchor() { return true; }

// These change memory, or read memory that may change. So they must not be done twice.
bool AtomicRMWOp::hasAnchor() { return true; }
bool AtomicCASOp::hasAnchor() { return true; }
bool AtomicLoadOp::hasAnchor() { return true; }
bool LoadOp::hasAnchor() { return readsAnew(); }

/// The indices have the layout of the result. Each index may lead to any place of the source, so no
/// layout of the source follows from that of the result.
bool GatherOp::requiresDefaultLayout(OpOperand &operand) { return &operand == &getSourceMutable(); }

/// Each element may count in any bin, so no layout of the source follows from that of the result.
bool HistogramOp::requiresDefaultLayout(OpOperand &) { return true; }
