// The forward pass of attention in the form of Triton's tutorial. From the first product to the
// second, the scores stay in the registers in which the tensor cores leave them.

// RUN: eft-compile %s --target=sm_90 --emit=placed | FileCheck %s --check-prefix=PLACED
// RUN: eft-compile %s --target=sm_80 --emit=placed | FileCheck %s --check-prefix=PLACED
// RUN: eft-compile %s --target=sm_80 --emit=ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_80 %t.ptx -o %t.cubin %}
// RUN: eft-compile %s --target=sm_90 --emit=ptx | FileCheck %s --check-prefix=GROUPS

// Four warps share each 64 rows, 16 rows per warp, below each other.
// PLACED-DAG: #[[ACC:.*]] = #eft.layout<register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [64, 0]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [32, 0]]>
// PLACED-DAG: #[[ROW:.*]] = #eft.layout<register = {{\[\[}}0], [8], [0], [0], [0], [64]], lane = {{\[\[}}0], [0], [1], [2], [4]], warp = {{\[\[}}16], [32]]>

// Only the loaded blocks change their layout, and they do so where the products read them from
// shared memory. The exponentials are the first factor of the second product without a conversion.
// PLACED-LABEL: @attention
// PLACED: scf.for {{.*}} -> (tensor<128x64xf32, #[[ACC]]>, tensor<128xf32, #[[ROW]]>, tensor<128xf32, #[[ROW]]>,
// PLACED: %[[K:.*]] = eft.load
// PLACED: eft.convert_layout %[[K]]
// PLACED-NOT: eft.convert_layout
// PLACED: eft.dot {{.*}} -> tensor<128x64xf32, #[[ACC]]>
// PLACED-NOT: eft.convert_layout
// PLACED: eft.reduce %{{.*}} axis 1 order_free steps 1 tree [32, 16, 8, 1, 4, 2] : (tensor<128x64xf32, #[[ACC]]>) -> tensor<128xf32, #[[ROW]]>
// PLACED-NOT: eft.convert_layout
// PLACED: eft.reduce %{{.*}} axis 1 steps 1 tree [32, 16, 8, 1, 4, 2] : (tensor<128x64xf32, #[[ACC]]>) -> tensor<128xf32, #[[ROW]]>
// PLACED-NOT: eft.convert_layout
// PLACED: %[[V:.*]] = eft.load
// PLACED-NEXT: eft.convert_layout %[[V]]
// PLACED-NOT: eft.convert_layout
// PLACED: eft.dot {{.*}} : tensor<128x64xf16, #[[ACC]]>, {{.*}} -> tensor<128x64xf32, #[[ACC]]>
// PLACED-NOT: eft.convert_layout
// PLACED: scf.yield

// An iteration has one barrier, for the copies. A lane holds parts of four rows. For each row it
// exchanges its maximum, and later its sum, with the other lanes of the row in two shuffles.
// PTX: {{^}}[[LOOP:.L__BB0_[0-9]+]]:
// PTX: cp.async.wait_group
// PTX-NEXT: bar.sync
// PTX-NOT: {{st.shared|ld.shared|bar.sync|shfl}}
// PTX-COUNT-64: mma.sync
// PTX-NOT: {{st.shared|ld.shared|bar.sync|mma.sync}}
// PTX-COUNT-16: shfl.sync.bfly
// PTX-NOT: {{st.shared|ld.shared|bar.sync|shfl}}
// PTX-COUNT-64: mma.sync
// PTX-NOT: {{st.shared|ld.shared|bar.sync|shfl|mma.sync}}
// PTX: bra [[LOOP]];

// Warpgroups read the exponentials from registers, too.
// GROUPS: {{^}}[[LOOP:.L__BB0_[0-9]+]]:
// GROUPS: cp.async.wait_group
// GROUPS: bar.sync
// GROUPS-NOT: {{st.shared|ld.shared|ldmatrix|bar.sync|shfl}}
// GROUPS-COUNT-8: wgmma.mma_async
// GROUPS-NOT: {{st.shared|ld.shared|ldmatrix|bar.sync|wgmma.mma_async}}
// GROUPS-COUNT-16: shfl.sync.bfly
// GROUPS-NOT: {{st.shared|ld.shared|ldmatrix|bar.sync|shfl}}
// GROUPS-COUNT-8: wgmma.mma_async
// GROUPS-NOT: {{st.shared|ld.shared|ldmatrix|bar.sync|shfl|wgmma.mma_async}}
// GROUPS: bra [[LOOP]];

