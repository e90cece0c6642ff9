// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program's position in the grid, the grid's extents, and numbers on which a program's threads agree.

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

def Eft_OfFirstThreadOp : Eft_Op<"of_first_thread", [Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "Gives all threads of a program the number that the first thread has";
  let description = [{
    All threads of a GPU's program compute the same scalars. But a thread loads for itself what a scalar is computed
    from. If another program writes there meanwhile, threads have different numbers. Inline assembly may give them
    different numbers, too. The result of this operation is one number for all threads. If the threads' numbers
    can't differ, the operation becomes no code. Otherwise it becomes a write to shared memory, barriers and a read.

    The passes that pipeline loops make this operation for bounds of loops. They are passes for a GPU: on a
    CPU, one thread runs a program.

    ```mlir
    %0 = eft.of_first_thread %loaded : i32
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnySignlessInteger, Index]>:$source);
  let results = (outs AnyTypeOf<[AnySignlessInteger, Index]>:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
}

#endif
