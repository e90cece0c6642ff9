// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The places of a kernel in its PTX: `.loc` with the calls that a place was inlined through.
//
//     .loc 1 30 9
//     .loc 2 12 5, function_name $L__function_0, inlined_at 1 30 9
//
// LLVM 19 writes the innermost place alone, and names of files that ptxas can't read. So it is
// given a module in which each place is a line of one file that is not there: the line is the
// number of the place in a table. In the text that it makes of that, numbers become places.
#ifndef EFT_COMPILER_CODEGEN_PTXPLACES_H
#define EFT_COMPILER_CODEGEN_PTXPLACES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

#include <map>
#include <string>
#include <tuple>

namespace eft {

/// The places of one module.
class PtxPlaces {
public:
  /// Replaces the places of a module by their numbers.
  explicit PtxPlaces(llvm::Module &module);

  /// The text that LLVM made of the module, with its places.
  std::string restore(llvm::StringRef ptx);

private:
  /// File, line, and column, as PTX identifies a place.
  using Triple = std::tuple<unsigned, unsigned, unsigned>;

  unsigned number(const llvm::DILocation *place);
  Triple triple(const llvm::DILocation *place);
  std::string labelOf(const llvm::DISubprogram *function);
  void write(const llvm::DILocation *place, llvm::raw_ostream &os);
  void writeTables(llvm::raw_ostream &os) const;

  bool hasScopes = false; // whether functions have scopes, so that LLVM writes the name of the file
  llvm::MapVector<const llvm::DILocation *, unsigned> numbers;
  llvm::MapVector<llvm::StringRef, unsigned> files, functions;
  /// The place that was last written of those which PTX takes for one.
  std::map<Triple, const llvm::DILocation *> written;
};

} // namespace eft

#endif
