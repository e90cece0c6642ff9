// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading and writing entries, and the eviction that keeps the cache below its bound.
#include "runtime/cache/DiskCache.h"

#include "runtime/cache/Checksum.h"
#include "runtime/cache/Entry.h"
#include "runtime/cache/Folder.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <pwd.h>
#include <unistd.h>
#include <utility>

namespace eft::cache {
namespace {

constexpr uint64_t defaultLimit = uint64_t(1) << 30;

// An eviction looks at every file, so not every put evicts. A put does if one of two things holds:
// the hash of its key is a multiple of 16, or this process has written more than a sixteenth of the
// size limit since the last eviction.
constexpr uint64_t sweepShare = 16;

// The file in the folder that holds the size limit of the last process. It is not an entry.
constexpr char boundName[] = "bound";

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::string homeFolder() {
  std::string home = environment("HOME");
  if (!home.empty())
    return home;
  passwd entry = {};
  passwd *found = nullptr;
  char buffer[4096];
  if (getpwuid_r(geteuid(), &entry, buffer, sizeof(buffer), &found) == 0 && found)
    return found->pw_dir;
  return "";
}

// Replaces a leading "~" by the user's home folder. A shell does not replace it inside quotes.
std::string fromHome(const std::string &path) {
  bool isHome = path == "~" || path.starts_with("~/");
  std::string home = isHome ? homeFolder() : "";
  return home.empty() ? path : home + path.substr(1);
}

// Makes a path absolute, so that it names the same folder after the process changes its current
// folder.
std::string fromHere(const std::string &path) {
  std::error_code failure;
  std::filesystem::path whole = std::filesystem::absolute(path, failure);
  return failure ? path : whole.string();
}

std::string processFolder() {
  if (std::string folder = environment("EFT_CACHE_DIR"); !folder.empty())
    return fromHere(fromHome(folder));
  if (std::string folder = environment("XDG_CACHE_HOME"); folder.starts_with('/'))
    return folder + "/eft";
  std::string home = homeFolder();
  return home.empty() ? "" : home + "/.cache/eft";
}

// True for errors which mean that another process or machine changed or holds the file. The user
// gets no warning about these.
bool isPassing(int reason) { return reason == ESTALE || reason == EBUSY || reason == ENOENT; }

} // namespace

std::optional<uint64_t> parseSize(std::string_view text) {
  uint64_t number = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc())
    return std::nullopt;
  std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  constexpr std::string_view units = "KMGT";
  if (unit.empty())
    return number;
  size_t power = units.find(unit[0]);
  if (unit.size() > 1 || power == std::string_view::npos)
    return std::nullopt;
  unsigned shift = 10 * (static_cast<unsigned>(power) + 1);
  if (number > UINT64_MAX >> shift)
    return std::nullopt;
  return number << shift;
}

DiskCache::DiskCache(std::string folder, uint64_t limit) : path(std::move(folder)), bound(limit) {}

DiskCache &DiskCache::process() {
  static DiskCache *cache = [] {
    std::string size = environment("EFT_CACHE_SIZE");
    std::optional<uint64_t> limit = size.empty() ? defaultLimit : parseSize(size);
    auto *made = new DiskCache(processFolder(), limit.value_or(defaultLimit));
    if (!limit)
      made->warn("EFT_CACHE_SIZE must be a size such as 512M or 2G, got '" + size +
                 "': the compile cache keeps its usual 1G");
    made->enforceBound();
    return made;
  }();
  return *cache;
}

void DiskCache::warn(std::string text) {
  if (warned.exchange(true))
    return;
  std::lock_guard lock(warningLock);
  warning = std::move(text);
}

std::string DiskCache::takeWarning() {
  // Nearly always there is no warning; then no lock is taken.
  if (!warned)
    return "";
  std::lock_guard lock(warningLock);
  return std::exchange(warning, "");
}

bool DiskCache::usable(int folder) {
  std::string objection = objectionToFolder(folder);
  if (objection.empty())
    return true;
  warn("the compile cache is not used: the folder '" + path + "' " + objection +
       "; EFT_CACHE_DIR names another");
  return false;
}

std::optional<std::string> DiskCache::get(std::string_view key) {
  if (path.empty() || bound == 0)
    return std::nullopt;
  Descriptor folder = openFolder(path);
  if (!folder || !usable(folder.get()))
    return std::nullopt;
  std::string name = entryFileName(key);
  std::optional<std::string> file = readFile(folder.get(), name);
  // A network file system reports ESTALE if another machine replaces the file while it is read.
  if (!file && errno == ESTALE)
    file = readFile(folder.get(), name);
  if (!file)
    return std::nullopt;
  return decodeEntry(key, *file);
}

