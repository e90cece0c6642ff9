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
    at the start of the loop's body, and after the loop or conditional. If all blocks that a loop carries
    fit into eight registers of `vector-bits` together, they stay in registers. So does each block that fits
    into two registers. The same holds for the blocks that a conditional returns.

    A block that needs more than eight registers is large. If an operation moves elements of a large block,
    its source is written into a buffer. An `eft.buffer_read` of this buffer replaces the operation. It has
    a map from each place to the element that the place reads. The maps of successive moves compose, so a
    chain of moves becomes one read, which can be tiled. A gather becomes an `eft.buffer_gather`, which has
    the numbers of the elements as an operand. These buffers take at most 1 MiB at a time; beyond that,
    elements move in registers. Large blocks are also printed from buffers.

    Matrix products, scans, sorts and histograms work on buffers, too, except for scans of few vectors. If a
    user of the result needs the result in a buffer, the operation works in the user's buffer. So the
    accumulator of a product in a loop stays in place.

    This pass writes and reads whole blocks; `eft-tile-blocks` then tiles these accesses. Two kinds of
    products get no buffers:

    - products with an operand that lies neither in row-major nor in column-major order when its vectors are
      stored one after the other,
    - products whose factors have another element type than the accumulator (`eft-widen-dot` converts these
      factors).

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
    For a GPU. In an `scf.for` with products on tensor cores, loads become copies into slots of shared memory.
    These are the loads of factors, of blocks from which factors for warpgroups are computed, and of blocks of
    which several threads need each element, in the layout of the load or in the layout to which all uses
    convert the block. A copy begins `num-stages` − 1 iterations before its slot is read. A loop's own attribute
    `eft.num_stages` overrides the option. With fewer than two stages nothing changes. If the bounds of the loop
    depend on loaded values or on inline assembly, all threads get the bounds of the first thread, by
    `eft.of_first_thread`. If the slots need more than `max-bytes`, there are fewer stages. There are also fewer
    if the loop has few iterations, and never more than eight.

    A load stays a load in each of these cases:

    - Its mask may be false for an element of a run and true for a later one.
    - It has a cache hint, or a value other than zero for masked elements.
    - Its runs have fewer than four bytes. (Exception: it loads a factor for warpgroups, and a thread has
      enough registers to load the elements one by one while a product is under way.)
    - Its address or mask depends on the result of an operation in the loop that is a product or a
      `volatile` load, or that has regions or side effects.

    If the address or the mask of a copy depends on loaded values, the loads of these values run one
    iteration further ahead than the copy. So do up to four loads of scalars whose addresses depend on no
    product, except in loops like that of attention (see below). All of these loads get a mask that is false
    for iterations that do not exist.

    A loop that stores is changed only if it has the attribute `eft.stores_apart`, which `eft-version-stores` sets.
    A loop that writes memory in another way, or has a barrier, is not changed.

    Warpgroups compute a product while the program goes on. The form of the loop decides when the program
    waits for it:

    - If every product of warpgroups only adds to a value that the loop carries, each iteration begins its
      own products, and then waits for the products of the iteration before.
    - In a loop like that of attention, the first factor of a second product is computed from the result
      of a first product. The first product of the next iteration then begins before the second product
      of this iteration. While the second product is under way, the result of the next iteration's first
      product becomes the next iteration's factor. This takes one of the stages, and more registers. The
      pass does it only if a multiprocessor then still holds as many programs.
    - In all other loops, the program waits for each product directly after it has begun the product.

    The first factor of a product of warpgroups may be computed before the loop. It stays in registers if a
    thread has enough of them, or if shared memory has no room for it. Otherwise it is written to a slot
    before the loop. It is also written there if the loop contains a division or another operation that
    ptxas may compile as a call, because ptxas would not preserve the factor's registers.

    Warpgroups read a factor whose elements have one or four bytes only in one order: neighbours along k
    must be neighbours in shared memory. In global memory, the factor's neighbours may lie along the other
    dimension. There are two ways to bring such a factor:

    - Copies bring the factor in the order of global memory. Threads then read it in a layout that gives
      each thread neighbours along both dimensions, and write it to another slot in the order that products
      read. If every product only adds to a value that the loop carries, there are two of these slots: the
      threads write one while the products of the previous iteration read the other. In other loops,
      `eft-stage-factors` makes the slot.
    - Copies of a few bytes each bring the factor directly in the order that products read. This needs fewer
      slots.

    The pass takes the second way if these copies need not be shorter than those of the first way, if the
    loop can be pipelined only in this way, or if only then the second product of a loop like that of
    attention can overlap the next iteration.

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
    For a GPU, after `eft-pipeline-copies`. The attribute `eft.flatten` of a loop is a promise of the
    program: no iteration reads memory that an earlier iteration has written. The pass does not check it. If
    an iteration consists of the first copies of a pipelined loop, the pipelined loop, and stores, the pass
    begins the copies of the next iteration before the stores of the current iteration. So memory and tensor
    cores are less often idle. The slots are allocated once, before the loop with the attribute. If bounds of
    the pipelined loop are loaded, the loop with the attribute carries them from the copies to that loop.

    The loop with the attribute is not changed in any of these cases:

    - The code before the pipelined loop has effects other than loads and asynchronous copies, or has a
      `volatile` load.
    - The addresses from which the next iteration copies depend on the pipelined loop's result, or on loads
      after the pipelined loop.
    - There are several pipelined loops.
    - The elements of a block change threads before the block is stored, and shared memory has no room for
      this staging beside the slots. Staging moves a block in rounds of at most 32 KiB. A round must fit into
      `max-bytes` together with the slots.
    - The block to be staged has more than 64 KiB, so that it would take more than two rounds.

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

