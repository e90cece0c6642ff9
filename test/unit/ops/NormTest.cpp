// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests dropout and norm on the CPU: features that only C++ has, and errors. Python tests check the
// values.
#include "Matrix.h"
#include "eft/Ops.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

using namespace eft;

namespace {

constexpr int64_t rows = 6, columns = 40;

Tensor vectorOf(Matrix<float> &matrix) {
  Tensor tensor = matrix.view();
  tensor.rank = 1;
  tensor.shape = {matrix.columns};
  tensor.strides = {1};
  return tensor;
}

/// Valid arrays for both directions. A test makes some of them invalid.
struct Norm {
  Matrix<float> x{rows, columns}, residual{rows, columns, 2}, z{rows, columns, -1},
      y{rows, columns, -1};
  Matrix<float> weight{1, columns, 3}, bias{1, columns, 4}, mean{1, rows, -1}, rstd{1, rows, -1};
  Matrix<float> dx{rows, columns, -1}, dresidual{rows, columns, -1}, dweight{1, columns, -1},
      dbias{1, columns, -1}, room{1, normWorkspace(rows, columns), -1};
  Tensor X = x.view(), R = residual.view(), Z = z.view(), Y = y.view();
  Tensor W = vectorOf(weight), B = vectorOf(bias), Mean = vectorOf(mean), Rstd = vectorOf(rstd);
  Tensor dX = dx.view(), dR = dresidual.view(), dW = vectorOf(dweight), dB = vectorOf(dbias);
  Tensor Room = vectorOf(room);
  Tensor *maybeMean = &Mean, *maybeWeight = &dW, *maybeRoom = &Room;
  NormAttrs attrs{.dropout = {0.25f, true, 7}};

  Norm() { fill(x); }

  Status forward(uint64_t *usedSeed = nullptr) {
    return normForward({X, &R, W, &B, Z, Y, maybeMean, Rstd}, attrs, nullptr, usedSeed);
  }

  /// Runs the backward with x as the gradient of y.
  Status backward() {
    return normBackward({X, nullptr, Z, W, maybeMean, Rstd, &dX, &dR, maybeWeight, &dB, maybeRoom},
                        attrs, nullptr);
  }

  bool isUntouched() {
    for (Matrix<float> *each : {&z, &y, &mean, &rstd, &dx, &dresidual, &dweight, &dbias})
      for (float number : each->content())
        if (number != -1)
          return false;
    return true;
  }
};

struct Mistake {
  const char *name;
  std::function<void(Norm &)> make;
  const char *forward, *backward; // each direction's message, null if it has no error
};

const Mistake mistakes[] = {
    {"p", [](Norm &n) { n.attrs.dropout.p = NAN; }, "p is nan, expected 0 to 1",
     "p is nan, expected 0 to 1"},
    {"eps", [](Norm &n) { n.attrs.eps = NAN; }, "eps is nan, expected 0 or more",
     "eps is nan, expected 0 or more"},
    {"seed", [](Norm &n) { n.attrs.dropout.seed = 0; }, nullptr,
     "the seed is 0, expected the one that the forward used"},
    {"no_mean", [](Norm &n) { n.maybeMean = nullptr; },
     "mean is missing, expected it for a layer norm",
     "mean is missing, expected it for a layer norm"},
    {"needless_mean", [](Norm &n) { n.attrs.kind = NormKind::RootMeanSquare; },
     "mean is there, expected none for a root mean square norm",
     "mean is there, expected none for a root mean square norm"},
    {"dtype", [](Norm &n) { n.X.dtype = DataType::F64; },
     "X has dtype fp64, expected fp16, bf16 or fp32",
     "dY has dtype fp64, expected fp16, bf16 or fp32"},
    {"rank", [](Norm &n) { n.X.rank = Tensor::maxRank + 1; }, "X has rank 9, expected at most 8",
     "dY has rank 9, expected at most 8"},
    {"elements", [](Norm &n) { n.X.shape[0] = n.X.shape[1] = int64_t(1) << 40; },
     "X has shape [1099511627776, 1099511627776], expected extents from 0 on and at most 2^60 "
     "elements",
     "dY has shape [1099511627776, 1099511627776], expected extents from 0 on and at most 2^60 "
     "elements"},
    {"dtype_of_the_statistics", [](Norm &n) { n.Rstd.dtype = DataType::F16; },
     "rstd has dtype fp16, expected fp32", "rstd has dtype fp16, expected fp32"},
    {"gaps", [](Norm &n) { n.Z.shape[1] = 39; },
     "Z has shape [6, 39] and strides [40, 1], expected row-major without gaps",
     "Z has shape [6, 39] and strides [40, 1], expected row-major without gaps"},
    {"device", [](Norm &n) { n.Rstd.device = Device::cuda(1); },
     "rstd is on cuda:1, expected X's device cpu", "rstd is on cuda:1, expected dY's device cpu"},
    {"no_data", [](Norm &n) { n.W.data = nullptr; },
     "weight has no data: its pointer is null, expected 40 elements",
     "weight has no data: its pointer is null, expected 40 elements"},
    {"length_of_the_weight", [](Norm &n) { n.W.shape[0] = 39; },
     "weight has shape [39], expected [40]", "weight has shape [39], expected [40]"},
    {"rank_of_the_weight", [](Norm &n) { n.W = Tensor::matrix(n.W.data, 1, 40); },
     "weight has shape [1, 40], expected [40]", "weight has shape [1, 40], expected [40]"},
    {"shape", [](Norm &n) { n.Z = Tensor::matrix(n.Z.data, 40, 6); },
     "Z has shape [40, 6], expected X's shape [6, 40]",
     "Z has shape [40, 6], expected dY's shape [6, 40]"},
    {"output_that_overlaps", [](Norm &n) { n.Y.data = n.dX.data = n.X.data; },
     "Y overlaps X, expected memory of its own", "dX overlaps dY, expected memory of its own"},
    {"two_outputs_in_one_place", [](Norm &n) { n.Y.data = n.Z.data, n.dR.data = n.dX.data; },
     "Y overlaps Z, expected memory of its own",
     "dResidual overlaps dX, expected memory of its own"},
    {"z_in_part", [](Norm &n) { n.Z.data = n.x.data() + 1; },
     "Z overlaps X in part, expected X itself or memory of its own", nullptr},
    {"no_weight", [](Norm &n) { n.maybeWeight = nullptr; }, nullptr,
     "dBias is there without dWeight, expected both or none"},
    {"no_workspace", [](Norm &n) { n.maybeRoom = nullptr; }, nullptr,
     "workspace is missing, expected 160 elements for dWeight"},
    {"short_workspace", [](Norm &n) { n.Room.shape[0] = 159; }, nullptr,
     "workspace has shape [159], expected one axis of at least 160"},
    {"rank_of_the_workspace", [](Norm &n) { n.Room = Tensor::matrix(n.Room.data, 4, 40); }, nullptr,
     "workspace has shape [4, 40], expected one axis of at least 160"},
};

struct NormMistakes : testing::TestWithParam<Mistake> {
  Norm norm;

