// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The disk cache: a map from keys to bytes that outlives the process.
//
// An entry is one file: a header (magic, version, lengths, checksum), the key, and the bytes. The
// file's name is a hash of the key. Two keys with the same hash overwrite each other's entry, but
// are never confused, because the file contains the key. A file is written under a temporary name,
// synced and renamed, so that a reader finds a whole entry or none. A file that is truncated,
// damaged, or of another version counts as a miss, and the next put replaces it.
//
// The folder must belong to the user, and nobody else may be able to write to it, because code from
// its files is executed. The total size is limited, and the least recently used entries are evicted
// first.
//
// No failure of the cache is an error. If the cache can't be read, it misses. If it can't be
// written, the user gets one warning.
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

// Safe to use from several threads, and from several processes at once.
class DiskCache {
public:
  // Makes a cache of at most `limit` bytes in `folder`. The first put makes the folder. If `limit`
  // is 0 or `folder` is empty, the cache stores nothing.
  DiskCache(std::string folder, uint64_t limit);

  // The process's cache, configured by EFT_CACHE_DIR, XDG_CACHE_HOME and EFT_CACHE_SIZE. Never
  // destroyed.
  static DiskCache &process();

  std::optional<std::string> get(std::string_view key);
  // Stores the bytes. Returns "" if they are stored, and otherwise the reason why not.
  std::string put(std::string_view key, std::string_view bytes);

  // Evicts entries if the limit is smaller than that of the last process which called this
  // function. So a smaller limit takes effect before the next put.
  void enforceBound();

  // The files whose names are those of entries, including damaged ones.
  std::vector<FileFacts> files() const;
  // The entry in a file of the folder. Does not mark the entry as used. Nothing if the file is
  // damaged, or if its name is not the name for its key.
  std::optional<Entry> inspect(const std::string &file) const;
  // Removes the file of an entry. Returns true if the file no longer exists; otherwise false, and
  // errno says why.
  bool remove(const std::string &file);

  const std::string &folder() const { return path; }
  uint64_t limit() const { return bound; }

  // The warning for the user, or "" if there is none. A cache warns only once: later failures give
  // no warning, and the warning is returned only once.
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

// Parses a size such as "4096", "512M" or "1G", and returns it in bytes. K, M, G and T are powers
// of 1024. Nothing if the text is no size.
std::optional<uint64_t> parseSize(std::string_view text);

} // namespace eft::cache
