// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes operations by name: the one way in which the frontend writes IR.
#pragma once

#include "frontend/bindings/compiler/State.h"

#include <optional>

namespace eft::bindings {

using NamedAttributes = std::vector<std::pair<std::string, Attribute>>;

/// Creates operations at the end of a block: the module's, or that of the region that was entered
/// last.
class Builder {
public:
  explicit Builder(const Module &module);

  /// Creates an operation, verifies it, and gives its results. `regions` are moved into it. Throws
  /// `IRError` with what the verifier said, and then the IR is as it was.
  ///
  /// A terminator in a region that no operation owns yet is verified together with its owner.
  std::vector<Value> create(const std::string &name, const std::vector<Value> &operands,
                            const std::vector<Type> &results, const NamedAttributes &attributes,
                            const std::vector<Region> &regions, const Location &location);

  /// A region with one block of these arguments, which stands in no operation yet.
  Region region(const std::vector<Type> &arguments, const Location &location);

  /// Operations are created in the region's block from now on, until `leave`.
  void enter(const Region &region);
  /// The same for the module's own block, where functions stand.
  void enterModule();
  void leave();

private:
  StateRef state;
  std::vector<mlir::Block *> blocks;
};

/// Writes into the IR of a kernel what is known of the values of its arguments: a power of two that
/// divides one, or 1 if it equals that, or 0 if nothing is known. An argument that equals 1 is
/// replaced by the constant.
void specialize(const Module &module, const std::vector<uint32_t> &specials);

// Constants are made so often that they have a quicker way than attribute text.

/// An integer attribute of `type`, at most 64 bits wide, with the low bits of `bits`.
Attribute integerAttribute(const Type &type, uint64_t bits);
/// A float attribute of `type`: `value` rounded to nearest even.
Attribute floatAttribute(const Type &type, double value);
/// The attribute for the case `name` of one of the dialects' enumerations: "ca" of "CacheModifier".
Attribute enumAttribute(const StateRef &state, const std::string &enumeration,
                        const std::string &name);
/// The dense attribute of the block type `type` with `element` at every index.
Attribute splatAttribute(const Type &type, const Attribute &element);

} // namespace eft::bindings
