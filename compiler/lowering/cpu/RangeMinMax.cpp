// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-range-min-max: eft.min_num and eft.max_num by AVX-512's instruction VRANGE.
#include "compiler/ir/EftDialect.h"
#include "compiler/lowering/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/TypeSwitch.h"

#include <array>

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_RANGEMINMAX
#include "compiler/lowering/Passes.h.inc"

namespace {

/// Finds out whether a value may be a signaling NaN. Arithmetic never gives one.
class Quietness {
public:
  /// True if the value is known to be no signaling NaN.
  static bool isQuiet(Value value) { return Quietness().check(value); }

private:
  /// A value that depends on itself, by way of a loop, is quiet if all else that it depends on is.
  bool check(Value value) {
    constexpr unsigned mostValues = 32;
    if (!seen.insert(value).second)
      return true;
    if (seen.size() > mostValues)
      return false;
    if (auto argument = dyn_cast<BlockArgument>(value))
      return checkArgument(argument);
    return TypeSwitch<Operation *, bool>(value.getDefiningOp())
        .Case<MinNumOp, MaxNumOp, arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
              math::FmaOp, arith::SIToFPOp, arith::UIToFPOp, arith::ExtFOp, arith::TruncFOp>(
            [](Operation *) { return true; })
        .Case([&](arith::ConstantOp constant) { return isQuietConstant(constant.getValue()); })
        .Case<vector::SplatOp, vector::BroadcastOp, vector::ShuffleOp, vector::ExtractOp,
              vector::ExtractStridedSliceOp>([&](Operation *op) {
          return llvm::all_of(op->getOperands(), [&](Value operand) { return check(operand); });
        })
        .Case([&](arith::SelectOp select) {
          return check(select.getTrueValue()) && check(select.getFalseValue());
        })
        .Case([&](scf::ForOp loop) {
          return checkLoop(loop, cast<OpResult>(value).getResultNumber());
        })
        .Default(false);
  }

  bool checkArgument(BlockArgument argument) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument.getArgNumber() > 0 && checkLoop(loop, argument.getArgNumber() - 1);
  }

  bool checkLoop(scf::ForOp loop, unsigned number) {
    return check(loop.getInitArgs()[number]) && check(loop.getYieldedValues()[number]);
  }

  static bool isQuietConstant(Attribute constant) {
    auto isQuiet = [](const APFloat &number) { return !number.isSignaling(); };
    if (auto number = dyn_cast<FloatAttr>(constant))
      return isQuiet(number.getValue());
    auto numbers = dyn_cast<DenseFPElementsAttr>(constant);
    return numbers && llvm::all_of(numbers.getValues<APFloat>(), isQuiet);
  }

  llvm::SmallDenseSet<Value> seen;
};

/// Emits VRANGE for vectors that fill a register of 128, 256 or 512 bits.
Value emitRegister(ImplicitLocOpBuilder &b, Value left, Value right, bool isMinimum) {
  auto type = cast<VectorType>(left.getType());
  const int64_t length = type.getNumElements();
  const unsigned width = type.getElementTypeBitWidth();
  const int64_t bits = length * width;
  // Bits 0 and 1 choose the minimum or the maximum, and bit 2 the sign of the result.
  Value kind = b.create<arith::ConstantIntOp>(isMinimum ? 0b100 : 0b101, 32);
  Value all = b.create<arith::ConstantIntOp>(-1, std::max<unsigned>(8, unsigned(length)));
  SmallVector<Value> operands = {left, right, kind, left, all};
  if (bits == 512)
    operands.push_back(b.create<arith::ConstantIntOp>(4, 32)); // rounding: as usual
  std::string name = "llvm.x86.avx512.mask.range.p" + std::string(width == 32 ? "s" : "d") + "." +
                     std::to_string(bits);
  return b.create<LLVM::CallIntrinsicOp>(type, b.getStringAttr(name), operands).getResult(0);
}

/// Emits VRANGE for numbers, and for vectors of any power of two.
Value emitRange(ImplicitLocOpBuilder &b, Value left, Value right, bool isMinimum) {
  Type type = left.getType(), element = getElementTypeOrSelf(type);
  auto vector = dyn_cast<VectorType>(type);
  const int64_t width = element.getIntOrFloatBitWidth(), least = 128 / width, most = 512 / width;
  if (!vector) {
    auto registers = VectorType::get(least, element);
    auto spread = [&](Value value) { return b.create<vector::SplatOp>(registers, value); };
    Value result = emitRegister(b, spread(left), spread(right), isMinimum);
    return b.create<vector::ExtractOp>(result, 0);
  }
  const int64_t length = vector.getNumElements();
  if (length < least) {
    auto lanes = [&](Value value, int64_t count) -> Value {
      auto numbers = llvm::seq<int64_t>(0, count);
      auto mask = llvm::map_to_vector(numbers, [&](int64_t lane) { return lane % length; });
      return b.create<vector::ShuffleOp>(value, value, mask);
    };
    Value result = emitRegister(b, lanes(left, least), lanes(right, least), isMinimum);
    return lanes(result, length);
  }
  if (length <= most)
    return emitRegister(b, left, right, isMinimum);
  Value result = left;
  for (int64_t first = 0; first < length; first += most) {
    auto part = [&](Value value) {
      return b.create<vector::ExtractStridedSliceOp>(value, first, most, 1);
    };
    Value computed = emitRegister(b, part(left), part(right), isMinimum);
    result = b.create<vector::InsertStridedSliceOp>(computed, result, first, 1);
  }
  return result;
}

struct RangeMinMaxPass : impl::RangeMinMaxBase<RangeMinMaxPass> {
  void runOnOperation() override {
    SmallVector<Operation *> operations;
    getOperation()->walk([&](Operation *op) {
      Type element = op->getNumResults() == 1 ? getElementTypeOrSelf(op->getResult(0)) : Type();
      if (isa<MinNumOp, MaxNumOp>(op) && (element.isF32() || element.isF64()))
        operations.push_back(op);
    });
    // Quietness knows these operations, so it is asked before any of them is replaced.
    SmallVector<std::array<bool, 2>> quiet;
    for (Operation *op : operations)
      quiet.push_back(
          {Quietness::isQuiet(op->getOperand(0)), Quietness::isQuiet(op->getOperand(1))});
    for (auto [op, isQuiet] : llvm::zip_equal(operations, quiet)) {
      ImplicitLocOpBuilder b(op->getLoc(), op);
      // VRANGE gives a quiet NaN if an operand is a signaling one, where the other operand is
      // wanted. Of a value and itself it makes the quiet value.
      auto quieted = [&](Value value, bool isQuiet) {
        return isQuiet ? value : emitRange(b, value, value, isa<MinNumOp>(op));
      };
      Value left = quieted(op->getOperand(0), isQuiet[0]);
      Value right = quieted(op->getOperand(1), isQuiet[1]);
      op->getResult(0).replaceAllUsesWith(emitRange(b, left, right, isa<MinNumOp>(op)));
      op->erase();
    }
  }
};

} // namespace
} // namespace eft