def PrefetchLoads : Pass<"eft-prefetch-loads", "::mlir::func::FuncOp"> {
  let summary = "Loads the blocks of a loop without products one iteration ahead of their use";
  let description = [{
    For a GPU. In an `scf.for` whose attribute `eft.num_stages` is above 1, and which has no products, loads
    run one iteration ahead. The program waits for the memory of the next iteration only after it has
    computed this one. The loaded blocks wait in registers, so the number of stages does not matter.

    A load stays in its iteration in each of these cases:

    - It is in a conditional or an inner loop of the loop, or its elements have 8 bits.
    - Its address, its mask or its value for masked elements depends on a loaded value, on what the loop
      carries, or on the result of an operation that takes long or has regions or side effects.
    - The loop yields its result.
    - With its result, a thread would keep more than `max-registers` loaded elements from one iteration to
      the next. More registers leave room for fewer programs, which costs more than the wait.

    A loop that stores is changed only if it has the attribute `eft.stores_apart`, which
    `eft-version-stores` sets. A loop is not changed if it writes memory in another way, or if it has a
    barrier or a volatile load. If its bounds depend on loaded values or on inline assembly, all
    threads get the bounds of the first thread, by `eft.of_first_thread`. They keep their own bounds if each
    thread computes its elements of the loop's blocks alone.

    ```mlir
    scf.for %i = %c0 to %n step %c1 : i32 {
      %p = ... // from %i
      %v = eft.load %p
      ... // %v
    } {eft.num_stages = 2 : i32}
    ```
    becomes
    ```mlir
    %first = eft.load ... // if 0 < %n
    scf.for %i = %c0 to %n step %c1 iter_args(%v = %first) : i32 {
      %p = ... // from %i + 1
      %next = eft.load %p, mask %m // %m is true if %i + 1 < %n
      ... // %v
      scf.yield %next
    }
    ```
  }];
  let options = [
    Option<"maxRegisters", "max-registers", "int64_t", /*default=*/"::eft::maxRegistersAhead",
           "the most registers of a thread for blocks that are loaded ahead">
  ];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect"];
}

