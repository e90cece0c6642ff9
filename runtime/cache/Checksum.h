// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checksum and the hash that the disk cache uses. They detect damage, not attacks: only the
// user can write to the cache's folder.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace eft::cache {

namespace detail {
constexpr std::array<uint32_t, 256> makeCrcTable() {
  std::array<uint32_t, 256> table = {};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit)
      value = (value >> 1) ^ (value & 1 ? 0xEDB88320u : 0);
    table[byte] = value;
  }
  return table;
}
} // namespace detail

// CRC-32 as in zlib, gzip and PNG. `before` is the CRC of the preceding bytes, so that the CRC of
// several pieces can be computed one after the other.
constexpr uint32_t crc32(std::string_view bytes, uint32_t before = 0) {
  constexpr std::array<uint32_t, 256> table = detail::makeCrcTable();
  uint32_t value = ~before;
  for (char byte : bytes)
    value = (value >> 8) ^ table[(value ^ static_cast<unsigned char>(byte)) & 255];
  return ~value;
}

// The 64-bit FNV-1a hash, for file names.
constexpr uint64_t fnv1a(std::string_view bytes) {
  uint64_t value = 0xcbf29ce484222325u;
  for (char byte : bytes)
    value = (value ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return value;
}

} // namespace eft::cache
