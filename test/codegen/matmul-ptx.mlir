// A matrix product in the form of Triton's tutorial: programs are ordered in groups, rows and
// columns wrap around, the loop carries blocks of pointers, and there is a mask along k. A launch
// specialises on the strides: one stride of each matrix is 1, the others are multiples of 16.

// Both factors lie by rows.
// RUN: sed -e 's/A_ROW/%%a/; s/A_COLUMN/%%one/; s/B_ROW/%%b/; s/B_COLUMN/%%one/' %s > %t.mlir
// RUN: eft-compile %t.mlir --target=sm_80 --num-stages=1 --emit=ptx --lines=false | FileCheck %s --check-prefixes=ALL,ROWS
// RUN: eft-compile %t.mlir --target=compute_90 --num-stages=1 --emit=ptx --lines=false -o %t.ptx
// RUN: FileCheck %s --check-prefixes=ALL,ROWS < %t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_90 %t.ptx -o %t.cubin %}

// The first factor lies by columns.
// RUN: sed -e 's/A_ROW/%%one/; s/A_COLUMN/%%a/; s/B_ROW/%%b/; s/B_COLUMN/%%one/' %s > %t.mlir
// RUN: eft-compile %t.mlir --target=sm_80 --num-stages=1 --emit=ptx --lines=false | FileCheck %s --check-prefixes=ALL,FIRST
// RUN: eft-compile %t.mlir --target=compute_90 --num-stages=1 --emit=ptx --lines=false | FileCheck %s --check-prefixes=ALL,FIRST

// The second factor lies by columns.
// RUN: sed -e 's/A_ROW/%%a/; s/A_COLUMN/%%one/; s/B_ROW/%%one/; s/B_COLUMN/%%b/' %s > %t.mlir
// RUN: eft-compile %t.mlir --target=sm_80 --num-stages=1 --emit=ptx --lines=false | FileCheck %s --check-prefixes=ALL,SECOND
// RUN: eft-compile %t.mlir --target=compute_90 --num-stages=1 --emit=ptx --lines=false | FileCheck %s --check-prefixes=ALL,SECOND

// With asynchronous copies that begin two iterations ahead, no value passes through a register on
// its way to shared memory.
// RUN: sed -e 's/A_ROW/%%a/; s/A_COLUMN/%%one/; s/B_ROW/%%b/; s/B_COLUMN/%%one/' %s > %t.mlir
// RUN: eft-compile %t.mlir --target=compute_90 --emit=ptx --lines=false -o %t.ptx
// RUN: FileCheck %s --check-prefix=COPIES < %t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_90 %t.ptx -o %t.cubin %}
// COPIES-NOT: {{ld.global.v|st.shared.v}}
// COPIES-COUNT-3: cp.async.commit_group
// COPIES-NOT: {{ld.global|st.shared|rem|bar.sync}}
// COPIES: ldmatrix.sync.aligned.m8n8.x4
// COPIES-NOT: {{ld.global|st.shared|rem|bar.sync}}
// COPIES: mma.sync
// COPIES: cp.async.wait_group 1
// COPIES-NEXT: bar.sync

// Warpgroups read both factors from shared memory, and only the sums lie in registers. Each
// iteration begins its product before it waits for the product of the iteration before. When that
// one is done, the iteration begins its copies. The PTX is for one generation of GPUs (sm_90a).
// If a run of rows wraps around, threads write its elements to the slot, and a fence follows.
// After copies there is no fence.
// RUN: eft-compile %t.mlir --target=sm_90 --emit=ptx --lines=false -o %t.ptx
// RUN: FileCheck %s --check-prefix=GROUPS < %t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_90a %t.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty %}
// GROUPS: .target sm_90a
// GROUPS-NOT: ldmatrix
// GROUPS: st.shared.v4.b32
// GROUPS: fence.proxy.async.shared::cta;
// GROUPS: cp.async.wait_group 1
// GROUPS-NOT: fence.proxy
// GROUPS: bar.sync
// GROUPS: wgmma.fence.sync.aligned
// GROUPS-COUNT-4: wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16
// GROUPS: wgmma.commit_group.sync.aligned
// GROUPS: wgmma.wait_group.sync.aligned 1
// GROUPS-NOT: bar.sync
// GROUPS: cp.async.cg.shared.global
// GROUPS: wgmma.wait_group.sync.aligned 0
// QUIET-NOT: {{serialized|warning|error}}

