// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ops/DropoutRule.h"

#include <atomic>
#include <cmath>

namespace eft::ops {
namespace {

double scaleOf(const DropoutAttrs &attrs, DataType dtype) {
  if (!attrs.scale_in_train)
    return 1;
  if (attrs.p == 1)
    return 0;
  return dtype == DataType::F64 ? 1 / (1 - double(attrs.p)) : double(1 / (1 - attrs.p));
}

} // namespace

Verdict checkAttrs(const DropoutAttrs &attrs) {
  if (attrs.p >= 0 && attrs.p <= 1)
    return {};
  return {DropoutBadAttribute, "p is " + std::to_string(attrs.p) + ", expected 0 to 1"};
}

uint64_t seedOf(const DropoutAttrs &attrs) {
  static std::atomic<uint64_t> fresh = uint64_t(1) << 63;
  return attrs.seed ? attrs.seed : fresh.fetch_add(1, std::memory_order_relaxed) + 1;
}

DropoutRule ruleOf(const DropoutAttrs &attrs, DataType dtype, uint64_t seed) {
  // p · 2³² is exact, because p has 24 significant bits. For p = 1 it needs 33 bits, so `mayKeep`
  // is false and the threshold is the largest number of 32 bits.
  bool mayKeep = attrs.p < 1;
  uint32_t threshold = mayKeep ? uint32_t(std::ceil(double(attrs.p) * 0x1p32)) : UINT32_MAX;
  return {seed, threshold, mayKeep, scaleOf(attrs, dtype)};
}

} // namespace eft::ops
