// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program's position in the grid, and the grid's extents.

#ifndef EFT_OPS_PROGRAM
#define EFT_OPS_PROGRAM

include "compiler/ir/ops/Types.td"

def Eft_Axis : I32EnumAttr<"Axis", "an axis of the grid", [
    I32EnumAttrCase<"X", 0, "x">, I32EnumAttrCase<"Y", 1, "y">, I32EnumAttrCase<"Z", 2, "z">]> {
  let cppNamespace = "::eft";
}

def Eft_ProgramIdOp : Eft_Op<"program_id", [Pure]> {
  let summary = "The program's position along an axis of the grid";
  let description = [{
    ```mlir
    %row = eft.program_id y
    ```
  }];
  let arguments = (ins Eft_Axis:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
}

def Eft_NumProgramsOp : Eft_Op<"num_programs", [Pure]> {
  let summary = "The extent of the grid along an axis";
  let description = [{
    ```mlir
    %rows = eft.num_programs y
    ```
  }];
  let arguments = (ins Eft_Axis:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
}

#endif
