// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores of a GPU thread.
//
// A thread's elements come in runs of neighbours in memory, each moved by one access of up to 128
// bits. A mask is looked at once for all of them: if it is true throughout, the thread goes the
// short way, with no condition on any element; otherwise each element is accessed under its own.
// For a mask that is a prefix of the block, "throughout" is the mask of the thread's last element.
// Only the threads at the border of a range then take the long way.
#include "compiler/layout/Placement.h"
#include "compiler/lowering/gpu/GpuLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace eft {

namespace {

using Pieces = PieceLowering::Pieces;

constexpr unsigned globalMemory = 1; // LLVM's address space of it on NVPTX
constexpr unsigned maxAccessBits = 128;

/// What an access says to the caches, as a part of PTX's name of it; or that it is volatile.
struct Qualifiers {
  std::string text;
  bool isVolatile = false;

  Qualifiers(std::optional<CacheModifier> cache, std::optional<Eviction> eviction,
             bool isVolatile = false)
      : isVolatile(isVolatile) {
    // A volatile access has no hints, and a policy no place beside a modifier.
    if (isVolatile)
      return;
    if (cache)
      text = "." + stringifyCacheModifier(*cache).str();
    else if (eviction)
      text = ".L1::" + stringifyEviction(*eviction).str();
  }
};

/// Makes the accesses of one block by one thread.
class ThreadAccess {
public:
  ThreadAccess(ImplicitLocOpBuilder &b, Type element, Pieces addresses, unsigned run,
               Qualifiers qualifiers)
      : b(b), element(element), addresses(std::move(addresses)), qualifiers(std::move(qualifiers)) {
    unsigned width = element.getIntOrFloatBitWidth();
    unsigned widest = std::max(1u, maxAccessBits / width);
    perAccess = std::min({run, widest, unsigned(this->addresses.size())});
  }

  Pieces loadAll() {
    Pieces values;
    for (unsigned first = 0; first < addresses.size(); first += perAccess)
      loadRun(first, values);
    return values;
  }

  void storeAll(ArrayRef<Value> values) {
    for (unsigned first = 0; first < addresses.size(); first += perAccess)
      storeRun(first, values.slice(first, perAccess));
  }

  /// Stores everything if `condition` is true. A predicate on each store, and no branch: in front
  /// of a branch, LLVM would move what only the stores behind it use, which is the arithmetic of
  /// whole elements, to behind it, away from that of the others that it could overlap with.
  void storeAllIf(Value condition, ArrayRef<Value> values) {
    for (unsigned first = 0; first < addresses.size(); first += perAccess)
      storeRunIf(condition, first, values.slice(first, perAccess));
  }

  Value loadOne(unsigned piece) {
    if (!qualifiers.text.empty())
      return b.create<LLVM::BitcastOp>(element, emitLoad(pointer(piece), bitsOf(element)));
    return b.create<LLVM::LoadOp>(element, pointer(piece), bytes(1), qualifiers.isVolatile);
  }

  void storeOne(unsigned piece, Value value) {
    if (!qualifiers.text.empty())
      return emitStore(/*condition=*/{}, pointer(piece),
                       b.create<LLVM::BitcastOp>(bitsOf(element), value));
    b.create<LLVM::StoreOp>(value, pointer(piece), bytes(1));
  }

private:
  unsigned bytes(unsigned elements) const { return elements * element.getIntOrFloatBitWidth() / 8; }

  /// An element's address follows from that of its run's first: no other address is kept.
  Value pointer(unsigned piece) {
    auto type = LLVM::LLVMPointerType::get(b.getContext(), globalMemory);
    unsigned first = piece - piece % perAccess;
    Value pointer = b.create<LLVM::IntToPtrOp>(type, addresses[first]);
    if (piece == first)
      return pointer;
    return b.create<LLVM::GEPOp>(type, element, pointer, LLVM::GEPArg(int32_t(piece - first)));
  }

  Type vectorType() const { return VectorType::get(perAccess, element); }

  /// The same bits as words of at most 32 bits, or of 64 for wider elements: the forms that PTX has
  /// vector accesses of.
  Type wordsType() const {
    unsigned bits = bytes(perAccess) * 8;
    unsigned word = std::min(bits, element.getIntOrFloatBitWidth() == 64 ? 64u : 32u);
    Type type = b.getIntegerType(word);
    return bits == word ? type : VectorType::get(bits / word, type);
  }

  Value index(unsigned i) { return b.create<arith::ConstantIntOp>(i, 32); }

  void loadRun(unsigned first, Pieces &values) {
    if (perAccess == 1)
      return values.push_back(loadOne(first));
    Value words = qualifiers.text.empty()
                      ? b.create<LLVM::LoadOp>(wordsType(), pointer(first), bytes(perAccess),
                                               qualifiers.isVolatile)
                      : emitLoad(pointer(first), wordsType());
    Value vector = b.create<LLVM::BitcastOp>(vectorType(), words);
    for (unsigned i = 0; i < perAccess; ++i)
      values.push_back(b.create<LLVM::ExtractElementOp>(vector, index(i)));
  }

  /// The values of a run side by side, as words.
  Value pack(ArrayRef<Value> values) {
    if (perAccess == 1)
      return b.create<LLVM::BitcastOp>(wordsType(), values.front());
    Value vector = b.create<LLVM::UndefOp>(vectorType());
    for (auto [i, value] : llvm::enumerate(values))
      vector = b.create<LLVM::InsertElementOp>(vector, value, index(i));
    return b.create<LLVM::BitcastOp>(wordsType(), vector);
  }

  void storeRun(unsigned first, ArrayRef<Value> values) {
    if (perAccess == 1)
      return storeOne(first, values.front());
    if (!qualifiers.text.empty())
      return emitStore(/*condition=*/{}, pointer(first), pack(values));
    b.create<LLVM::StoreOp>(pack(values), pointer(first), bytes(perAccess));
  }

  void storeRunIf(Value condition, unsigned first, ArrayRef<Value> values) {
    emitStore(condition, pointer(first), pack(values));
  }

  Type bitsOf(Type type) { return b.getIntegerType(type.getIntOrFloatBitWidth()); }

  /// PTX's constraint for a register of a word. It has none of 8 bits: the low ones of 16 count.
  static std::string constraintOf(unsigned width) {
    return width == 64 ? "l" : width == 32 ? "r" : "h";
  }

  /// ".v4.b32" and so on, and the operands from number `first` on: "{$0, $1, $2, $3}".
  static std::pair<std::string, std::string> shapeOf(unsigned count, unsigned width,
                                                     unsigned first) {
    std::string shape = count == 1 ? "" : ".v" + std::to_string(count);
    std::string registers;
    for (unsigned i = 0; i < count; ++i)
      registers += (i == 0 ? "$" : ", $") + std::to_string(first + i);
    return {shape + ".b" + std::to_string(width), count == 1 ? registers : "{" + registers + "}"};
  }

  /// Loads words, with the qualifiers.
  Value emitLoad(Value pointer, Type type) {
    auto vector = dyn_cast<VectorType>(type);
    unsigned count = vector ? vector.getNumElements() : 1;
    Type word = getElementTypeOrSelf(type);
    unsigned width = word.getIntOrFloatBitWidth();
    Type inRegister = width == 8 ? b.getI16Type() : word;
    auto [shape, registers] = shapeOf(count, width, 0);
    std::string text = "ld.global" + qualifiers.text + shape + " " + registers + ", [$" +
                       std::to_string(count) + "];";
    std::string constraints;
    for (unsigned i = 0; i < count; ++i)
      constraints += "=" + constraintOf(width) + ",";
    SmallVector<Type> types(count, inRegister);
    Type result = inRegister;
    if (count > 1)
      result = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
    Value words = emitAsm(result, {pointer}, text, constraints + "l,~{memory}");
    if (count == 1)
      return width == 8 ? b.create<arith::TruncIOp>(word, words).getResult() : words;
    Value all = b.create<LLVM::UndefOp>(type);
    for (unsigned i = 0; i < count; ++i)
      all =
          b.create<LLVM::InsertElementOp>(all, b.create<LLVM::ExtractValueOp>(words, i), index(i));
    return all;
  }

  /// Stores words, with the qualifiers; where the condition is true, or null.
  void emitStore(Value condition, Value pointer, Value packed) {
    SmallVector<Value> words = {packed};
    if (auto vector = dyn_cast<VectorType>(packed.getType())) {
      words.clear();
      for (unsigned i = 0; i < vector.getNumElements(); ++i)
        words.push_back(b.create<LLVM::ExtractElementOp>(packed, index(i)));
    }
    unsigned width = words.front().getType().getIntOrFloatBitWidth();
    if (width == 8)
      words.front() = b.create<arith::ExtUIOp>(b.getI16Type(), words.front());
    SmallVector<Value> operands;
    std::string text, constraints;
    if (condition) {
      operands.push_back(condition);
      text = "@$0 ";
      constraints = "b,";
    }
    auto [shape, registers] = shapeOf(words.size(), width, operands.size() + 1);
    text += "st.global" + qualifiers.text + shape + " [$" + std::to_string(operands.size()) +
            "], " + registers + ";";
    operands.push_back(pointer);
    constraints += "l";
    llvm::append_range(operands, words);
    for (unsigned i = 0; i < words.size(); ++i)
      constraints += "," + constraintOf(width);
    emitAsm({}, operands, text, constraints + ",~{memory}");
  }

  Value emitAsm(Type result, ValueRange operands, StringRef text, StringRef constraints) {
    auto code =
        b.create<LLVM::InlineAsmOp>(result ? TypeRange(result) : TypeRange(), operands, text,
                                    constraints, /*has_side_effects=*/true,
                                    /*is_align_stack=*/false, LLVM::AsmDialectAttr(), ArrayAttr());
    return result ? code.getResult(0) : Value();
  }

  ImplicitLocOpBuilder &b;
  Type element;
  Pieces addresses;
  Qualifiers qualifiers;
  unsigned perAccess;
};

/// Whether a thread's last piece is the one with the highest index, whatever the thread: no two
/// bits of the place add the same bit to the index.
bool lastPieceIsHighest(Type type) {
  std::optional<LinearLayout> layout = layoutOf(type);
  if (!layout || layout->shape().size() != 1)
    return false;
  int64_t seen = 0;
  for (const PlaceBases &place : layout->bases())
    for (const Coordinates &basis : place.bases) {
      if (seen & basis.front())
        return false;
      seen |= basis.front();
    }
  return true;
}

/// Which piece each piece of a thread is a copy of, itself if of no earlier one: copies differ only
/// in bits of the place that add nothing to the index.
SmallVector<unsigned> originalsOf(Type type, size_t pieces) {
  std::optional<LinearLayout> layout = layoutOf(type);
  unsigned copying = 0;
  for (unsigned bit = 0; layout && bit < layout->placeBits(place::registers); ++bit)
    if (llvm::all_of(layout->basis(place::registers, bit), [](int64_t each) { return each == 0; }))
      copying |= 1u << bit;
  SmallVector<unsigned> found;
  for (unsigned piece = 0; piece < pieces; ++piece)
    found.push_back(piece & ~copying);
  return found;
}

/// The pieces that are no copies.
Pieces withoutCopies(ArrayRef<Value> pieces, ArrayRef<unsigned> originals) {
  Pieces distinct;
  for (auto [number, piece] : llvm::enumerate(pieces))
    if (originals[number] == number)
      distinct.push_back(piece);
  return distinct;
}

/// The pieces again, from those that are no copies.
Pieces withCopies(ValueRange distinct, ArrayRef<unsigned> originals) {
  Pieces pieces;
  for (auto [number, original] : llvm::enumerate(originals)) {
    if (original == number)
      pieces.push_back(*distinct.begin()), distinct = distinct.drop_front();
    else
      pieces.push_back(pieces[original]);
  }
  return pieces;
}

/// True if the whole of the thread's part is under the mask.
Value isWholeUnderMask(ImplicitLocOpBuilder &b, ArrayRef<Value> masks, bool isPrefix) {
  if (isPrefix)
    return masks.back();
  Value all = masks.front();
  for (Value mask : masks.drop_front())
    if (mask != all)
      all = b.create<arith::AndIOp>(all, mask);
  return all;
}

/// A condition that most threads find to be `usual`. What only the others need stays on their way
/// then: LLVM would compute it for all of them in front of the branch.
Value expect(ImplicitLocOpBuilder &b, Value condition, bool usual) {
  return b.create<LLVM::ExpectOp>(condition, b.create<arith::ConstantIntOp>(usual, 1));
}

unsigned runOf(std::optional<uint32_t> run) { return run.value_or(1); }

} // namespace

LogicalResult GpuLowering::lowerLoad(ImplicitLocOpBuilder &b, LoadOp load) {
  Type element = getElementTypeOrSelf(load.getType());
  // Of an element that the thread holds several times, one access brings all copies.
  Pieces addresses(piecesOf(load.getPointer()));
  SmallVector<unsigned> originals = originalsOf(load.getType(), addresses.size());
  ThreadAccess access(b, element, withoutCopies(addresses, originals), runOf(load.getRun()),
                      {load.getCache(), load.getEviction(), load.getIsVolatile()});
  if (!load.getMask()) {
    setPieces(load, withCopies(access.loadAll(), originals));
    return success();
  }
  Pieces masks = withoutCopies(piecesOf(load.getMask()), originals), others;
  if (load.getOther())
    others = withoutCopies(piecesOf(load.getOther()), originals);
  else
    others.assign(masks.size(), b.create<arith::ConstantOp>(b.getZeroAttr(element)));

  SmallVector<Type> types(masks.size(), element);
  Value isWhole =
      isWholeUnderMask(b, masks, load.getPrefix() && lastPieceIsHighest(load.getType()));
  auto whole = b.create<scf::IfOp>(types, expect(b, isWhole, true), /*withElseRegion=*/true);
  b.setInsertionPointToStart(whole.thenBlock());
  b.create<scf::YieldOp>(access.loadAll());
  b.setInsertionPointToStart(whole.elseBlock());
  Pieces values;
  for (auto [piece, mask] : llvm::enumerate(masks)) {
    auto one = b.create<scf::IfOp>(element, mask, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(one.thenBlock());
    b.create<scf::YieldOp>(access.loadOne(piece));
    b.setInsertionPointToStart(one.elseBlock());
    b.create<scf::YieldOp>(others[piece]);
    values.push_back(one.getResult(0));
  }
  b.create<scf::YieldOp>(values);
  setPieces(load, withCopies(whole.getResults(), originals));
  return success();
}

LogicalResult GpuLowering::lowerStore(ImplicitLocOpBuilder &b, StoreOp store) {
  Type type = store.getValue().getType();
  ThreadAccess access(b, getElementTypeOrSelf(type), Pieces(piecesOf(store.getPointer())),
                      runOf(store.getRun()), {store.getCache(), store.getEviction()});
  Pieces values(piecesOf(store.getValue()));
  // Where several threads hold an element, or all of them a scalar, one stores it; after all have
  // loaded what earlier loads ask for, and before any goes on to later ones.
  OpBuilder::InsertionGuard storeGuard(b);
  if (Value isStoring = storingThread(b, type)) {
    if (hasLoads)
      b.create<NVVM::Barrier0Op>();
    auto guarded = b.create<scf::IfOp>(isStoring);
    if (hasLoads)
      b.create<NVVM::Barrier0Op>();
    b.setInsertionPointToStart(guarded.thenBlock());
  }
  if (!store.getMask()) {
    access.storeAll(values);
    return success();
  }
  Pieces masks(piecesOf(store.getMask()));
  Value isWhole = isWholeUnderMask(b, masks, store.getPrefix() && lastPieceIsHighest(type));
  access.storeAllIf(isWhole, values);
  if (masks.size() == 1)
    return success();
  Value isPartial = b.create<arith::XOrIOp>(isWhole, b.create<arith::ConstantIntOp>(1, 1));
  auto partial = b.create<scf::IfOp>(expect(b, isPartial, false));
  b.setInsertionPointToStart(partial.thenBlock());
  for (auto [piece, mask] : llvm::enumerate(masks)) {
    auto one = b.create<scf::IfOp>(mask);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(one.thenBlock());
    access.storeOne(piece, values[piece]);
  }
  return success();
}

} // namespace eft
