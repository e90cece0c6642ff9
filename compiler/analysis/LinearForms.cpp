// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/LinearForms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace eft {

namespace {

/// The most terms of a form, and the most invariants of a term.
constexpr size_t maxTerms = 12, maxInvariants = 4;

/// The most forms that are computed for one loop. What a loop carries may be computed more than
/// once.
constexpr size_t maxComputations = 4096;

/// Returns true for the types of values that have forms.
bool hasForms(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isInteger(32) || element.isInteger(64) || isa<PointerType>(element);
}

/// Returns true if the form is one number of the value's type: the value is that number, or a block
/// of copies of it.
bool isNumberItself(const LinearForm &form, Value value) {
  if (form.size() != 1 || form.front().factor != 1)
    return false;
  const LinearTerm &term = form.front();
  const size_t numbers = term.invariants.size() + (term.unknown ? 1 : 0);
  Value number = term.unknown ? term.unknown : term.invariants.front();
  return numbers == 1 &&
         getElementTypeOrSelf(number.getType()) == getElementTypeOrSelf(value.getType());
}

} // namespace

std::optional<int64_t> constantOf(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)) && number.getBitWidth() <= 64)
    return number.getSExtValue();
  return std::nullopt;
}

int64_t bytesOfPointee(Type pointers) {
  Type pointee = cast<PointerType>(getElementTypeOrSelf(pointers)).getPointee();
  return (pointee.getIntOrFloatBitWidth() + 7) / 8;
}

LinearForm invariantPart(const LinearForm &form) {
  LinearForm result;
  llvm::copy_if(form, std::back_inserter(result),
                [](const LinearTerm &term) { return !term.unknown; });
  return result;
}

LinearForm unknownPart(const LinearForm &form) {
  LinearForm result;
  llvm::copy_if(form, std::back_inserter(result),
                [](const LinearTerm &term) { return bool(term.unknown); });
  return result;
}

LinearForms::LinearForms(scf::ForOp loop) : loop(loop) {
  // A loop may load from the next value of what it carries. The form of the next value is computed
  // from that of the carried value, and the other way around. Only if the computation begins with
  // the carried value are both forms found. So all carried values come first.
  for (BlockArgument argument : loop.getRegionIterArgs())
    of(argument);
}

