// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler: block IR in, code out. CMake: eft::compiler, which carries its own LLVM and lets
// nobody else see it.
//
//     auto compiled = eft::compile(text, *eft::Target::of(device));
//     auto kernel = eft::load(*compiled, device);
//     kernel->launch({programs}, eft::Stream(device), x, y, z, n);
//
// It starts no process, writes no file and calls no driver, but for `load`; so it can compile for a
// GPU where there is none. Compiling works on a thread of its own, so it does not matter how small
// the caller's stack is.
#pragma once

#include "eft/Kernel.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eft {

/// The machine to compile for.
struct Target {
  enum class Kind { Cuda, Host };

  /// Reads `sm_90` or `cuda:90` (the compute capability times ten), `compute_90` (the same, for
  /// newer GPUs too), `gpu` (for every GPU: `compute_80`), `cpu` or `host`, and `host:CPU,+a,-b`.
  /// Fails with InvalidArgument for anything else. Any thread.
  EFT_API static Expected<Target> parse(std::string_view text);

  /// The name that the target has whatever it was called: `cuda:90`, `compute_90`, `cpu`,
  /// `host:CPU,+a,-b`.
  EFT_API std::string name() const;

  /// The one that fits a device: the GPU's compute capability, or the CPU at hand. Fails as
  /// Device::target does. Any thread.
  EFT_API static Expected<Target> of(Device device);

  Kind kind = Kind::Host;
  unsigned computeCapability = 0; ///< the GPU's compute capability, times ten
  /// Code for a GPU must also run on newer ones: it keeps to the instructions and to the shared
  /// memory that all of them have. Otherwise it may use what GPUs of `computeCapability` alone
  /// have.
  bool isPortable = false;
  /// LLVM's name of a CPU and its features, `+a,-b`; both empty: the CPU at hand.
  std::string cpu, features;

  bool operator==(const Target &) const = default;
};

/// The stage to compile to: the block IR as it was checked, the block IR with layouts, LLVM's IR,
/// the text of the code, the code itself.
enum class Stage { IR, Placed, LLVM, Text, Binary };

struct CompileOptions {
  unsigned numWarps = 4; ///< the warps that run a program on a GPU: a power of two from 1 to 32
  /// The iterations of a loop with matrix products that are under way at a time on a GPU, as far as
  /// shared memory has room; 0 or 1: one after the other.
  unsigned numStages = 3;
  /// Say in the code which line of which file each instruction comes from, for debuggers and
  /// profilers. The files are named as in the module's locations.
  bool lines = true;
  /// The most registers of a thread on a GPU: up to 255, or 0 for no bound.
  unsigned maxRegisters = 0;
  bool keepStages = true; ///< fill `Compiled::stages`; only the binary is made otherwise, sooner
  Stage last = Stage::Binary;
};

/// The result of a compile: plain data, which can be kept in a file and loaded in another process.
struct Compiled {
  std::string name;   ///< the name of the kernel's function in the code
  std::string binary; ///< PTX, or an object for the host; empty if that is not the last stage
  std::vector<Parameter> parameters;
  unsigned numWarps = 0;    ///< the warps that run a program on a GPU
  unsigned sharedBytes = 0; ///< shared memory of a program on a GPU
  Target target;            ///< the target of the compile; the CPU at hand by its name and features
  /// The name and the text of each stage, in order: `ir`, `placed`, `llvm`, then `ptx` or `asm`.
  std::vector<std::pair<std::string, std::string>> stages;
};

/// Block IR that was parsed and verified. It has one kernel, its public function; private ones are
/// inlined.
///
/// A handle: copies share the module, which never changes. Safe to use from several threads.
/// Compiles of one module take turns; those of different modules run at once. One that was moved
/// from has no name and no parameters, and its compile fails with InvalidArgument.
class EFT_API Module {
public:
  /// Reads block IR in MLIR's textual form. `fileName` is what messages call it. Fails with
  /// Compilation, and the place of each mistake in the message.
  static Expected<Module> parse(std::string_view text, std::string_view fileName = "kernel.mlir");

  /// The name of the kernel in the IR. In the code it may be another one: Compiled::name.
  const std::string &kernelName() const;
  /// The kernel's parameters, in order. They live as long as the module.
  std::span<const Parameter> parameters() const;

private:
  friend Expected<Compiled> compile(const Module &, const Target &, const CompileOptions &);
  struct State;
  explicit Module(std::shared_ptr<State> state);

  std::shared_ptr<State> state;
};

/// Compiles the module's kernel; the same module, target and options give the same bits. Takes
/// milliseconds and blocks the calling thread. Any thread. Fails with InvalidArgument for the
/// target's kind and the options, and with Compilation for what the target can't do, at its place
/// in the IR.
EFT_API Expected<Compiled> compile(const Module &module, const Target &target,
                                   const CompileOptions &options = {});

/// Parses and compiles.
EFT_API Expected<Compiled> compile(std::string_view text, const Target &target,
                                   const CompileOptions &options = {});

/// Loads what was compiled on a device. `compiled` can go when the call returns. Any thread. Fails
/// as Kernel::loadCuda does. Fails with InvalidArgument for a binary that is not code, or not code
/// for this device: code for a GPU on the host, code for the host on a GPU, or code for a CPU that
/// has more features than the one at hand. The code runs in this process, so load only code that
/// you trust as you would a program.
EFT_API Expected<Kernel> load(const Compiled &compiled, Device device);

} // namespace eft
