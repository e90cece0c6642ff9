// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-range-min-max: eft.min_num and eft.max_num by AVX-512's instruction VRANGE.
#include "compiler/ir/EftDialect.h"
#include "compiler/lowering/Passes.h"
#include "compiler/transforms/ApplyOnce.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_RANGEMINMAX
#include "compiler/lowering/Passes.h.inc"

namespace {

/// The start of the names of LLVM's intrinsics for VRANGE.
constexpr StringLiteral intrinsic = "llvm.x86.avx512.mask.range.p";

/// Finds out whether a value may be a signaling NaN. Sums, products and other arithmetic are no
/// proof of the contrary: LLVM simplifies x * -1 to a change of the sign, and x / 1 to x.
class Quietness {
public:
  /// True if the value is known to be no signaling NaN.
  static bool isQuiet(Value value) { return Quietness(value).check(value); }

private:
  explicit Quietness(Value value) : element(getElementTypeOrSelf(value)) {}

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
        .Case<MinNumOp, MaxNumOp, arith::SIToFPOp, arith::UIToFPOp, arith::ExtFOp>(
            [](Operation *) { return true; })
        .Case([](LLVM::CallIntrinsicOp call) { return call.getIntrin().starts_with(intrinsic); })
        .Case([&](arith::ConstantOp constant) { return isQuietConstant(constant.getValue()); })
        .Case<vector::SplatOp, vector::BroadcastOp, vector::ShuffleOp, vector::ExtractOp,
              vector::ExtractStridedSliceOp, vector::InsertStridedSliceOp>([&](Operation *op) {
          return llvm::all_of(op->getOperands(), [&](Value operand) { return check(operand); });
        })
        .Case([&](arith::SelectOp select) {
          return check(select.getTrueValue()) && check(select.getFalseValue());
        })
        .Case([&](scf::ForOp loop) {
          return checkLoop(loop, cast<OpResult>(value).getResultNumber());
        })
        .Case([&](LLVM::LoadOp load) {
          Value address = load.getAddr();
          while (auto part = address.getDefiningOp<LLVM::GEPOp>())
            address = part.getBase();
          return address.getDefiningOp<LLVM::AllocaOp>() && checkStores(address);
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

  /// True if only quiet values of the same type are stored to an array on the stack. `address` is
  /// the address of the array or of an element. All accesses are to whole elements.
  bool checkStores(Value address) {
    return llvm::all_of(address.getUsers(), [&](Operation *user) {
      if (auto part = dyn_cast<LLVM::GEPOp>(user))
        return checkStores(part);
      auto store = dyn_cast<LLVM::StoreOp>(user);
      return isa<LLVM::LoadOp, LLVM::LifetimeStartOp, LLVM::LifetimeEndOp>(user) ||
             (store && store.getAddr() == address &&
              getElementTypeOrSelf(store.getValue()) == element && check(store.getValue()));
    });
  }

  static bool isQuietConstant(Attribute constant) {
    auto isQuiet = [](const APFloat &number) { return !number.isSignaling(); };
    if (auto number = dyn_cast<FloatAttr>(constant))
      return isQuiet(number.getValue());
    auto numbers = dyn_cast<DenseFPElementsAttr>(constant);
    return numbers && llvm::all_of(numbers.getValues<APFloat>(), isQuiet);
  }

  const Type element;
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
  std::string name = (intrinsic + (width == 32 ? "s." : "d.") + Twine(bits)).str();
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
  Value result = b.create<arith::ConstantOp>(b.getZeroAttr(vector));
  for (int64_t first = 0; first < length; first += most) {
    auto part = [&](Value value) {
      return b.create<vector::ExtractStridedSliceOp>(value, first, most, 1);
    };
    Value computed = emitRegister(b, part(left), part(right), isMinimum);
    result = b.create<vector::InsertStridedSliceOp>(computed, result, first, 1);
  }
  return result;
}

/// The value with its signaling NaNs made quiet. VRANGE of a value and itself does that.
Value emitQuiet(ImplicitLocOpBuilder &b, Value value) {
  return Quietness::isQuiet(value) ? value : emitRange(b, value, value, /*isMinimum=*/true);
}

bool isNan(Value value) {
  if (auto splat = value.getDefiningOp<vector::SplatOp>())
    value = splat.getInput();
  APFloat number(0.0);
  return matchPattern(value, m_ConstantFloat(&number)) && number.isNaN();
}

/// True for f32 and f64, and for vectors of these with one dimension, whose length is a power of
/// two.
bool hasRange(Type type) {
  const Type element = getElementTypeOrSelf(type);
  auto vector = dyn_cast<VectorType>(type);
  return (element.isF32() || element.isF64()) &&
         (type == element ||
          (vector && vector.getRank() == 1 && llvm::isPowerOf2_64(vector.getNumElements())));
}

/// Emits the minimum or maximum of two values. Fails if VRANGE has no vectors of their type.
FailureOr<Value> emitMinMax(ImplicitLocOpBuilder &b, Value left, Value right, bool isMinimum) {
  if (!hasRange(left.getType()))
    return failure();
  // VRANGE gives a quiet NaN if an operand is a signaling one, where the other operand is wanted.
  left = emitQuiet(b, left), right = emitQuiet(b, right);
  if (isNan(left))
    return right;
  return isNan(right) ? left : emitRange(b, left, right, isMinimum);
}

template <typename Op> struct UseRange : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    FailureOr<Value> result = emitMinMax(b, op.getA(), op.getB(), std::is_same_v<Op, MinNumOp>);
    if (failed(result))
      return rewriter.notifyMatchFailure(op, "VRANGE has no vectors of this type");
    rewriter.replaceOp(op, *result);
    return success();
  }
};

struct RangeMinMaxPass : impl::RangeMinMaxBase<RangeMinMaxPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<UseRange<MinNumOp>, UseRange<MaxNumOp>>(&getContext());
    applyPatternsOnce(getOperation(), std::move(patterns));
    getOperation()->walk([&](Operation *op) {
      if (!isa<MinNumOp, MaxNumOp>(op))
        return;
      op->emitOpError("must be on f32, f64 or a vector of these whose length is a power of two");
      signalPassFailure();
    });
  }
};

} // namespace
} // namespace eft
