// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The form of one entry of the disk cache in its file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace eft::cache {

// The name of the file that holds the entry of `key`.
std::string entryFileName(std::string_view key);

// True for names that entryFileName() gives.
bool isEntryFileName(std::string_view name);

// The whole content of the file.
std::string encodeEntry(std::string_view key, std::string_view bytes);

// The contents of an entry.
struct Entry {
  std::string key;
  std::string bytes;
};

// The entry in a file, or nothing if `file` is not, to the last bit, an entry.
std::optional<Entry> decodeEntry(std::string_view file);

// The bytes of the entry, or nothing if `file` is not, to the last bit, an entry of `key`.
std::optional<std::string> decodeEntry(std::string_view key, std::string_view file);

} // namespace eft::cache
