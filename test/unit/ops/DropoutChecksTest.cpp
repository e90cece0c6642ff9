// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests the errors of dropout: each code and its message.
#include "Matrix.h"
#include "eft/Ops.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

using namespace eft;

namespace {

/// Three valid tensors for every call. A test makes one of them invalid.
struct Arguments {
  std::vector<float> numbers = std::vector<float>(24, 1), results = std::vector<float>(24, 77);
  std::vector<int32_t> kept = std::vector<int32_t>(24, 77);
  Tensor in = Tensor::matrix(numbers.data(), 4, 6), out = Tensor::matrix(results.data(), 4, 6);
  Tensor mask = Tensor::matrix(kept.data(), 4, 6, DataType::I32);
  DropoutAttrs attrs{0.5f, true, 1};

  bool isUntouched() const {
    return results == std::vector<float>(24, 77) && kept == std::vector<int32_t>(24, 77);
  }
};

struct Mistake {
  const char *name;
  std::function<void(Arguments &)> make;
  int code;
  const char *forward, *backward; // the messages of the two directions
};

void reshape(Tensor &tensor, int64_t rows, int64_t columns) {
  tensor.shape = {rows, columns};
  tensor.strides = {columns, 1};
}

const Mistake mistakes[] = {
    {"p_below_0", [](Arguments &a) { a.attrs.p = -0.25f; }, -1, "p is -0.250000, expected 0 to 1",
     nullptr},
    {"p_above_1", [](Arguments &a) { a.attrs.p = 1.5f; }, -1, "p is 1.500000, expected 0 to 1",
     nullptr},
    {"p_nan", [](Arguments &a) { a.attrs.p = NAN; }, -1, "p is nan, expected 0 to 1", nullptr},
    {"dtype_of_the_first", [](Arguments &a) { a.in.dtype = DataType::I32; }, -2,
     "X has dtype i32, expected fp16, bf16, fp32 or fp64",
     "dY has dtype i32, expected fp16, bf16, fp32 or fp64"},
    {"dtype_of_the_result", [](Arguments &a) { a.out.dtype = DataType::F64; }, -2,
     "Y has dtype fp64, expected fp32", "dX has dtype fp64, expected fp32"},
    {"dtype_of_the_mask", [](Arguments &a) { a.mask.dtype = DataType::I1; }, -2,
     "mask has dtype i1, expected i32", nullptr},
    {"rank", [](Arguments &a) { a.in.rank = 9; }, -2, "X has rank 9, expected at most 8",
     "dY has rank 9, expected at most 8"},
    {"rank_of_the_mask", [](Arguments &a) { a.mask.rank = 1; }, -3,
     "mask has shape [4], expected X's shape [4, 6]",
     "mask has shape [4], expected dY's shape [4, 6]"},
    {"elements_at_one_place", [](Arguments &a) { a.out.strides = {0, 1}; }, -2,
     "Y has shape [4, 6] and strides [0, 1], by which elements may share memory, expected memory "
     "of "
     "its own for each",
     "dX has shape [4, 6] and strides [0, 1], by which elements may share memory, expected memory "
     "of "
     "its own for each"},
    {"rows_that_overlap", [](Arguments &a) { a.out.strides = {5, 1}; }, -2,
     "Y has shape [4, 6] and strides [5, 1], by which elements may share memory, expected memory "
     "of "
     "its own for each",
     "dX has shape [4, 6] and strides [5, 1], by which elements may share memory, expected memory "
     "of "
     "its own for each"},
    {"extent", [](Arguments &a) { reshape(a.in, -4, 6); }, -2,
     "X has shape [-4, 6], expected extents from 0 on and at most 2^60 elements",
     "dY has shape [-4, 6], expected extents from 0 on and at most 2^60 elements"},
    {"too_large", [](Arguments &a) { reshape(a.out, int64_t(1) << 40, int64_t(1) << 40); }, -2,
     "Y has shape [1099511627776, 1099511627776], expected extents from 0 on and at most 2^60 "
     "elements",
     "dX has shape [1099511627776, 1099511627776], expected extents from 0 on and at most 2^60 "
     "elements"},
    {"no_data", [](Arguments &a) { a.out.data = nullptr; }, -2,
     "Y has no data: its pointer is null, expected 24 elements",
     "dX has no data: its pointer is null, expected 24 elements"},
    {"address", [](Arguments &a) { a.in.data = static_cast<char *>(a.in.data) + 2; }, -2,
     "X has an address that is not divisible by 4, the size of its elements",
     "dY has an address that is not divisible by 4, the size of its elements"},
    {"device_of_the_result", [](Arguments &a) { a.out.device = Device::cuda(1); }, -2,
     "Y is on cuda:1, expected X's device cpu", "dX is on cuda:1, expected dY's device cpu"},
    {"device_of_the_mask", [](Arguments &a) { a.mask.device = Device::cuda(0); }, -2,
     "mask is on cuda:0, expected X's device cpu", "mask is on cuda:0, expected dY's device cpu"},
    {"shape_of_the_result", [](Arguments &a) { reshape(a.out, 6, 4); }, -3,
     "Y has shape [6, 4], expected X's shape [4, 6]",
     "dX has shape [6, 4], expected dY's shape [4, 6]"},
    {"shape_of_the_mask", [](Arguments &a) { reshape(a.mask, 4, 5); }, -3,
     "mask has shape [4, 5], expected X's shape [4, 6]",
     "mask has shape [4, 5], expected dY's shape [4, 6]"},
};

struct DropoutMistakes : testing::TestWithParam<Mistake> {
  Arguments a;
  std::string forward = std::string("dropout: ") + GetParam().forward;
  std::string backward =
      "dropout: " + std::string(GetParam().backward ? GetParam().backward : GetParam().forward);