func.func @attention(%q: !eft.ptr<f16> {eft.divisibility = 16 : i32},
                     %k: !eft.ptr<f16> {eft.divisibility = 16 : i32},
                     %v: !eft.ptr<f16> {eft.divisibility = 16 : i32},
                     %out: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %scale: f32, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant 128 : i32
  // The addresses at which the blocks of q, of k and of v begin.
  %depth = arith.constant dense<64> : tensor<128x1xi32>
  %depths = arith.constant dense<64> : tensor<64x1xi32>
  %pid = eft.program_id x
  %start = arith.muli %pid, %c128 : i32
  %starts = eft.splat %start : i32 -> tensor<128xi32>
  %to128 = eft.arange 0 to 128 : tensor<128xi32>
  %to64 = eft.arange 0 to 64 : tensor<64xi32>
  %rows = arith.addi %starts, %to128 : tensor<128xi32>
  %row = eft.expand_dims %rows axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %line = arith.muli %row, %depth : tensor<128x1xi32>
  %lines = eft.broadcast %line : tensor<128x1xi32> -> tensor<128x64xi32>
  %d = eft.expand_dims %to64 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %ds = eft.broadcast %d : tensor<1x64xi32> -> tensor<128x64xi32>
  %at = arith.addi %lines, %ds : tensor<128x64xi32>
  %qs = eft.splat %q : !eft.ptr<f16> -> tensor<128x64x!eft.ptr<f16>>
  %q_at = eft.addptr %qs, %at : tensor<128x64x!eft.ptr<f16>>, tensor<128x64xi32>
  %q_block = eft.load %q_at : tensor<128x64x!eft.ptr<f16>>
  %column = eft.expand_dims %to64 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %column_line = arith.muli %column, %depths : tensor<64x1xi32>
  %column_lines = eft.broadcast %column_line : tensor<64x1xi32> -> tensor<64x64xi32>
  %column_ds = eft.broadcast %d : tensor<1x64xi32> -> tensor<64x64xi32>
  %column_at = arith.addi %column_lines, %column_ds : tensor<64x64xi32>
  %ks = eft.splat %k : !eft.ptr<f16> -> tensor<64x64x!eft.ptr<f16>>
  %k_first = eft.addptr %ks, %column_at : tensor<64x64x!eft.ptr<f16>>, tensor<64x64xi32>
  %vs = eft.splat %v : !eft.ptr<f16> -> tensor<64x64x!eft.ptr<f16>>
  %v_first = eft.addptr %vs, %column_at : tensor<64x64x!eft.ptr<f16>>, tensor<64x64xi32>
  %step = arith.constant dense<4096> : tensor<64x64xi32>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %none = arith.constant dense<0xFF800000> : tensor<128xf32>
  %one = arith.constant dense<1.0> : tensor<128xf32>
  %scales = eft.splat %scale : f32 -> tensor<128x64xf32>
  %scales_row = eft.splat %scale : f32 -> tensor<128xf32>
  %acc_end, %l_end, %m_end, %k_end, %v_end = scf.for %i = %c0 to %count step %c1
      iter_args(%acc = %zero, %l = %one, %m = %none, %k_at = %k_first, %v_at = %v_first)
      -> (tensor<128x64xf32>, tensor<128xf32>, tensor<128xf32>,
          tensor<64x64x!eft.ptr<f16>>, tensor<64x64x!eft.ptr<f16>>) : i32 {
    %k_block = eft.load %k_at : tensor<64x64x!eft.ptr<f16>>
    %k_turned = eft.trans %k_block order [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
    %qk = eft.dot %q_block, %k_turned, %zero precision ieee
        : tensor<128x64xf16>, tensor<64x64xf16> -> tensor<128x64xf32>
    %most = eft.reduce %qk axis 1 order_free : (tensor<128x64xf32>) -> tensor<128xf32> {
    ^bb0(%a: f32, %b: f32):
      %max = arith.maxnumf %a, %b : f32
      eft.yield %max : f32
    }
    %most_scaled = arith.mulf %most, %scales_row : tensor<128xf32>
    %m_next = arith.maxnumf %m, %most_scaled : tensor<128xf32>
    %m_row = eft.expand_dims %m_next axis 1 : tensor<128xf32> -> tensor<128x1xf32>
    %m_rows = eft.broadcast %m_row : tensor<128x1xf32> -> tensor<128x64xf32>
    %scaled = arith.mulf %qk, %scales : tensor<128x64xf32>
    %power = arith.subf %scaled, %m_rows : tensor<128x64xf32>
    %p = math.exp2 %power : tensor<128x64xf32>
    %difference = arith.subf %m, %m_next : tensor<128xf32>
    %alpha = math.exp2 %difference : tensor<128xf32>
    %sum = eft.reduce %p axis 1 : (tensor<128x64xf32>) -> tensor<128xf32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      eft.yield %s : f32
    }
    %l_scaled = arith.mulf %l, %alpha : tensor<128xf32>
    %l_next = arith.addf %l_scaled, %sum : tensor<128xf32>
    %alpha_row = eft.expand_dims %alpha axis 1 : tensor<128xf32> -> tensor<128x1xf32>
    %alphas = eft.broadcast %alpha_row : tensor<128x1xf32> -> tensor<128x64xf32>
    %acc_scaled = arith.mulf %acc, %alphas : tensor<128x64xf32>
    %half = arith.truncf %p : tensor<128x64xf32> to tensor<128x64xf16>
    %v_block = eft.load %v_at : tensor<64x64x!eft.ptr<f16>>
    %acc_next = eft.dot %half, %v_block, %acc_scaled precision ieee
        : tensor<128x64xf16>, tensor<64x64xf16> -> tensor<128x64xf32>
    %k_next = eft.addptr %k_at, %step : tensor<64x64x!eft.ptr<f16>>, tensor<64x64xi32>
    %v_next = eft.addptr %v_at, %step : tensor<64x64x!eft.ptr<f16>>, tensor<64x64xi32>
    scf.yield %acc_next, %l_next, %m_next, %k_next, %v_next
        : tensor<128x64xf32>, tensor<128xf32>, tensor<128xf32>,
          tensor<64x64x!eft.ptr<f16>>, tensor<64x64x!eft.ptr<f16>>
  }
  %l_row = eft.expand_dims %l_end axis 1 : tensor<128xf32> -> tensor<128x1xf32>
  %ls = eft.broadcast %l_row : tensor<128x1xf32> -> tensor<128x64xf32>
  %result = arith.divf %acc_end, %ls : tensor<128x64xf32>
  %outs = eft.splat %out : !eft.ptr<f32> -> tensor<128x64x!eft.ptr<f32>>
  %out_at = eft.addptr %outs, %at : tensor<128x64x!eft.ptr<f32>>, tensor<128x64xi32>
  eft.store %out_at, %result : tensor<128x64x!eft.ptr<f32>>
  return
}