// With an eighth slot, only one program instead of two would fit on a multiprocessor. So there are
// seven, and the copies go to the slot that the iteration before has read, after a barrier.
// RUN: eft-compile %t.mlir --target=sm_90 --num-stages=7 --emit=ptx --lines=false -o %t.ptx
// RUN: FileCheck %s --check-prefix=SHARED < %t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_90a %t.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty %}
// SHARED: cp.async.wait_group 5
// SHARED-NEXT: bar.sync
// SHARED: wgmma.commit_group.sync.aligned
// SHARED: wgmma.wait_group.sync.aligned 1
// SHARED-NOT: cp.async
// SHARED: bar.sync
// SHARED: cp.async.cg.shared.global

// The loop reads memory by 8 accesses of 16 bytes. If a factor's mask lies along the contiguous
// dimension, k, an access may cross the end of K, whose divisibility is unknown: one comparison
// finds that the whole thread is inside. If the mask lies along the other dimension, it becomes a
// predicate. Remainders, products, and the test for negative remainders are computed before the
// loop.
// ALL: rem.s32
// ROWS: {{^}}[[LOOP:.L__BB0_[0-9]+]]:{{[[:space:]]+}}setp.ge.s32
// ROWS-NEXT: bra
// ROWS-COUNT-4: {{^[[:space:]]}}ld.global.v4.b32
// ROWS-NOT: {{ld.global|rem|mul|setp.eq}}
// ROWS-COUNT-4: 0; @%p{{[0-9]+}} ld.global.v4.b32
// ROWS-NOT: {{ld.global|rem|mul|setp.eq}}
// ROWS: st.shared.v4
// ROWS: mma.sync
// ROWS: bra [[LOOP]];

// FIRST: {{^}}[[LOOP:.L__BB0_[0-9]+]]:{{[[:space:]]+}}add.s64
// FIRST-NOT: {{ld.global.b16|rem|mul|setp.eq}}
// FIRST-COUNT-4: 0; @%p{{[0-9]+}} ld.global.v4.b32
// FIRST-NOT: {{ld.global.b16|rem|mul|setp.eq}}
// FIRST-COUNT-4: 0; @%p{{[0-9]+}} ld.global.v4.b32
// FIRST-NOT: {{ld.global|rem|mul|setp.eq}}
// FIRST: st.shared.v4
// FIRST: mma.sync
// FIRST: bra [[LOOP]];

// SECOND: {{^}}[[LOOP:.L__BB0_[0-9]+]]:{{[[:space:]]+}}add.s64
// SECOND: setp.ge.s32
// SECOND-NEXT: bra
// SECOND-COUNT-4: {{^[[:space:]]}}ld.global.v4.b32
// SECOND-NOT: {{ld.global|rem|mul}}
// SECOND-COUNT-4: {{^[[:space:]]}}ld.global.v4.b32
// SECOND-NOT: {{ld.global|rem|mul}}
// SECOND: st.shared.v4
// SECOND: mma.sync
// SECOND: bra [[LOOP]];

// The result is stored only by accesses of 16 bytes. The divisibility of N is known, because N
// reaches an address and a launch specialises on it.
// ALL: st.global.v4.b32
// ALL-NOT: st.global.b16

