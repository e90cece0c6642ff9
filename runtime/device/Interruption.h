// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An interface by which the caller can end long operations.
#pragma once

namespace eft {

class Interruption {
public:
  // Called regularly during a long operation, by the thread that launched or waits. Returns true to
  // end the operation.
  virtual bool look() = 0;

protected:
  ~Interruption() = default;
};

} // namespace eft
