// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Helpers for the tests of eft::compile: a context that keeps its diagnostics, and kernels as text.
#pragma once

#include "compiler/pipeline/Compile.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace eft::test {

/// An MLIR context for one thread, which keeps diagnostics as text.
class Session {
public:
  Session() : context(makeRegistry(), mlir::MLIRContext::Threading::DISABLED) {
    context.getDiagEngine().registerHandler([this](mlir::Diagnostic &diagnostic) {
      llvm::raw_string_ostream stream(diagnostics);
      // The location without its debug scope.
      mlir::LocationAttr location = diagnostic.getLocation();
      if (auto place = location.findInstanceOf<mlir::FileLineColLoc>())
        location = place;
      stream << location << ": " << diagnostic.str() << "\n";
      return mlir::success();
    });
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text) {
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context, "kernel.mlir");
  }

  /// Parses the text and compiles it.
  mlir::FailureOr<Compiled> compile(llvm::StringRef text, llvm::StringRef targetName,
                                    const CompileOptions &options = {}) {
    auto target = Target::parse(targetName.str());
    mlir::OwningOpRef<mlir::ModuleOp> module = parse(text);
    if (!target.ok() || !module)
      return mlir::failure();
    return eft::compile(*module, *target, options);
  }

  /// The diagnostics, one `location: message` on each line.
  std::string diagnostics;

private:
  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }

  mlir::MLIRContext context;
};

/// z[i] = x[i] + y[i] for i < n, 256 elements a program.
inline const std::string vectorAdd = R"(
func.func @add(%x: !eft.ptr<f32>, %y: !eft.ptr<f32>, %z: !eft.ptr<f32>, %n: i32) {
  %c256 = arith.constant 256 : i32
  %pid = eft.program_id x
  %start = arith.muli %pid, %c256 : i32
  %range = eft.arange 0 to 256 : tensor<256xi32>
  %starts = eft.splat %start : i32 -> tensor<256xi32>
  %i = arith.addi %starts, %range : tensor<256xi32>
  %ns = eft.splat %n : i32 -> tensor<256xi32>
  %mask = arith.cmpi slt, %i, %ns : tensor<256xi32>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<256x!eft.ptr<f32>>
  %xp = eft.addptr %xs, %i : tensor<256x!eft.ptr<f32>>, tensor<256xi32>
  %a = eft.load %xp, mask %mask : tensor<256x!eft.ptr<f32>>
  %ys = eft.splat %y : !eft.ptr<f32> -> tensor<256x!eft.ptr<f32>>
  %yp = eft.addptr %ys, %i : tensor<256x!eft.ptr<f32>>, tensor<256xi32>
  %b = eft.load %yp, mask %mask : tensor<256x!eft.ptr<f32>>
  %sum = arith.addf %a, %b : tensor<256xf32>
  %zs = eft.splat %z : !eft.ptr<f32> -> tensor<256x!eft.ptr<f32>>
  %zp = eft.addptr %zs, %i : tensor<256x!eft.ptr<f32>>, tensor<256xi32>
  eft.store %zp, %sum, mask %mask : tensor<256x!eft.ptr<f32>>
  return
}
)";

} // namespace eft::test
