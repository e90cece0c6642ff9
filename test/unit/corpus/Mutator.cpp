// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/corpus/Mutator.h"

#include "compiler/pipeline/CheckText.h"
#include "compiler/pipeline/Compile.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;

namespace eft::test {
namespace {

bool isOfName(char letter) { return llvm::isAlnum(letter) || letter == '_'; }

/// The positions of `word` as a whole word, or as the element type after an extent, as in 16xf32.
std::vector<size_t> placesOf(StringRef text, StringRef word) {
  std::vector<size_t> places;
  for (size_t at = text.find(word); at != StringRef::npos; at = text.find(word, at + 1)) {
    const char before = at > 0 ? text[at - 1] : ' ';
    const char behind = at + word.size() < text.size() ? text[at + word.size()] : ' ';
    const bool isElement = before == 'x' && at > 1 && llvm::isDigit(text[at - 2]);
    const bool begins = !isOfName(before) && !llvm::is_contained({'%', '@', '#', '.'}, before);
    if ((begins || isElement) && !isOfName(behind))
      places.push_back(at);
  }
  return places;
}

void replaceAt(std::string &text, const std::vector<size_t> &places, size_t length,
               const std::string &by) {
  for (size_t i = places.size(); i-- > 0;)
    text.replace(places[i], length, by);
}

/// The position and length of each number.
std::vector<std::pair<size_t, size_t>> numbersOf(StringRef text) {
  std::vector<std::pair<size_t, size_t>> numbers;
  for (size_t at = 0; at < text.size(); ++at) {
    if (!llvm::isDigit(text[at]))
      continue;
    size_t end = at;
    while (end < text.size() && llvm::isDigit(text[end]))
      ++end;
    // Numbers of results are left out: for %x#9 the parser would make room for ten results.
    if (at == 0 || (!isOfName(text[at - 1]) && text[at - 1] != '%' && text[at - 1] != '#'))
      numbers.emplace_back(at, end - at);
    at = end;
  }
  return numbers;
}

} // namespace

//===--- Text ---------------------------------------------------------------------------------===//

void Mutator::changeElementType(std::string &text) {
  static const char *const types[] = {"i1",  "i8",   "i16", "i32", "i64",
                                      "f16", "bf16", "f32", "f64", "index"};
  std::string from = types[below(std::size(types))], to = types[below(std::size(types))];
  std::vector<size_t> places = placesOf(text, from);
  if (places.empty())
    return;
  if (below(4) == 0)
    places = {places[below(places.size())]};
  replaceAt(text, places, from.size(), to);
}

void Mutator::changeExtent(std::string &text) {
  std::vector<std::pair<size_t, size_t>> extents;
  for (auto [at, length] : numbersOf(text))
    if (at + length < text.size() && text[at + length] == 'x')
      extents.emplace_back(at, length);
  if (extents.empty())
    return;
  auto [at, length] = extents[below(extents.size())];
  const std::string from = text.substr(at, length);
  static const char *const others[] = {"1", "2", "4", "8", "32", "64", "256", "1024", "4096"};
  std::string to = others[below(std::size(others))];
  std::vector<size_t> places;
  for (auto [place, size] :
       numbersOf(text)) // "0 to 16" repeats the extent, so change all equal numbers
    if (text.substr(place, size) == from)
      places.push_back(place);
  replaceAt(text, places, from.size(), to);
}

void Mutator::changeNumber(std::string &text) {
  auto numbers = numbersOf(text);
  if (numbers.empty())
    return;
  auto [at, length] = numbers[below(numbers.size())];
  int64_t number = 0;
  if (!StringRef(text).substr(at, length).getAsInteger(10, number))
    text.replace(at, length, std::to_string(changed(number)));
}

/// Erases or repeats a line. Lines keep their order, and lines with braces stay: otherwise a value
/// could be defined in a region that fails to parse and used outside of it, and then MLIR's parser
/// uses freed memory. Operations are moved only after parsing.
void Mutator::changeLines(std::string &text) {
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  std::vector<std::string> copies(lines.begin(), lines.end());
  const size_t at = below(copies.size());
  if (copies[at].find_first_of("{}^") != std::string::npos)
    return;
  if (below(2) == 0)
    copies.erase(copies.begin() + at);
  else
    copies.insert(copies.begin() + at, copies[at]);
  text = llvm::join(copies, "\n");
}

void Mutator::dropAttributes(std::string &text) {
  std::vector<std::pair<size_t, size_t>> groups;
  for (size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1)) {
    size_t end = text.find_first_of("{}\n", at + 1);
    if (end != std::string::npos && text[end] == '}')
      groups.emplace_back(at, end + 1 - at);
  }
  if (groups.empty())
    return;
  auto [at, length] = groups[below(groups.size())];
  text.erase(at, length);
}

