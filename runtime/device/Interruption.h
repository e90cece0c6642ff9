// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The caller's say in what takes long.
#pragma once

namespace eft {

class Interruption {
public:
  // Called now and then by the thread that launched or waits, in the middle of that. True ends it.
  virtual bool look() = 0;

protected:
  ~Interruption() = default;
};

} // namespace eft
