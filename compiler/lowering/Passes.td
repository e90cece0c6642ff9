// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lowering passes, in the order in which the pipeline runs them.

#ifndef EFT_LOWERING_PASSES
#define EFT_LOWERING_PASSES

include "mlir/Pass/PassBase.td"

def KeepInBuffers : Pass<"eft-keep-in-buffers", "::mlir::func::FuncOp"> {
  let summary = "Gives buffers on the stack to large blocks that loops carry, or whose elements move";
  let description = [{
    For a CPU. A block that a loop carries, or that a conditional returns, gets a buffer. The block is
    written into the buffer before the loop, and at the end of each region that passes it on. It is read
    at the start of the loop's body, and after the loop or conditional. A block that fits into a few
    registers of `vector-bits` stays in registers.

    An operation that moves elements of a large block gets a buffer for its source, and its result is read
    from there. `eft.buffer_read` has a map from each place to the element that the place reads;
    `eft.buffer_gather` has the numbers of the elements as an operand. The maps of successive moves
    compose, so a chain of moves becomes one read, which can be tiled. Large blocks are also printed from
    buffers.

    Matrix products, scans, sorts and histograms work on buffers, too. If the result of such an operation
    is to be written into another buffer, the operation works in that buffer. So the accumulator of a
    product in a loop stays in place.

    This pass writes and reads whole blocks; `eft-tile-blocks` then tiles these accesses. Two kinds of
    products get no buffers: those with an operand whose vectors (lane, step) lie neither in row-major
    nor in column-major order, and those whose factors have another element type than the accumulator
    (`eft-widen-dot` converts these).

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
  let summary = "Copies the operands of matrix products to shared memory some iterations ahead of their use";
  let description = [{
    For a GPU. In an `scf.for` with products on tensor cores, loads become copies into slots of shared
    memory. These are the loads of factors, of blocks from which factors are computed, and of blocks of
    which several threads need each element. A copy begins `num-stages` − 1 iterations before its slot is
    read. A loop's own attribute `eft.num_stages` overrides the option. With fewer than two stages nothing
    changes. If the slots need more than `max-bytes`, there are fewer stages.

    A load stays a load in each of these cases:

    - Its mask may be false for an element of a run and true for a later one.
    - It has a cache hint, or a value other than zero for masked elements.
    - Its runs have fewer than four bytes.
    - Its address or mask depends on the result of an operation in the loop that is a product or a
      `volatile` load, or that has regions or side effects.

    If the address of a copy depends on loaded values, the loads of these values run one iteration further
    ahead than the copy. Up to four loads of scalars also run this far ahead, except in loops like that of
    attention (see below). These loads get a mask that is false for iterations that do not exist.

    A loop that stores is changed only if it has the attribute `eft.stores_apart`, which
    `eft-version-stores` sets. A loop that writes memory in another way, or has a barrier, is not changed.

    Products that warpgroups compute are under way while the program goes on:

    - If a product only adds to a value that the loop carries, each iteration begins its own product, and
      then waits for the product of the iteration before.
    - In a loop like that of attention, the first factor of a second product is computed from the result
      of a first product. The first product of the next iteration then begins before the second product
      of this iteration. While the second product is under way, the result of the next iteration's first
      product becomes the next iteration's factor. This takes one of the stages, and more registers. It
      is done only if as many programs as before fit on a multiprocessor.

    A first factor that is computed before the loop stays in registers, if a thread has enough of them.
    Otherwise it is written to a slot before the loop.

    If the elements of a factor have one or four bytes, warpgroups can read the factor only if elements
    that are neighbours along k are neighbours in shared memory, too. If the factor's neighbours in global
    memory lie along the other dimension, copies bring the factor in the order of global memory. Threads
    then read it in a layout that gives each thread neighbours along both dimensions, and write it to
    another slot in the order that products read. If all products only add to what the loop carries, there
    are two of these slots: the threads write one while the products of the previous iteration read the
    other. Otherwise `eft-stage-factors` makes the slot. There is another way, which needs fewer slots:
    copies of a few bytes each, which bring the factor directly in the order that products read. The pass
    uses such copies if the loop can then be pipelined better.

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
  let summary = "In loops with `eft.flatten`, begins the next iteration's copies before this iteration's stores";
  let description = [{
    For a GPU, after `eft-pipeline-copies`. In a loop with the attribute `eft.flatten`, no iteration reads
    what an earlier one has written. If an iteration begins with the first copies of a pipelined loop,
    then runs that loop, and then stores, the copies of the next iteration begin before the stores of this
    one. The slots are allocated once, before the loop with the attribute.

    The loop with the attribute is not changed in any of these cases:

    - The code before the pipelined loop writes memory, or has a `volatile` load.
    - The addresses from which the next iteration copies depend on the pipelined loop's result.
    - There are several pipelined loops.
    - Blocks whose elements change threads before they are stored go through shared memory, and
      `max-bytes` has too little room for them beside the slots. For one block, a round of this staging
      takes at most 32 KiB, and a block may take at most two rounds.

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
  let summary = "Writes factors of warpgroups' products to shared memory if no copies bring them there";
  let description = [{
    For a GPU. A product to which placing has given the note `warpgroups` reads its factors from shared
    memory. If no copies bring a factor in the order that the product reads, the factor is written to a
    slot of its own. A first factor that is already in the right registers stays there. The program waits
    for the product at once. If `max-bytes` has no room for the slots beside those of an enclosing loop,
    warps compute the product without warpgroups.

    ```mlir
    %a = eft.convert_layout %x ...
    %b = eft.convert_layout %y ...
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
    A *group* is a sequence of loads, stores and atomic operations on blocks whose layouts have the same
    places. Nothing else between these operations touches memory. What a place loads, computes and stores
    does not depend on the elements of other places. So all operations of the group can be done for some
    of the places, then for the next ones.

    This pass turns a group into a *tiled loop*. A place has a number in the dimension `register` (GPU) or
    `step` (CPU). The loop runs over the values of the high bits of this number. One iteration computes a
    *tile*: the elements of all places whose number has the iteration's value in its high bits. A tile is a
    block of fewer elements, so the code in the loop has the same form as before, and its size does not
    grow with the block.

    Without `use-buffers`, a group is tiled only if two conditions hold. The group computes all blocks that
    it needs from its own loads and from scalars, not from results of other groups or of operations that
    are not tiled. And no other group, and no operation that is not tiled, needs a value that depends on
    the group's loads.

    With `split-prefix`, a loop is split in two if all its accesses have one mask, and that mask is true
    for a prefix of the block. The first loop computes the tiles that lie inside the prefix, without the
    mask. The second loop computes the rest of the prefix in tiles of the smallest possible size, with the
    mask. Elements after the prefix are not computed. However, a group that writes a buffer or has
    reductions needs all elements. The second loop of such a group computes the rest of the block in tiles
    of the usual size, with the mask.

    With `use-buffers`, groups contain reductions and writes of buffers, too. A reduction divides its axis
    into `steps` parts, which it combines in sequence, and then folds the result along its tree (see
    `eft.reduce`). A tiled loop combines the parts. If a tile has a whole part, the loop also folds the
    tree. Otherwise code after the loop folds the tree: without a loop if at most 16 fragments are left,
    else in loops that fold several fragments into one: up to eight if the combiner is one operation, up to
    four if it is longer. If these loops are not possible, up to 256 fragments are folded without a loop,
    and with more fragments the group is not tiled.

    With `use-buffers`, groups also pass values to each other in buffers. A group reads a value of another
    group from a buffer if the group can't load the value again, or if computing the value again would take
    many operations.

    Even without the option, a function is tiled as with `use-buffers` if it has buffers already, or if it
    has a block of which one thread of a GPU (on a CPU, one lane) holds more than `max-bits` bits.

    `elements` is the number of elements of a tile that one thread of a GPU holds in registers. On a CPU, it
    is the number of all elements of a tile.

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
           "elements in one tile: of one GPU thread, or of all lanes of a CPU; a power of two">,
    Option<"vectors", "vectors", "unsigned", /*default=*/"2",
           "the fewest runs of neighbours in memory in one tile; a power of two">,
    Option<"splitPrefix", "split-prefix", "bool", /*default=*/"false",
           "run the tiles inside a prefix mask without it">,
    Option<"useBuffers", "use-buffers", "bool", /*default=*/"false",
           "also tile reductions, and groups that need each other's values">,
    Option<"maxBits", "max-bits", "unsigned", /*default=*/"0",
           "the most bits of a block that a thread can hold without buffers; 0: no bound">
  ];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def TileScans : Pass<"eft-tile-scans", "::mlir::func::FuncOp"> {
  let summary = "Scans and sorts large blocks one tile at a time";
  let description = [{
    The code of a scan or a sort in registers grows with the number of elements of a thread. So large
    blocks go into buffers, and loops work on tiles of them. This is done for a scan if a thread holds
    more than `max-fragments` elements of its blocks, where an element of 64 bits counts as two, and for
    every sort that `eft-expand-sort` has left. A tile holds neighbours along the axis, and a scan or sort
    of the tile does the levels that stay inside it. For the other levels, a sort compares and exchanges
    whole tiles. A scan visits the tiles in order. For each of the other levels, it carries the last
    elements of a sequence of tiles that are already scanned: of 1 tile for the first of these levels, of 2
    tiles for the next level, of 4 for the one after that. The order of combining is that of `eft.scan`.

    Sorts of tiles, and of blocks that can't be tiled, become compare-exchange stages in registers.

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
    A block becomes the scalars that one thread holds, one for each register of its layout. Elements of a
    thread that are neighbours in memory move by one access of up to 128 bits. A thread first tests
    whether the mask is true for all its elements; if the mask is a prefix, it tests only the mask of its
    last element. If all are true, the thread accesses the elements without testing each one's mask.
    Otherwise it accesses each element under its own condition. So a mask costs time only in threads that
    have elements for which it is false. A mask that is the same for all elements of each access becomes
    the predicate of that access.

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

    Each element is stored once, even where the layout has copies of the element in several lanes or
    warps. If the kernel also loads, barriers precede and follow the store: every load before the store
    then reads the old elements, and every load after it the new ones, in all threads.

    Only one of the threads that hold an element does an atomic operation on it. Barriers order the
    accesses of the other threads in the same way, and the result reaches these threads through shared
    memory.

    Each thread computes conditions for itself. If a condition comes from memory, threads may have loaded
    different values. So they first vote on the condition, if the branch or loop that it controls contains
    convergent operations (barriers, shuffles).

    Pointers become integers of 64 bits, which address global memory.
  }];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", /*default=*/"4", "warps of a program: 1 to 32">,
    Option<"computeCapability", "compute-capability", "unsigned", /*default=*/"80",
           "the GPU's compute capability, times ten; operations without an instruction are expanded">
  ];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

def SpecializeMasked : Pass<"eft-specialize-masked", "::mlir::func::FuncOp"> {
  let summary = "Makes one branch for several accesses under one mask, in place of one for each access";
  let description = [{
    For a GPU, after `eft-lower-to-gpu`. The pass looks for several loads under one mask between which no
    thread waits for another. It makes two versions of the code from the first of these loads to the last
    access under that mask. Threads for which the mask is true throughout run the first version, which has
    no branches; most threads are of this kind. The other threads run the second version, in which each
    element has its own condition. Two loads and a store become:

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

    A kernel may handle its block in parts: it loads and stores under one mask, then under the next. If
    such masks are `slt` comparisons with one bound, no loop is between them, and no mask has enough
    accesses for a branch of its own, one branch serves them all. Its first version is for threads for
    which all masks are true throughout. In this version, a thread does its loads first, up to 128 bytes
    of them, even before stores that preceded the loads. This is correct only if no load reads what such a
    store writes. So the condition of the branch also compares the distances between the addresses of the
    loads and the stores. If there are more than four distances to compare, the loads stay in their order.
    Values that only these accesses need are computed after the loads, except for addresses.

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
  let summary = "Branches around computations that concern only masked elements";
  let description = [{
    For a GPU, after `eft-specialize-masked`. A row may be shorter than its block, so that the mask of
    some elements is false. The mask compares indices, which follow from the thread alone, with a bound.
    Such a mask is the predicate of loads, so there is no branch yet, and masked elements are computed
    like all others.

    The pass divides a thread's elements into parts: the elements with indices from 128·i to 128·i + 127
    are one part. A chain of operations that belong to one part, and that take 32 instructions or more,
    gets a branch on the mask of the part's first element. Where that mask is false, no element of the
    part is loaded, and the loads return their values for masked elements. The results of the chain are
    then those of the same operations on these values. They are computed before the branch, once for all
    elements for which the operations are the same. If this takes more than half as many operations as
    the chain has, the chain gets no branch.

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
  let summary = "Turns the masks of a row's elements into comparisons with constants";
  let description = [{
    For a GPU, after `eft-skip-masked`. Masks that compare an index, which follows from the thread alone,
    with one bound become comparisons with a constant, if there are at least four of them. They share the
    distance between the bound and the thread's first element, and are computed where they are used.
    Barriers divide a kernel into phases. The phases use two forms of the comparison in turn, which ptxas
    does not recognise as equal. If all phases used one form, ptxas would keep every mask in a register
    from the loads to the stores.

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
  let summary = "Moves the computation of each stored value to just before its store";
  let description = [{
    For a GPU. The lowering emits arithmetic for many elements one operation at a time: the first
    operation for all elements, then the second one. Where stores follow, this pass reorders the
    arithmetic by stores: it computes what one store needs, stores it, and goes on with the next. Then
    intermediate values exist only for the elements that are stored next, and fit into registers.

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
    A block becomes vectors, one for each step of its layout. The lanes of a vector are the lanes of the
    layout. A load or store of lanes that are neighbours in memory moves a whole vector, under a mask if
    there is one. If all lanes load the same element, it is loaded once. Other accesses gather and
    scatter.

    With `#layout = #eft.layout<lane = [[1], [2], [4]], step = [[8]]>`

    ```mlir
    %v = eft.load %p {run = 8 : i32} : tensor<16x!eft.ptr<f32>, #layout>
    %w = arith.addf %v, %v : tensor<16xf32, #layout>
    ```

    becomes, together with prefetches,

    ```mlir
    %v0 = llvm.load %pointer0 {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %v1 = llvm.load %pointer1 {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %w0 = arith.addf %v0, %v0 : vector<8xf32>
    %w1 = arith.addf %v1, %v1 : vector<8xf32>
    ```

    The kernel becomes a function of four parameters, `(const uint64_t *arguments, const uint32_t grid[3],
    uint64_t first, uint64_t count)`. It runs the programs `first` to `first + count - 1`, numbered with x
    fastest. Each argument takes 8 bytes.

    With `stoppable`, the code loads the word `eft$attention` before each program, and in loops that may
    be long. It does not do so in tiled loops. If the word is not 0, the code calls `eft$poll`, and
    returns if the answer is not 0.

    The operands of a matrix product are on the stack: `eft.dot_into` has them in buffers, and `eft.dot`
    copies them there. Loops over them hold a tile of the accumulator in registers.

    Markers tell LLVM where in the kernel's body each array on the stack is in use. LLVM then gives the
    same memory to arrays that are never in use together. A kernel is rejected if the arrays that are in
    use together take more than 4 MiB.

    Pointers become integers of 64 bits.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"256",
           "bits of a vector register; a power of two">,
    Option<"stoppable", "stoppable", "bool", /*default=*/"false",
           "end early where the runtime asks for it">,
    Option<"maxOperations", "max-operations", "unsigned", /*default=*/"16384",
           "the most operations of a block, nested ones included; longer blocks are cut into functions">,
    Option<"operationsPerValue", "operations-per-value", "unsigned", /*default=*/"128",
           "the fewest operations of a part for each value live at its end, if twice the length allows it">
  ];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::vector::VectorDialect"];
}

def Bf16ToBits : Pass<"eft-bf16-to-bits", "::mlir::ModuleOp"> {
  let summary = "Replaces bf16 by integers, and f16 if no conversion of it is left";
  let description = [{
    For a CPU, after `eft-lower-to-cpu`. By then all arithmetic on bf16 has become arithmetic on other
    types. The remaining operations on bf16 only move bits: loads, stores, constants, selects, and
    values that loops carry. They become operations on integers, so no bf16 reaches LLVM. LLVM's code for
    x86 would split vectors of bf16 into elements. Between basic blocks it would keep a bf16 as an f32, and
    the instruction that converts the f32 back turns denormals into zeros. If no conversion of f16 is left,
    f16 becomes an integer, too.

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
    For a GPU, before `eft-lower-to-llvm`; `eft-lower-to-cpu` does the same for a CPU. Parts of LLVM take
    time that grows faster than the length of a function. So if a block has more than `max-operations`
    operations, counting nested ones, runs of its operations become functions. A run ends where the fewest
    values are live, that is, computed before and used after that place. Live values go through a record
    in the kernel's stack frame, which costs a few instructions for each value. A run should therefore have
    at least `operations-per-value` operations for each value that is live at its end. A shorter run is
    extended, by at most `max-operations`, to the first place at which it has this many. If fewer than half
    of `max-operations` operations would follow an extended run, the rest of the block is not cut.

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

    Each function has its own constants, and those arrays on the stack that it alone uses. A function that
    may stop the kernel returns whether it did. A kernel with `wgmma` is not cut: in a function with
    calls, ptxas makes each product wait for the one before.
  }];
  let options = [
    Option<"maxOperations", "max-operations", "unsigned", /*default=*/"16384",
           "the most operations of a block, nested ones included">,
    Option<"operationsPerValue", "operations-per-value", "unsigned", /*default=*/"128",
           "the fewest operations of a part for each value live at its end, if twice the length allows it">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::scf::SCFDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def LowerToLLVM : Pass<"eft-lower-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Converts arith, math, vector, scf and func to the LLVM dialect";
  let description = [{
    Replaces structured control flow by branches, then converts with upstream's patterns and some of Eft's
    own. An operation without a pattern gets an error at its location.

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
