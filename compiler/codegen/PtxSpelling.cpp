// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of accesses in PTX.
//
// LLVM 19 names an access by the type of its register: `ld.global.v4.u32`, `ld.global.v4.f32`.
// Later versions name it by its bits, whatever their type: `ld.global.v4.b32`. Tools that read PTX,
// and tests of kernels, search for the later form. Both forms are the same instruction. Only a load
// with sign extension (`ld.global.s8`) is another instruction, and keeps its name.
#include "compiler/codegen/Codegen.h"

#include "llvm/ADT/StringRef.h"

namespace eft {
namespace {

constexpr llvm::StringLiteral beginOfAssembly("\t// begin inline asm");
constexpr llvm::StringLiteral endOfAssembly("\t// end inline asm");

/// The position of the letter that is to be replaced in a line: if the line is an access, the first
/// letter of the type in its name, such as `f` in `.f32`. npos for other lines.
size_t typeLetterOf(llvm::StringRef line) {
  if (!line.starts_with("\tld.") && !line.starts_with("\tst."))
    return llvm::StringRef::npos;
  llvm::StringRef name = line.take_front(line.find_first_of(" \t", 1));
  const size_t letter = name.rfind('.') + 1;
  const bool isType = name.substr(letter + 1).find_first_not_of("0123456789") == name.npos;
  return isType && (name[letter] == 'u' || name[letter] == 'f') ? letter : name.npos;
}

} // namespace

void nameAccessesByBits(std::string &ptx) {
  bool isInAssembly = false;
  for (size_t begin = 0, end = 0; begin < ptx.size(); begin = end + 1) {
    end = std::min(ptx.find('\n', begin), ptx.size());
    llvm::StringRef line(ptx.data() + begin, end - begin);
    if (line == beginOfAssembly || line == endOfAssembly)
      isInAssembly = line == beginOfAssembly;
    else if (size_t letter = typeLetterOf(line); !isInAssembly && letter != line.npos)
      ptx[begin + letter] = 'b';
  }
}

} // namespace eft
