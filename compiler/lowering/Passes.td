// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lowering passes, in the order in which the pipeline runs them.

#ifndef EFT_LOWERING_PASSES
#define EFT_LOWERING_PASSES

include "mlir/Pass/PassBase.td"

def KeepInBuffers : Pass<"eft-keep-in-buffers", "::mlir::func::FuncOp"> {
  let summary = "Keeps large blocks that loops carry in memory";
  let description = [{
    For a CPU. A block that a loop carries, or that a conditional gives, lies in a buffer: it is put
    there before each region that takes it, or behind what gives it, and taken from there where it is
    used. Blocks that fit into a few registers of `vector-bits` stay where they are.

    Where elements of large blocks move, the source lies in a buffer, and what has moved is taken from
    there: `eft.buffer_read` says which elements, `eft.buffer_gather` reads those whose numbers are computed. So chains
    of moves are one, and are done in steps. Blocks are printed from buffers.

    Matrix products, scans and sorting work on buffers too. Where a value ends in a buffer, what makes it is
    done in that buffer: the accumulator of a product in a loop stays in place.

    All blocks are put and taken as wholes; `eft-tile-blocks` does that in steps. Products whose
    operands' vectors (lane, step) do not lie in the order of rows or of columns stay as they are, and
    so do those that `eft-widen-dot` has not seen.

    ```mlir
    %d = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<1024xf32, #layout> : i32 {
      %e = arith.addf %acc, %x : tensor<1024xf32, #layout>
      scf.yield %e : tensor<1024xf32, #layout>
    }
    ```
    becomes
    ```mlir
    eft.buffer_write %zero, %buffer[%c0] : ...
    scf.for %i = %c0 to %n step %c1 : i32 {
      %acc = eft.buffer_read %buffer[%c0] : ...
      %e = arith.addf %acc, %x : tensor<1024xf32, #layout>
      eft.buffer_write %e, %buffer[%c0] : ...
    }
    %d = eft.buffer_read %buffer[%c0] : ...
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"128",
           "the length of a vector register">
  ];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect"];
}

def PipelineCopies : Pass<"eft-pipeline-copies", "::mlir::func::FuncOp"> {
  let summary = "Brings the operands of products to shared memory iterations ahead";
  let description = [{
    For a GPU. In an `scf.for`, a load that only a product on tensor cores uses becomes a copy into a
    slot of shared memory, which is begun `num-stages` − 1 iterations before the product reads it. A
    loop's own attribute `eft.num_stages` comes before the option; with fewer than two stages nothing
    changes. If the slots need more than `most-bytes`, there are fewer stages.

    A load stays as it is if its masks leave others than the first elements of a run, if it has a
    cache hint or a value other than zero for what is masked, if its runs have fewer than four bytes,
    or if its address depends on what the loop loads. A loop that writes memory stays as it is.

    ```mlir
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #c>) : i32 {
      %p = ...
      %v = eft.load %p : tensor<64x64x!eft.ptr<f16>, #a>
      %a = eft.convert_layout %v : tensor<64x64xf16, #a> -> tensor<64x64xf16, #b>
      %d = eft.dot %a, %x, %acc ...
      scf.yield %d
    }
    ```
    becomes, with two stages,
    ```mlir
    %s = eft.alloc_shared : !eft.shared<2, tensor<64x64xf16, #o>>
    eft.copy_async %p0, %s[%c0] if %some
    eft.commit_copies
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %w = %c1, %k = %c0) {
      eft.wait_copies pending 0
      eft.copy_async %p, %s[%w] if %more
      eft.commit_copies
      %a = eft.read_shared %s[%k]
      %d = eft.dot %a, %x, %acc ...
      scf.yield %d, %nextw, %nextk
    }
    eft.wait_copies pending 0
    eft.dealloc_shared %s
    ```
  }];
  let options = [
    Option<"numStages", "num-stages", "int64_t", /*default=*/"3",
           "how many iterations are under way at a time">,
    Option<"mostBytes", "most-bytes", "uint64_t", /*default=*/"102400",
           "the shared memory that the slots of a loop may need">
  ];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def TileBlocks : Pass<"eft-tile-blocks", "::mlir::func::FuncOp"> {
  let summary = "Turns work on large blocks into loops over small ones";
  let description = [{
    A *group* is a run of loads and stores of blocks, with nothing else that touches memory between
    them, whose layouts have the same places. Its elements are independent of each other, so the group
    can be done a part at a time. This pass makes a loop of *steps* of it: each step does the group for
    the elements that lie in the low bits of the layouts' dimension `register` (GPU) or `step` (CPU),
    and the loop runs over that dimension's other bits. Inside it everything is a block again, of fewer
    elements, so the size of the code does not grow with the block.

    What a group computes and does not load is computed anew by each group that needs it. A function in
    which a loaded value is used outside its group is left as it is.

    With `split-prefix`, a loop of accesses that all have one mask, which is true for a prefix of the
    block, is split in two: the steps that lie inside, without a mask, and the smallest possible steps
    for the rest of the prefix, with it. What lies behind the prefix is not run.

    With `use-buffers`, reductions are part of groups too. The parts of an axis that one combines
    after the other are combined by a loop over steps. What that leaves is combined behind it, as its
    tree says: at once if it is at most 16 vectors, else in loops that fold four or eight vectors into
    one. What groups need of each other, and can't load again, one leaves for the other in a buffer.

    `elements` is the number of elements that a step holds at each place: registers of a GPU thread,
    elements of a CPU's vector code.

    ```mlir
    %i = eft.arange 0 to 2048 : tensor<2048xi32, #large>
    ```
    becomes
    ```mlir
    scf.for %step = %c0 to %c2 step %c1 : i32 {
      %start = arith.muli %step, %c1024 : i32
      %i0 = eft.arange 0 to 1024 : tensor<1024xi32, #small>
      %s = eft.splat %start : i32 -> tensor<1024xi32, #small>
      %i = arith.addi %i0, %s : tensor<1024xi32, #small>
    }
    ```
  }];
  let options = [
    Option<"dimension", "dimension", "std::string", /*default=*/"\"register\"",
           "the place dimension that the steps run over: register or step">,
    Option<"elements", "elements", "unsigned", /*default=*/"8",
           "indices of that dimension that one step holds; a power of two">,
    Option<"vectors", "vectors", "unsigned", /*default=*/"2",
           "runs of neighbours in memory that one step holds at least; a power of two">,
    Option<"splitPrefix", "split-prefix", "bool", /*default=*/"false",
           "run the steps inside a prefix mask without it">,
    Option<"useBuffers", "use-buffers", "bool", /*default=*/"false",
           "also split reductions, and groups that need each other's values">
  ];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def LowerToGpu : Pass<"eft-lower-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Gives each thread of a GPU its elements of every block";
  let description = [{
    A block becomes the scalars that one thread holds, one per index of its layout's `register`. Neighbours
    that are neighbours in memory move by one access of up to 128 bits. Where a mask is true for all that
    a thread accesses, which for a prefix its last element tells, it does that without looking at the
    elements' masks; otherwise each element is accessed under its own condition. So a mask that cuts a
    contiguous range costs only the one thread at its border. A mask that is the same for all
    elements of each access is that access's predicate.

    With `#layout = #eft.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>`

    ```mlir
    %v = eft.load %p {run = 2 : i32} : tensor<64x!eft.ptr<f32>, #layout>
    %w = arith.addf %v, %v : tensor<64xf32, #layout>
    ```

    becomes two scalars of each thread:

    ```mlir
    %words = llvm.load %pointer {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>
    %vs = llvm.bitcast %words : vector<2xi32> to vector<2xf32>
    %v0 = llvm.extractelement %vs[%c0 : i32] : vector<2xf32>
    %v1 = llvm.extractelement %vs[%c1 : i32] : vector<2xf32>
    %w0 = arith.addf %v0, %v0 : f32
    %w1 = arith.addf %v1, %v1 : f32
    ```

    A store is done once even where the layout repeats an element over lanes or warps, and in a kernel
    that also loads it stands between barriers, so that no thread loads too late or too early.

    An atomic operation, too, is done by one of the threads that hold an element. Barriers order what
    the other threads do as the operation's own, and its result reaches them through shared memory.

    Each thread computes conditions for itself. Where one comes from memory and there are barriers or
    shuffles in the branch or the loop that it decides about, the threads agree on it first.

    Pointers become integers of 64 bits, which address global memory.
  }];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", /*default=*/"4", "warps of a program: 1 to 32">,
    Option<"computeCapability", "compute-capability", "unsigned", /*default=*/"80",
           "of the GPU, times ten: what it has no instruction for is expanded">
  ];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

