// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layout attribute: its parser, its printer, and the verification of the attribute alone and of
// its fit to a block.
#include "compiler/ir/EftDialect.h"

#include "compiler/ir/LayoutConversion.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace eft;

#define GET_ATTRDEF_CLASSES
#include "compiler/ir/EftAttributes.cpp.inc"

void EftDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/ir/EftAttributes.cpp.inc"
      >();
}

ArrayRef<int64_t> LayoutAttr::getBasis(unsigned dimension, unsigned bit) const {
  int64_t before = 0;
  for (int64_t count : getBitCounts().take_front(dimension))
    before += count;
  return getBases().slice((before + bit) * getRank(), getRank());
}

// The grammar:
//   layout    ::= `<` dimension (`,` dimension)* `>`
//   dimension ::= name `=` `[` (basis (`,` basis)*)? `]`
//   basis     ::= `[` integer (`,` integer)* `]`
Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SMLoc start = parser.getCurrentLocation();
  SmallVector<StringAttr> dimensions;
  SmallVector<int64_t> bitCounts, bases;
  unsigned rank = 0;

  auto parseBasis = [&]() -> ParseResult {
    SmallVector<int64_t> basis;
    SMLoc place = parser.getCurrentLocation();
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                       [&] { return parser.parseInteger(basis.emplace_back()); }))
      return failure();
    if (rank != 0 && basis.size() != rank)
      return parser.emitError(place)
             << "expected " << rank << " coordinates as in the first basis, "
             << "got " << basis.size();
    rank = basis.size();
    llvm::append_range(bases, basis);
    ++bitCounts.back();
    return success();
  };
  auto parseDimension = [&]() -> ParseResult {
    std::string name;
    if (parser.parseKeywordOrString(&name) || parser.parseEqual())
      return failure();
    dimensions.push_back(StringAttr::get(parser.getContext(), name));
    bitCounts.push_back(0);
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseBasis);
  };

  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseDimension))
    return {};
  return getChecked([&] { return parser.emitError(start); }, parser.getContext(), dimensions,
                    bitCounts, bases, rank);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  auto printBasis = [&](ArrayRef<int64_t> basis) {
    printer << '[';
    llvm::interleaveComma(basis, printer);
    printer << ']';
  };
  printer << '<';
  for (auto [number, name] : llvm::enumerate(getDimensions())) {
    printer << (number == 0 ? "" : ", ");
    printer.printKeywordOrString(name.getValue());
    printer << " = [";
    llvm::interleaveComma(
        llvm::seq<unsigned>(0, getBitCounts()[number]), printer,
        [&, number = number](unsigned bit) { printBasis(getBasis(number, bit)); });
    printer << ']';
  }
  printer << '>';
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<StringAttr> dimensions, ArrayRef<int64_t> bitCounts,
                                 ArrayRef<int64_t> bases, unsigned rank) {
  llvm::SmallPtrSet<StringAttr, 4> seen;
  for (StringAttr name : dimensions)
    if (!seen.insert(name).second)
      return emitError() << "layout names the dimension '" << name.getValue() << "' twice";
  int64_t bits = 0;
  for (int64_t count : bitCounts)
    bits += count;
  if (bitCounts.size() != dimensions.size() || int64_t(bases.size()) != bits * int64_t(rank))
    return emitError() << "layout has " << bases.size() << " coordinates for " << bits
                       << " bits of rank " << rank;
  for (int64_t coordinate : bases)
    if (coordinate < 0)
      return emitError() << "layout coordinates must not be negative, got " << coordinate;
  return success();
}

LogicalResult LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                         function_ref<InFlightDiagnostic()> emitError) const {
  if (!getBases().empty() && getRank() != shape.size())
    return emitError() << "layout is of rank " << getRank() << ", but the block of rank "
                       << shape.size();
  if (ShapedType::isDynamicShape(shape))
    return emitError() << "layout needs a block whose extents are known";
  std::string error;
  if (!LinearLayout::create(placesOf(*this), shape, error))
    return emitError() << "layout does not fit its block: " << error;
  return success();
}
