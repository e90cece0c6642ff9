// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places in a kernel's source (file, line and column), as its PTX names them: `.loc` directives,
// with the calls through which a place was inlined.
//
//     .loc 1 30 9
//     .loc 2 12 5, function_name $L__function_0, inlined_at 1 30 9
//
// LLVM 19 writes only the innermost place, and file names that ptxas can't read. So the places in
// the module are first replaced by numbers: each place becomes a line of one file that does not
// exist, and the line is the place's number in a table. After LLVM has made PTX of the module, the
// numbers in the PTX are replaced by the places.
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

/// The table of the places in one module.
class PtxPlaces {
public:
  /// Replaces the places in a module by their numbers in the table.
  explicit PtxPlaces(llvm::Module &module);

  /// Returns the PTX that LLVM made of the module, with places instead of numbers.
  std::string restore(llvm::StringRef ptx);

private:
  /// File, line, and column, by which PTX identifies a place.
  using Triple = std::tuple<unsigned, unsigned, unsigned>;

  unsigned number(const llvm::DILocation *place);
  Triple triple(const llvm::DILocation *place);
  std::string labelOf(const llvm::DISubprogram *function);
  void write(const llvm::DILocation *place, llvm::raw_ostream &os);
  void writeTables(llvm::raw_ostream &os) const;

  bool hasScopes = false; // whether functions have scopes, so that LLVM writes the name of the file
  llvm::MapVector<const llvm::DILocation *, unsigned> numbers;
  llvm::MapVector<llvm::StringRef, unsigned> files, functions;
  /// The place that was last written with a file, line and column. Places that were inlined through
  /// different calls can have the same file, line and column.
  std::map<Triple, const llvm::DILocation *> written;
};

} // namespace eft

#endif