def SpecializeMasked : Pass<"eft-specialize-masked", "::mlir::func::FuncOp"> {
  let summary = "Parts the threads at the border of a mask from the others once, not at each access";
  let description = [{
    For a GPU, behind `eft-lower-to-gpu`. Where several loads have one mask and no thread waits for
    another in between, everything from the first of them to the last access under that mask is done
    in two versions: in one the mask is known to be true for all that a thread accesses, which leaves
    straight-line code for most threads; in the other it is not. Two loads with a store become:

    ```mlir
    %usual = llvm.intr.expect %whole, %true : i1
    scf.if %usual {
      %x = llvm.load ...
      %y = llvm.load ...
      llvm.store ...
    } else {
      // each element under its own condition
    }
    ```
  }];
  let options = [
    Option<"maxOperations", "max-operations", "unsigned", /*default=*/"4096",
           "do nothing where a version would have more than that">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def LowerToCpu : Pass<"eft-lower-to-cpu", "::mlir::ModuleOp"> {
  let summary = "Makes SIMD vectors of the blocks, and a loop over programs of the kernel";
  let description = [{
    A block becomes vectors, one per index of its layout's `step`; a vector holds the elements of the
    layout's `lane`. A load or store of lanes that are neighbours in memory moves a vector, under a mask
    where it has one; others gather and scatter.

    With `#layout = #eft.layout<lane = [[1], [2], [4]], step = [[8]]>`

    ```mlir
    %v = eft.load %p {run = 8 : i32} : tensor<16x!eft.ptr<f32>, #layout>
    %w = arith.addf %v, %v : tensor<16xf32, #layout>
    ```

    becomes, with prefetches beside it,

    ```mlir
    %v0 = llvm.load %pointer0 {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %v1 = llvm.load %pointer1 {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %w0 = arith.addf %v0, %v0 : vector<8xf32>
    %w1 = arith.addf %v1, %v1 : vector<8xf32>
    ```

    The kernel becomes a function of four parameters,
    `(const uint64_t *arguments, const uint32_t grid[3], uint64_t first, uint64_t count)`, that runs the
    programs `first` to `first + count - 1`, counted with x fastest. An argument takes 8 bytes.

    With `stoppable`, the code loads the word `eft$attention` before each program and in each turn of
    loops that may be long, but for those of steps. Where it is not 0, it calls `eft$poll`, and returns
    if the answer is not 0.

    A dot copies its operands to the stack and is loops over them, with a tile of the accumulator in
    registers.

    Markers say from where to where in the kernel's body an array on the stack is in use, so that LLVM
    lays arrays over each other that are never in use together. A kernel whose arrays in use together
    have more than 4 MiB is refused.

    Pointers become integers of 64 bits.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"256",
           "bits of a vector register; a power of two">,
    Option<"stoppable", "stoppable", "bool", /*default=*/"false",
           "let the code end early where the runtime asks for it">
  ];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::vector::VectorDialect"];
}

def Bf16ToBits : Pass<"eft-bf16-to-bits", "::mlir::ModuleOp"> {
  let summary = "Holds bf16 in integers of 16 bits";
  let description = [{
    For a CPU, behind `eft-lower-to-cpu`. All arithmetic on bf16 has become arithmetic on other types by
    then, and what is left moves bits: loads, stores, constants, choices, what loops carry. No bf16
    reaches LLVM, whose code for x86 takes vectors of them apart, and flushes denormals where it keeps a
    number as f32 for a while. Where nothing is left that converts f16, that is held in the same way.

    ```mlir
    %x = llvm.load %pointer {alignment = 2 : i64} : !llvm.ptr -> bf16
    %bits = arith.bitcast %x : bf16 to i16
    %wide = arith.extui %bits : i16 to i32
    ```
    becomes
    ```mlir
    %bits = llvm.load %pointer {alignment = 2 : i64} : !llvm.ptr -> i16
    %wide = arith.extui %bits : i16 to i32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LowerToLLVM : Pass<"eft-lower-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Takes arith, math, vector, scf and func to the LLVM dialect";
  let description = [{
    One conversion with upstream's patterns. What has no pattern is an error at its place.

    ```mlir
    func.func @f(%a: f32, %b: f32) -> f32 {
      %c = arith.addf %a, %b : f32
      return %c : f32
    }

    // becomes

    llvm.func @f(%a: f32, %b: f32) -> f32 {
      %c = llvm.fadd %a, %b : f32
      llvm.return %c : f32
    }
    ```
  }];
  let options = [
    Option<"maxRegisters", "max-registers", "unsigned", /*default=*/"0",
           "registers of a GPU's thread at most; 0: as many as it takes">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif
