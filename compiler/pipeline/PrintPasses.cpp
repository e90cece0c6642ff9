// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pipeline/PrintPasses.h"

#include "compiler/pipeline/Passes.h"

#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace eft {

namespace {

/// The names of all passes that a compile for a CPU or a GPU may have.
std::set<std::string> namesOfPasses() {
  const Target cpu, gpu = {.kind = Target::Kind::Cuda, .computeCapability = 80},
                    hopper = {.kind = Target::Kind::Cuda, .computeCapability = 90};
  std::set<std::string> names;
  for (const Target &target : {cpu, gpu, hopper})
    for (const std::string &text :
         pipelinePasses({.isGpu = target.kind == Target::Kind::Cuda, .target = target})) {
      llvm::StringRef name = text;
      name.consume_front("func.func(");
      names.insert(
          name.take_until([](char letter) { return letter == '{' || letter == ')'; }).str());
    }
  return names;
}

} // namespace

Expected<PrintedPasses> PrintedPasses::parse(std::string_view text) {
  PrintedPasses result;
  if (text == "all")
    return result;
  if (text == "changed") {
    result.onlyChanges = true;
    return result;
  }
  const std::set<std::string> known = namesOfPasses();
  for (llvm::StringRef word : llvm::split(llvm::StringRef(text), ',')) {
    std::string name = word.trim().str();
    if (!known.contains(name))
      return Error{
          ErrorKind::InvalidArgument,
          "EFT_PRINT_IR must be 'all', 'changed', or passes with commas between them, got '" +
              name + "'; the passes are " + llvm::join(known, ", ")};
    result.names.insert(name);
  }
  return result;
}

void PrintedPasses::watch(PassManager &passes) const {
  auto isPrinted = [names = names](Pass *pass, Operation *) {
    return names.empty() || names.contains(pass->getArgument().str());
  };
  passes.enableIRPrinting([](Pass *, Operation *) { return false; }, isPrinted,
                          /*printModuleScope=*/true, /*printAfterOnlyOnChange=*/onlyChanges);
}

} // namespace eft