void Mutator::changeText(std::string &text) {
  switch (below(6)) {
  case 0:
    return changeElementType(text);
  case 1:
    return changeExtent(text);
  case 2:
  case 3:
    return changeNumber(text);
  case 4:
    return changeLines(text);
  case 5:
    return dropAttributes(text);
  }
}

//===--- Operations ---------------------------------------------------------------------------===//

namespace {

/// The values of this type that are available before the operation, from its basic block and those
/// around it.
SmallVector<Value> valuesBefore(Operation *op, Type type) {
  SmallVector<Value> values;
  auto add = [&](ValueRange range) {
    for (Value value : range)
      if (value.getType() == type)
        values.push_back(value);
  };
  for (Operation *at = op; at && at->getBlock(); at = at->getParentOp()) {
    add(at->getBlock()->getArguments());
    for (Operation &before : *at->getBlock()) {
      if (&before == at)
        break;
      add(before.getResults());
    }
    if (at->getParentOp() && at->getParentOp()->hasTrait<OpTrait::IsIsolatedFromAbove>())
      break;
  }
  return values;
}

} // namespace

bool Mutator::erase(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return false;
  for (Value result : op->getResults()) {
    if (result.use_empty())
      continue;
    SmallVector<Value> others = valuesBefore(op, result.getType());
    if (others.empty())
      return false;
    result.replaceAllUsesWith(others[below(others.size())]);
  }
  op->erase();
  return true;
}

bool Mutator::changeOperand(Operation *op) {
  if (op->getNumOperands() == 0)
    return false;
  OpOperand &operand = op->getOpOperand(below(op->getNumOperands()));
  SmallVector<Value> others = valuesBefore(op, operand.get().getType());
  if (others.empty())
    return false;
  operand.set(others[below(others.size())]);
  return true;
}

bool Mutator::swapOperands(Operation *op) {
  if (op->getNumOperands() < 2)
    return false;
  OpOperand &one = op->getOpOperand(below(op->getNumOperands()));
  OpOperand &other = op->getOpOperand(below(op->getNumOperands()));
  Value value = one.get();
  one.set(other.get());
  other.set(value);
  return true;
}

bool Mutator::duplicate(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return false;
  Operation *copy = op->clone();
  op->getBlock()->getOperations().insertAfter(op->getIterator(), copy);
  for (auto [old, fresh] : llvm::zip_equal(op->getResults(), copy->getResults()))
    for (OpOperand &use : llvm::make_early_inc_range(old.getUses()))
      if (use.getOwner() != copy && !op->isProperAncestor(use.getOwner()) && below(2) == 0)
        use.set(fresh);
  return true;
}

bool Mutator::move(Operation *op) {
  Operation *next = op->getNextNode();
  if (!next || next->hasTrait<OpTrait::IsTerminator>())
    return false;
  op->moveAfter(next);
  return true;
}

int64_t Mutator::changed(int64_t number) {
  const int64_t others[] = {0,
                            1,
                            2,
                            3,
                            4,
                            16,
                            -1,
                            number + 1,
                            number - 1,
                            number / 2,
                            1024,
                            int64_t(1) << below(20),
                            INT32_MAX,
                            INT32_MIN,
                            int64_t(1) << 32,
                            int64_t(uint64_t(number) * 2)};
  return others[below(std::size(others))];
}