std::string DiskCache::put(std::string_view key, std::string_view bytes) {
  if (bound == 0)
    return "the cache is off (EFT_CACHE_SIZE is 0)";
  if (path.empty())
    return "there is no folder for the cache (EFT_CACHE_DIR names one)";
  auto failed = [&](int reason) -> std::string {
    std::string text = std::strerror(reason);
    // EISDIR concerns the entry: a folder has the entry's name. All other errors concern the
    // cache's folder.
    bool isEntry = reason == EISDIR;
    if (!isPassing(reason))
      warn("the compile cache can't be written: '" + path +
           (isEntry ? "/" + entryFileName(key) : "") + "': " + text +
           "; kernels will be compiled again in the next process (EFT_CACHE_DIR names another "
           "folder)");
    return "'" + path + "' can't be written: " + text;
  };
  if (!makePrivateFolder(path))
    return failed(errno);
  Descriptor folder = openFolder(path);
  if (!folder)
    return failed(errno);
  if (!usable(folder.get()))
    return "the folder '" + path + "' is not for the user alone";
  std::string entry = encodeEntry(key, bytes);
  if (entry.size() > bound)
    return "its " + std::to_string(entry.size()) + " bytes are more than the cache's bound of " +
           std::to_string(bound) + " (EFT_CACHE_SIZE)";
  if (!writeFile(folder.get(), entryFileName(key), entry)) {
    int reason = errno;
    // The cache itself may have filled the disk, so evict entries.
    if (reason == ENOSPC || reason == EDQUOT)
      evict(folder.get());
    return failed(reason);
  }
  uint64_t written = writtenSinceSweep += entry.size();
  if (written > bound / sweepShare || fnv1a(key) % sweepShare == 0)
    evict(folder.get());
  return "";
}

std::vector<FileFacts> DiskCache::files() const {
  Descriptor folder = path.empty() ? Descriptor() : openFolder(path);
  if (!folder)
    return {};
  std::vector<FileFacts> found = listFiles(folder.get());
  std::erase_if(found, [](const FileFacts &file) { return !isEntryFileName(file.name); });
  return found;
}

std::optional<Entry> DiskCache::inspect(const std::string &file) const {
  Descriptor folder = openFolder(path);
  std::optional<std::string> content;
  if (folder)
    content = readFile(folder.get(), file, /*inspect=*/true);
  std::optional<Entry> entry = content ? decodeEntry(*content) : std::nullopt;
  return entry && entryFileName(entry->key) == file ? entry : std::nullopt;
}

bool DiskCache::remove(const std::string &file) {
  errno = EINVAL;
  if (!isEntryFileName(file))
    return false;
  Descriptor folder = openFolder(path);
  return folder && (unlinkat(folder.get(), file.c_str(), 0) == 0 || errno == ENOENT);
}

void DiskCache::enforceBound() {
  if (path.empty() || bound == 0)
    return;
  Descriptor folder = openFolder(path);
  if (!folder || !objectionToFolder(folder.get()).empty())
    return;
  std::optional<std::string> last = readFile(folder.get(), boundName);
  std::string now = std::to_string(bound);
  if (last == now)
    return;
  if (bound < (last ? parseSize(*last) : std::nullopt).value_or(UINT64_MAX))
    evict(folder.get());
  writeFile(folder.get(), boundName, now);
}

void DiskCache::evict(int folder) {
  writtenSinceSweep = 0;
  std::vector<FileFacts> files = listFiles(folder);
  uint64_t total = 0;
  for (const FileFacts &file : files)
    total += file.bytes;
  std::sort(files.begin(), files.end(),
            [](const FileFacts &a, const FileFacts &b) { return a.lastUse < b.lastUse; });
  // If the cache is above its limit, shrink it to 7/8 of the limit, so that the next put need not
  // evict.
  uint64_t aim = total > bound ? bound - bound / 8 : bound;
  for (const FileFacts &file : files) {
    bool leftover = file.lastUse == 0;
    if (total <= aim && !leftover)
      break;
    unlinkat(folder, file.name.c_str(), 0);
    total -= file.bytes;
  }
}

} // namespace eft::cache
