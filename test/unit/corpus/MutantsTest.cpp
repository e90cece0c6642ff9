// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// IR that verifies must not crash a pass or a compile. EFT_MUTANTS is the number of mutants
// (default 2000), and EFT_MUTANT_SEED their random seed. EFT_MUTANT, the number of a mutant, runs
// only this one.
#include "test/unit/corpus/Inputs.h"
#include "test/unit/corpus/Mutator.h"
#include "test/unit/corpus/Runs.h"
#include "test/unit/corpus/Workers.h"

#include <gtest/gtest.h>

using namespace eft::test;

namespace {

size_t setting(const char *name, size_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

void expectNone(const Report &report) {
  for (const Failure &failure : report.failures)
    ADD_FAILURE() << "mutant " << failure.item << ", of " << failure.name << ", in " << failure.step
                  << ": " << failure.why << "\n"
                  << failure.text;
}

const std::vector<Input> &inputs() {
  static const std::vector<Input> all = readInputs();
  return all;
}

} // namespace

TEST(Mutants, of_the_tests_inputs_end_no_pass) {
  constexpr size_t all = SIZE_MAX;
  const size_t only = setting("EFT_MUTANT", all), seed = setting("EFT_MUTANT_SEED", 1);
  const size_t count = only == all ? setting("EFT_MUTANTS", 2000) : only + 1;
  const std::vector<std::string> &passes = allPasses();
  ASSERT_GT(inputs().size(), 200u);
  Report report = workOn(count, [&](size_t number, Progress &progress) {
    if (only != all && number != only)
      return;
    Mutator mutator(seed * 1'000'003 + number);
    const Input &input = inputs()[mutator.below(inputs().size())];
    progress.setStep("parsing");
    auto show = [&](llvm::StringRef text) { progress.setInput(input.name, text.str()); };
    std::optional<std::string> mutant = mutator.mutate(input, show);
    if (!mutant)
      return;
    progress.count();
    progress.setInput(input.name, *mutant);
    auto run = [&](const std::string &pipeline) {
      progress.setStep(pipeline);
      if (std::string why = runPasses(*mutant, pipeline); !why.empty())
        progress.fail(why);
    };
    // Run the passes of the input's RUN lines, and some random passes.
    for (const std::string &pipeline : input.pipelines)
      run(pipeline);
    for (int i = 0; i < 3; ++i)
      run(passes[mutator.below(passes.size())]);
    static const char *const targets[] = {"host", "host:x86-64", "host:x86-64-v3", "sm_80",
                                          "sm_90"};
    const std::string target = targets[mutator.below(std::size(targets))];
    progress.setStep("a compile for " + target);
    runCompiler(*mutant, target, 1u << mutator.below(4));
  });
  expectNone(report);
  EXPECT_GE(report.done, only == all ? count / 2 : 1) << "too few mutants verify";
  RecordProperty("verified", int(report.done));
}

TEST(Mutants, none_is_needed_to_run_every_pass_on_every_input) {
  const std::vector<std::string> &passes = allPasses();
  Report report = workOn(inputs().size(), [&](size_t number, Progress &progress) {
    const Input &input = inputs()[number];
    progress.setInput(input.name, input.text);
    progress.setStep("parsing");
    if (!parses(input.text))
      return;
    progress.count();
    for (const std::string &pass : passes) {
      progress.setStep(pass);
      if (std::string why = runPasses(input.text, pass); !why.empty())
        progress.fail(why);
    }
    for (const char *target : {"host", "sm_90"}) {
      progress.setStep(std::string("a compile for ") + target);
      runCompiler(input.text, target, 4);
    }
  });
  expectNone(report);
  EXPECT_GT(report.done, 100u);
}
