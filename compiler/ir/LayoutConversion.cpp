// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/LayoutConversion.h"

#include "compiler/layout/Placement.h"

using namespace mlir;
using namespace eft;

std::vector<PlaceBases> eft::placesOf(LayoutAttr attribute) {
  std::vector<PlaceBases> places;
  for (auto [number, name] : llvm::enumerate(attribute.getDimensions())) {
    PlaceBases &place = places.emplace_back();
    place.name = name.getValue().str();
    for (unsigned bit : llvm::seq<unsigned>(0, attribute.getBitCounts()[number])) {
      ArrayRef<int64_t> basis = attribute.getBasis(number, bit);
      place.bases.emplace_back(basis.begin(), basis.end());
    }
  }
  return places;
}

std::optional<LinearLayout> eft::layoutOf(Type type) {
  auto block = dyn_cast<RankedTensorType>(type);
  auto attribute = block ? dyn_cast_or_null<LayoutAttr>(block.getEncoding()) : LayoutAttr();
  if (!attribute)
    return std::nullopt;
  std::string error; // Stays empty: the attribute's verifier has checked the bases.
  return LinearLayout::create(placesOf(attribute), block.getShape(), error);
}

bool eft::isHeldBySeveralThreads(Type block) {
  std::optional<LinearLayout> layout = layoutOf(block);
  if (!layout)
    return false;
  const LinearLayout places = withPlaces(*layout, gpuPlaces);
  return places.redundantBits(place::lane) != 0 || places.redundantBits(place::warp) != 0;
}

std::optional<LinearLayout> eft::elementsOf(BufferReadOp read) {
  if (!read.getElements())
    return std::nullopt;
  std::string error; // Stays empty: the operation's verifier has checked the bases.
  RankedTensorType block = read.getBuffer().getType().getBlock();
  return LinearLayout::create(placesOf(*read.getElements()), block.getShape(), error);
}

LayoutAttr eft::toAttribute(MLIRContext *context, const LinearLayout &layout) {
  SmallVector<StringAttr> names;
  SmallVector<int64_t> bitCounts, coordinates;
  for (const PlaceBases &place : layout.bases()) {
    names.push_back(StringAttr::get(context, place.name));
    bitCounts.push_back(place.bases.size());
    for (const Coordinates &basis : place.bases)
      llvm::append_range(coordinates, basis);
  }
  unsigned rank = coordinates.empty() ? 0 : layout.shape().size();
  return LayoutAttr::get(context, names, bitCounts, coordinates, rank);
}

RankedTensorType eft::withLayout(RankedTensorType type, const LinearLayout &layout) {
  return RankedTensorType::get(type.getShape(), type.getElementType(),
                               toAttribute(type.getContext(), layout));
}

RankedTensorType eft::withoutCopies(RankedTensorType block, StringRef dimension) {
  std::vector<PlaceBases> places = layoutOf(block)->bases();
  for (PlaceBases &place : places)
    if (place.name == dimension.str())
      std::erase_if(place.bases, [](const Coordinates &basis) {
        return llvm::all_of(basis, [](int64_t coordinate) { return coordinate == 0; });
      });
  std::string error;
  return withLayout(block, *LinearLayout::create(places, block.getShape(), error));
}

LinearLayout eft::withPlaces(const LinearLayout &layout, ArrayRef<std::string_view> dimensions) {
  std::vector<std::pair<std::string, unsigned>> dims;
  std::vector<uint64_t> columns;
  for (std::string_view name : dimensions) {
    dims.emplace_back(name, layout.placeBits(name));
    for (unsigned bit = 0; bit < dims.back().second; ++bit)
      columns.push_back(layout.target().pack(layout.basis(name, bit)));
  }
  return LinearLayout::fromColumns(Space::places(dims), layout.target(), std::move(columns));
}
