// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The disk cache: bytes by key, kept from process to process.
//
// An entry is one file: a header (magic, version, lengths, checksum), the key, the bytes. The
// file's name is a hash of the key; two keys that share it evict each other, and since the key
// stands in the file neither is ever taken for the other. A file is written under a temporary name,
// synced and renamed, so that a reader finds all of an entry or nothing. Whatever does not check
// out (truncated, damaged, of another version) is a miss, and the next put replaces it.
//
// The folder must belong to the user, and nobody else may be able to write to it: its files become
// code that runs. The size is bounded; the entries that were used least recently go first.
//
// Nothing here is ever an error: a cache that can't be read misses, and one that can't be written
// leaves a warning once.
#pragma once

#include "runtime/cache/Entry.h"
#include "runtime/cache/Folder.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eft::cache {

// Safe to use from several threads and processes.
class DiskCache {
public:
  // A cache in `folder`, which is made at the first put, of at most `limit` bytes. A limit of 0 or
  // an empty name of the folder is a cache that holds nothing.
  DiskCache(std::string folder, uint64_t limit);

  // The process's cache, as EFT_CACHE_DIR, XDG_CACHE_HOME and EFT_CACHE_SIZE say. Never destroyed.
  static DiskCache &process();

  std::optional<std::string> get(std::string_view key);
  // Returns why the bytes are not kept, as the end of a sentence about them; empty if they are.
  std::string put(std::string_view key, std::string_view bytes);

  // Brings the folder under the bound if that is smaller than the one of the last process to call
  // this. So a smaller bound does not wait for the next put.
  void enforceBound();

  // The files of the entries, whether or not these are whole.
  std::vector<FileFacts> files() const;
  // The entry in a file of the folder, which does not count as a use of it; nothing if it is
  // damaged or has another's name.
  std::optional<Entry> inspect(const std::string &file) const;
  // Removes the file of an entry. False with errno if it is still there.
  bool remove(const std::string &file);

  const std::string &folder() const { return path; }
  uint64_t limit() const { return bound; }

  // The warning that the user should get, once: empty at every later call.
  std::string takeWarning();

private:
  bool usable(int folder);
  void warn(std::string text);
  void evict(int folder);

  std::string path;
  uint64_t bound;
  std::atomic<uint64_t> writtenSinceSweep = 0;
  std::atomic<bool> warned = false;
  std::mutex warningLock;
  std::string warning;
};

// "4096", "512M", "1G" in bytes; K, M, G and T are powers of 1024. Nothing if it is no size.
std::optional<uint64_t> parseSize(std::string_view text);

} // namespace eft::cache
