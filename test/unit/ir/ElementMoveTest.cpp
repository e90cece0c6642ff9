// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For each index of an operation's result, compares the source element that the operation reports
// with the source element that follows from the operation's documentation.
#include "compiler/ir/EftDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace eft {
namespace {

/// An element of one of an operation's sources.
struct Element {
  unsigned source;
  Coordinates index;
};

/// The source element that a result has at an index, by the meaning of the operation.
using Meaning = std::function<Element(unsigned result, const Coordinates &index)>;

std::vector<int64_t> shapeOf(Value block) {
  return cast<RankedTensorType>(block.getType()).getShape().vec();
}

/// The element's number in row-major order.
int64_t numberOf(const Coordinates &index, const std::vector<int64_t> &shape) {
  int64_t number = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    number = number * shape[dim] + index[dim];
  return number;
}

Coordinates indexOf(int64_t number, const std::vector<int64_t> &shape) {
  Coordinates index(shape.size());
  for (size_t dim = shape.size(); dim-- > 0; number /= shape[dim])
    index[dim] = number % shape[dim];
  return index;
}

class ElementMoveTest : public ::testing::Test {
protected:
  ElementMoveTest() { context.loadDialect<EftDialect, func::FuncDialect>(); }

  /// Makes a function of the text, which has one element move, and compares the move with its
  /// meaning. The function has these arguments.
  void check(const std::string &arguments, const std::string &text, const Meaning &meaning) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        "func.func @move(" + arguments + ") {\n" + text + "\nreturn\n}", &context);
    ASSERT_TRUE(module) << text;
    unsigned moves = 0;
    module->walk([&](ElementMoveOpInterface move) {
      ++moves;
      for (OpResult result : move->getResults())
        checkResult(move, result, meaning);
    });
    EXPECT_EQ(moves, 1u) << text;
  }

  MLIRContext context;

private:
  static void checkResult(ElementMoveOpInterface move, OpResult result, const Meaning &meaning) {
    ElementMove said = move.getElementMove(result.getResultNumber());
    const std::vector<int64_t> shape = shapeOf(result), source = shapeOf(move->getOperand(0));
    ASSERT_EQ(said.map.source(), Space::block(shape));
    ASSERT_EQ(said.map.target(), Space::block(source));
    ASSERT_EQ(move->getNumOperands(), said.secondSource == 0 ? 1u : 2u);
    for (int64_t number = 0; number < int64_t(1) << said.map.source().bits(); ++number) {
      Element element = meaning(result.getResultNumber(), indexOf(number, shape));
      EXPECT_EQ(int64_t(said.map.applyPacked(number) ^ said.flipped),
                numberOf(element.index, source))
          << "element " << number << " of result " << result.getResultNumber();
      EXPECT_EQ(unsigned((uint64_t(number) & said.secondSource) != 0), element.source)
          << "element " << number;
    }
  }
};

TEST_F(ElementMoveTest, ExpandDimsInsertsADimension) {
  check("%a: tensor<4x8xi32>",
        "%b = eft.expand_dims %a axis 1 : tensor<4x8xi32> -> tensor<4x1x8xi32>",
        [](unsigned, const Coordinates &i) { return Element{0, {i[0], i[2]}}; });
  check("%a: tensor<4xi32>", "%b = eft.expand_dims %a axis 0 : tensor<4xi32> -> tensor<1x4xi32>",
        [](unsigned, const Coordinates &i) { return Element{0, {i[1]}}; });
  check("%a: tensor<4xi32>", "%b = eft.expand_dims %a axis 1 : tensor<4xi32> -> tensor<4x1xi32>",
        [](unsigned, const Coordinates &i) { return Element{0, {i[0]}}; });
}

TEST_F(ElementMoveTest, BroadcastRepeatsDimensionsOfExtent1) {
  check("%a: tensor<4x1xi32>", "%b = eft.broadcast %a : tensor<4x1xi32> -> tensor<4x8xi32>",
        [](unsigned, const Coordinates &i) { return Element{0, {i[0], 0}}; });
  check("%a: tensor<1x2x1xi32>", "%b = eft.broadcast %a : tensor<1x2x1xi32> -> tensor<4x2x8xi32>",
        [](unsigned, const Coordinates &i) { return Element{0, {0, i[1], 0}}; });
}

