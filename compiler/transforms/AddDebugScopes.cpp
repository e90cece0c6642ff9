// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-add-debug-scopes: the functions that the lines of a kernel belong to.
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_ADDDEBUGSCOPES
#include "compiler/transforms/Passes.h.inc"

namespace {

LLVM::DIFileAttr fileOf(FileLineColLoc place) {
  return LLVM::DIFileAttr::get(place.getContext(), place.getFilename(), "");
}

/// The unit of all functions. The text of a GPU's code has lines alone, and that of a CPU also
/// tables of functions, which a debugger needs to show what was inlined.
LLVM::DICompileUnitAttr makeUnit(FileLineColLoc place, bool linesOnly) {
  MLIRContext *context = place.getContext();
  return LLVM::DICompileUnitAttr::get(
      DistinctAttr::create(UnitAttr::get(context)), llvm::dwarf::DW_LANG_Python, fileOf(place),
      StringAttr::get(context, "eft"), /*isOptimized=*/true,
      linesOnly ? LLVM::DIEmissionKind::DebugDirectivesOnly : LLVM::DIEmissionKind::LineTablesOnly);
}

LLVM::DISubprogramAttr makeScope(StringRef name, FileLineColLoc place,
                                 LLVM::DICompileUnitAttr unit) {
  MLIRContext *context = place.getContext();
  return LLVM::DISubprogramAttr::get(
      context, DistinctAttr::create(UnitAttr::get(context)), unit, fileOf(place),
      StringAttr::get(context, name), /*linkageName=*/{}, fileOf(place), place.getLine(),
      place.getLine(), LLVM::DISubprogramFlags::Definition | LLVM::DISubprogramFlags::Optimized,
      LLVM::DISubroutineTypeAttr::get(context, /*callingConvention=*/0, {}));
}

/// The location in a function, whose place may stand in another file.
Location withScope(Location location, LLVM::DISubprogramAttr function) {
  auto place = dyn_cast<FileLineColLoc>(location);
  if (!place)
    return location;
  LLVM::DIScopeAttr scope = function;
  if (fileOf(place) != function.getFile())
    scope = LLVM::DILexicalBlockFileAttr::get(function, fileOf(place), /*discriminator=*/0);
  return FusedLoc::get(place.getContext(), {location}, scope);
}

struct AddDebugScopesPass : impl::AddDebugScopesBase<AddDebugScopesPass> {
  using AddDebugScopesBase::AddDebugScopesBase;

  void runOnOperation() override {
    LLVM::DICompileUnitAttr unit;
    for (auto function : cast<ModuleOp>(getOperation()).getOps<func::FuncOp>()) {
      auto place = dyn_cast<FileLineColLoc>(Location(function.getLoc()));
      if (!place || function.isExternal())
        continue;
      if (!unit)
        unit = makeUnit(place, linesOnly);
      LLVM::DISubprogramAttr scope = makeScope(function.getName(), place, unit);
      function.walk([&](Operation *op) { op->setLoc(withScope(op->getLoc(), scope)); });
    }
  }
};

} // namespace
} // namespace eft
