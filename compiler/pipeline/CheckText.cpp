// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pipeline/CheckText.h"

#include <algorithm>

namespace eft {

size_t skipText(std::string_view text, size_t at) {
  if (text.substr(at, 2) == "//")
    return std::min(text.find('\n', at), text.size());
  if (text[at] != '"')
    return at;
  size_t end = at + 1;
  while (end < text.size() && text[end] != '"' && text[end] != '\n')
    end += text[end] == '\\' ? 2 : 1;
  return std::min(end, text.size());
}

std::optional<size_t> valueOutsideFunctions(std::string_view text) {
  // The text of a function is everything in brackets after its `….func`, until another function
  // begins or the brackets around it end: `func.func @f(%x: i32) {…}`, `"func.func"() <{…}>
  // ({^bb0(%x: i32):…})`.
  constexpr std::string_view word = ".func";
  int depth = 0;
  std::optional<int> depthOfFunction;
  for (size_t at = 0; at < text.size(); ++at) {
    const size_t end = skipText(text, at);
    if (text.substr(at, end - at).ends_with(word) || text.substr(at, word.size()) == word)
      depthOfFunction = depth;
    at = end;
    if (at == text.size())
      break;
    if (text[at] == '(' || text[at] == '{')
      ++depth;
    else if (text[at] == ')' || text[at] == '}')
      --depth;
    else if (text[at] == '%' && (!depthOfFunction || depth <= *depthOfFunction))
      return at;
  }
  return std::nullopt;
}

} // namespace eft