TEST_F(ElementMoveTest, ReshapeKeepsTheRowMajorOrder) {
  check("%a: tensor<8x4xi32>", "%b = eft.reshape %a : tensor<8x4xi32> -> tensor<2x16xi32>",
        [](unsigned, const Coordinates &i) {
          int64_t number = i[0] * 16 + i[1];
          return Element{0, {number / 4, number % 4}};
        });
  check("%a: tensor<8xi32>", "%b = eft.reshape %a : tensor<8xi32> -> tensor<2x1x4xi32>",
        [](unsigned, const Coordinates &i) { return Element{0, {i[0] * 4 + i[2]}}; });
}

TEST_F(ElementMoveTest, TransPermutesDimensions) {
  check("%a: tensor<8x4xi32>",
        "%b = eft.trans %a order [1, 0] : tensor<8x4xi32> -> tensor<4x8xi32>",
        [](unsigned, const Coordinates &i) { return Element{0, {i[1], i[0]}}; });
  // A permutation that is not its own inverse: result dimension i is source dimension order[i].
  check("%a: tensor<2x4x8xi32>",
        "%b = eft.trans %a order [1, 2, 0] : tensor<2x4x8xi32> -> tensor<4x8x2xi32>",
        [](unsigned, const Coordinates &i) { return Element{0, {i[2], i[0], i[1]}}; });
}

TEST_F(ElementMoveTest, JoinTakesEverySecondElementFromTheSecondSource) {
  check("%a: tensor<2x4xi32>, %b: tensor<2x4xi32>",
        "%c = eft.join %a, %b : tensor<2x4xi32> -> tensor<2x4x2xi32>",
        [](unsigned, const Coordinates &i) { return Element{unsigned(i[2]), {i[0], i[1]}}; });
}

TEST_F(ElementMoveTest, SplitTakesEverySecondElement) {
  check("%a: tensor<2x4x2xi32>", "%b, %c = eft.split %a : tensor<2x4x2xi32> -> tensor<2x4xi32>",
        [](unsigned result, const Coordinates &i) { return Element{0, {i[0], i[1], result}}; });
}

TEST_F(ElementMoveTest, ExchangeFlipsBitsOfOneCoordinate) {
  check("%a: tensor<16x4xi32>", "%b = eft.exchange %a axis 0 mask 5 : tensor<16x4xi32>",
        [](unsigned, const Coordinates &i) { return Element{0, {i[0] ^ 5, i[1]}}; });
  check("%a: tensor<16x4xi32>", "%b = eft.exchange %a axis 1 mask 3 : tensor<16x4xi32>",
        [](unsigned, const Coordinates &i) { return Element{0, {i[0], 3 - i[1]}}; });
}

TEST_F(ElementMoveTest, ConvertLayoutKeepsIndices) {
  check("%a: tensor<2x4xi32, #eft.layout<lane = [[1, 0], [0, 1], [0, 2]]>>",
        "%b = eft.convert_layout %a : tensor<2x4xi32, #eft.layout<lane = [[1, 0], [0, 1], [0, 2]]>>"
        " -> tensor<2x4xi32, #eft.layout<lane = [[0, 1], [0, 2], [1, 0]]>>",
        [](unsigned, const Coordinates &i) { return Element{0, i}; });
}

TEST_F(ElementMoveTest, EveryMoveSaysWhetherElementsMayChangePlaces) {
  unsigned moves = 0;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    if (!name.hasInterface<ElementMoveOpInterface>())
      continue;
    ++moves;
    EXPECT_NE(name.hasTrait<FetchesElements>(), name.hasTrait<ComputesInPlace>())
        << name.getStringRef().str();
  }
  EXPECT_EQ(moves, 8u); // Each of them has a test above.
}

} // namespace
} // namespace eft
