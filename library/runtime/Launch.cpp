// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel::launchWith: checks the arguments against the parameters, then calls the runtime.
#include "library/runtime/Handles.h"
#include "library/runtime/KernelState.h"

namespace eft {
namespace {

// The type that a value of this type has in block IR: unsigned integers become signless, and 8-bit
// floats become I8.
DataType valueType(DataType type) {
  static_assert(static_cast<int>(DataType::U64) - static_cast<int>(DataType::I64) ==
                static_cast<int>(DataType::U8) - static_cast<int>(DataType::I8));
  constexpr int fromUnsigned = static_cast<int>(DataType::U8) - static_cast<int>(DataType::I8);
  bool isUnsigned = type >= DataType::U8 && type <= DataType::U64;
  if (type >= DataType::F8E4NV && type <= DataType::F8E4B15)
    return DataType::I8;
  return isUnsigned ? static_cast<DataType>(static_cast<int>(type) - fromUnsigned) : type;
}

// The same for elements in memory, where booleans are I8 too.
DataType memoryType(DataType type) { return type == DataType::I1 ? DataType::I8 : valueType(type); }

bool hasType(const Argument &argument, const Parameter &parameter, Device device) {
  switch (argument.kind()) {
  case Argument::Kind::Value:
    return !parameter.isPointer && valueType(argument.type()) == valueType(parameter.type);
  case Argument::Kind::Pointer:
    return parameter.isPointer && memoryType(argument.type()) == memoryType(parameter.type);
  case Argument::Kind::UntypedPointer:
    return parameter.isPointer;
  case Argument::Kind::Buffer:
    return parameter.isPointer && argument.device() == device;
  }
  return false;
}

std::string describe(const Argument &argument) {
  switch (argument.kind()) {
  case Argument::Kind::Value:
    return std::string(dataTypeName(argument.type()));
  case Argument::Kind::Pointer:
    return "*" + std::string(dataTypeName(argument.type()));
  case Argument::Kind::UntypedPointer:
    return "a pointer";
  case Argument::Kind::Buffer:
    return "a buffer on " + argument.device().name();
  }
  return "";
}

Error invalid(const AnyKernel &kernel, const std::string &what) {
  return {ErrorKind::InvalidArgument, "kernel '" + kernel.name() + "' " + what};
}

Error wrongCount(const AnyKernel &kernel, std::span<const Parameter> parameters, size_t found) {
  std::string list;
  for (const Parameter &parameter : parameters)
    list += (list.empty() ? "" : ", ") + parameter.name();
  return invalid(kernel, "takes " + std::to_string(parameters.size()) + " arguments (" + list +
                             "), got " + std::to_string(found));
}

Error wrongArgument(const AnyKernel &kernel, const Parameter &parameter, size_t number,
                    const Argument &argument) {
  std::string expected = parameter.name();
  std::string found = describe(argument);
  if (argument.kind() == Argument::Kind::Buffer && parameter.isPointer)
    expected += " on " + kernel.device().name();
  if (hasType(argument, parameter, kernel.device())) {
    expected += " and a multiple of " + std::to_string(parameter.divisibility);
    found = std::to_string(argument.bits());
  }
  return invalid(kernel,
                 "parameter " + std::to_string(number) + " must be " + expected + ", got " + found);
}

// The slots of a launch: on the stack up to 64, else on the heap.
class Slots {
public:
  explicit Slots(size_t count) : count(count) {
    if (count > few)
      onHeap.resize(count);
  }
  uint64_t *data() { return count > few ? onHeap.data() : onStack; }
  std::span<const uint64_t> span() { return {data(), count}; }

private:
  static constexpr size_t few = 64;
  size_t count;
  uint64_t onStack[few];
  std::vector<uint64_t> onHeap;
};

} // namespace

Status Kernel::launchWith(const Grid &grid, const Stream &stream,
                          std::span<const Argument> arguments) const {
  if (!state)
    return Error{ErrorKind::InvalidArgument, "the kernel has no code: it was moved from"};
  const AnyKernel &code = *state->code;
  std::span<const Parameter> parameters = state->parameters;
  const Device device = code.device();
  if (arguments.size() != parameters.size())
    return wrongCount(code, parameters, arguments.size());
  if (stream.device() != device)
    return invalid(code, "is on " + device.name() + ", the stream on " + stream.device().name());
  Slots slots(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    uint64_t bits = arguments[i].bits();
    if (!hasType(arguments[i], parameters[i], device) || bits & (parameters[i].divisibility - 1))
      return wrongArgument(code, parameters[i], i, arguments[i]);
    slots.data()[i] = bits;
  }
  auto checked = code.check(grid);
  if (!checked.ok())
    return std::move(checked).error();
  return code.launch(*checked, slots.span(), driverHandle(stream));
}

} // namespace eft