  NormMistakes() { GetParam().make(norm); }

  void check(Status status, const char *words) {
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().kind, ErrorKind::InvalidArgument);
    EXPECT_EQ(status.error().message, std::string("dropout and norm: ") + words);
    EXPECT_TRUE(norm.isUntouched());
  }
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Mistakes, NormMistakes, testing::ValuesIn(mistakes),
                         [](const auto &info) { return std::string(info.param.name); });

TEST_P(NormMistakes, in_the_forward) {
  if (const char *words = GetParam().forward)
    check(norm.forward(), words);
  else
    EXPECT_TRUE(norm.forward().ok());
}

TEST_P(NormMistakes, in_the_backward) {
  if (const char *words = GetParam().backward)
    check(norm.backward(), words);
}

TEST(Norm, z_is_the_residual_and_what_dropout_gives) {
  Norm norm;
  uint64_t seed = 0;
  ASSERT_TRUE(norm.forward(&seed).ok());
  EXPECT_EQ(seed, 7u);
  Matrix<float> dropped(rows, columns);
  Tensor Dropped = dropped.view();
  ASSERT_EQ(dropout_run(norm.X, Dropped, nullptr, norm.attrs.dropout, nullptr), 0);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      ASSERT_EQ(norm.z.at(row, column), 2 + dropped.at(row, column));
  for (Matrix<float> *each : {&norm.z, &norm.y, &norm.mean, &norm.rstd})
    EXPECT_TRUE(each->isGuarded());
}

TEST(Norm, z_may_be_x_or_the_residual) {
  Norm one, other, third;
  ASSERT_TRUE(one.forward().ok());
  other.Z = other.X;
  third.Z = third.R;
  ASSERT_TRUE(other.forward().ok() && third.forward().ok());
  for (Norm *each : {&other, &third})
    EXPECT_EQ(bitsOf(each->y.content()), bitsOf(one.y.content()));
  EXPECT_EQ(bitsOf(other.x.content()), bitsOf(one.z.content()));
  EXPECT_EQ(bitsOf(third.residual.content()), bitsOf(one.z.content()));
}

TEST(Norm, gradients_that_nobody_wants_are_left_out) {
  Norm all, few;
  ASSERT_TRUE(all.forward().ok() && all.backward().ok());
  ASSERT_TRUE(few.forward().ok());
  NormBackward arrays{few.X,   nullptr, few.Z,   few.W,   &few.Mean, few.Rstd,
                      nullptr, &few.dR, nullptr, nullptr, nullptr};
  ASSERT_TRUE(normBackward(arrays, few.attrs, nullptr).ok());
  EXPECT_EQ(bitsOf(few.dresidual.content()), bitsOf(all.dresidual.content()));
  arrays.dX = &few.dX, arrays.dResidual = nullptr;
  arrays.dWeight = &few.dW, arrays.workspace = &few.Room;
  ASSERT_TRUE(normBackward(arrays, few.attrs, nullptr).ok());
  EXPECT_EQ(bitsOf(few.dx.content()), bitsOf(all.dx.content()));
  EXPECT_EQ(bitsOf(few.dweight.content()), bitsOf(all.dweight.content()));
  EXPECT_EQ(few.dbias.content(), std::vector<float>(columns, -1));
  for (Matrix<float> *each : {&all.dx, &all.dresidual, &all.dweight, &all.dbias, &all.room})
    EXPECT_TRUE(each->isGuarded());
}

TEST(Norm, the_workspace_has_two_sums_for_each_program) {
  EXPECT_EQ(normWorkspace(0, 100), 0);
  EXPECT_EQ(normWorkspace(1, 100), 200);
  EXPECT_EQ(normWorkspace(5, 100), 400) << "rows 0 to 3 are first ones of one program";
  EXPECT_EQ(normWorkspace(64, 100), 800);
  EXPECT_EQ(normWorkspace(65, 100), 1000);
}
