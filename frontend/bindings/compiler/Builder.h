// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builder: makes operations by name. The frontend writes IR only through it.
#pragma once

#include "frontend/bindings/compiler/State.h"

#include <optional>

namespace eft::bindings {

using NamedAttributes = std::vector<std::pair<std::string, Attribute>>;

/// Creates operations at the end of a block. This is the block of the region that was entered last,
/// or the module's block if no region is entered.
class Builder {
public:
  explicit Builder(const Module &module);

  /// Creates an operation, verifies it, and returns its results. `regions` are moved into the
  /// operation. If the verifier fails, throws `IRError` with its diagnostics and leaves the IR
  /// unchanged.
  ///
  /// In a region that no operation owns yet, terminators and operations with regions are not
  /// verified here. They are verified when their function is created.
  std::vector<Value> create(const std::string &name, const std::vector<Value> &operands,
                            const std::vector<Type> &results, const NamedAttributes &attributes,
                            const std::vector<Region> &regions, const Location &location);

  /// Makes a region that no operation owns yet, with one block that has arguments of these types.
  Region region(const std::vector<Type> &arguments, const Location &location);

  /// Makes `create` append to the region's block until `leave` is called.
  void enter(const Region &region);
  /// Makes `create` append to the module's block, which holds functions, until `leave` is called.
  void enterModule();
  /// Makes `create` append again to the block to which it appended before the last `enter` or
  /// `enterModule`.
  void leave();

private:
  StateRef state;
  std::vector<mlir::Block *> blocks;
};

/// Writes facts about the values of a kernel's arguments into its IR. `specials` has a number for
/// each argument: a power of two above 1 that divides the argument, 1 if the argument equals 1, or
/// 0 if nothing is known. Uses of an argument that equals 1 are replaced by the constant.
void specialize(const Module &module, const std::vector<uint32_t> &specials);

// The frontend makes many constants. These functions are faster than parsing attributes from text.

/// Returns an integer attribute of `type`, with the low bits of `bits` as its value. `type` has at
/// most 64 bits.
Attribute integerAttribute(const Type &type, uint64_t bits);
/// Returns a float attribute of `type`, with `value` rounded to nearest even.
Attribute floatAttribute(const Type &type, double value);
/// Returns the attribute for a case of an enumeration of the dialects, such as "ca" of
/// "CacheModifier".
Attribute enumAttribute(const StateRef &state, const std::string &enumeration,
                        const std::string &name);
/// Returns the dense attribute of the block type `type` that has `element` at every index.
Attribute splatAttribute(const Type &type, const Attribute &element);

} // namespace eft::bindings
