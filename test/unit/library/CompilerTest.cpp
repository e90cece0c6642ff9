// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiling of block IR to code, and the errors for text that is not block IR.
#include "eft/Compiler.h"
#include "Programs.h"
#include "Support.h"

#include <vector>

using namespace eft;

namespace {

const Target host;

TEST(Module, knows_its_kernel) {
  auto module = Module::parse(scaleText);
  ASSERT_OK(module);
  EXPECT_EQ(module->kernelName(), "scale");
  EXPECT_EQ(std::vector(module->parameters().begin(), module->parameters().end()),
            (std::vector<Parameter>{{DataType::F32, true, 16},
                                    {DataType::F32, true, 1},
                                    {DataType::F32, false, 1},
                                    {DataType::I32, false, 1}}));
}

TEST(Module, parameters_of_every_type) {
  auto module = Module::parse("func.func @k(%a: i1, %b: i8, %c: i16, %d: i64, %e: f16, %f: bf16, "
                              "%g: f64, %h: !eft.ptr<i8>, %i: !eft.ptr<bf16>) { return }");
  ASSERT_OK(module);
  std::string names;
  for (const Parameter &parameter : module->parameters())
    names += parameter.name() + " ";
  EXPECT_EQ(names, "i1 i8 i16 i64 fp16 bf16 fp64 *i8 *bf16 ");
}

std::string refusal(std::string_view text) {
  auto module = Module::parse(text);
  if (module.ok())
    return "";
  EXPECT_EQ(module.error().kind, ErrorKind::Compilation);
  return module.error().message;
}

TEST(Module, mistakes_have_their_places) {
  EXPECT_EQ(refusal("func.func @k() {\n  retorn\n}"),
            "kernel.mlir:2:3: error: custom op 'retorn' is unknown (tried 'func.retorn' as well)");
  EXPECT_EQ(
      refusal("func.func @k() {\n  %r = eft.arange 0 to 8 : tensor<16xi32>\n  return\n}"),
      "kernel.mlir:2:8: error: 'eft.arange' op result must be of shape [8], got 'tensor<16xi32>'");
  EXPECT_EQ(refusal("func.func @k(%x: i32 {eft.divisibility = 3 : i32}) { return }"),
            "kernel.mlir:1:1: error: 'eft.divisibility' must be a power of two, got 3 : i32");
  EXPECT_EQ(refusal("func.func @k(%x: i32) {\n  %y = arith.addi %x, %x : i64\n  return\n}"),
            "kernel.mlir:2:19: error: use of value '%x' expects different type than prior uses: "
            "'i64' vs 'i32'\nkernel.mlir:1:14: note: prior use here");
  EXPECT_EQ(Module::parse("}", "graph.eft").error().message.substr(0, 22),
            "graph.eft:1:1: error: ");
}

TEST(Module, places_in_the_text_win_over_its_own) {
  EXPECT_EQ(refusal("func.func @k() {\n"
                    "  %r = eft.arange 0 to 8 : tensor<16xi32> loc(callsite(\"f.py\":7:5 at "
                    "\"g.py\":9:1))\n  return\n}"),
            "f.py:7:5: error: 'eft.arange' op result must be of shape [8], got 'tensor<16xi32>'\n"
            "g.py:9:1: note: called from here");
}

TEST(Module, that_is_not_block_ir_is_refused) {
  EXPECT_EQ(refusal(""), "kernel.mlir:0:0: error: 'builtin.module' op has no public function to "
                         "compile");
  EXPECT_EQ(refusal("func.func @a() { return }\nfunc.func @b() { return }"),
            "kernel.mlir:2:1: error: 'func.func' op is a second public function; a module has one "
            "kernel");
  EXPECT_EQ(refusal("func.func @k(%x: f32) {\n  %y = llvm.fneg %x : f32\n  return\n}"),
            "kernel.mlir:2:8: error: 'llvm.fneg' op is not of block IR, or has no lowering");
  EXPECT_EQ(refusal("func.func @k(%x: tensor<8xf32>) { return }"),
            "kernel.mlir:1:1: error: 'func.func' op must have scalars and pointers as parameters, "
            "got 'tensor<8xf32>' as parameter 0");
}

TEST(Module, values_stand_in_functions) {
  // The parser would take the first %0 for the %0 of the function.
  EXPECT_EQ(refusal("%1 = arith.addi %0, %0 : i32\nfunc.func @k(%x: i32) {\n"
                    "  %0 = arith.addi %x, %x : i32\n  return %1 : i32\n}"),
            "kernel.mlir:1:1: error: a value stands outside of all functions");
  EXPECT_EQ(
      refusal("module {\n  func.func @k(%x: i32) { return }\n  %1 = arith.addi %0, %0 : i32\n}"),
      "kernel.mlir:3:3: error: a value stands outside of all functions");
  EXPECT_EQ(refusal("\"builtin.module\"() ({\n  \"func.func\"() <{function_type = (i32) -> (), "
                    "sym_name = \"k\"}> ({\n  ^bb0(%x: i32):\n    \"func.return\"() : () -> ()\n"
                    "  }) : () -> ()\n}) : () -> () // %"),
            "");
}

TEST(Module, of_no_text_at_all_is_refused) {
  EXPECT_EQ(refusal({}), refusal(""));
  EXPECT_ERROR(compile(std::string_view(), host), ErrorKind::Compilation, refusal(""));
  EXPECT_EQ(Module::parse("}", {}).error().message.substr(0, 13), "-:1:1: error:");
}

TEST(Module, of_a_part_of_a_text_has_no_more_than_that) {
  std::string_view whole = "func.func @k() { return } func.func @l() { return }";
  auto module = Module::parse(whole.substr(0, whole.find(" func.func @l")));
  ASSERT_OK(module);
  EXPECT_EQ(module->kernelName(), "k");
}

TEST(Module, that_was_moved_from_is_an_error) {
  auto module = Module::parse(scaleText);
  Module taken = *std::move(module);
  EXPECT_EQ(module->kernelName(), "");
  EXPECT_TRUE(module->parameters().empty());
  EXPECT_ERROR(compile(*module, host), ErrorKind::InvalidArgument,
               "the module has no content: it was moved from");
  EXPECT_TRUE(compile(taken, host).ok());
}

TEST(Module, text_with_zeros_in_it_is_refused) {
  std::string text = "func.func @k() { return }";
  text.insert(5, 1, '\0');
  EXPECT_NE(refusal(text), "");
}

std::string nested(int depth) {
  std::string text = "func.func @k(%c: i1) {\n";
  for (int i = 0; i < depth; ++i)
    text += "scf.if %c {\n";
  for (int i = 0; i < depth; ++i)
    text += "}\n";
  return text + "return\n}";
}

TEST(Module, brackets_nest_as_deep_as_the_stack_is) {
  EXPECT_TRUE(compile(nested(499), host).ok());
  EXPECT_EQ(refusal(nested(500)), "kernel.mlir:501:11: error: brackets nest deeper than 500");
  EXPECT_EQ(refusal(std::string(100000, '(')),
            "kernel.mlir:1:501: error: brackets nest deeper than 500");
  // Comparison signs and closing brackets without an opening one do not allow deeper nesting.
  EXPECT_EQ(refusal(">= " + std::string(501, '(')),
            "kernel.mlir:1:504: error: brackets nest deeper than 500");
  EXPECT_EQ(refusal(">)" + std::string(501, '(')),
            "kernel.mlir:1:503: error: brackets nest deeper than 500");
}

TEST(Module, what_looks_like_brackets_does_not_nest) {
  std::string text = "func.func private @f(i32) -> i32\nfunc.func @k() {\n";
  for (int i = 0; i < 1200; ++i)
    text += "// ((( < \n";
  text += "return loc(\"" + std::string(2000, '(') + "\\\"(\")\n}\n";
  for (int i = 0; i < 1200; ++i)
    text += "func.func private @f" + std::to_string(i) + "(i32) -> i32\n";
  EXPECT_EQ(refusal(text), "");
}

TEST(Compile, for_every_target) {
  auto module = Module::parse(scaleText);
  auto code = compile(*module, host);
  ASSERT_OK(code);
  EXPECT_EQ(code->name, "scale");
  EXPECT_EQ(code->binary.substr(1, 3), "ELF");
  EXPECT_EQ(code->target.kind, Target::Kind::Host);
  EXPECT_NE(code->target.cpu, ""); // the CPU's name, so that `load` can reject another CPU
  EXPECT_EQ(code->parameters.size(), 4u);
  ASSERT_EQ(code->stages.size(), 4u);
  EXPECT_EQ(code->stages[3].first, "asm");
  auto ptx = compile(*module, *Target::parse("sm_80"), {.numWarps = 8, .keepStages = false});
  ASSERT_OK(ptx);
  EXPECT_NE(ptx->binary.find(".target sm_80"), std::string::npos);
  EXPECT_EQ(ptx->numWarps, 8u);
  EXPECT_TRUE(ptx->stages.empty());
}

TEST(Compile, up_to_a_stage) {
  auto code = compile(scaleText, host, {.last = Stage::Placed});
  ASSERT_OK(code);
  EXPECT_EQ(code->binary, "");
  ASSERT_EQ(code->stages.size(), 2u);
  EXPECT_NE(code->stages[1].second.find("#eft.layout"), std::string::npos);
}

TEST(Compile, mistakes_in_the_options) {
  EXPECT_ERROR(compile(scaleText, host, {.numWarps = 3}), ErrorKind::InvalidArgument,
               "number of warps must be a power of two from 1 to 32, got 3");
  EXPECT_ERROR(compile(scaleText, host, {.maxRegisters = 256}), ErrorKind::InvalidArgument,
               "number of registers must be at most 255, got 256");
  EXPECT_ERROR(compile(scaleText, host, {.last = Stage(99)}), ErrorKind::InvalidArgument,
               "last stage must be 0 (IR) to 4 (Binary), got 99");
  EXPECT_ERROR(compile(scaleText, host, {.last = Stage(-1)}), ErrorKind::InvalidArgument,
               "last stage must be 0 (IR) to 4 (Binary), got -1");
  Target neither;
  neither.kind = Target::Kind(7);
  EXPECT_ERROR(compile(scaleText, neither), ErrorKind::InvalidArgument,
               "kind of the target must be 0 (Cuda) or 1 (Host), got 7");
  auto target = Target::parse("tpu");
  ASSERT_FALSE(target.ok());
  EXPECT_EQ(target.error().kind, ErrorKind::InvalidArgument);
}

TEST(Compile, what_the_target_can_not_do_has_its_place) {
  EXPECT_ERROR(compile(scaleText, *Target::parse("cuda:75")), ErrorKind::Compilation,
               "kernel.mlir:2:1: error: a GPU of compute capability 7.5 is too old: 8.0 is needed");
  std::string text = "func.func @k(%p: !eft.ptr<i32>, %x: i32) {\n"
                     "  %y = arith.ceildivsi %x, %x : i32\n"
                     "  eft.store %p, %y : !eft.ptr<i32>\n  return\n}";
  auto code = compile(text, host);
  ASSERT_FALSE(code.ok());
  EXPECT_EQ(code.error().message.substr(0, 26), "kernel.mlir:2:8: error: fa");
}

TEST(Compile, errors_leave_the_module_usable) {
  auto module = Module::parse(scaleText);
  EXPECT_FALSE(compile(*module, *Target::parse("cuda:75")).ok());
  EXPECT_TRUE(compile(*module, host).ok());
  EXPECT_FALSE(compile("nonsense", host).ok());
  EXPECT_TRUE(compile(*module, *Target::parse("cuda:90")).ok());
}

} // namespace
