// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear layouts: how they are made and applied, and their algebra. LayoutShapes.cpp has the
// operations that change only the block.
#include "compiler/layout/LinearLayout.h"

#include "compiler/layout/Echelon.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace eft {

//===--- Making -------------------------------------------------------------------------------===//

namespace {

/// The fault of the block's shape in words; empty if there is none.
std::string validateShape(std::span<const int64_t> shape) {
  unsigned bits = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!isPowerOfTwo(shape[i]))
      return "extent of dimension " + std::to_string(i) + " must be a power of two, got " +
             std::to_string(shape[i]);
    bits += exponentOf(shape[i]);
  }
  if (bits > Space::maxBits)
    return "block must have at most 2^" + std::to_string(Space::maxBits) + " elements, got 2^" +
           std::to_string(bits);
  return {};
}

/// The fault of one place dimension's bases in words; empty if there is none.
std::string validateBases(const PlaceBases &place, std::span<const int64_t> shape) {
  for (size_t bit = 0; bit < place.bases.size(); ++bit) {
    const Coordinates &basis = place.bases[bit];
    std::string where = "basis of " + place.name + " bit " + std::to_string(bit) + " must ";
    if (basis.size() != shape.size())
      return where + "have one coordinate per block dimension (" + std::to_string(shape.size()) +
             "), got " + std::to_string(basis.size());
    for (size_t i = 0; i < shape.size(); ++i)
      if (basis[i] < 0 || basis[i] >= shape[i])
        return where + "lie inside the block, whose extent in dimension " + std::to_string(i) +
               " is " + std::to_string(shape[i]) + ", got " + std::to_string(basis[i]);
  }
  return {};
}

/// The fault of the places as a whole in words; empty if there is none.
std::string validatePlaces(std::span<const PlaceBases> places) {
  size_t bits = 0;
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].name.empty())
      return "place dimension " + std::to_string(i) + " must have a name";
    for (size_t j = 0; j < i; ++j)
      if (places[j].name == places[i].name)
        return "place dimension must be given once, got '" + places[i].name + "' twice";
    bits += places[i].bases.size();
  }
  if (bits > Space::maxBits)
    return "layout must have at most " + std::to_string(Space::maxBits) + " place bits, got " +
           std::to_string(bits);
  return {};
}

} // namespace

std::optional<LinearLayout> LinearLayout::create(std::span<const PlaceBases> places,
                                                 std::span<const int64_t> shape,
                                                 std::string &error) {
  error = validateShape(shape);
  if (error.empty())
    error = validatePlaces(places);
  for (size_t i = 0; i < places.size() && error.empty(); ++i)
    error = validateBases(places[i], shape);
  if (!error.empty())
    return std::nullopt;

  Space target = Space::block(shape);
  std::vector<std::pair<std::string, unsigned>> dims;
  std::vector<uint64_t> columns;
  for (const PlaceBases &place : places) {
    dims.emplace_back(place.name, static_cast<unsigned>(place.bases.size()));
    for (const Coordinates &basis : place.bases)
      columns.push_back(target.pack(basis));
  }
  return LinearLayout(Space::places(dims), std::move(target), std::move(columns));
}

LinearLayout LinearLayout::identity(std::string_view place, std::span<const int64_t> shape) {
  Space target = Space::block(shape);
  std::pair<std::string, unsigned> dim{place, target.bits()};
  std::vector<uint64_t> columns;
  for (unsigned bit = 0; bit < target.bits(); ++bit)
    columns.push_back(uint64_t(1) << bit);
  return LinearLayout(Space::places({&dim, 1}), std::move(target), std::move(columns));
}

LinearLayout LinearLayout::unit(unsigned rank) {
  return LinearLayout(Space(), Space::block(std::vector<int64_t>(rank, 1)), {});
}

LinearLayout LinearLayout::fromColumns(Space source, Space target, std::vector<uint64_t> columns) {
  assert(columns.size() == source.bits() && "one column per source bit");
  for ([[maybe_unused]] uint64_t column : columns)
    assert(column >> target.bits() == 0 && "a column lies outside the target");
  return LinearLayout(std::move(source), std::move(target), std::move(columns));
}

//===--- Looking at it ------------------------------------------------------------------------===//

std::vector<PlaceBases> LinearLayout::bases() const {
  std::vector<PlaceBases> places;
  for (const Space::Dim &dim : from.dims()) {
    places.push_back({dim.name, {}});
    for (unsigned bit = 0; bit < dim.bits; ++bit)
      places.back().bases.push_back(to.unpack(columns[dim.offset + bit]));
  }
  return places;
}

