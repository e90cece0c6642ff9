// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/corpus/Inputs.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

using llvm::StringRef;
namespace fs = std::filesystem;

namespace eft::test {
namespace {

/// The words of a shell command line. A quoted part belongs to one word.
std::vector<std::string> wordsOf(StringRef line) {
  std::vector<std::string> words(1);
  bool isQuoted = false;
  for (char letter : line) {
    if (letter == '\'' || letter == '"')
      isQuoted = !isQuoted;
    else if (letter == ' ' && !isQuoted)
      words.emplace_back();
    else
      words.back() += letter;
  }
  return words;
}

/// The pass pipeline of a RUN line; empty if the line runs no pass.
std::string pipelineOf(StringRef line) {
  llvm::SmallVector<std::string> passes;
  for (const std::string &word : wordsOf(line.split('|').first)) {
    StringRef option = word;
    if (!option.consume_front("-"))
      continue;
    option.consume_front("-");
    auto [name, value] = option.split('=');
    if (name == "pass-pipeline") {
      if (value.consume_front("builtin.module("))
        value.consume_back(")");
      passes.push_back(value.str());
    } else if (name.starts_with("eft-") || name == "canonicalize" || name == "cse") {
      passes.push_back(value.empty() ? name.str() : (name + "{" + value + "}").str());
    }
  }
  return llvm::join(passes, ",");
}

std::string read(const fs::path &path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

} // namespace

std::vector<Input> readInputs() {
  std::vector<fs::path> files;
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(EFT_TEST_INPUTS))
    if (entry.path().extension() == ".mlir")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());

  std::vector<Input> inputs;
  for (const fs::path &file : files) {
    std::vector<std::string> modules(1), pipelines;
    const std::string text = read(file);
    for (StringRef line : llvm::split(StringRef(text), '\n')) {
      if (line.starts_with("// -----")) {
        modules.emplace_back();
      } else if (line.contains("RUN: eft-opt")) {
        if (std::string pipeline = pipelineOf(line); !pipeline.empty())
          pipelines.push_back(std::move(pipeline));
      } else if (!line.ltrim().starts_with("//")) {
        modules.back() += line.str() + "\n";
      }
    }
    const std::string name = fs::relative(file, EFT_TEST_INPUTS).string();
    for (size_t i = 0; i < modules.size(); ++i)
      inputs.push_back({name + " " + std::to_string(i + 1), modules[i], pipelines});
  }
  return inputs;
}

} // namespace eft::test