  DropoutMistakes() { GetParam().make(a); }

  bool isOfTheMask() const { return std::string(GetParam().name).ends_with("mask"); }
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Mistakes, DropoutMistakes, testing::ValuesIn(mistakes),
                         [](const auto &info) { return std::string(info.param.name); });

TEST_P(DropoutMistakes, in_the_forward) {
  uint64_t seed = 5;
  EXPECT_EQ(dropout_run(a.in, a.out, &a.mask, a.attrs, nullptr, &seed), GetParam().code);
  EXPECT_EQ(dropout_message(), forward);
  Status status = DropoutCpuLaunch(a.in, a.out, &a.mask, a.attrs, nullptr, &seed);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::InvalidArgument);
  EXPECT_EQ(status.error().message, forward);
  EXPECT_EQ(seed, 5u);
  EXPECT_TRUE(a.isUntouched());
}

TEST_P(DropoutMistakes, in_the_backward) {
  EXPECT_EQ(dropout_backward_run(a.in, a.mask, a.out, a.attrs, nullptr), GetParam().code);
  EXPECT_EQ(dropout_message(), backward);
  Status status = DropoutCpuBackwardLaunch(a.in, a.mask, a.out, a.attrs);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, backward);
  EXPECT_TRUE(a.isUntouched());
}

TEST_P(DropoutMistakes, in_the_backward_from_a_seed) {
  if (isOfTheMask()) { // this backward takes no mask
    EXPECT_EQ(dropout_seed_backward_run(a.in, a.out, a.attrs, nullptr), 0);
    return;
  }
  EXPECT_EQ(dropout_seed_backward_run(a.in, a.out, a.attrs, nullptr), GetParam().code);
  EXPECT_EQ(dropout_message(), backward);
  Status status = DropoutCpuSeedBackwardLaunch(a.in, a.out, a.attrs);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, backward);
  EXPECT_TRUE(a.isUntouched());
}

TEST(DropoutChecks, a_backward_needs_a_seed) {
  Arguments a;
  a.attrs.seed = 0;
  EXPECT_EQ(dropout_seed_backward_run(a.in, a.out, a.attrs, nullptr), -1);
  EXPECT_STREQ(dropout_message(), "dropout: the seed is 0, expected the one that the forward used");
}

TEST(DropoutChecks, a_success_leaves_no_words) {
  Arguments a;
  a.attrs.p = 2;
  EXPECT_EQ(dropout_run(a.in, a.out, nullptr, a.attrs, nullptr), -1);
  a.attrs.p = 0;
  EXPECT_EQ(dropout_run(a.in, a.out, nullptr, a.attrs, nullptr), 0);
  EXPECT_STREQ(dropout_message(), "");
}

TEST(DropoutChecks, the_launchers_want_their_own_device) {
  Arguments a;
  Status status = DropoutCudaLaunch(a.in, a.out, &a.mask, a.attrs, nullptr);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "dropout: X is on cpu, expected a CUDA device");
  for (Tensor *each : {&a.in, &a.out, &a.mask})
    each->device = Device::cuda(2);
  status = DropoutCpuBackwardLaunch(a.in, a.mask, a.out, a.attrs);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "dropout: dY is on cuda:2, expected the CPU");
}

TEST(DropoutChecks, strides_of_axes_with_one_index_mean_nothing) {
  std::vector<float> numbers(6, 2);
  Tensor column = Tensor::matrix(numbers.data(), 6, 1), row = Tensor::matrix(numbers.data(), 1, 6);
  column.strides = {1, 99};
  row.strides = {99, 1};
  EXPECT_EQ(dropout_run(column, column, nullptr, {0}, nullptr), 0) << dropout_message();
  EXPECT_EQ(dropout_run(row, row, nullptr, {0}, nullptr), 0) << dropout_message();
  EXPECT_EQ(numbers, std::vector<float>(6, 2));
}

// Y may be X itself or memory of its own. Any other overlap is refused.

