// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file format of one entry of the disk cache.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace eft::cache {

// The name of the file that holds the entry of `key`.
std::string entryFileName(std::string_view key);

// True if the name has the form that entryFileName() gives.
bool isEntryFileName(std::string_view name);

// The content of the file for an entry.
std::string encodeEntry(std::string_view key, std::string_view bytes);

// A decoded entry.
struct Entry {
  std::string key;
  std::string bytes;
};

// Decodes the content of a file. Nothing if it is not an undamaged entry.
std::optional<Entry> decodeEntry(std::string_view file);

// Decodes the content of a file and returns the entry's bytes. Nothing if the file is not an
// undamaged entry of `key`.
std::optional<std::string> decodeEntry(std::string_view key, std::string_view file);

} // namespace eft::cache
