// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-add-debug-scopes: adds to each location in a function the debug scope of that function.
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

/// The compile unit that all functions share. The code of a GPU gets line numbers only. The code of
/// a CPU also gets tables of functions, by which a debugger shows inlined calls.
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

/// The location with the function as its scope. A lexical block names the location's file where
/// that is not the function's file. Locations that are no file, line and column stay as they are.
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