Coordinates LinearLayout::basis(std::string_view place, unsigned bit) const {
  std::optional<unsigned> dim = from.find(place);
  assert(dim && bit < from.dims()[*dim].bits && "no such place bit");
  return to.unpack(columns[from.dims()[*dim].offset + bit]);
}

unsigned LinearLayout::placeBits(std::string_view place) const {
  std::optional<unsigned> dim = from.find(place);
  return dim ? from.dims()[*dim].bits : 0;
}

static std::string join(const std::vector<std::string> &parts) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i)
    text += (i ? ", " : "") + parts[i];
  return text;
}

std::string LinearLayout::toString() const {
  std::vector<std::string> places;
  for (const PlaceBases &place : bases()) {
    std::vector<std::string> list;
    for (const Coordinates &basis : place.bases) {
      std::vector<std::string> numbers;
      for (int64_t coordinate : basis)
        numbers.push_back(std::to_string(coordinate));
      list.push_back("[" + join(numbers) + "]");
    }
    places.push_back(place.name + " = [" + join(list) + "]");
  }
  return join(places);
}

//===--- Algebra ------------------------------------------------------------------------------===//

uint64_t LinearLayout::applyPacked(uint64_t place) const {
  assert(place >> from.bits() == 0 && "no such place");
  uint64_t index = 0;
  for (; place != 0; place &= place - 1)
    index ^= columns[std::countr_zero(place)];
  return index;
}

std::optional<LinearLayout> LinearLayout::then(const LinearLayout &next) const {
  if (to != next.from)
    return std::nullopt;
  std::vector<uint64_t> images;
  for (uint64_t column : columns)
    images.push_back(next.applyPacked(column));
  return LinearLayout(from, next.to, std::move(images));
}

/// Shifts coordinates in the second factor of a product, so that their bits lie above those of
/// `below`, the first factor.
static Coordinates shiftedAbove(Coordinates coordinates, const Space &below) {
  for (unsigned i = 0; i < below.rank(); ++i)
    coordinates[i] <<= below.dims()[i].bits;
  return coordinates;
}

LinearLayout LinearLayout::product(const LinearLayout &other) const {
  assert(to.rank() == other.to.rank() && "blocks of the same rank");
  std::vector<int64_t> shape = to.shape();
  for (unsigned i = 0; i < to.rank(); ++i)
    shape[i] <<= other.to.dims()[i].bits;

  std::vector<PlaceBases> places = bases();
  for (PlaceBases &place : other.bases()) {
    for (Coordinates &basis : place.bases)
      basis = shiftedAbove(std::move(basis), to);
    if (std::optional<unsigned> mine = from.find(place.name)) {
      std::vector<Coordinates> &low = places[*mine].bases;
      low.insert(low.end(), place.bases.begin(), place.bases.end());
    } else {
      places.push_back(std::move(place));
    }
  }
  std::string error;
  std::optional<LinearLayout> result = create(places, shape, error);
  assert(result && "a product of layouts within the limits of size is one");
  return *result;
}

std::optional<LinearLayout> LinearLayout::divide(const LinearLayout &tile) const {
  if (tile.to.rank() != to.rank())
    return std::nullopt;
  std::vector<int64_t> shape = to.shape();
  for (unsigned i = 0; i < to.rank(); ++i)
    if ((shape[i] >>= tile.to.dims()[i].bits) == 0)
      return std::nullopt;
  for (const Space::Dim &dim : tile.from.dims())
    if (dim.bits > placeBits(dim.name))
      return std::nullopt;

  std::vector<PlaceBases> rest;
  for (const PlaceBases &place : bases()) {
    rest.push_back({place.name, {}});
    unsigned tileBits = tile.placeBits(place.name);
    for (unsigned bit = 0; bit < place.bases.size(); ++bit) {
      Coordinates basis = place.bases[bit];
      if (bit < tileBits) {
        if (basis != tile.basis(place.name, bit))
          return std::nullopt;
        continue;
      }
      for (unsigned i = 0; i < to.rank(); ++i) {
        if (basis[i] % tile.to.extent(i) != 0)
          return std::nullopt;
        basis[i] /= tile.to.extent(i);
      }
      rest.back().bases.push_back(std::move(basis));
    }
  }
  std::string error;
  return create(rest, shape, error);
}

