// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/Processor.h"

#ifdef __x86_64__

#include <array>
#include <cpuid.h>
#include <cstdint>
#include <cstdio>

namespace eft {
namespace {

using Registers = std::array<uint32_t, 4>; // EAX, EBX, ECX, EDX

// One leaf of CPUID. `counts` selects the registers that identify the processor and its features.
// The others say nothing about the instructions that code may use; some differ from core to core.
struct Leaf {
  uint32_t number, part;
  std::array<bool, 4> counts;
};

constexpr Leaf leaves[] = {
    {0x0, 0, {false, true, true, true}},          // the vendor
    {0x1, 0, {true, false, true, true}},          // family, model, features
    {0x7, 0, {true, true, true, true}},           // features
    {0x7, 1, {true, true, true, true}},           //
    {0xd, 1, {true, false, false, false}},        // instructions that save registers
    {0x14, 0, {false, true, false, false}},       // PTWRITE
    {0x19, 0, {false, true, false, false}},       // Key Locker
    {0x1e, 1, {true, false, false, false}},       // AMX
    {0x24, 0, {false, true, false, false}},       // AVX10
    {0x80000001, 0, {false, false, true, true}},  // AMD's features
    {0x80000008, 0, {false, true, false, false}}, //
};

Registers ask(uint32_t number, uint32_t part) {
  Registers found{};
  __cpuid_count(number, part, found[0], found[1], found[2], found[3]);
  return found;
}

// A mask of the register sets that the operating system saves; code may use no others.
uint64_t savedRegisters() {
  uint32_t low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

void append(std::string &text, uint64_t word) {
  char digits[24];
  std::snprintf(digits, sizeof(digits), " %llx", static_cast<unsigned long long>(word));
  text += digits;
}

// The processor's brand name, without blanks around it.
std::string brand() {
  constexpr uint32_t first = 0x80000002, last = 0x80000004;
  std::string name;
  for (uint32_t leaf = first; leaf <= last; ++leaf)
    for (uint32_t word : ask(leaf, 0))
      for (int bit = 0; bit < 32; bit += 8)
        if (char letter = static_cast<char>(word >> bit & 0xff); letter > ' ' && letter <= '~')
          name += letter;
        else if (!name.empty() && name.back() != ' ')
          name += ' ';
  return name.substr(0, name.find_last_not_of(' ') + 1);
}

} // namespace

std::string processorDescription() {
  constexpr uint32_t extended = 0x80000000, brandLeaf = 0x80000004, featureLeaf = 1;
  constexpr uint32_t hasXgetbv = 1u << 27;
  const uint32_t last = ask(0, 0)[0], lastExtended = ask(extended, 0)[0];
  std::string text = (lastExtended >= brandLeaf ? brand() : "x86-64") + ";";
  append(text, last);
  append(text, lastExtended);
  for (const Leaf &leaf : leaves) {
    if (leaf.number > (leaf.number < extended ? last : lastExtended))
      continue;
    const Registers found = ask(leaf.number, leaf.part);
    for (size_t i = 0; i < found.size(); ++i)
      if (leaf.counts[i])
        append(text, found[i]);
    if (leaf.number == featureLeaf && found[2] & hasXgetbv)
      append(text, savedRegisters());
  }
  return text;
}

} // namespace eft

#else

std::string eft::processorDescription() { return ""; }

#endif
