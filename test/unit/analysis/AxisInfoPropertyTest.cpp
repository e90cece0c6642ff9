// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that everything the analyses claim about values of a random program is true of the values
// that the program computes.
#include "RandomProgram.h"
#include "compiler/analysis/PrefixMask.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace eft {
namespace {

using testing::asSigned;
using testing::Elements;
using testing::extentsOf;
using testing::Interpreter;
using testing::RandomProgram;
using testing::truncated;
using testing::widthOf;

std::string textOf(Value value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  value.getParentRegion()->getParentOp()->print(os);
  os << "\nof " << value;
  return text;
}

/// Calls `function(number, position, before)` for each element: its number in row-major order, its
/// position along the dimension, and the number of its neighbour before it along the dimension.
template <typename Function> void alongDim(Type type, unsigned dim, Function function) {
  std::vector<int64_t> extents = extentsOf(type);
  int64_t stride = 1, all = 1;
  for (size_t i = 0; i < extents.size(); ++i) {
    all *= extents[i];
    if (i > dim)
      stride *= extents[i];
  }
  for (int64_t number = 0; number < all; ++number)
    function(number, number / stride % extents[dim], number - stride);
}

void checkAxisInfo(const AxisInfos &infos, Value value, const Elements &elements) {
  AxisInfo info = infos.of(value);
  const unsigned width = widthOf(value.getType());
  const uint64_t unit = info.getUnit();
  ASSERT_EQ(info.rank(), extentsOf(value.getType()).size());
  for (unsigned dim = 0; dim < info.rank(); ++dim)
    alongDim(value.getType(), dim, [&](int64_t at, int64_t position, int64_t before) {
      const uint64_t element = elements[at];
      if (position % info.contiguity(dim) != 0) {
        ASSERT_EQ(element, truncated(elements[before] + unit, width)) << textOf(value);
      } else {
        ASSERT_EQ(element % info.divisibility(dim), 0u) << textOf(value);
      }
      if (position % info.constancy(dim) != 0) {
        ASSERT_EQ(element, elements[before]) << textOf(value);
      }
      // No aligned run wraps around, signed or unsigned.
      if (position % info.alignedRun(dim) != 0) {
        ASSERT_GT(element, elements[before]) << textOf(value);
        ASSERT_GT(asSigned(element, width), asSigned(elements[before], width)) << textOf(value);
      }
      // The first element of a headless run may be anything.
      if (const int64_t place = position % info.headlessRun(dim); place > 1) {
        ASSERT_EQ(element, truncated(elements[before] + unit, width)) << textOf(value);
      } else if (place == 1) {
        ASSERT_EQ((element - unit) % (info.headlessRun(dim) * unit), 0u) << textOf(value);
      }
      if (position % info.tailConstancy(dim) > 1) {
        ASSERT_EQ(element, elements[before]) << textOf(value);
      }
      if (info.isNonNegative()) {
        ASSERT_GE(asSigned(element, width), 0) << textOf(value);
        const std::optional<int64_t> most = info.getBound()->at(maxProgramsOfAll);
        ASSERT_LE(asSigned(element, width), most.value_or(INT64_MAX)) << textOf(value);
      }
      if (info.getConstant()) {
        ASSERT_EQ(asSigned(element, width), *info.getConstant()) << textOf(value);
      }
    });
}

void checkMask(const AxisInfos &infos, Value mask, const Elements &elements) {
  for (unsigned dim = 0; dim < extentsOf(mask.getType()).size(); ++dim) {
    const int64_t run = prefixRun(infos, mask, dim);
    alongDim(mask.getType(), dim, [&](int64_t at, int64_t position, int64_t before) {
      if (position % run != 0) {
        ASSERT_LE(elements[at], elements[before]) << textOf(mask);
      }
    });
  }
}

class Programs : public ::testing::TestWithParam<int> {
protected:
  Programs() {
    context.loadDialect<EftDialect, arith::ArithDialect, func::FuncDialect, scf::SCFDialect>();
  }
  MLIRContext context;
};
INSTANTIATE_TEST_SUITE_P(Random, Programs, ::testing::Range(0, 1000));

TEST_P(Programs, ClaimsHold) {
  RandomProgram program(context, GetParam());
  ASSERT_TRUE(succeeded(verify(program.function())));
  AxisInfos infos(program.function());
  for (int i = 0; i < 12; ++i) {
    Interpreter interpreter;
    program.chooseArguments(interpreter);
    interpreter.run(program.function().front());
    program.function().walk([&](Operation *op) {
      for (Value value : op->getResults()) {
        checkAxisInfo(infos, value, interpreter.get(value));
        if (isa<RankedTensorType>(value.getType()) && widthOf(value.getType()) == 1)
          checkMask(infos, value, interpreter.get(value));
      }
    });
    if (HasFatalFailure())
      return;
  }
}

TEST_P(Programs, CountsOfPrefixMasksHold) {
  RandomProgram program(context, GetParam());
  AxisInfos infos(program.function());
  SmallVector<std::pair<Value, PrefixMask>> masks;
  program.function().walk([&](Operation *op) {
    for (Value value : op->getResults())
      if (std::optional<PrefixMask> mask = matchPrefixMask(infos, value); mask && !mask->mayWrap())
        masks.emplace_back(value, *mask);
  });
  SmallVector<std::pair<Value, Value>> counts;
  for (auto &[value, mask] : masks) {
    OpBuilder builder(&context);
    builder.setInsertionPointAfterValue(value);
    counts.emplace_back(value, materializeTrueCount(builder, value.getLoc(), mask));
  }
  ASSERT_TRUE(succeeded(verify(program.function())));
  for (int i = 0; i < 12; ++i) {
    Interpreter interpreter;
    program.chooseArguments(interpreter);
    interpreter.run(program.function().front());
    for (auto [mask, count] : counts) {
      const Elements &elements = interpreter.get(mask);
      const uint64_t expected = std::count(elements.begin(), elements.end(), 1u);
      ASSERT_TRUE(std::is_sorted(elements.rbegin(), elements.rend())) << textOf(mask);
      ASSERT_EQ(interpreter.get(count).front(), expected) << textOf(mask);
    }
  }
}

// The tests above would pass for an analysis that claims nothing, so this checks that enough is
// claimed.
TEST(ProgramsTogether, EnoughIsClaimed) {
  MLIRContext context;
  context.loadDialect<EftDialect, arith::ArithDialect, func::FuncDialect, scf::SCFDialect>();
  int runs = 0, headless = 0, tails = 0, bounds = 0, prefixes = 0, counts = 0;
  for (int seed = 0; seed < 600; ++seed) {
    RandomProgram program(context, seed);
    AxisInfos infos(program.function());
    program.function().walk([&](Operation *op) {
      for (Value value : op->getResults()) {
        if (!isa<RankedTensorType>(value.getType()) || isa<ArangeOp>(op))
          continue;
        AxisInfo info = infos.of(value);
        runs += info.alignedRun(info.rank() - 1) > 1;
        headless += info.headlessRun(info.rank() - 1) > info.alignedRun(info.rank() - 1);
        tails += info.tailConstancy(info.rank() - 1) > info.constancy(info.rank() - 1);
        bounds += info.isNonNegative() && !info.getBound()->isNone() && !info.getConstant();
        if (widthOf(value.getType()) == 1 && info.rank() == 1 && info.constancy(0) == 1) {
          prefixes += prefixRun(infos, value, 0) > 1;
          counts += matchPrefixMask(infos, value).has_value();
        }
      }
    });
  }
  EXPECT_GT(runs, 500);
  EXPECT_GT(headless, 50);
  EXPECT_GT(tails, 30);
  EXPECT_GT(bounds, 50);
  EXPECT_GT(prefixes, 50);
  EXPECT_GT(counts, 50);
}

} // namespace
} // namespace eft