TEST(DropoutChecks, an_output_that_overlaps_its_input_in_part_is_refused) {
  std::vector<float> numbers(40, 1);
  Tensor in = Tensor::matrix(numbers.data() + 8, 4, 6);
  for (int distance : {-8, -1, 1, 8}) {
    Tensor out = in;
    out.data = numbers.data() + 8 + distance;
    EXPECT_EQ(dropout_run(in, out, nullptr, {0.5f, true, 1}, nullptr), -2) << distance;
    EXPECT_STREQ(dropout_message(),
                 "dropout: Y overlaps X in part, expected X itself or memory of its own");
    EXPECT_EQ(dropout_seed_backward_run(in, out, {0.5f, true, 1}, nullptr), -2) << distance;
    EXPECT_STREQ(dropout_message(),
                 "dropout: dX overlaps dY in part, expected dY itself or memory of its own");
    std::vector<int32_t> kept(24, 1);
    Tensor mask = Tensor::matrix(kept.data(), 4, 6, DataType::I32);
    EXPECT_EQ(dropout_backward_run(in, mask, out, {}, nullptr), -2) << distance;
    EXPECT_STREQ(dropout_message(),
                 "dropout: dX overlaps dY in part, expected dY itself or memory of its own");
  }
  EXPECT_EQ(numbers, std::vector<float>(40, 1));
}

TEST(DropoutChecks, halves_of_rows_do_not_overlap) {
  std::vector<float> numbers(48, 1);
  Tensor left = Tensor::matrix(numbers.data(), 4, 6), right = Tensor::matrix(&numbers[6], 4, 6);
  left.strides = right.strides = {12, 1};
  EXPECT_EQ(dropout_run(left, right, nullptr, {0.5f, true, 1}, nullptr), 0) << dropout_message();
  right.data = &numbers[5];
  EXPECT_EQ(dropout_run(left, right, nullptr, {0.5f, true, 1}, nullptr), -2);
  EXPECT_STREQ(dropout_message(),
               "dropout: Y overlaps X in part, expected X itself or memory of its own");
  // With negative strides, too, the rows of the two tensors alternate and do not overlap.
  left.data = &numbers[47], right.data = &numbers[41];
  left.strides = right.strides = {-12, -1};
  EXPECT_EQ(dropout_run(left, right, nullptr, {0.5f, true, 1}, nullptr), 0) << dropout_message();
  // If the strides differ, the gaps between elements count as memory of a tensor.
  right = Tensor::matrix(&numbers[0], 4, 6);
  EXPECT_EQ(dropout_run(left, right, nullptr, {0.5f, true, 1}, nullptr), -2);
}

TEST(DropoutChecks, a_mask_that_overlaps_another_tensor_is_refused) {
  Arguments a;
  // The tensors are so far apart that a mask which begins in one of them does not reach the other.
  std::vector<float> numbers(192, 1);
  a.in.data = &numbers[0];
  a.out.data = &numbers[96];
  for (Tensor *other : {&a.in, &a.out}) {
    std::string message = std::string("dropout: mask overlaps ") + (other == &a.in ? "X" : "Y") +
                          ", expected memory of its own";
    for (int distance : {0, 1, 23}) {
      a.mask.data = static_cast<float *>(other->data) + distance;
      EXPECT_EQ(dropout_run(a.in, a.out, &a.mask, a.attrs, nullptr), -2);
      EXPECT_EQ(dropout_message(), message);
      Status status = DropoutCpuLaunch(a.in, a.out, &a.mask, a.attrs);
      ASSERT_FALSE(status.ok());
      EXPECT_EQ(status.error().message, message);
    }
  }
  a.mask.data = a.out.data;
  EXPECT_EQ(dropout_backward_run(a.in, a.mask, a.out, a.attrs, nullptr), -2);
  EXPECT_STREQ(dropout_message(), "dropout: dX overlaps mask, expected memory of its own");
  EXPECT_TRUE(a.isUntouched());
}

TEST(DropoutChecks, neighbours_in_memory_do_not_overlap) {
  std::vector<float> numbers(48, 1);
  Tensor low = Tensor::matrix(numbers.data(), 4, 6), high = Tensor::matrix(&numbers[24], 4, 6);
  EXPECT_EQ(dropout_run(low, high, nullptr, {0.5f, true, 1}, nullptr), 0) << dropout_message();
  EXPECT_EQ(dropout_run(high, low, nullptr, {0.5f, true, 1}, nullptr), 0) << dropout_message();
  EXPECT_EQ(dropout_run(low, low, nullptr, {0.5f, true, 1}, nullptr), 0) << dropout_message();
  Tensor none = Tensor::matrix(numbers.data(), 0, 6), other = none;
  other.data = &numbers[1];
  EXPECT_EQ(dropout_run(none, other, nullptr, {0.5f, true, 1}, nullptr), 0) << dropout_message();
}
