// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/PtxPlaces.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/InstIterator.h"

namespace eft {

namespace {

/// The name of the file that does not exist, to which all code belongs while LLVM writes it; LLVM's
/// directive for that file; and the beginning of its directives for lines of it.
constexpr llvm::StringRef standIn = "eft places";
constexpr llvm::StringRef fileDirective = "\t.file\t1 \"eft places\"";
constexpr llvm::StringRef placeDirective = "\t.loc\t1 ";

/// Returns the number of the place that a line of LLVM's text names; nothing if it names none.
std::optional<unsigned> readNumber(llvm::StringRef line) {
  unsigned number;
  if (!line.consume_front(placeDirective) || line.consumeInteger(10, number))
    return std::nullopt;
  return number;
}

/// Writes a file's name as a string of PTX. Quotes, backslashes and all bytes that are not
/// printable ASCII become octal escapes.
void writeString(llvm::StringRef text, llvm::raw_ostream &os) {
  os << '"';
  for (unsigned char letter : text)
    if (llvm::isPrint(letter) && letter != '"' && letter != '\\')
      os << letter;
    else
      os << '\\' << llvm::format("%03o", unsigned(letter));
  os << '"';
}

} // namespace

PtxPlaces::PtxPlaces(llvm::Module &module) {
  for (llvm::Function &function : module) {
    const llvm::DISubprogram *real = function.getSubprogram();
    if (!real)
      continue;
    llvm::DIBuilder builder(module, /*AllowUnresolved=*/false, real->getUnit());
    llvm::DISubprogram *scope = builder.createFunction(
        real->getUnit(), real->getName(), "", builder.createFile(standIn, ""), 0,
        builder.createSubroutineType(builder.getOrCreateTypeArray({})), 0, llvm::DINode::FlagZero,
        llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized);
    builder.finalizeSubprogram(scope);
    function.setSubprogram(scope);
    hasScopes = true;
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (const llvm::DILocation *place = instruction.getDebugLoc())
        instruction.setDebugLoc(
            llvm::DILocation::get(module.getContext(), number(place), 0, scope));
  }
}

std::string PtxPlaces::restore(llvm::StringRef ptx) {
  if (!hasScopes)
    return ptx.str();
  std::string text;
  text.reserve(ptx.size());
  llvm::raw_string_ostream os(text);
  while (!ptx.empty()) {
    auto [line, rest] = ptx.split('\n');
    ptx = rest;
    if (line == fileDirective)
      continue;
    // A number beyond the table comes from inline assembly.
    if (std::optional<unsigned> number = readNumber(line); number && *number <= numbers.size()) {
      if (*number != 0) // 0 means no place: the code continues the line before it
        write(std::next(numbers.begin(), *number - 1)->first, os);
      continue;
    }
    os << line << '\n';
  }
  writeTables(os);
  return text;
}

/// Returns the number of a place; 0, which means no place, if it has no line.
unsigned PtxPlaces::number(const llvm::DILocation *place) {
  if (place->getLine() == 0)
    return 0;
  return numbers.insert({place, numbers.size() + 1}).first->second;
}

PtxPlaces::Triple PtxPlaces::triple(const llvm::DILocation *place) {
  unsigned file = files.insert({place->getFilename(), files.size() + 1}).first->second;
  return {file, place->getLine(), place->getColumn()};
}

std::string PtxPlaces::labelOf(const llvm::DISubprogram *function) {
  unsigned label = functions.insert({function->getName(), functions.size()}).first->second;
  return "$L__function_" + std::to_string(label);
}

/// Writes a `.loc` directive for a place. Its `inlined_at` names the place of the call by file,
/// line and column, and refers to the last `.loc` directive with these three. If that directive was
/// for another place, the place of the call is written again first.
void PtxPlaces::write(const llvm::DILocation *place, llvm::raw_ostream &os) {
  const llvm::DILocation *caller = place->getInlinedAt();
  if (caller && written[triple(caller)] != caller)
    write(caller, os);
  auto [file, line, column] = triple(place);
  os << "\t.loc\t" << file << ' ' << line << ' ' << column;
  if (caller) {
    auto [callerFile, callerLine, callerColumn] = triple(caller);
    os << ", function_name " << labelOf(place->getScope()->getSubprogram()) << ", inlined_at "
       << callerFile << ' ' << callerLine << ' ' << callerColumn;
  }
  os << '\n';
  written[{file, line, column}] = place;
}

void PtxPlaces::writeTables(llvm::raw_ostream &os) const {
  for (auto [name, number] : files) {
    os << "\t.file\t" << number << ' ';
    writeString(name, os);
    os << '\n';
  }
  if (functions.empty())
    return;
  os << "\t.section\t.debug_str\n\t{\n";
  for (auto [name, number] : functions) {
    os << "$L__function_" << number << ":\n";
    for (unsigned char letter : name)
      os << "\t.b8 " << unsigned(letter) << '\n';
    os << "\t.b8 0\n";
  }
  os << "\t}\n";
}

} // namespace eft
