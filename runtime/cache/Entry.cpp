// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Encoding, decoding and checking of entries.
#include "runtime/cache/Entry.h"

#include "runtime/cache/Checksum.h"

#include <cstdint>
#include <cstring>

namespace eft::cache {
namespace {

constexpr char magic[8] = {'E', 'F', 'T', 'C', 'A', 'C', 'H', 'E'};
constexpr uint32_t version = 1;
constexpr std::string_view suffix = ".eft";
constexpr size_t nameDigits = 16;

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t checksum; // covers the lengths, the key and the bytes
  uint64_t keyLength;
  uint64_t length;
};
static_assert(sizeof(Header) == 32, "the header has no padding");

uint32_t checksum(const Header &header, std::string_view key, std::string_view bytes) {
  auto lengths = reinterpret_cast<const char *>(&header.keyLength);
  return crc32(bytes, crc32(key, crc32({lengths, 2 * sizeof(uint64_t)})));
}

} // namespace

std::string entryFileName(std::string_view key) {
  static constexpr char digits[] = "0123456789abcdef";
  uint64_t hash = fnv1a(key);
  std::string name(nameDigits, '0');
  for (size_t i = 0; i < nameDigits; ++i)
    name[i] = digits[(hash >> (60 - 4 * i)) & 15];
  return name.append(suffix);
}

bool isEntryFileName(std::string_view name) {
  return name.size() == nameDigits + suffix.size() && name.ends_with(suffix) &&
         name.find_first_not_of("0123456789abcdef") == nameDigits;
}

std::string encodeEntry(std::string_view key, std::string_view bytes) {
  Header header = {};
  std::memcpy(header.magic, magic, sizeof(magic));
  header.version = version;
  header.keyLength = key.size();
  header.length = bytes.size();
  header.checksum = checksum(header, key, bytes);
  std::string file(reinterpret_cast<const char *>(&header), sizeof(header));
  return file.append(key).append(bytes);
}

std::optional<Entry> decodeEntry(std::string_view file) {
  Header header;
  if (file.size() < sizeof(header))
    return std::nullopt;
  std::memcpy(&header, file.data(), sizeof(header));
  std::string_view rest = file.substr(sizeof(header));
  if (std::memcmp(header.magic, magic, sizeof(magic)) != 0 || header.version != version ||
      header.keyLength > rest.size() || header.length != rest.size() - header.keyLength)
    return std::nullopt;
  std::string_view key = rest.substr(0, header.keyLength), bytes = rest.substr(header.keyLength);
  if (checksum(header, key, bytes) != header.checksum)
    return std::nullopt;
  return Entry{std::string(key), std::string(bytes)};
}

std::optional<std::string> decodeEntry(std::string_view key, std::string_view file) {
  std::optional<Entry> entry = decodeEntry(file);
  if (!entry || entry->key != key)
    return std::nullopt;
  return std::move(entry->bytes);
}

} // namespace eft::cache
