// The columns of a factor may wrap around, so separate branches copy it. Some operands are common
// to the copies of several branches. Each branch must find such an operand computed on its own
// path. The elements have one byte, and the narrow copies move four of them.
// RUN: eft-compile %s --target=sm_90 --num-stages=3 --emit=ptx -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_90a %t.ptx -o %t.cubin %}
// CHECK: cp.async.ca.shared.global [{{.*}}], [{{.*}}], 8
// CHECK: cp.async.ca.shared.global [{{.*}}], [{{.*}}], 4

module {
  func.func @matmul(%arg0: !eft.ptr<i8> {eft.divisibility = 16 : i32}, %arg1: !eft.ptr<i8> {eft.divisibility = 16 : i32}, %arg2: !eft.ptr<i32> {eft.divisibility = 16 : i32}, %arg3: i32 {eft.divisibility = 16 : i32}, %arg4: i32 {eft.divisibility = 16 : i32}, %arg5: i32 {eft.divisibility = 16 : i32}, %arg6: i32, %arg7: i32 {eft.divisibility = 16 : i32}, %arg8: i32, %arg9: i32 {eft.divisibility = 16 : i32}) {
    %c1_i32 = arith.constant 1 : i32
    %c1_i32_0 = arith.constant 1 : i32
    %0 = eft.program_id x
    %c64_i32 = arith.constant 64 : i32
    %1 = arith.muli %0, %c64_i32 : i32
    %2 = eft.arange 0 to 64 : tensor<64xi32>
    %3 = eft.splat %1 : i32 -> tensor<64xi32>
    %4 = arith.addi %3, %2 : tensor<64xi32>
    %5 = eft.splat %arg3 : i32 -> tensor<64xi32>
    %6 = arith.remsi %4, %5 : tensor<64xi32>
    %7 = eft.program_id y
    %c16_i32 = arith.constant 16 : i32
    %8 = arith.muli %7, %c16_i32 : i32
    %9 = eft.arange 0 to 16 : tensor<16xi32>
    %10 = eft.splat %8 : i32 -> tensor<16xi32>
    %11 = arith.addi %10, %9 : tensor<16xi32>
    %12 = eft.splat %arg4 : i32 -> tensor<16xi32>
    %13 = arith.remsi %11, %12 : tensor<16xi32>
    %14 = eft.arange 0 to 16 : tensor<16xi32>
    %15 = eft.expand_dims %6 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
    %16 = eft.splat %c1_i32 : i32 -> tensor<64x1xi32>
    %17 = arith.muli %15, %16 : tensor<64x1xi32>
    %18 = eft.splat %arg0 : !eft.ptr<i8> -> tensor<64x1x!eft.ptr<i8>>
    %19 = eft.addptr %18, %17 : tensor<64x1x!eft.ptr<i8>>, tensor<64x1xi32>
    %20 = eft.expand_dims %14 axis 0 : tensor<16xi32> -> tensor<1x16xi32>
    %21 = eft.splat %arg7 : i32 -> tensor<1x16xi32>
    %22 = arith.muli %20, %21 : tensor<1x16xi32>
    %23 = eft.broadcast %19 : tensor<64x1x!eft.ptr<i8>> -> tensor<64x16x!eft.ptr<i8>>
    %24 = eft.broadcast %22 : tensor<1x16xi32> -> tensor<64x16xi32>
    %25 = eft.addptr %23, %24 : tensor<64x16x!eft.ptr<i8>>, tensor<64x16xi32>
    %26 = eft.expand_dims %14 axis 1 : tensor<16xi32> -> tensor<16x1xi32>
    %27 = eft.splat %c1_i32_0 : i32 -> tensor<16x1xi32>
    %28 = arith.muli %26, %27 : tensor<16x1xi32>
    %29 = eft.splat %arg1 : !eft.ptr<i8> -> tensor<16x1x!eft.ptr<i8>>
    %30 = eft.addptr %29, %28 : tensor<16x1x!eft.ptr<i8>>, tensor<16x1xi32>
    %31 = eft.expand_dims %13 axis 0 : tensor<16xi32> -> tensor<1x16xi32>
    %32 = eft.splat %arg9 : i32 -> tensor<1x16xi32>
    %33 = arith.muli %31, %32 : tensor<1x16xi32>
    %34 = eft.broadcast %30 : tensor<16x1x!eft.ptr<i8>> -> tensor<16x16x!eft.ptr<i8>>
    %35 = eft.broadcast %33 : tensor<1x16xi32> -> tensor<16x16xi32>
    %36 = eft.addptr %34, %35 : tensor<16x16x!eft.ptr<i8>>, tensor<16x16xi32>
    %cst = arith.constant dense<0> : tensor<64x16xi32>
    %c16_i32_1 = arith.constant 16 : i32
    %37 = arith.addi %arg5, %c16_i32_1 : i32
    %c1_i32_2 = arith.constant 1 : i32
    %38 = arith.subi %37, %c1_i32_2 : i32
    %c16_i32_3 = arith.constant 16 : i32
    %39 = arith.divsi %38, %c16_i32_3 : i32
    %c0_i32 = arith.constant 0 : i32
    %c1_i32_4 = arith.constant 1 : i32
    %40:3 = scf.for %arg10 = %c0_i32 to %39 step %c1_i32_4 iter_args(%arg11 = %cst, %arg12 = %25, %arg13 = %36) -> (tensor<64x16xi32>, tensor<64x16x!eft.ptr<i8>>, tensor<16x16x!eft.ptr<i8>>)  : i32 {
      %69 = eft.expand_dims %14 axis 0 : tensor<16xi32> -> tensor<1x16xi32>
      %c16_i32_7 = arith.constant 16 : i32
      %70 = arith.muli %arg10, %c16_i32_7 : i32
      %71 = arith.subi %arg5, %70 : i32
      %72 = eft.splat %71 : i32 -> tensor<1x16xi32>
      %73 = arith.cmpi slt, %69, %72 : tensor<1x16xi32>
      %74 = eft.broadcast %73 : tensor<1x16xi1> -> tensor<64x16xi1>
      %c0_i32_8 = arith.constant 0 : i32
      %75 = arith.trunci %c0_i32_8 : i32 to i8
      %76 = eft.splat %75 : i8 -> tensor<64x16xi8>
      %77 = eft.load %arg12, mask %74 other %76 : tensor<64x16x!eft.ptr<i8>>
      %78 = eft.expand_dims %14 axis 1 : tensor<16xi32> -> tensor<16x1xi32>
      %c16_i32_9 = arith.constant 16 : i32
      %79 = arith.muli %arg10, %c16_i32_9 : i32
      %80 = arith.subi %arg5, %79 : i32
      %81 = eft.splat %80 : i32 -> tensor<16x1xi32>
      %82 = arith.cmpi slt, %78, %81 : tensor<16x1xi32>
      %83 = eft.broadcast %82 : tensor<16x1xi1> -> tensor<16x16xi1>
      %c0_i32_10 = arith.constant 0 : i32
      %84 = arith.trunci %c0_i32_10 : i32 to i8
      %85 = eft.splat %84 : i8 -> tensor<16x16xi8>
      %86 = eft.load %arg13, mask %83 other %85 : tensor<16x16x!eft.ptr<i8>>
      %87 = eft.dot %77, %86, %arg11 precision ieee : tensor<64x16xi8>, tensor<16x16xi8> -> tensor<64x16xi32>
      %c16_i32_11 = arith.constant 16 : i32
      %88 = arith.muli %c16_i32_11, %arg7 : i32
      %89 = eft.splat %88 : i32 -> tensor<64x16xi32>
      %90 = eft.addptr %arg12, %89 : tensor<64x16x!eft.ptr<i8>>, tensor<64x16xi32>
      %c16_i32_12 = arith.constant 16 : i32
      %91 = arith.muli %c16_i32_12, %c1_i32_0 : i32
      %92 = eft.splat %91 : i32 -> tensor<16x16xi32>
      %93 = eft.addptr %arg13, %92 : tensor<16x16x!eft.ptr<i8>>, tensor<16x16xi32>
      scf.yield %87, %90, %93 : tensor<64x16xi32>, tensor<64x16x!eft.ptr<i8>>, tensor<16x16x!eft.ptr<i8>>
    }
    %41 = eft.program_id x
    %c64_i32_5 = arith.constant 64 : i32
    %42 = arith.muli %41, %c64_i32_5 : i32
    %43 = eft.arange 0 to 64 : tensor<64xi32>
    %44 = eft.splat %42 : i32 -> tensor<64xi32>
    %45 = arith.addi %44, %43 : tensor<64xi32>
    %46 = eft.program_id y
    %c16_i32_6 = arith.constant 16 : i32
    %47 = arith.muli %46, %c16_i32_6 : i32
    %48 = eft.arange 0 to 16 : tensor<16xi32>
    %49 = eft.splat %47 : i32 -> tensor<16xi32>
    %50 = arith.addi %49, %48 : tensor<16xi32>
    %51 = eft.expand_dims %45 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
    %52 = eft.splat %arg3 : i32 -> tensor<64x1xi32>
    %53 = arith.cmpi slt, %51, %52 : tensor<64x1xi32>
    %54 = eft.expand_dims %50 axis 0 : tensor<16xi32> -> tensor<1x16xi32>
    %55 = eft.splat %arg4 : i32 -> tensor<1x16xi32>
    %56 = arith.cmpi slt, %54, %55 : tensor<1x16xi32>
    %57 = eft.broadcast %53 : tensor<64x1xi1> -> tensor<64x16xi1>
    %58 = eft.broadcast %56 : tensor<1x16xi1> -> tensor<64x16xi1>
    %59 = arith.andi %57, %58 : tensor<64x16xi1>
    %60 = eft.expand_dims %45 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
    %61 = eft.splat %arg4 : i32 -> tensor<64x1xi32>
    %62 = arith.muli %60, %61 : tensor<64x1xi32>
    %63 = eft.splat %arg2 : !eft.ptr<i32> -> tensor<64x1x!eft.ptr<i32>>
    %64 = eft.addptr %63, %62 : tensor<64x1x!eft.ptr<i32>>, tensor<64x1xi32>
    %65 = eft.expand_dims %50 axis 0 : tensor<16xi32> -> tensor<1x16xi32>
    %66 = eft.broadcast %64 : tensor<64x1x!eft.ptr<i32>> -> tensor<64x16x!eft.ptr<i32>>
    %67 = eft.broadcast %65 : tensor<1x16xi32> -> tensor<64x16xi32>
    %68 = eft.addptr %66, %67 : tensor<64x16x!eft.ptr<i32>>, tensor<64x16xi32>
    eft.store %68, %40#0, mask %59 : tensor<64x16x!eft.ptr<i32>>
    return
  }
}
