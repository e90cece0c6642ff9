// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler: block IR in, code out. The CMake target is eft::compiler. The library contains its
// own LLVM and hides its symbols, so a program may link another LLVM as well.
//
//     auto compiled = eft::compile(text, *eft::Target::of(device));
//     auto kernel = eft::load(*compiled, device);
//     kernel->launch({programs}, eft::Stream(device), x, y, z, n);
//
// The compiler starts no process and writes no file. Only `load` and Target::of call the CUDA
// driver, so a machine without a GPU can compile for one. Compiling runs on a thread of its own, so
// a small stack of the caller is enough.
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

  /// Reads the name of a target: `sm_90` or `cuda:90` (GPUs of one compute capability, times ten),
  /// `compute_90` (these GPUs and newer ones), `gpu` (every GPU that Eft supports: the same as
  /// `compute_80`), `cpu` or `host` (the CPU at hand), or `host:CPU,+a,-b` (LLVM's name of a CPU,
  /// with features added and removed). Fails with InvalidArgument for anything else. Any thread.
  EFT_API static Expected<Target> parse(std::string_view text);

  /// Returns the canonical name of the target, whichever of its names was parsed: `cuda:90`,
  /// `compute_90`, `cpu` or `host:CPU,+a,-b`.
  EFT_API std::string name() const;

  /// Returns the target for a device: the GPU's compute capability, or the CPU at hand. Fails as
  /// Device::target does. Any thread.
  EFT_API static Expected<Target> of(Device device);

  Kind kind = Kind::Host;
  unsigned computeCapability = 0; ///< the GPU's compute capability, times ten
  /// Whether code for a GPU must also run on newer GPUs. Such code uses only the instructions and
  /// the amount of shared memory that all of them have. Code that is not portable may use what only
  /// GPUs of exactly `computeCapability` have.
  bool isPortable = false;
  /// LLVM's name of a CPU, and features that are added or removed (`+a,-b`). Both empty mean the
  /// CPU at hand.
  std::string cpu, features;

  bool operator==(const Target &) const = default;
};

/// A stage of a compile, in order: the checked block IR (`IR`), the block IR with layouts
/// (`Placed`), LLVM's IR after its optimizations (`LLVM`), the code as text (`Text`: PTX or
/// assembly), and the code that can be loaded (`Binary`). On a GPU PTX is what is loaded, so there
/// `Text` and `Binary` give the same.
enum class Stage { IR, Placed, LLVM, Text, Binary };

struct CompileOptions {
  unsigned numWarps = 4; ///< warps per program on a GPU: a power of two from 1 to 32
  /// The largest number of iterations that overlap on a GPU, in a loop with matrix products. Fewer
  /// iterations overlap if shared memory lacks the room. With 0 or 1 no iterations overlap.
  unsigned numStages = 3;
  /// Whether the code records the source file and line of each instruction, for debuggers and
  /// profilers. The file names are those of the module's locations.
  bool lines = true;
  /// The largest number of registers that a thread on a GPU may use, at most 255. 0 sets no limit.
  unsigned maxRegisters = 0;
  /// Whether the code is right for every grid. If not, the compiler may assume that a launch has at
  /// most `Compiled::maxPrograms` programs, and code that divides the numbers of elements, as in
  /// `(program * 1024 + range) % 56`, becomes faster.
  bool allGrids = true;
  /// Whether to fill `Compiled::stages`. If not, a compile is faster: it makes only the binary.
  bool keepStages = true;
  Stage last = Stage::Binary; ///< the stage after which the compile ends
};

/// The result of a compile: plain data. A program may store it in a file and load it in another
/// process.
struct Compiled {
  std::string name; ///< the name of the kernel's function in the code
  /// PTX, or an object file for the host. Empty if the compile ended earlier: on a GPU before
  /// `Text`, on the host before `Binary`.
  std::string binary;
  std::vector<Parameter> parameters;
  unsigned numWarps = 0;    ///< warps per program on a GPU
  unsigned sharedBytes = 0; ///< bytes of shared memory per program on a GPU
  /// The most programs that a launch on a GPU may put into one thread block.
  unsigned programsPerBlock = 1;
  /// The code is right for launches of at most these numbers of programs along the three axes. With
  /// `CompileOptions::allGrids` no launch can have more.
  Grid maxPrograms = {INT32_MAX, INT32_MAX, INT32_MAX};
  /// The target of the compile. For the CPU at hand it names that CPU and its features.
  Target target;
  /// The name and the text of each stage that the compile reached, in order: `ir`, `placed`,
  /// `llvm`, then `ptx` or `asm`.
  std::vector<std::pair<std::string, std::string>> stages;
};

/// Block IR that was parsed and verified. A module has exactly one public function, the kernel.
/// Calls of private functions are inlined.
///
/// A handle: copies share one module, which never changes. Safe to use from several threads.
/// Compiles of one module run one at a time; compiles of different modules run in parallel. A
/// moved-from Module has an empty kernel name and no parameters, and compiling it fails with
/// InvalidArgument.
class EFT_API Module {
public:
  /// Reads block IR in MLIR's textual form. Messages call the text `fileName`. Fails with
  /// Compilation; the message has the line and column of each mistake.
  static Expected<Module> parse(std::string_view text, std::string_view fileName = "kernel.mlir");

  /// The name of the kernel in the IR. The function in the code may have another name:
  /// Compiled::name.
  const std::string &kernelName() const;
  /// The kernel's parameters, in order. The span is valid as long as any copy of this handle lives.
  std::span<const Parameter> parameters() const;

private:
  friend Expected<Compiled> compile(const Module &, const Target &, const CompileOptions &);
  struct State;
  explicit Module(std::shared_ptr<State> state);

  std::shared_ptr<State> state;
};

/// Compiles the module's kernel. The same module, target and options give the same bits. Takes
/// milliseconds and blocks the calling thread. Any thread. Fails with InvalidArgument for an
/// invalid option or an invalid `target.kind`. Fails with Compilation for what the target can't do;
/// the message has the location in the IR.
EFT_API Expected<Compiled> compile(const Module &module, const Target &target,
                                   const CompileOptions &options = {});

/// Parses block IR, as Module::parse does, and compiles its kernel.
EFT_API Expected<Compiled> compile(std::string_view text, const Target &target,
                                   const CompileOptions &options = {});

/// Loads compiled code onto a device. The kernel does not refer to `compiled`, which may be
/// destroyed after the call. Any thread. Fails as Kernel::loadCuda does. Also fails with
/// InvalidArgument if the binary is empty, is not code, or is not code for this device: code for a
/// GPU on the host, code for the host on a GPU, or code that needs a feature which this CPU lacks.
/// The code runs in this process, so load only code that you would run as a program.
EFT_API Expected<Kernel> load(const Compiled &compiled, Device device);

} // namespace eft
