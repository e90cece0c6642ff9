// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/PtxPlaces.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/InstIterator.h"

namespace eft {

namespace {

/// The name of a file that does not exist, to which all code belongs while LLVM writes it; and how
/// LLVM's directives for this file and for its lines begin.
constexpr llvm::StringRef standIn = "eft places";
constexpr llvm::StringRef fileDirective = "\t.file\t1 \"eft places\"";
constexpr llvm::StringRef placeDirective = "\t.loc\t1 ";

/// The number of the place that a line of LLVM's text names.
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
    // A number beyond the table stands in assembly that was written by hand.
    if (std::optional<unsigned> number = readNumber(line); number && *number <= numbers.size()) {
      if (*number != 0) // zero stands for no place: the code goes on with the line before
        write(std::next(numbers.begin(), *number - 1)->first, os);
      continue;
    }
    os << line << '\n';
  }
  writeTables(os);
  return text;
}

/// The number of a place; 0, for no place, if it has no line.
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

/// Writes a place, after those of the calls that it was inlined through. PTX names the place of a
/// call by file, line and column, and means the last directive with these that was written.
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
