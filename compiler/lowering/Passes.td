// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lowering passes, in the order in which the pipeline runs them.

#ifndef EFT_LOWERING_PASSES
#define EFT_LOWERING_PASSES

include "mlir/Pass/PassBase.td"

def KeepInBuffers : Pass<"eft-keep-in-buffers", "::mlir::func::FuncOp"> {
  let summary = "Gives buffers on the stack to large blocks that loops carry or whose elements move";
  let description = [{
    For a CPU. A block that a loop carries, or that a conditional gives, gets a buffer. The block is
    written there before the region that needs it, or behind the operation that gives it, and it is read
    where it is used. A block that fits into a few registers of `vector-bits` stays in them.

    An operation that moves elements of a large block gets a buffer for its source, and its result is
    read from there: `eft.buffer_read` says which elements, and `eft.buffer_gather` reads elements whose
    numbers are computed. So a chain of moves becomes one read, which can be tiled. Blocks are printed
    from buffers.

    Matrix products, scans and sorting work on buffers too. Where a value ends in a buffer, the operation
    that makes it works in that buffer: the accumulator of a product in a loop stays in place.

    This pass writes and reads whole blocks; `eft-tile-blocks` tiles that. Some products stay as they are:
    those whose operands' vectors (lane, step) lie neither in the order of rows nor in that of columns,
    and those whose factors have another element type than the accumulator (`eft-widen-dot` converts
    these).

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
  let summary = "Copies the operands of matrix products to shared memory, iterations ahead";
  let description = [{
    For a GPU. In an `scf.for`, a load that only a product on tensor cores uses becomes a copy into a
    slot of shared memory. The copy begins `num-stages` − 1 iterations before the product reads it. A
    loop's own attribute `eft.num_stages` comes before the option; with fewer than two stages nothing
    changes. If the slots need more than `max-bytes`, there are fewer stages.

    A load stays a load in each of these cases:

    - its mask keeps other elements of a run than the first ones;
    - it has a cache hint, or a value other than zero for masked elements;
    - its runs have fewer than four bytes;
    - its address depends on a value that the loop carries out of a region, or loads by a `volatile` load.

    If its address depends on other values that the loop loads, these loads run one iteration further ahead,
    under a mask that keeps them from iterations that there are not.

    A loop that writes memory stays as it is.

    Products that warpgroups compute are under way while the program goes on:

    - Products that only add to what the loop carries are waited for in the next iteration, when it has
      begun its own.
    - In a loop like attention's, where a product's first factor is computed from another product, the next
      iteration's first product begins before this iteration's second one. What is computed from the
      first is computed while the second is under way. This takes one of the stages, and registers; it is
      done where as many programs fit on a multiprocessor as without it.

    A first factor from before the loop stays in registers, if a thread has enough of them. Otherwise it is
    written to a slot before the loop.

    Warpgroups read factors of one and of four bytes an element with neighbours along k alone. If a
    factor's neighbours in memory lie along the other dimension, copies bring it as it lies there. Threads
    read it in places in which each has neighbours along both dimensions. Where all products only add to
    what the loop carries, threads write it to one of two slots in the order that products read, while the
    previous iteration's products read the other one. Otherwise `eft-stage-factors` gives it a slot, unless
    short copies in that order allow a plan that is better.

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
           "the number of iterations that are under way at a time">,
    Option<"maxBytes", "max-bytes", "uint64_t", /*default=*/"102400",
           "the most bytes of shared memory for the slots of a loop">
  ];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def AdvanceCopies : Pass<"eft-advance-copies", "::mlir::func::FuncOp"> {
  let summary = "Begins the copies for the next tile before this one is stored, in loops with flatten";
  let description = [{
    For a GPU, behind `eft-pipeline-copies`. In a loop with the attribute `eft.flatten`, which says that no
    iteration reads what an earlier one has written, a pipelined loop stands behind its first copies,
    and before stores. The copies of the next iteration begin before the stores of this one. The
    slots are allocated once, before the outer loop.

    The loop stays as it is if what stands before the pipelined loop loads or writes memory, if the
    pipelined loop's result tells where the next iteration copies from, if there are several
    pipelined loops, or if the slots leave too little of `max-bytes` for blocks that change threads
    before they are stored: such a block goes through 32 KiB, in two rounds at most.

    ```mlir
    scf.for %tile = %c0 to %tiles step %c1 : i32 {
      %s = eft.alloc_shared
      eft.copy_async %p, %s[%c0] if %some
      eft.commit_copies
      %r = scf.for ... // pipelined
      eft.wait_copies pending 0
      eft.dealloc_shared %s
      eft.store %q, %r
    } {eft.flatten}
    ```
    becomes
    ```mlir
    %s = eft.alloc_shared
    eft.copy_async %p0, %s[%c0] if %any
    eft.commit_copies
    scf.for %tile = %c0 to %tiles step %c1 : i32 {
      %r = scf.for ... // pipelined
      eft.wait_copies pending 0
      eft.copy_async %next, %s[%c0] if %more
      eft.commit_copies
      eft.store %q, %r
    } {eft.flatten}
    eft.wait_copies pending 0
    eft.dealloc_shared %s
    ```
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "uint64_t", /*default=*/"102400",
           "the most bytes of shared memory of a program">
  ];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def StageFactors : Pass<"eft-stage-factors", "::mlir::func::FuncOp"> {
  let summary = "Writes factors of warpgroups' products to shared memory where no copies bring them";
  let description = [{
    For a GPU. A product that placing has noted `warpgroups`, and whose factors no copies bring in the order
    that it reads, gets them written to slots of its own; a first factor that is in the right registers stays there. The program
    waits for the product at once. Where the slots have no room in `max-bytes`, beside those of a loop
    around, warps multiply by themselves.

    ```mlir
    %a = eft.convert_layout %x : tensor<64x64xf16, #a> -> tensor<64x64xf16, #b>
    %d = eft.dot %a, %b, %acc precision ieee {warpgroups}
    ```
    becomes
    ```mlir
    %s = eft.alloc_shared : !eft.shared<1, tensor<64x64xf16, #o>>
    %t = eft.alloc_shared : !eft.shared<1, tensor<64x64xf16, #p>>
    eft.write_shared %x, %s[%c0]
    eft.write_shared %y, %t[%c0]
    eft.barrier
    %e = eft.dot_async %s[%c0], %t[%c0], %acc
    %d = eft.wait_dots %e pending 0
    eft.dealloc_shared %t
    eft.dealloc_shared %s
    ```
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "uint64_t", /*default=*/"102400",
           "the most bytes of shared memory for slots">
  ];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect"];
}

def TileBlocks : Pass<"eft-tile-blocks", "::mlir::func::FuncOp"> {
  let summary = "Turns work on large blocks into loops over tiles";
  let description = [{
    A *group* is a sequence of loads and stores of blocks whose layouts have the same places, with
    nothing else between them that touches memory. Its elements are independent of each other, so the
    group can be done one part at a time. This pass makes a *tiled loop* of it. One iteration computes a
    *tile*: the elements that lie in the low bits of the layouts' dimension `register` (GPU) or `step`
    (CPU). The loop runs over that dimension's other bits. A tile is a block of fewer elements, so the
    code in the loop has the same form as before, and its size does not grow with the block.

    Each group computes for itself the values that it needs, as far as they are not loaded. A function
    in which a loaded value is used outside its group is left as it is.

    With `split-prefix`, a loop is split in two if all its accesses have one mask, and that is true for a
    prefix of the block. The first loop runs the tiles inside the prefix, without a mask. The second
    runs the smallest possible tiles over the rest of the prefix, with the mask. Elements behind the
    prefix are not computed.

    With `use-buffers`, reductions are part of groups too. A tiled loop combines the parts of an axis
    that are combined one after the other. Code behind the loop combines what is left, as the
    reduction's tree says: at once if it is at most 16 vectors, else in loops that fold four or eight
    vectors into one. If a group needs a value of another one and can't load it again, it gets the value
    through a buffer. With `max-bits`, this is done in functions that have a block of more bits at a place,
    or buffers already.

    `elements` is the number of elements that a tile has at each place: registers of a GPU thread,
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
           "the place dimension that the loops run over: register or step">,
    Option<"elements", "elements", "unsigned", /*default=*/"8",
           "indices of that dimension in one tile; a power of two">,
    Option<"vectors", "vectors", "unsigned", /*default=*/"2",
           "the fewest runs of neighbours in memory in one tile; a power of two">,
    Option<"splitPrefix", "split-prefix", "bool", /*default=*/"false",
           "run the tiles inside a prefix mask without it">,
    Option<"useBuffers", "use-buffers", "bool", /*default=*/"false",
           "also tile reductions, and groups that need each other's values">,
    Option<"maxBits", "max-bits", "unsigned", /*default=*/"0",
           "the most bits of a block at a place that need no buffers; 0: no bound">
  ];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def TileScans : Pass<"eft-tile-scans", "::mlir::func::FuncOp"> {
  let summary = "Scans and sorts large blocks one tile at a time";
  let description = [{
    The code of a scan or a sort in registers grows with the elements of a thread. So large blocks go into
    buffers, and loops work on tiles of them: on those of scans if a thread holds more than `max-fragments`
    elements of the blocks, where one of 64 bits counts as two, and on those of all sorts that
    `eft-expand-sort` has left. A tile holds neighbours along the axis, and an operation on the tile does
    what is to be done among them. A sort compares and exchanges whole tiles besides. A scan goes from tile
    to tile, and carries the last elements of 1, 2, 4, … tiles. The order of combining is that of `eft.scan`.

    Sorts of tiles, and of blocks that have no tiles, become compare-exchange stages.

    ```mlir
    %1 = eft.scan %0 axis 0 : (tensor<65536xf32, #large>) -> tensor<65536xf32, #large> { … }
    ```
    begins with
    ```mlir
    eft.buffer_write %0, %buffer[%c0] : tensor<65536xf32, #large>, !eft.buffer<tensor<65536xf32, #large>>
    %lasts:6 = scf.for %number = %c0 to %c64 step %c1 iter_args(%of1 = %zero, %of2 = %zero, …)
        -> (tensor<1xf32, #last>, …) : i32 {
      %tile = eft.buffer_read %buffer[%number]
          : !eft.buffer<tensor<65536xf32, #large>> -> tensor<1024xf32, #small>
      %2 = eft.scan %tile axis 0 : (tensor<1024xf32, #small>) -> tensor<1024xf32, #small> { … }
    ```
  }];
  let options = [
    Option<"maxFragments", "max-fragments", "unsigned", /*default=*/"64",
           "the most elements of a thread that are scanned in registers">,
    Option<"tileFragments", "tile-fragments", "unsigned", /*default=*/"8",
           "the fewest elements of a thread in one tile; a power of two">,
  ];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def LowerToGpu : Pass<"eft-lower-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Gives each thread of a GPU its elements of every block";
  let description = [{
    A block becomes the scalars that one thread holds, one per index of its layout's `register`. Elements
    of a thread that are neighbours in memory move by one access of up to 128 bits. A thread first tests
    whether the mask is true for all its elements; for a prefix, the last element tells. If so, the
    thread accesses them without looking at each element's mask. Otherwise it accesses each element under
    its own condition. So a mask that cuts a contiguous range costs only the one thread at its border. A
    mask that is the same for all elements of each access becomes that access's predicate.

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

    An atomic operation, too, is done by one of the threads that hold an element. Barriers give the
    accesses of the other threads the same order, and the result reaches them through shared memory.

    Each thread computes conditions for itself. If a condition comes from memory, and the branch or loop
    that it controls has convergent operations (barriers, shuffles), the threads first vote on it.

    Pointers become integers of 64 bits, which address global memory.
  }];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", /*default=*/"4", "warps of a program: 1 to 32">,
    Option<"computeCapability", "compute-capability", "unsigned", /*default=*/"80",
           "of the GPU, times ten; operations for which it has no instruction are expanded">
  ];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

def SpecializeMasked : Pass<"eft-specialize-masked", "::mlir::func::FuncOp"> {
  let summary = "Branches once for several accesses under one mask, not at each of them";
  let description = [{
    For a GPU, behind `eft-lower-to-gpu`. The pass looks for several loads with one mask between which
    no thread waits for another. It makes two versions of the code from the first of them to the last
    access under that mask. Threads for which the mask is true throughout run the first version, which is
    straight-line code; these are most threads. The threads at the mask's border run the second, in which
    each element has its own condition. Two loads with a store become:

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

    A kernel may handle its block in parts: it loads and stores under one mask, then under the next. Where
    such masks are `slt` comparisons with one bound, no loop stands between, and none of them is worth a
    branch of its own, one branch stands for all: the first version is for threads for which all masks are
    true throughout. In it the loads go first, up to 128 bytes of a thread, also over stores in front of
    them. They may, because another condition of the branch says so: the distance between two arrays is none
    at which a load reads what such a store wrote. With more than four distances loads stay. What only these
    accesses need, but for addresses, is computed behind the loads.

    ```mlir
    %all = arith.andi %whole0, %whole1 : i1
    %distance = arith.subi %x, %y : i32
    %apart = arith.cmpi ugt, ...
    %first = arith.andi %all, %apart : i1
    %usual = llvm.intr.expect %first, %true : i1
    ```
  }];
  let options = [
    Option<"maxOperations", "max-operations", "unsigned", /*default=*/"4096",
           "the most operations of a version; with more, nothing is changed">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def SkipMasked : Pass<"eft-skip-masked", "::mlir::func::FuncOp"> {
  let summary = "Branches around what is computed of masked elements alone";
  let description = [{
    For a GPU, behind `eft-specialize-masked`. A row may leave part of its block idle: the mask then
    compares indices, which follow from the thread alone, with a bound. Such a mask is the predicate of
    loads, so there is no branch yet, and elements that are masked are computed like all others.

    The pass divides a thread's elements into parts of those that lie in the same 128 of the block. A
    chain of operations that belong to one part, and that take 32 instructions or more, comes under a
    branch on the mask of the part's first element. Where that mask is false, no element of the part is
    loaded. The results are then those of the same operations on what the loads give. These are computed
    once, if most elements have them in common; otherwise there is no branch.

    ```mlir
    %x = eft.thread_load %p if %m else %c : !llvm.ptr<1> -> i32
    // a chain of operations on %x and %max, with the result %y
    ```
    becomes
    ```mlir
    %x = eft.thread_load %p if %m else %c : !llvm.ptr<1> -> i32
    // the same operations on %c and %max, with the result %masked
    %y = scf.if %m -> (f32) {
      // the chain
    } else {
      scf.yield %masked : f32
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def MaskDistances : Pass<"eft-mask-distances", "::mlir::func::FuncOp"> {
  let summary = "Turns the masks of a row's columns into comparisons with constants";
  let description = [{
    For a GPU, behind `eft-skip-masked`. Masks that compare an index, which follows from the thread alone,
    with one bound get the form of a comparison with a constant. Four of them or more share the distance
    between the thread's first element and the bound. They are computed where they are used. Barriers
    divide a kernel into phases, and phases take turns with two forms, between which ptxas sees no
    connection: it would keep every mask in a register from the loads to the stores.

    ```mlir
    %i = arith.addi %base, %c3 overflow<nsw> : i32
    %m = arith.cmpi slt, %i, %n : i32
    ```
    becomes
    ```mlir
    %bound = arith.maxsi %n, %c0 : i32
    %distance = arith.subi %bound, %base overflow<nsw> : i32
    %m = arith.cmpi sgt, %distance, %c3 : i32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def OrderArithmetic : Pass<"eft-order-arithmetic", "::mlir::func::FuncOp"> {
  let summary = "Computes what is stored right before it is stored";
  let description = [{
    For a GPU. Where arithmetic for many elements comes one operation at a time, as it is lowered, and stores
    follow, it is done one store at a time. Then only the elements that are stored next have values under
    way, which the registers hold.

    ```mlir
    %a0 = math.absf %x0 : f32
    %a1 = math.absf %x1 : f32
    %b0 = arith.addf %a0, %c : f32
    %b1 = arith.addf %a1, %c : f32
    llvm.store %b0, %p0 : f32, !llvm.ptr<1>
    llvm.store %b1, %p1 : f32, !llvm.ptr<1>
    ```
    becomes
    ```mlir
    %a0 = math.absf %x0 : f32
    %b0 = arith.addf %a0, %c : f32
    llvm.store %b0, %p0 : f32, !llvm.ptr<1>
    %a1 = math.absf %x1 : f32
    %b1 = arith.addf %a1, %c : f32
    llvm.store %b1, %p1 : f32, !llvm.ptr<1>
    ```
  }];
  let options = [
    Option<"leastOperations", "least-operations", "unsigned", /*default=*/"1024",
           "Leave shorter sequences of arithmetic as they are">
  ];
}

def LowerToCpu : Pass<"eft-lower-to-cpu", "::mlir::ModuleOp"> {
  let summary = "Turns blocks into SIMD vectors, and the kernel into a loop over programs";
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

    With `stoppable`, the code loads the word `eft$attention` before each program and in each iteration
    of loops that may be long. Tiled loops are left out. Where the word is not 0, the code calls
    `eft$poll`, and returns if the answer is not 0.

    A dot copies its operands to the stack. Loops over them follow, which hold a tile of the accumulator
    in registers.

    Markers tell LLVM where in the kernel's body each array on the stack is in use. LLVM then gives the
    same memory to arrays that are never in use together. A kernel is refused if the arrays that are in
    use together have more than 4 MiB.

    Pointers become integers of 64 bits.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"256",
           "bits of a vector register; a power of two">,
    Option<"stoppable", "stoppable", "bool", /*default=*/"false",
           "end early where the runtime asks for it">,
    Option<"maxOperations", "max-operations", "unsigned", /*default=*/"16384",
           "the most operations of a block, with those nested in it, before a part becomes a function">,
    Option<"operationsPerValue", "operations-per-value", "unsigned", /*default=*/"128",
           "the least length of a part for each value that lives on behind it, if twice the length allows it">
  ];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::vector::VectorDialect"];
}

def Bf16ToBits : Pass<"eft-bf16-to-bits", "::mlir::ModuleOp"> {
  let summary = "Holds bf16, which now only moves, in integers; without F16C also f16";
  let description = [{
    For a CPU, behind `eft-lower-to-cpu`. All arithmetic on bf16 has become arithmetic on other types by
    then, and what is left moves bits: loads, stores, constants, choices, values that loops carry. So no
    bf16 reaches LLVM. LLVM's code for x86 takes vectors of bf16 apart, and flushes denormals where it
    keeps a number as f32 for a while. f16 is held in integers too, if no conversion of it is left.

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

def OutlineParts : Pass<"eft-outline-parts", "::mlir::ModuleOp"> {
  let summary = "Cuts a long kernel into functions that it calls";
  let description = [{
    For a GPU, in front of `eft-lower-to-llvm`; `eft-lower-to-cpu` does the same. Parts of LLVM take time
    that grows with more than the length of a function. So in a block of more than `max-operations`,
    with those nested in it, runs of operations become functions. A run ends where the fewest values
    live on. These go through a record in the kernel's frame, which costs a few instructions for each. So
    a run with fewer than `operations-per-value` operations for each of them may go on, for at most
    `max-operations` more, to the first place at which it has that many. Nothing is cut where less than
    half of `max-operations` would be left behind such a run.

    ```mlir
    %b = arith.addf %a, %x : f32
    %c = arith.mulf %b, %x : f32
    // a thousand more
    %z = arith.addf %y, %x : f32
    ```
    becomes, with `max-operations=1000 operations-per-value=1`,
    ```mlir
    call @kernel.part0(%a, %x, %record) : (f32, f32, !llvm.ptr) -> ()
    %y = llvm.load %field : !llvm.ptr -> f32
    %z = arith.addf %y, %x : f32
    ```

    Each function has its own constants, and those arrays of the frame which it alone uses. A function
    that may stop the kernel returns whether it did. A kernel with `wgmma` stays whole: ptxas would let
    its products wait for each other.
  }];
  let options = [
    Option<"maxOperations", "max-operations", "unsigned", /*default=*/"16384",
           "the most operations of a block, with those nested in it">,
    Option<"operationsPerValue", "operations-per-value", "unsigned", /*default=*/"128",
           "the least length of a part for each value that lives on behind it, if twice the length allows it">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::scf::SCFDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def LowerToLLVM : Pass<"eft-lower-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Converts arith, math, vector, scf and func to the LLVM dialect";
  let description = [{
    One conversion with upstream's patterns. An operation without a pattern is an error at its place.

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
           "the most registers of a GPU thread; 0: no limit">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif
