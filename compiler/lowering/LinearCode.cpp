// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/LinearCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace eft {

namespace {

/// The constant in the type of `like`: i32, or a vector or block of i32.
Value constant(ImplicitLocOpBuilder &builder, Value like, int64_t value) {
  TypedAttr attribute = builder.getI32IntegerAttr(int32_t(value));
  if (auto several = dyn_cast<ShapedType>(like.getType()))
    attribute = DenseElementsAttr::get(several, Attribute(attribute));
  return builder.create<arith::ConstantOp>(attribute);
}

/// Emits (bits `first` to `last` of `number`, shifted down by `first`) · image.
Value emitRun(ImplicitLocOpBuilder &builder, Value number, unsigned first, unsigned last,
              int64_t image) {
  int64_t mask = ((int64_t(1) << (last - first + 1)) - 1) << first;
  Value bits = builder.create<arith::AndIOp>(number, constant(builder, number, mask));
  if (first != 0)
    bits = builder.create<arith::ShRUIOp>(bits, constant(builder, bits, first));
  return builder.create<arith::MulIOp>(bits, constant(builder, bits, image));
}

} // namespace

SmallVector<int64_t> imagesOf(const LinearLayout &layout, StringRef place, unsigned dimension,
                              unsigned firstBit) {
  SmallVector<int64_t> images;
  for (unsigned bit = firstBit; bit < layout.placeBits(place.str()); ++bit)
    images.push_back(layout.basis(place.str(), bit)[dimension]);
  return images;
}

Value emitLinearMap(ImplicitLocOpBuilder &builder, Value number, ArrayRef<int64_t> images) {
  Value sum;
  for (unsigned first = 0; first < images.size();) {
    unsigned last = first;
    // One multiplication serves a run of bits. Its factor must be a power of two: any other factor
    // would make bits carry into each other, which an exclusive or does not.
    while (llvm::isPowerOf2_64(images[first]) && last + 1 < images.size() &&
           images[last + 1] == images[last] * 2)
      ++last;
    if (images[first] != 0) {
      Value run = emitRun(builder, number, first, last, images[first]);
      sum = sum ? builder.create<arith::XOrIOp>(sum, run).getResult() : run;
    }
    first = last + 1;
  }
  return sum ? sum : constant(builder, number, 0);
}

} // namespace eft
