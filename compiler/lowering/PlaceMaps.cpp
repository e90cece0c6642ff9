// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/PlaceMaps.h"

#include "compiler/layout/Placement.h"

namespace eft {

LinearLayout numbered(const LinearLayout &layout) {
  std::vector<std::pair<std::string, unsigned>> dims;
  std::vector<uint64_t> columns;
  for (std::string_view name : {place::lane, place::step}) {
    dims.emplace_back(name, layout.placeBits(name));
    for (unsigned bit = 0; bit < dims.back().second; ++bit)
      columns.push_back(layout.target().pack(layout.basis(name, bit)));
  }
  return LinearLayout::fromColumns(Space::places(dims), layout.target(), std::move(columns));
}

LinearLayout cleared(const LinearLayout &layout, uint64_t indexBits) {
  std::vector<uint64_t> columns;
  for (unsigned bit = 0; bit < layout.source().bits(); ++bit)
    columns.push_back(layout.applyPacked(bitNumber(bit)) & ~indexBits);
  return LinearLayout::fromColumns(layout.source(), layout.target(), std::move(columns));
}

LinearLayout withFragments(const LinearLayout &layout, llvm::ArrayRef<uint64_t> images) {
  std::vector<std::pair<std::string, unsigned>> dims;
  for (const Space::Dim &dim : layout.source().dims())
    dims.emplace_back(dim.name, dims.empty() ? images.size() : dim.bits);
  std::vector<uint64_t> columns(images.begin(), images.end());
  for (unsigned bit = layout.source().dims()[1].offset; bit < layout.source().bits(); ++bit)
    columns.push_back(layout.applyPacked(bitNumber(bit)));
  return LinearLayout::fromColumns(Space::places(dims), layout.target(), std::move(columns));
}

llvm::SmallVector<unsigned> neededFragmentBits(const LinearLayout &layout) {
  uint64_t redundant = layout.redundantBits(layout.source().dims().front().name);
  llvm::SmallVector<unsigned> needed;
  for (unsigned bit = 0; bit < layout.source().dims().front().bits; ++bit)
    if ((redundant & bitNumber(bit)) == 0)
      needed.push_back(bit);
  return needed;
}

LinearLayout keepFragments(const LinearLayout &layout, llvm::ArrayRef<unsigned> bits) {
  llvm::SmallVector<uint64_t> images;
  for (unsigned bit : bits)
    images.push_back(layout.applyPacked(bitNumber(bit)));
  return withFragments(layout, images);
}

LinearLayout gathered(const LinearLayout &layout, uint64_t bits) {
  LinearLayout rest = cleared(layout, bits);
  llvm::SmallVector<uint64_t> images;
  for (unsigned bit : neededFragmentBits(rest))
    images.push_back(rest.applyPacked(bitNumber(bit)));
  for (; bits != 0; bits &= bits - 1)
    images.push_back(bits & -bits);
  return withFragments(rest, images);
}

LinearLayout gatheredInWarp(const LinearLayout &layout, uint64_t bits) {
  LinearLayout rest = cleared(layout, bits);
  llvm::SmallVector<uint64_t> fragments;
  for (unsigned bit : neededFragmentBits(rest))
    fragments.push_back(rest.applyPacked(bitNumber(bit)));
  std::vector<uint64_t> columns;
  for (unsigned bit = 0; bit < rest.source().bits(); ++bit)
    columns.push_back(rest.applyPacked(bitNumber(bit)));
  const Space::Dim &lane = rest.source().dims()[1];
  for (unsigned bit = lane.offset; bit < lane.offset + lane.bits && bits != 0; ++bit)
    if (columns[bit] == 0) {
      columns[bit] = bits & -bits;
      bits &= bits - 1;
    }
  for (; bits != 0; bits &= bits - 1)
    fragments.push_back(bits & -bits);
  return withFragments(LinearLayout::fromColumns(rest.source(), rest.target(), std::move(columns)),
                       fragments);
}

uint64_t threadsOf(const LinearLayout &layout, uint64_t indexBit) {
  const unsigned first = layout.source().dims()[1].offset;
  uint64_t threads = 0;
  for (unsigned bit = first; bit < layout.source().bits(); ++bit)
    if (layout.applyPacked(bitNumber(bit)) & indexBit)
      threads |= bitNumber(bit - first);
  return threads;
}

} // namespace eft
