// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/layout/MatrixLoad.h"

#include <algorithm>

namespace eft {

namespace {

using Columns = std::vector<uint64_t>;

constexpr unsigned laneBits = 5, rowBits = 3, maxMatrixBits = 2, wordBytes = 4;

/// For each bit of one place dimension, the number that it adds to the packed index.
Columns columnsOf(const LinearLayout &layout, unsigned dimension) {
  const Space::Dim &place = layout.source().dims()[dimension];
  Columns columns;
  for (unsigned bit = 0; bit < place.bits; ++bit)
    columns.push_back(layout.applyPacked(uint64_t(1) << (place.offset + bit)));
  return columns;
}

} // namespace

std::vector<MatrixLoad> matrixLoads(const LinearLayout &wanted, unsigned elementBytes) {
  const Columns registers = columnsOf(wanted, 0), lanes = columnsOf(wanted, 1);
  if (elementBytes > wordBytes || lanes.size() != laneBits)
    return {};
  const unsigned wordBits = exponentOf(wordBytes / elementBytes);
  if (registers.size() < wordBits)
    return {};
  const unsigned matrixBits = std::min<unsigned>(maxMatrixBits, registers.size() - wordBits);
  const auto matrices = registers.begin() + wordBits, rest = matrices + matrixBits;

  auto load = [&](Columns row, Columns rows, bool isTransposed) {
    row.insert(row.end(), rest, registers.end());
    rows.insert(rows.end(), matrices, rest);
    rows.resize(laneBits, 0); // lanes without a row of their own take that of another lane
    std::vector<std::pair<std::string, unsigned>> dims = {
        {wanted.source().dims()[0].name, row.size()}, {wanted.source().dims()[1].name, laneBits}};
    Columns columns = row;
    columns.insert(columns.end(), rows.begin(), rows.end());
    const Columns warps = columnsOf(wanted, 2);
    dims.emplace_back(wanted.source().dims()[2].name, warps.size());
    columns.insert(columns.end(), warps.begin(), warps.end());
    return MatrixLoad{
        LinearLayout::fromColumns(Space::places(dims), wanted.target(), std::move(columns)),
        isTransposed, wordBits, matrixBits};
  };
  Columns row(registers.begin(), matrices);
  row.insert(row.end(), lanes.begin(), lanes.end() - rowBits);
  std::vector<MatrixLoad> loads = {load(row, {lanes.end() - rowBits, lanes.end()}, false)};
  if (elementBytes == 2)
    loads.push_back(
        load({lanes.end() - rowBits, lanes.end()}, {registers[0], lanes[0], lanes[1]}, true));
  return loads;
}

bool MatrixLoad::fits(const SharedLayout &shared) const {
  const unsigned bitsOfRow = wordBits + 2; // a row is four words
  if (shared.readRun() < int64_t(1) << bitsOfRow)
    return false;
  for (unsigned bit = 0; bit < bitsOfRow; ++bit)
    if (shared.offsetOf(rows.applyPacked(uint64_t(1) << bit)) != uint64_t(1) << bit)
      return false;
  return true;
}

SharedOrder chooseSharedOrder(const LinearLayout &from, const LinearLayout &wanted,
                              unsigned elementBytes) {
  SharedOrder best{SharedLayout::choose(from, wanted, elementBytes), std::nullopt};
  for (MatrixLoad &load : matrixLoads(wanted, elementBytes)) {
    SharedLayout layout = SharedLayout::choose(from, load.rows, elementBytes);
    if (load.fits(layout) && layout.cost() <= best.layout.cost())
      best = {std::move(layout), std::move(load)};
  }
  return best;
}

SharedOrder readSharedOrder(const LinearLayout &order, const LinearLayout &wanted,
                            unsigned elementBytes) {
  for (MatrixLoad &load : matrixLoads(wanted, elementBytes)) {
    SharedLayout ofRows = SharedLayout::ofOrder(order, load.rows, elementBytes);
    if (load.fits(ofRows))
      return {std::move(ofRows), std::move(load)};
  }
  return {SharedLayout::ofOrder(order, wanted, elementBytes), std::nullopt};
}

} // namespace eft
