// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/DebugScopes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace eft {

static LLVM::DISubprogramAttr copyOf(LLVM::DISubprogramAttr scope) {
  MLIRContext *context = scope.getContext();
  return LLVM::DISubprogramAttr::get(
      context, DistinctAttr::create(UnitAttr::get(context)), scope.getCompileUnit(),
      scope.getScope(), scope.getName(), scope.getLinkageName(), scope.getFile(), scope.getLine(),
      scope.getScopeLine(), scope.getSubprogramFlags(), scope.getType());
}

Location withOwnScope(Location location) {
  auto place = dyn_cast<FusedLocWith<LLVM::DISubprogramAttr>>(location);
  if (!place)
    return location;
  return FusedLoc::get(place.getContext(), place.getLocations(), copyOf(place.getMetadata()));
}

void giveOwnScope(func::FuncOp function) {
  auto place = dyn_cast<FusedLocWith<LLVM::DISubprogramAttr>>(function.getLoc());
  if (!place)
    return;
  LLVM::DISubprogramAttr old = place.getMetadata(), own = copyOf(old);
  AttrTypeReplacer replacer;
  replacer.addReplacement([=](LLVM::DISubprogramAttr scope) { return scope == old ? own : scope; });
  replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/false, /*replaceLocs=*/true);
}

} // namespace eft
