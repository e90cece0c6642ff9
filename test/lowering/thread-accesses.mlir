// Accesses of a thread become PTX with the rest of the LLVM dialect.
// RUN: eft-opt %s --eft-lower-to-llvm | FileCheck %s

// CHECK-LABEL: @load_with_hints
func.func @load_with_hints(%p: !llvm.ptr<1>) -> vector<2xi64> {
  // CHECK: llvm.inline_asm has_side_effects "ld.global.L1::evict_last.v2.b64 {$0, $1}, [$2];", "=l,=l,l,~{memory}" %arg0
  %0 = eft.thread_load %p evict evict_last : !llvm.ptr<1> -> vector<2xi64>
  return %0 : vector<2xi64>
}

// CHECK-LABEL: @load_under_a_condition
func.func @load_under_a_condition(%p: !llvm.ptr<1>, %c: i1) -> i8 {
  // CHECK: %[[WIDE:.*]] = llvm.inline_asm has_side_effects "mov.b16 $0, 0; @$2 ld.global.b8 $0, [$1];", "=&h,l,b,~{memory}" %arg0, %arg1 : (!llvm.ptr<1>, i1) -> i16
  // CHECK: llvm.trunc %[[WIDE]] : i16 to i8
  %0 = eft.thread_load %p if %c : !llvm.ptr<1> -> i8
  return %0 : i8
}

// CHECK-LABEL: @other_words
func.func @other_words(%p: !llvm.ptr<1>, %c: i1, %w: vector<2xi32>) -> vector<2xi32> {
  // CHECK: llvm.inline_asm has_side_effects "mov.b32 $1, $5; mov.b32 $0, $4; @$3 ld.global.v2.b32 {$0, $1}, [$2];", "=&r,=&r,l,b,r,r,~{memory}" %arg0, %arg1, %{{.*}}, %{{.*}} :
  %0 = eft.thread_load %p if %c else %w : !llvm.ptr<1> -> vector<2xi32>
  return %0 : vector<2xi32>
}

// CHECK-LABEL: @store_under_a_condition
func.func @store_under_a_condition(%p: !llvm.ptr<1>, %c: i1, %w: vector<2xi32>) {
  // CHECK: llvm.inline_asm has_side_effects "@$0 st.global.cs.v2.b32 [$1], {$2, $3};", "b,l,r,r,~{memory}" %arg1, %arg0, %{{.*}}, %{{.*}} :
  eft.thread_store %p, %w if %c cache cs : !llvm.ptr<1>, vector<2xi32>
  return
}

// CHECK-LABEL: @store_without_a_condition
func.func @store_without_a_condition(%p: !llvm.ptr<1>, %w: i8) {
  // CHECK: %[[WIDE:.*]] = llvm.zext %arg1 : i8 to i16
  // CHECK: llvm.inline_asm has_side_effects "st.global.wb.b8 [$0], $1;", "l,h,~{memory}" %arg0, %[[WIDE]]
  eft.thread_store %p, %w cache wb : !llvm.ptr<1>, i8
  return
}