std::pair<LinearLayout, LinearLayout> LinearLayout::split(std::string_view place,
                                                          unsigned lowBits) const {
  [[maybe_unused]] std::optional<unsigned> dim = from.find(place);
  assert(dim && lowBits <= from.dims()[*dim].bits && "no such place bit");
  std::vector<std::pair<std::string, unsigned>> lowDims, highDims;
  std::vector<uint64_t> low, high;
  for (const Space::Dim &dim : from.dims()) {
    unsigned keep = dim.name == place ? lowBits : dim.bits;
    lowDims.emplace_back(dim.name, keep);
    if (dim.name == place)
      highDims.emplace_back(dim.name, dim.bits - keep);
    for (unsigned bit = 0; bit < dim.bits; ++bit)
      (bit < keep ? low : high).push_back(columns[dim.offset + bit]);
  }
  return {LinearLayout(Space::places(lowDims), to, std::move(low)),
          LinearLayout(Space::places(highDims), to, std::move(high))};
}

std::optional<LinearLayout> LinearLayout::rightInverse() const {
  Echelon echelon(columns);
  std::vector<uint64_t> places;
  for (unsigned bit = 0; bit < to.bits(); ++bit) {
    Echelon::Reduction reduced = echelon.reduce(uint64_t(1) << bit);
    if (reduced.remainder != 0)
      return std::nullopt;
    places.push_back(reduced.columns);
  }
  return LinearLayout(to, from, std::move(places));
}

unsigned LinearLayout::rank() const { return Echelon(columns).rank(); }

std::vector<uint64_t> LinearLayout::kernel() const {
  Echelon echelon;
  std::vector<uint64_t> places;
  for (unsigned i = 0; i < columns.size(); ++i)
    if (!echelon.insert(columns[i], i))
      places.push_back(echelon.reduce(columns[i]).columns ^ (uint64_t(1) << i));
  return places;
}

uint64_t LinearLayout::redundantBits(std::string_view place) const {
  std::optional<unsigned> dim = from.find(place);
  if (!dim)
    return 0;
  // `Echelon` refuses exactly the redundant columns. Each refused column is the highest bit of one
  // of the vectors that `kernel` returns.
  uint64_t refused = 0;
  for (uint64_t vector : kernel())
    refused |= std::bit_floor(vector);
  return (refused & from.mask(*dim)) >> from.dims()[*dim].offset;
}

std::optional<std::vector<int64_t>> LinearLayout::imageBox() const {
  uint64_t reached = 0;
  for (uint64_t column : columns)
    reached |= column;
  // The map reaches only elements whose bits are all in `reached`. It reaches all of these if its
  // rank is the number of bits in `reached`.
  if (rank() != static_cast<unsigned>(std::popcount(reached)))
    return std::nullopt;
  std::vector<int64_t> box;
  for (int64_t bits : to.unpack(reached)) {
    if (!isPowerOfTwo(bits + 1))
      return std::nullopt;
    box.push_back(bits + 1);
  }
  return box;
}

int64_t LinearLayout::contiguousAlong(std::string_view place, unsigned blockDim) const {
  assert(blockDim < to.rank() && "no such block dimension");
  std::optional<unsigned> dim = from.find(place);
  if (!dim)
    return 1;
  const unsigned first = from.dims()[*dim].offset, offset = to.dims()[blockDim].offset;
  const unsigned most = std::min(from.dims()[*dim].bits, to.dims()[blockDim].bits);
  unsigned bits = 0;
  while (bits < most && columns[first + bits] == uint64_t(1) << (offset + bits))
    ++bits;
  // The other place bits choose where the run begins: they must not touch the index bits inside it.
  for (unsigned i = 0; i < columns.size(); ++i) {
    if (i >= first && i < first + bits)
      continue;
    uint64_t inDim = (columns[i] & to.mask(blockDim)) >> offset;
    if (inDim != 0)
      bits = std::min<unsigned>(bits, std::countr_zero(inDim));
  }
  return int64_t(1) << bits;
}

int64_t LinearLayout::contiguousAlong(std::string_view place) const {
  return to.rank() == 0 ? 1 : contiguousAlong(place, to.rank() - 1);
}

std::optional<LinearLayout> sourceOf(const LinearLayout &from, const LinearLayout &to) {
  std::optional<LinearLayout> inverse = from.rightInverse();
  return inverse ? to.then(*inverse) : std::nullopt;
}

} // namespace eft
