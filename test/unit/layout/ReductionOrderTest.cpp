// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/layout/ReductionOrder.h"

#include "compiler/layout/Placement.h"

#include <gtest/gtest.h>

using namespace eft;

namespace {

ReductionOrder orderOf(std::vector<int64_t> shape, unsigned axis, int64_t bits, int64_t warps) {
  return reductionOrder(shape, axis, bits, warps);
}

using Tree = std::vector<int32_t>;

TEST(ReductionOrderTest, RowOfOneVectorPerThread) {
  ReductionOrder order = orderOf({256}, 0, 32, 2);
  EXPECT_EQ(order.steps, 1);
  EXPECT_EQ(order.tree, (Tree{2, 1, 64, 32, 16, 8, 4, 128}));
}

TEST(ReductionOrderTest, LongRowHasSteps) {
  ReductionOrder order = orderOf({16384}, 0, 32, 4);
  EXPECT_EQ(order.steps, 32);
  EXPECT_EQ(order.tree, (Tree{2, 1, 64, 32, 16, 8, 4, 256, 128}));
}

TEST(ReductionOrderTest, NarrowElementsHaveLongerVectors) {
  EXPECT_EQ(orderOf({16384}, 0, 16, 4).steps, 16);
  EXPECT_EQ(orderOf({16384}, 0, 64, 4).steps, 64);
}

TEST(ReductionOrderTest, ShortBlockIsATree) {
  ReductionOrder order = orderOf({8}, 0, 32, 4);
  EXPECT_EQ(order.steps, 1);
  EXPECT_EQ(order.tree, (Tree{4, 2, 1}));
}

TEST(ReductionOrderTest, ColumnsBeyondTheThreadsAreSteps) {
  // A row is 32 lanes of 4 elements, so each warp has one row, and 4 warps have 4 rows at a time.
  ReductionOrder order = orderOf({64, 128}, 0, 32, 4);
  EXPECT_EQ(order.steps, 16);
  EXPECT_EQ(order.tree, (Tree{2, 1}));
}

TEST(ReductionOrderTest, ColumnsOfWideRowsAreOnlySteps) {
  ReductionOrder order = orderOf({8, 4096}, 0, 32, 4);
  EXPECT_EQ(order.steps, 8);
  EXPECT_TRUE(order.tree.empty());
}

TEST(ReductionOrderTest, RowInsideAVector) {
  ReductionOrder order = orderOf({4096, 4}, 1, 32, 4);
  EXPECT_EQ(order.steps, 1);
  EXPECT_EQ(order.tree, (Tree{2, 1}));
}

TEST(ReductionOrderTest, EveryBitIsFoldedOnceAndStepsAreTheHighest) {
  for (int64_t rows : {1, 4, 64, 512})
    for (int64_t columns : {1, 2, 32, 1024})
      for (int64_t warps : {1, 4, 32})
        for (unsigned axis : {0u, 1u}) {
          const int64_t extent = axis == 0 ? rows : columns;
          ReductionOrder order = orderOf({rows, columns}, axis, 32, warps);
          int64_t sum = 0;
          for (int32_t bit : order.tree)
            sum += bit;
          EXPECT_EQ(sum, extent / order.steps - 1)
              << rows << " x " << columns << " axis " << axis << ", " << warps << " warps";
        }
}

ReductionOrder orderOfProduct(std::vector<int64_t> shape, unsigned axis, int64_t warps) {
  return productReductionOrder(shape, axis, warps);
}

TEST(ProductReductionOrderTest, RowsFoldTheirRegistersFirst) {
  ReductionOrder order = orderOfProduct({128, 64}, 1, 4);
  EXPECT_EQ(order.steps, 1);
  EXPECT_EQ(order.tree, (Tree{32, 16, 8, 1, 4, 2}));
  EXPECT_EQ(orderOfProduct({128, 64}, 1, 8).tree, order.tree);
  EXPECT_EQ(orderOfProduct({16, 16}, 1, 1).tree, (Tree{8, 1, 4, 2}));
}

TEST(ProductReductionOrderTest, WarpsBeyondTheRowsShareTheColumns) {
  EXPECT_EQ(orderOfProduct({32, 64}, 1, 4).tree, (Tree{16, 8, 1, 4, 2, 32}));
  EXPECT_EQ(orderOfProduct({16, 16}, 1, 32).tree, (Tree{1, 4, 2, 8}));
}

TEST(ProductReductionOrderTest, ColumnsFoldTheWarpsLast) {
  EXPECT_EQ(orderOfProduct({128, 64}, 0, 4).tree, (Tree{64, 8, 4, 2, 1, 32, 16}));
  EXPECT_EQ(orderOfProduct({32, 64}, 0, 4).tree, (Tree{8, 4, 2, 1, 16}));
  EXPECT_EQ(orderOfProduct({256, 64}, 0, 8).tree, (Tree{64, 8, 4, 2, 1, 128, 32, 16}));
}

TEST(ProductReductionOrderTest, EveryBitIsFoldedOnce) {
  for (int64_t rows : {16, 64, 512})
    for (int64_t columns : {16, 32, 1024})
      for (int64_t warps : {1, 4, 32})
        for (unsigned axis : {0u, 1u}) {
          const int64_t extent = axis == 0 ? rows : columns;
          ReductionOrder order = orderOfProduct({rows, columns}, axis, warps);
          int64_t sum = 0;
          for (int32_t bit : order.tree)
            sum += bit;
          EXPECT_EQ(order.steps, 1);
          EXPECT_EQ(sum, extent - 1)
              << rows << " x " << columns << " axis " << axis << ", " << warps << " warps";
        }
}

TEST(CheapestOrderTest, GoesFromRegistersToLanesToWarps) {
  const std::vector<unsigned> columnsFirst = {0, 1};
  LinearLayout layout = placeOnGpu(std::vector<int64_t>{64, 64}, columnsFirst, 4, 2);
  EXPECT_EQ(cheapestOrder(layout, 0).tree, (Tree{2, 1, 32, 16, 8, 4}));
  EXPECT_EQ(cheapestOrder(layout, 1).tree, (Tree{32, 16, 8, 4, 1, 2}));
}

} // namespace