func.func @matmul(%a_ptr: !eft.ptr<f16> {eft.divisibility = 16 : i32},
                  %b_ptr: !eft.ptr<f16> {eft.divisibility = 16 : i32},
                  %c_ptr: !eft.ptr<f16> {eft.divisibility = 16 : i32},
                  %m: i32 {eft.divisibility = 16 : i32}, %n: i32 {eft.divisibility = 16 : i32}, %k: i32,
                  %a: i32 {eft.divisibility = 16 : i32}, %b: i32 {eft.divisibility = 16 : i32},
                  %c: i32 {eft.divisibility = 16 : i32}) {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %c32 = arith.constant 32 : i32
  %c31 = arith.constant 31 : i32
  %c127 = arith.constant 127 : i32
  %c128 = arith.constant 128 : i32
  %pid = eft.program_id x
  %m_up = arith.addi %m, %c127 : i32
  %down = arith.divsi %m_up, %c128 : i32
  %n_up = arith.addi %n, %c127 : i32
  %across = arith.divsi %n_up, %c128 : i32
  %in_group = arith.muli %across, %c8 : i32
  %group = arith.divsi %pid, %in_group : i32
  %first = arith.muli %group, %c8 : i32
  %left_rows = arith.subi %down, %first : i32
  %rows = arith.minsi %left_rows, %c8 : i32
  %within = arith.remsi %pid, %in_group : i32
  %row = arith.remsi %within, %rows : i32
  %pid_m = arith.addi %first, %row : i32
  %pid_n = arith.divsi %within, %rows : i32
  %range = eft.arange 0 to 128 : tensor<128xi32>
  %ks = eft.arange 0 to 32 : tensor<32xi32>
  // The row and column numbers of the program's block, which wrap around at the matrix's end.
  %begin_m = arith.muli %pid_m, %c128 : i32
  %begins_m = eft.splat %begin_m : i32 -> tensor<128xi32>
  %offs_m = arith.addi %begins_m, %range : tensor<128xi32>
  %m_splat = eft.splat %m : i32 -> tensor<128xi32>
  %wrapped_m = arith.remsi %offs_m, %m_splat : tensor<128xi32>
  %begin_n = arith.muli %pid_n, %c128 : i32
  %begins_n = eft.splat %begin_n : i32 -> tensor<128xi32>
  %offs_n = arith.addi %begins_n, %range : tensor<128xi32>
  %n_splat = eft.splat %n : i32 -> tensor<128xi32>
  %wrapped_n = arith.remsi %offs_n, %n_splat : tensor<128xi32>
  // a_ptrs
  %am = eft.expand_dims %wrapped_m axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %a_row = eft.splat A_ROW : i32 -> tensor<128x1xi32>
  %am_times = arith.muli %am, %a_row : tensor<128x1xi32>
  %ak = eft.expand_dims %ks axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %a_column = eft.splat A_COLUMN : i32 -> tensor<1x32xi32>
  %ak_times = arith.muli %ak, %a_column : tensor<1x32xi32>
  %am_all = eft.broadcast %am_times : tensor<128x1xi32> -> tensor<128x32xi32>
  %ak_all = eft.broadcast %ak_times : tensor<1x32xi32> -> tensor<128x32xi32>
  %a_offsets = arith.addi %am_all, %ak_all : tensor<128x32xi32>
  %a_splat = eft.splat %a_ptr : !eft.ptr<f16> -> tensor<128x32x!eft.ptr<f16>>
  %a_ptrs = eft.addptr %a_splat, %a_offsets : tensor<128x32x!eft.ptr<f16>>, tensor<128x32xi32>
  // b_ptrs
  %bk = eft.expand_dims %ks axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %b_row = eft.splat B_ROW : i32 -> tensor<32x1xi32>
  %bk_times = arith.muli %bk, %b_row : tensor<32x1xi32>
  %bn = eft.expand_dims %wrapped_n axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %b_column = eft.splat B_COLUMN : i32 -> tensor<1x128xi32>
  %bn_times = arith.muli %bn, %b_column : tensor<1x128xi32>
  %bk_all = eft.broadcast %bk_times : tensor<32x1xi32> -> tensor<32x128xi32>
  %bn_all = eft.broadcast %bn_times : tensor<1x128xi32> -> tensor<32x128xi32>
  %b_offsets = arith.addi %bk_all, %bn_all : tensor<32x128xi32>
  %b_splat = eft.splat %b_ptr : !eft.ptr<f16> -> tensor<32x128x!eft.ptr<f16>>
  %b_ptrs = eft.addptr %b_splat, %b_offsets : tensor<32x128x!eft.ptr<f16>>, tensor<32x128xi32>
  // The loop.
  %none_a = arith.constant dense<0.0> : tensor<128x32xf16>
  %none_b = arith.constant dense<0.0> : tensor<32x128xf16>
  %start = arith.constant dense<0.0> : tensor<128x128xf32>
  %k_up = arith.addi %k, %c31 : i32
  %count = arith.divsi %k_up, %c32 : i32
  %sum, %a_end, %b_end = scf.for %i = %zero to %count step %one
      iter_args(%acc = %start, %as = %a_ptrs, %bs = %b_ptrs)
      -> (tensor<128x128xf32>, tensor<128x32x!eft.ptr<f16>>, tensor<32x128x!eft.ptr<f16>>) : i32 {
    %done = arith.muli %i, %c32 : i32
    %left = arith.subi %k, %done : i32
    %left_a = eft.splat %left : i32 -> tensor<1x32xi32>
    %inside_a = arith.cmpi slt, %ak, %left_a : tensor<1x32xi32>
    %mask_a = eft.broadcast %inside_a : tensor<1x32xi1> -> tensor<128x32xi1>
    %a_block = eft.load %as, mask %mask_a other %none_a : tensor<128x32x!eft.ptr<f16>>
    %left_b = eft.splat %left : i32 -> tensor<32x1xi32>
    %inside_b = arith.cmpi slt, %bk, %left_b : tensor<32x1xi32>
    %mask_b = eft.broadcast %inside_b : tensor<32x1xi1> -> tensor<32x128xi1>
    %b_block = eft.load %bs, mask %mask_b other %none_b : tensor<32x128x!eft.ptr<f16>>
    %next = eft.dot %a_block, %b_block, %acc precision ieee
        : tensor<128x32xf16>, tensor<32x128xf16> -> tensor<128x128xf32>
    %a_step = arith.muli A_COLUMN, %c32 : i32
    %a_steps = eft.splat %a_step : i32 -> tensor<128x32xi32>
    %a_next = eft.addptr %as, %a_steps : tensor<128x32x!eft.ptr<f16>>, tensor<128x32xi32>
    %b_step = arith.muli B_ROW, %c32 : i32
    %b_steps = eft.splat %b_step : i32 -> tensor<32x128xi32>
    %b_next = eft.addptr %bs, %b_steps : tensor<32x128x!eft.ptr<f16>>, tensor<32x128xi32>
    scf.yield %next, %a_next, %b_next
        : tensor<128x128xf32>, tensor<128x32x!eft.ptr<f16>>, tensor<32x128x!eft.ptr<f16>>
  }
  // The result.
  %product = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xf16>
  %cm = eft.expand_dims %offs_m axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %c_row = eft.splat %c : i32 -> tensor<128x1xi32>
  %cm_times = arith.muli %cm, %c_row : tensor<128x1xi32>
  %cn = eft.expand_dims %offs_n axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %cm_all = eft.broadcast %cm_times : tensor<128x1xi32> -> tensor<128x128xi32>
  %cn_all = eft.broadcast %cn : tensor<1x128xi32> -> tensor<128x128xi32>
  %c_offsets = arith.addi %cm_all, %cn_all : tensor<128x128xi32>
  %c_splat = eft.splat %c_ptr : !eft.ptr<f16> -> tensor<128x128x!eft.ptr<f16>>
  %c_ptrs = eft.addptr %c_splat, %c_offsets : tensor<128x128x!eft.ptr<f16>>, tensor<128x128xi32>
  %ms = eft.splat %m : i32 -> tensor<128x1xi32>
  %inside_m = arith.cmpi slt, %cm, %ms : tensor<128x1xi32>
  %ns = eft.splat %n : i32 -> tensor<1x128xi32>
  %inside_n = arith.cmpi slt, %cn, %ns : tensor<1x128xi32>
  %mask_m = eft.broadcast %inside_m : tensor<128x1xi1> -> tensor<128x128xi1>
  %mask_n = eft.broadcast %inside_n : tensor<1x128xi1> -> tensor<128x128xi1>
  %mask_c = arith.andi %mask_m, %mask_n : tensor<128x128xi1>
  eft.store %c_ptrs, %product, mask %mask_c : tensor<128x128x!eft.ptr<f16>>
  return
}