bool LinearForms::isInvariant(Value value) {
  if (isa<ShapedType>(value.getType()))
    return false;
  if (loop.isDefinedOutsideOfLoop(value))
    return true;
  auto found = changeless.find(value);
  if (found != changeless.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  const bool result =
      op && op->getNumRegions() == 0 && isPure(op) &&
      llvm::all_of(op->getOperands(), [&](Value operand) { return isInvariant(operand); });
  changeless[value] = result;
  return result;
}

std::optional<LinearForm> LinearForms::of(Value value) {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  known[value] = std::nullopt; // found if the value is computed from itself
  std::optional<LinearForm> form = compute(value);
  if (form && form->size() > maxTerms)
    form = std::nullopt;
  known[value] = form;
  return form;
}

std::optional<LinearForm> LinearForms::compute(Value value) {
  if (!hasForms(value.getType()) || ++computations > maxComputations)
    return std::nullopt;
  if (std::optional<int64_t> number = constantOf(value)) {
    LinearForm form;
    add(form, {{*number, {}, {}}});
    return form;
  }
  if (isInvariant(value))
    return invariant(value);
  if (value == loop.getInductionVar())
    return unknown(value);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == loop.getBody() ? ofCarried(argument) : std::nullopt;
  return ofOperation(value.getDefiningOp());
}

/// Returns the form of a value that the loop carries, if each iteration adds the same number to the
/// value: the initial value, plus that number times the number of earlier iterations. The latter is
/// (i - lower bound) / step for the induction variable i.
std::optional<LinearForm> LinearForms::ofCarried(BlockArgument argument) {
  const std::optional<int64_t> step = constantOf(loop.getStep());
  std::optional<LinearForm> form = of(loop.getTiedLoopInit(argument)->get());
  if (!form || !step || *step <= 0)
    return std::nullopt;
  const auto before = known;
  known[argument] = unknown(argument); // only while the next value's form is computed
  std::optional<LinearForm> next = of(loop.getTiedLoopYieldedValue(argument)->get());
  known = before;
  if (!next)
    return std::nullopt;
  add(*next, {{1, {}, argument}}, -1);
  std::optional<LinearForm> first = of(loop.getLowerBound());
  if (!first || !unknownPart(*next).empty() ||
      !llvm::all_of(*next, [&](const LinearTerm &term) { return term.factor % *step == 0; }))
    return std::nullopt;
  for (LinearTerm &term : *next)
    term.factor /= *step;
  LinearForm iterations = unknown(loop.getInductionVar());
  add(iterations, *first, -1);
  std::optional<LinearForm> moved = product(iterations, *next);
  if (!moved)
    return std::nullopt;
  add(*form, *moved);
  return form;
}

std::optional<LinearForm> LinearForms::ofOperation(Operation *op) {
  using Form = std::optional<LinearForm>;
  auto sum = [&](Form a, Form b, int64_t factor) -> Form {
    if (!a || !b)
      return std::nullopt;
    add(*a, *b, factor);
    return a;
  };
  // The result is an unknown. Its bounds can be computed from those of the operands.
  auto own = [&](ValueRange operands) -> Form {
    for (Value operand : operands)
      if (!ofExact(operand))
        return std::nullopt;
    return unknown(op->getResult(0));
  };
  if (op->hasTrait<KeepsNumbers>())
    return of(op->getOperand(0));
  return llvm::TypeSwitch<Operation *, Form>(op)
      .Case([&](BroadcastOp broadcast) { return of(broadcast.getSource()); })
      .Case([&](ArangeOp arange) { return own({}); })
      .Case([&](ExpandDimsOp expand) { return own(expand.getSource()); })
      .Case<arith::MinSIOp, arith::MaxSIOp>(
          [&](Operation *choice) { return own(choice->getOperands()); })
      .Case<arith::DivSIOp, arith::RemSIOp>([&](Operation *division) -> Form {
        const std::optional<int64_t> divisor = constantOf(division->getOperand(1));
        return divisor && *divisor > 0 ? own(division->getOperand(0)) : std::nullopt;
      })
      .Case([&](AddPtrOp move) {
        const bool isWide = getElementTypeOrSelf(move.getOffset().getType()).isInteger(64);
        return sum(of(move.getPointer()), isWide ? of(move.getOffset()) : ofExact(move.getOffset()),
                   bytesOfPointee(move.getType()));
      })
      .Case([&](arith::AddIOp add) { return sum(of(add.getLhs()), of(add.getRhs()), 1); })
      .Case([&](arith::SubIOp sub) { return sum(of(sub.getLhs()), of(sub.getRhs()), -1); })
      .Case([&](arith::MulIOp mul) -> Form {
        Form a = of(mul.getLhs()), b = of(mul.getRhs());
        return a && b ? product(*a, *b) : std::nullopt;
      })
      .Case([&](arith::ExtSIOp extension) { return ofExact(extension.getIn()); })
      .Case([&](arith::TruncIOp truncation) { return of(truncation.getIn()); })
      .Default([](Operation *) -> Form { return std::nullopt; });
}

std::optional<LinearForm> LinearForms::ofExact(Value value) {
  std::optional<LinearForm> form = of(value);
  if (form && !constantOf(value) && !isNumberItself(*form, value))
    premiseSet.insert(value);
  return form;
}

LinearForm LinearForms::unknown(Value value) { return {{1, {}, value}}; }

LinearForm LinearForms::invariant(Value value) {
  invariants.insert(value);
  return {{1, {value}, {}}};
}

void LinearForms::add(LinearForm &sum, const LinearForm &form, int64_t factor) {
  for (LinearTerm term : form) {
    term.factor = int64_t(uint64_t(term.factor) * uint64_t(factor));
    auto *found = llvm::find_if(sum, [&](const LinearTerm &each) { return each.isLike(term); });
    if (found == sum.end())
      found = sum.insert(sum.end(), {0, term.invariants, term.unknown});
    found->factor = int64_t(uint64_t(found->factor) + uint64_t(term.factor));
    if (found->factor == 0)
      sum.erase(found);
  }
}

std::optional<LinearForm> LinearForms::product(const LinearForm &a, const LinearForm &b) {
  LinearForm result;
  for (const LinearTerm &x : a)
    for (const LinearTerm &y : b) {
      if (x.unknown && y.unknown)
        return std::nullopt;
      LinearTerm term{int64_t(uint64_t(x.factor) * uint64_t(y.factor)), x.invariants,
                      x.unknown ? x.unknown : y.unknown};
      llvm::append_range(term.invariants, y.invariants);
      if (term.invariants.size() > maxInvariants)
        return std::nullopt;
      llvm::sort(term.invariants, [&](Value left, Value right) {
        return llvm::find(invariants, left) < llvm::find(invariants, right);
      });
      add(result, {term});
    }
  return result;
}

} // namespace eft