def StageFactors : Pass<"eft-stage-factors", "::mlir::func::FuncOp"> {
  let summary = "Writes factors of warpgroups' products to shared memory if no copies bring them there";
  let description = [{
    For a GPU. A product to which placing has given the note `warpgroups` reads its second factor from
    shared memory. It reads its first factor from registers or from shared memory. If no copies bring a
    factor in the order that the product reads, the factor is written to a slot of its own. A first factor
    that is already in the right registers mostly stays there. (Exception: the factor is computed before a
    loop that contains an operation which ptxas may compile as a call, such as a division.) The program
    waits for the product directly after it has begun the product. If `max-bytes` has no room for the slots
    beside those that are in use around the product, warps compute the product without warpgroups.

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

def OverlapProducts : Pass<"eft-overlap-products", "::mlir::func::FuncOp"> {
  let summary = "Computes other things while warpgroups compute a product";
  let description = [{
    For a GPU of compute capability 9.0. If a program waits for a product directly after it has begun the
    product, it is idle while warpgroups compute the product. This pass moves operations in the same block
    between the two: from before the product, operations that the product does not need; from after the
    wait, operations that do not need its result. Loads before the product stay there, because they are
    under way during the product anyway. Copies that begin before the product are under way as well, but it
    takes many instructions to begin them, so they move behind it. They do not move across a barrier or a
    wait for copies. Loads after the wait move, except volatile ones.

    These operations are not moved: those with regions, those that write memory (except copies before the
    product), those that ptxas may compile as a call, and from before the product those that use its
    accumulator. Nor are those that may branch: operations that exchange elements between threads, loads
    that are masked or headless, and copies of elements that several threads hold or that may pass through
    registers. If there is a branch while a product is under way, ptxas may generate wrong code. No
    operation is moved across another product or across an operation with regions before the product, nor
    across a write of memory after the wait.

    ```mlir
    %r = arith.mulf %scale, %scale ...
    %e = eft.dot_async %s[%i], %t[%i], %zero
    %d = eft.wait_dots %e pending 0
    %p = arith.mulf %d, %r
    ```
    becomes
    ```mlir
    %e = eft.dot_async %s[%i], %t[%i], %zero
    %r = arith.mulf %scale, %scale ...
    %d = eft.wait_dots %e pending 0
    %p = arith.mulf %d, %r
    ```
  }];
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
    `eft.reduce`). A tiled loop combines the parts. With `split-prefix`, if there are at most two parts, and
    they are only loaded and combined, they follow each other without a loop at the positions at which all of
    them are inside the mask. If a tile has a whole part, the loop also folds the
    tree. Otherwise code after the loop folds the tree, in one of these ways:

    - At most 16 fragments are folded without a loop.
    - More fragments are folded in loops. An iteration folds up to eight fragments into one if the combiner
      is one operation, and up to four if the combiner is longer.
    - If the layout does not allow these loops, up to 256 fragments are folded without a loop. With more
      fragments, the group is not tiled.

    With `use-buffers`, groups also pass values to each other in buffers. A group reads a value of another
    group from a buffer in two cases: it can't load the value again, or to compute the value again would
    take more than `cheap-operations` operations. (In the second case, values of more than 256 KiB are
    computed again.)

    With `alternate`, loops over blocks of one layout run in turns forwards and backwards, so that a loop
    begins with the tiles that the loop before it has loaded last, which caches still hold. A loop in which a
    reduction that is not `order_free` combines parts always runs forwards. With `split-prefix`, each of the
    two loops of a group has the direction by itself.

    Even without the option, a function is tiled as with `use-buffers` if it has buffers already, or if it
    has a block of numbers of which one thread of a GPU (on a CPU, one lane) holds more than `max-bits`
    bits. Elements of more than 32 bits count as 32 bits here. A block that is reduced counts as too large if
    it has more than `max-reduced-bits` bits: all of it must be held until the reduction is done. This does
    not apply to functions with matrix products, whose blocks stay in the registers in which tensor cores
    leave them.

    `elements` is the number of elements of a tile that one thread of a GPU holds in registers. On a CPU, it
    is the number of all elements of a tile. A tile is larger if it would otherwise have fewer than
    `vectors` runs of neighbours in memory.

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
    Option<"cheapOperations", "cheap-operations", "unsigned", /*default=*/"8",
           "the most operations of a value that later loops compute again instead of reading a buffer">,
    Option<"alternate", "alternate", "bool", /*default=*/"false",
           "let loops over blocks of one layout run in turns forwards and backwards">,
    Option<"maxBits", "max-bits", "unsigned", /*default=*/"0",
           "the most bits of a block that a thread can hold without buffers; 0: no bound">,
    Option<"maxReducedBits", "max-reduced-bits", "unsigned", /*default=*/"0",
           "the same for a block that is reduced, in a function without matrix products">
  ];
  let dependentDialects = ["::eft::EftDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def TileScans : Pass<"eft-tile-scans", "::mlir::func::FuncOp"> {
  let summary = "Scans and sorts large blocks one tile at a time";
  let description = [{
    For a GPU. The code of a scan or a sort in registers grows with the number of elements of a thread. So
    large blocks go into buffers, and loops work on tiles of them. This is done for two kinds of operations:

    - scans of which a thread holds more than `max-fragments` elements, where an element of 64 bits counts
      as two,
    - every sort that `eft-expand-sort` has left.

    Scans and sorts have one level for each bit of the index along the axis (see `eft.scan`). A tile holds
    neighbours along the axis. A scan or sort of the tile does the lower levels, which stay inside the tile.
    At the higher levels, a sort compares and exchanges whole tiles. A scan visits the tiles in order. For
    each higher level, it carries the last elements of a sequence of tiles that are already scanned. The
    sequence has 1 tile at the lowest of the higher levels, 2 tiles at the next level, then 4, and so on. The
    order of combining is that of `eft.scan`.

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
    thread that are neighbours in memory move by one access of up to 128 bits.

    Before an access under a mask, a thread tests whether the mask is true for all its elements. If so, it
    accesses the elements without further tests. Otherwise it accesses each element under its own condition.
    So a mask costs much time only in threads that have elements for which it is false. Masks with these
    notes are treated in another way:

    - `prefix`: the thread tests only the mask of its last element.
    - `uniformRuns`: the mask, which is the same for all elements of an access, is the access's predicate.
    - `cutsAll`: the mask of a run's last element is the predicate of the run's access. If the mask ends
      inside a run of the thread, the thread accesses its elements once more, each under its own condition.

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

    If several threads hold an element, only one of them stores it. This is so for elements of which the
    layout has copies in several lanes or warps, and for scalars. If the kernel also loads, a barrier
    precedes such a store, and another follows it. Then, in all threads, every load before the store reads
    the old elements, and every load after the store reads the new ones.

    An atomic operation on such an element is also done by one thread only. Barriers order the loads of the
    other threads as for a store, and the other threads get the result through shared memory.

    Each thread computes conditions and the bounds of loops for itself. If they come from memory, threads
    may have loaded different values. If the branch or loop contains convergent operations (barriers,
    shuffles), all threads must take the same way. So they first vote on the condition. A loop's bounds are
    those of the first thread.

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
    For a GPU, after `eft-lower-to-gpu`. The pass looks at the code between two operations at which threads
    wait for each other. If this code has at least two loads or eight selections under one mask, the pass
    makes two versions of the part from the first to the last access or selection under the mask. Most
    threads run the first version: those in which the mask is true for all elements. It has no branches on
    the mask. The other threads run the second version, in which each element has its own condition. Two
    loads and a store become:

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

    A kernel may handle its block in parts: it loads and stores under one mask, then under the next. One
    branch serves all of these masks if three conditions hold: the masks are `slt` comparisons with the same
    bound, the code has no loop, and no mask has enough accesses for a branch of its own. The first version
    is then for threads in which all masks are true for all elements. In this version, a thread does its
    loads first, up to 128 bytes of them, even before stores that preceded the loads. This is correct only
    if no load reads what such a store writes. So the condition of the branch also compares the distances
    between the addresses of the loads and the stores. It compares at most four distances; a load that would
    need another one stays where it is. Computations before the branch whose results only these accesses use
    move into the branch, so that they can follow the loads. Computations of addresses stay before the branch.

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
    For a GPU, after `eft-specialize-masked`. A row may be shorter than its block. The mask of an element
    then compares the element's index, which depends on the thread alone, with the length of the row. Such a
    mask is the predicate of loads, without a branch. So without this pass, a thread would compute masked
    elements like all others.

    The pass divides a thread's elements into parts. Part i has the elements whose index is larger by 128·i
    to 128·i + 127 than the thread's first index. A chain of operations on elements of one part gets a
    branch if it takes at least 32 instructions. The condition of the branch is the mask of the part's first
    element. If this mask is false, all masks of the part are false, and the loads return their values for
    masked elements. So the results of the chain are known before the branch: the same operations on these
    values compute them, once for all elements with the same operations. If this takes more than half as
    many operations as the chain has, the chain gets no branch.

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
    For a GPU, after `eft-skip-masked`. The index of an element is often base + k, where k is a constant and
    base depends on the thread alone. The mask base + k < n is then equal to n − base > k. In this form, all
    masks of a thread's elements share the distance n − base, and compare it with constants. The pass
    rewrites 4 to 1024 masks with the same base and n in this way, unless n is computed in a loop. Each mask
    is computed where it is used.

    Barriers divide a kernel into phases. The phases use the forms n − base > k and base − n < −k in turn,
    which ptxas does not recognise as equal. If all phases used one form, ptxas would keep every mask in a
    register from the loads to the stores.

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
    there is one. If all lanes load the same element, it is loaded once. Other loads gather, and other
    stores scatter. A load of headless runs tests at run time whether its lanes are neighbours in memory,
    and gathers only if they are not.

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

    With `stoppable`, the runtime can end a launch early. The code loads the word `eft$attention` before each
    program, and in each iteration of loops that may have more than 256 iterations. It does not do so in
    tiled loops. If the word is not 0, the code calls the runtime's function `eft$poll`, and returns if the
    answer is not 0.

    The operands of a matrix product are on the stack: `eft.dot_into` has them in buffers, and `eft.dot`
    copies them there. Loops compute the product. They hold a few rows of the accumulator, two vectors wide,
    in registers.

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
  let summary = "Replaces bf16 by integers, and also f16 if no conversion of f16 is left";
  let description = [{
    For a CPU, after `eft-lower-to-cpu`. By then all arithmetic on bf16 has become arithmetic on other
    types. The remaining operations on bf16 only move bits: loads, stores, constants, selects, and
    values that loops carry. They become operations on integers, so no bf16 reaches LLVM. LLVM's code for
    x86 would split vectors of bf16 into elements. Between basic blocks it would keep a bf16 as an f32, and
    the instruction that converts the f32 back turns denormals into zeros. If no conversion of f16 is left,
    as on a CPU without instructions for these conversions, f16 becomes an integer, too: LLVM would call a
    function for each element.

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

def RangeMinMax : Pass<"eft-range-min-max"> {
  let summary = "Computes minima and maxima by the instruction VRANGE of AVX-512";
  let description = [{
    For CPUs with AVX-512, after `eft-lower-to-cpu`. `eft.min_num` and `eft.max_num` of f32 and f64 become
    VRANGE, which orders -0 and +0 as Eft does, and gives the other operand if one is a quiet NaN. If an
    operand is a signaling NaN, VRANGE gives a quiet NaN. So an operand that may be one, such as a loaded
    number, becomes quiet first, by a VRANGE of the number and itself. Constants, converted integers,
    widened floats, and results of other minima and maxima are known to be quiet, also if they come by way of
    a loop or of an array on the stack. Results of other arithmetic are not: LLVM simplifies `x * -1` to a
    change of the sign. A vector must have one dimension, whose length is a power of two.

    ```mlir
    %m = eft.max_num %loaded, %converted : vector<16xf32>
    ```
    becomes
    ```mlir
    %quiet = llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.512"(%loaded, %loaded, %c4, …) : …
    %m = llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.512"(%quiet, %converted, %c5, …) : …
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
    "::mlir::vector::VectorDialect"];
}

def OutlineParts : Pass<"eft-outline-parts", "::mlir::ModuleOp"> {
  let summary = "Cuts a long kernel into functions that it calls";
  let description = [{
    For a GPU, before `eft-lower-to-llvm`; `eft-lower-to-cpu` does the same for a CPU. Parts of LLVM take
    time that grows faster than the length of a function. So if a basic block has more than `max-operations`
    operations, counting nested ones, the pass cuts it into parts. A part is a sequence of operations, and
    becomes a function. It has more than half of `max-operations` operations, and at most `max-operations`
    unless a single operation contains more. Between these lengths, it ends where the fewest values are
    live, that is, computed before and used after its end.

    Live values go through a record in the kernel's stack frame, which costs a few instructions for each
    value. So a part should have at least `operations-per-value` operations for each value that is live at
    its end. A part with fewer is extended, by at most `max-operations`, to the first place at which it has
    enough. (If there is no such place, it is not extended.) If fewer than half of `max-operations`
    operations would follow an extended part, the block is not cut any further: neither this part nor the
    rest becomes a function.

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

def NarrowBarriers : Pass<"eft-narrow-barriers", "::mlir::ModuleOp"> {
  let summary = "Lets only the warp wait where a program of a GPU has one warp";
  let description = [{
    Runs after `eft-lower-to-llvm`. If the programs of a kernel have one warp, the pass replaces barriers of
    the thread block by barriers of the warp, and votes of the block by votes of the warp. These are
    faster, and several programs may then share a block. A module with several kernels stays as it is.

    ```mlir
    nvvm.barrier0
    ```
    becomes
    ```mlir
    %lanes = llvm.mlir.constant(-1 : i32) : i32
    nvvm.bar.warp.sync %lanes : i32
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

def ShareBlocks : Pass<"eft-share-blocks", "::mlir::ModuleOp"> {
  let summary = "Lets a launch put several small programs of a GPU into one thread block";
  let description = [{
    Runs after `eft-narrow-barriers`. A GPU starts a thread block in a fixed time, however few threads it
    has, so small programs start faster if some of them share a block. This is possible if the programs use
    no shared memory, no barrier of the block and no inline assembly of the kernel's own. Then a program
    depends on its block only through the positions that its threads read. Longer programs run no faster
    in this way, and need a few more instructions to find their position. So a program with loops, or whose
    warps together execute more than `max-operations` operations, keeps a block of its own.

    Each program gets a row of the block's threads, so that a warp still belongs to one program. The
    launch chooses the number of rows, from 1 to the second number of `nvvm.maxntid`, which replaces
    `nvvm.reqntid`. Along x, the number of programs must be a multiple of the number of rows.

    ```mlir
    llvm.func @kernel() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
      %x = nvvm.read.ptx.sreg.ctaid.x : i32
    ```
    becomes
    ```mlir
    llvm.func @kernel() attributes {nvvm.kernel, nvvm.maxntid = array<i32: 32, 7, 1>} {
      %block = nvvm.read.ptx.sreg.ctaid.x : i32
      %rows = nvvm.read.ptx.sreg.ntid.y : i32
      %first = llvm.mul %block, %rows overflow<nsw, nuw> : i32
      %row = nvvm.read.ptx.sreg.tid.y : i32
      %x = llvm.add %first, %row overflow<nsw, nuw> : i32
    ```

    Kernels that read neither their position nor their number along x stay as they are, and so do modules
    with several kernels.
  }];
  let options = [
    Option<"maxPrograms", "max-programs", "unsigned", /*default=*/"7",
           "the most programs of a block">,
    Option<"maxOperations", "max-operations", "unsigned", /*default=*/"800",
           "the most operations of all warps of a program">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif
