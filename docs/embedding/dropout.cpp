// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls an operator from C++: dropout on the CPU, and its gradient, which needs only the seed.
#include <eft/Ops.h>

#include <cstdio>
#include <vector>

int main() {
  constexpr int64_t rows = 4, columns = 1000;
  std::vector<float> x(rows * columns, 1), y(x.size()), dx(x.size());
  auto X = eft::Tensor::matrix(x.data(), rows, columns);
  auto Y = eft::Tensor::matrix(y.data(), rows, columns);
  auto dX = eft::Tensor::matrix(dx.data(), rows, columns);
  eft::DropoutAttrs attrs;
  attrs.p = 0.25f;
  // attrs.seed is 0, so the operator takes a fresh seed and writes it to attrs.seed. The call asks
  // for no mask.
  if (eft::dropout_run(X, Y, nullptr, attrs, nullptr, &attrs.seed) != 0 ||
      eft::dropout_seed_backward_run(X, dX, attrs, nullptr) != 0) {
    std::puts(eft::dropout_message());
    return 1;
  }
  size_t kept = 0;
  for (float each : y)
    kept += each != 0;
  std::printf("kept %zu of %zu, backward %s\n", kept, x.size(), dx == y ? "alike" : "not alike");
  Y.dtype = eft::DataType::F16;
  int code = eft::dropout_run(X, Y, nullptr, attrs, nullptr);
  std::printf("%d: %s\n", code, eft::dropout_message());
}