Attribute Mutator::changed(Attribute attribute) {
  Builder builder(attribute.getContext());
  if (auto number = dyn_cast<IntegerAttr>(attribute)) {
    const unsigned bits = number.getValue().getBitWidth();
    if (bits == 0 || bits > 64)
      return {};
    int64_t value = changed(number.getValue().sextOrTrunc(64).getSExtValue());
    return IntegerAttr::get(number.getType(), APInt(64, uint64_t(value)).sextOrTrunc(bits));
  }
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    const double others[] = {0.0, -0.0, 1.0, -1.0, INFINITY, NAN, 1e300, 1e-300, 0.1};
    return builder.getFloatAttr(number.getType(), others[below(std::size(others))]);
  }
  if (auto elements = dyn_cast<SplatElementsAttr>(attribute)) {
    Attribute element = changed(elements.getSplatValue<Attribute>());
    return element ? DenseElementsAttr::get(elements.getType(), element) : Attribute();
  }
  if (auto numbers = dyn_cast<DenseI32ArrayAttr>(attribute)) {
    SmallVector<int32_t> copy(numbers.asArrayRef());
    if (copy.empty() || below(4) == 0)
      copy.push_back(0);
    copy[below(copy.size())] = int32_t(changed(copy.front()));
    return builder.getDenseI32ArrayAttr(copy);
  }
  if (auto numbers = dyn_cast<DenseI64ArrayAttr>(attribute)) {
    SmallVector<int64_t> copy(numbers.asArrayRef());
    if (copy.empty() || below(4) == 0)
      copy.push_back(0);
    copy[below(copy.size())] = changed(copy.front());
    return builder.getDenseI64ArrayAttr(copy);
  }
  if (isa<StringAttr>(attribute))
    return builder.getStringAttr(below(2) == 0 ? "" : "%d {x} \n\\");
  return {};
}

/// Gives an attribute its default value if it was removed or got an invalid value. The parser also
/// sets default values, and verifiers of MLIR 19 rely on them.
static void setDefaults(Operation *op) {
  op->getName().populateDefaultProperties(op->getPropertiesStorage());
}

bool Mutator::changeAttribute(Operation *op) {
  SmallVector<NamedAttribute> attributes(op->getAttrs());
  if (attributes.empty())
    return false;
  NamedAttribute attribute = attributes[below(attributes.size())];
  if (below(4) == 0) {
    op->removeAttr(attribute.getName());
    setDefaults(op);
    return true;
  }
  Attribute other = changed(attribute.getValue());
  // MLIR can't print a symbol without a name.
  if (!other || attribute.getName() == SymbolTable::getSymbolAttrName())
    return false;
  op->setAttr(attribute.getName(), other);
  setDefaults(op);
  return true;
}

bool Mutator::changeOperation(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.getBodyRegion().walk([&](Operation *op) { ops.push_back(op); });
  if (ops.empty())
    return false;
  Operation *op = ops[below(ops.size())];
  switch (below(7)) {
  case 0:
    return erase(op);
  case 1:
    return changeOperand(op);
  case 2:
    return swapOperands(op);
  case 3:
    return duplicate(op);
  case 4:
    return move(op);
  default:
    return changeAttribute(op);
  }
}

//===--- Both ---------------------------------------------------------------------------------===//

/// True if the text parses as a module, verified or not. If a value is defined in a region that
/// fails to parse, and used outside of it, MLIR 19's parser uses freed memory and may crash. So the
/// text is first parsed in another process. If it parses there, `mutate` parses it again, and
/// verifies it, in this process.
static bool parsesElsewhere(StringRef text, MLIRContext &context) {
  const pid_t child = fork();
  if (child == 0) {
    auto module =
        parseSourceString<ModuleOp>(text, ParserConfig(&context, /*verifyAfterParse=*/false));
    _exit(module ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::optional<std::string> Mutator::mutate(const Input &input,
                                           llvm::function_ref<void(StringRef)> show) {
  constexpr int attempts = 30;
  static const DialectRegistry registry = [] {
    DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.getDiagEngine().registerHandler([](mlir::Diagnostic &) { return success(); });
  for (int attempt = 0; attempt < attempts; ++attempt) {
    std::string text = input.text;
    const size_t ofText = below(3), ofOperations = below(4);
    for (size_t i = 0; i < ofText; ++i)
      changeText(text);
    if (valueOutsideFunctions(text))
      continue;
    if (ofText != 0 && !parsesElsewhere(text, context))
      continue;
    show(text);
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      continue;
    bool isChanged = text != input.text;
    for (size_t i = 0; i < ofOperations; ++i)
      isChanged |= changeOperation(*module);
    if (isChanged && succeeded(verify(*module))) {
      std::string result;
      llvm::raw_string_ostream stream(result);
      // Print the generic form, so that operations whose own form does not parse can be parsed
      // again.
      module->print(stream, OpPrintingFlags().printGenericOpForm());
      return result;
    }
  }
  return std::nullopt;
}

} // namespace eft::test
