// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "library/compiler/Nesting.h"

#include "compiler/pipeline/CheckText.h"

#include <algorithm>
#include <string>

namespace eft {
namespace {

constexpr int maxNested = 500;

Error errorAt(std::string_view text, size_t at, std::string_view fileName,
              const std::string &what) {
  std::string_view before = text.substr(0, at);
  size_t line = 1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
  size_t column = at - (before.rfind('\n') + 1) + 1; // npos + 1 is 0
  return {ErrorKind::Compilation, std::string(fileName) + ":" + std::to_string(line) + ":" +
                                      std::to_string(column) + ": error: " + what};
}

} // namespace

Status checkNesting(std::string_view text, std::string_view fileName) {
  int depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    at = skipText(text, at);
    if (at == text.size())
      break;
    const char before = at > 0 ? text[at - 1] : ' ',
               behind = at + 1 < text.size() ? text[at + 1] : ' ';
    bool isArrow = text[at] == '>' && (before == '-' || before == '=' || behind == '=');
    if (std::string_view("([{<").find(text[at]) != std::string_view::npos)
      ++depth;
    else if (std::string_view(")]}>").find(text[at]) != std::string_view::npos && !isArrow &&
             depth > 0)
      --depth;
    if (depth > maxNested)
      return errorAt(text, at, fileName, "brackets nest deeper than " + std::to_string(maxNested));
  }
  return {};
}

Status checkValues(std::string_view text, std::string_view fileName) {
  if (std::optional<size_t> at = valueOutsideFunctions(text))
    return errorAt(text, *at, fileName, "a value stands outside of all functions");
  return {};
}

} // namespace eft
