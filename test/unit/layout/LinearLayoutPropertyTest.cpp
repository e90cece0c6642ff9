// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks properties that every layout must have. The tests use random layouts over small spaces,
// and go through all places.
#include "RandomLayout.h"

namespace eft {
namespace {

using testing::elementsOf;
using testing::holders;
using testing::placesOf;
using testing::RandomLayouts;

class LayoutProperties : public ::testing::TestWithParam<int> {
protected:
  RandomLayouts random{static_cast<uint32_t>(GetParam())};
  LinearLayout layout = random.layout(random.shape(1 + GetParam() % 3));
};
INSTANTIATE_TEST_SUITE_P(Random, LayoutProperties, ::testing::Range(0, 200));

TEST_P(LayoutProperties, IsLinear) {
  for (int i = 0; i < 50; ++i) {
    uint64_t a = random.below(placesOf(layout)), b = random.below(placesOf(layout));
    EXPECT_EQ(layout.applyPacked(a ^ b), layout.applyPacked(a) ^ layout.applyPacked(b));
  }
}

TEST_P(LayoutProperties, CreateFromItsOwnBases) {
  std::string error;
  EXPECT_EQ(LinearLayout::create(layout.bases(), layout.shape(), error), layout);
}

TEST_P(LayoutProperties, RankInjectiveSurjective) {
  auto elements = holders(layout);
  EXPECT_EQ(uint64_t(1) << layout.rank(), elements.size());
  EXPECT_EQ(layout.isSurjective(), elements.size() == elementsOf(layout));
  EXPECT_EQ(layout.isInjective(), elements.size() == placesOf(layout));
}

TEST_P(LayoutProperties, KernelSpansThePlacesOfElementZero) {
  std::vector<uint64_t> kernel = layout.kernel(), spanned = {0};
  for (uint64_t vector : kernel)
    for (size_t i = 0, n = spanned.size(); i < n; ++i)
      spanned.push_back(spanned[i] ^ vector);
  std::sort(spanned.begin(), spanned.end());
  EXPECT_EQ(spanned, holders(layout)[0]);
}

TEST_P(LayoutProperties, OneHolderHasNoRedundantBit) {
  for (const auto &[element, places] : holders(layout)) {
    int chosen = 0;
    for (uint64_t place : places) {
      Coordinates coordinates = layout.source().unpack(place);
      bool redundant = false;
      for (unsigned i = 0; i < coordinates.size(); ++i)
        redundant |= (coordinates[i] & layout.redundantBits(layout.source().dims()[i].name)) != 0;
      chosen += !redundant;
    }
    EXPECT_EQ(chosen, 1) << "element " << element;
  }
}

TEST_P(LayoutProperties, RightInverseFindsAHolder) {
  std::optional<LinearLayout> inverse = layout.rightInverse();
  ASSERT_EQ(inverse.has_value(), layout.isSurjective());
  if (!inverse)
    return;
  for (uint64_t element = 0; element < elementsOf(layout); ++element)
    EXPECT_EQ(layout.applyPacked(inverse->applyPacked(element)), element);
  const unsigned bits = layout.target().bits();
  std::optional<LinearLayout> both = inverse->then(layout);
  ASSERT_TRUE(both);
  for (unsigned bit = 0; bit < bits; ++bit)
    EXPECT_EQ(both->applyPacked(uint64_t(1) << bit), uint64_t(1) << bit);
}

TEST_P(LayoutProperties, InverseOfABijectionIsTwoSided) {
  LinearLayout bijection = random.bijection(layout.shape());
  std::optional<LinearLayout> inverse = bijection.rightInverse();
  ASSERT_TRUE(inverse);
  for (uint64_t place = 0; place < placesOf(bijection); ++place)
    EXPECT_EQ(inverse->applyPacked(bijection.applyPacked(place)), place);
  EXPECT_EQ(inverse->rightInverse(), bijection);
}

TEST_P(LayoutProperties, ThenIsOneMapAfterTheOther) {
  LinearLayout first = random.bijection(layout.shape());
  std::optional<LinearLayout> back = first.rightInverse();
  ASSERT_TRUE(back);
  std::optional<LinearLayout> moved = layout.then(*back);
  ASSERT_TRUE(moved);
  for (uint64_t place = 0; place < placesOf(layout); ++place)
    EXPECT_EQ(moved->applyPacked(place), back->applyPacked(layout.applyPacked(place)));
  if (layout.source() != layout.target()) {
    EXPECT_EQ(layout.then(layout), std::nullopt);
  }
}

TEST_P(LayoutProperties, ProductPutsTheOthersBitsAbove) {
  LinearLayout other = random.layout(random.shape(layout.target().rank()));
  LinearLayout product = layout.product(other);
  for (int i = 0; i < 50; ++i) {
    uint64_t low = random.below(placesOf(layout)), high = random.below(placesOf(other));
    Coordinates place = layout.source().unpack(low), above = other.source().unpack(high);
    for (unsigned dim = 0; dim < place.size(); ++dim)
      place[dim] += above[dim] << layout.source().dims()[dim].bits;
    Coordinates index = layout.target().unpack(layout.applyPacked(low));
    above = other.target().unpack(other.applyPacked(high));
    for (unsigned dim = 0; dim < index.size(); ++dim)
      index[dim] += above[dim] << layout.target().dims()[dim].bits;
    EXPECT_EQ(product.apply(place), index);
  }
}

TEST_P(LayoutProperties, DivideUndoesProduct) {
  LinearLayout other = random.layout(random.shape(layout.target().rank()));
  EXPECT_EQ(layout.product(other).divide(layout), other);
  EXPECT_EQ(layout.divide(LinearLayout::unit(layout.target().rank())), layout);
  // If a division is possible, it is right.
  if (std::optional<LinearLayout> rest = layout.divide(other)) {
    EXPECT_EQ(other.product(*rest), layout);
  }
}

TEST_P(LayoutProperties, SplitPartsXorToTheWhole) {
  const Space::Dim &dim = layout.source().dims()[random.below(3)];
  const unsigned low = random.below(dim.bits + 1);
  auto [below, above] = layout.split(dim.name, low);
  for (uint64_t place = 0; place < placesOf(layout); ++place) {
    Coordinates coordinates = layout.source().unpack(place);
    int64_t &coordinate = coordinates[*layout.source().find(dim.name)];
    Coordinates high = {coordinate >> low};
    coordinate &= (int64_t(1) << low) - 1;
    EXPECT_EQ(layout.applyPacked(place), below.applyPacked(below.source().pack(coordinates)) ^
                                             above.applyPacked(above.source().pack(high)));
  }
}

TEST_P(LayoutProperties, ImageBoxIsTheWholeImage) {
  auto elements = holders(layout);
  std::vector<int64_t> corner(layout.target().rank(), 1);
  for (const auto &[element, places] : elements) {
    Coordinates index = layout.target().unpack(element);
    for (unsigned i = 0; i < index.size(); ++i)
      corner[i] = std::max(corner[i], index[i] + 1);
  }
  int64_t volume = 1;
  for (int64_t extent : corner)
    volume *= extent;
  // The image is inside the box from the origin to this corner. So the image is the whole box if it
  // has as many elements as the box.
  std::optional<std::vector<int64_t>> expected;
  if (volume == int64_t(elements.size()))
    expected = corner;
  EXPECT_EQ(layout.imageBox(), expected);
}

/// The definition of `contiguousAlong`, checked for one width at every place.
bool runsOf(const LinearLayout &layout, unsigned placeDim, unsigned blockDim, int64_t width) {
  if (width > layout.source().extent(placeDim) || width > layout.target().extent(blockDim))
    return false;
  for (uint64_t place = 0; place < placesOf(layout); ++place) {
    Coordinates coordinates = layout.source().unpack(place);
    int64_t within = coordinates[placeDim] % width;
    coordinates[placeDim] -= within;
    Coordinates index = layout.apply(coordinates);
    if (index[blockDim] % width != 0)
      return false;
    index[blockDim] += within;
    if (layout.target().unpack(layout.applyPacked(place)) != index)
      return false;
  }
  return true;
}

TEST_P(LayoutProperties, ContiguousAlongIsTheWidestRun) {
  for (const LinearLayout &candidate : {layout, random.bijection(layout.shape())})
    for (unsigned placeDim = 0; placeDim < 3; ++placeDim)
      for (unsigned blockDim = 0; blockDim < candidate.target().rank(); ++blockDim) {
        int64_t width = 1;
        while (runsOf(candidate, placeDim, blockDim, 2 * width))
          width *= 2;
        EXPECT_EQ(candidate.contiguousAlong(candidate.source().dims()[placeDim].name, blockDim),
                  width)
            << candidate.toString();
      }
}

TEST_P(LayoutProperties, SourceOfHoldsTheSameElement) {
  LinearLayout from = random.bijection(layout.shape());
  std::optional<LinearLayout> source = sourceOf(from, layout);
  ASSERT_TRUE(source);
  for (uint64_t place = 0; place < placesOf(layout); ++place)
    EXPECT_EQ(from.applyPacked(source->applyPacked(place)), layout.applyPacked(place));
}

TEST_P(LayoutProperties, ShapesChangeTheIndexAlone) {
  const unsigned rank = layout.target().rank(), axis = random.below(rank);
  std::vector<unsigned> order(rank);
  for (unsigned i = 0; i < rank; ++i)
    order[i] = (i + axis) % rank;
  LinearLayout sliced = layout.slice(axis), collapsed = layout.collapse(axis);
  LinearLayout expanded = layout.expandDims(axis), permuted = layout.permute(order);
  LinearLayout flat = layout.reshape(std::vector<int64_t>{int64_t(elementsOf(layout))});
  for (uint64_t place = 0; place < placesOf(layout); ++place) {
    Coordinates at = layout.source().unpack(place), index = layout.apply(at);
    Coordinates without = index, zeroed = index, longer = index, turned;
    without.erase(without.begin() + axis);
    zeroed[axis] = 0;
    longer.insert(longer.begin() + axis, 0);
    for (unsigned dim : order)
      turned.push_back(index[dim]);
    int64_t number = 0;
    for (unsigned i = 0; i < rank; ++i)
      number = number * layout.target().extent(i) + index[i];
    EXPECT_EQ(sliced.apply(at), without);
    EXPECT_EQ(collapsed.apply(at), zeroed);
    EXPECT_EQ(expanded.apply(at), longer);
    EXPECT_EQ(permuted.apply(at), turned);
    EXPECT_EQ(flat.apply(at), Coordinates{number});
  }
}

TEST_P(LayoutProperties, CoveringReachesEveryElementOnce) {
  LinearLayout all = layout.covering("lane");
  EXPECT_TRUE(all.isSurjective());
  EXPECT_EQ(all.kernel().size(), layout.kernel().size());
  for (uint64_t place = 0; place < placesOf(layout); ++place) {
    Coordinates at = layout.source().unpack(place);
    EXPECT_EQ(all.apply(at), layout.apply(at));
  }
}

} // namespace
} // namespace eft
