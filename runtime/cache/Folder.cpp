// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// POSIX calls for the disk cache.
#include "runtime/cache/Folder.h"

#include "runtime/cache/Entry.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace eft::cache {
namespace {

constexpr std::string_view temporaryPrefix = ".new-";
constexpr int64_t second = 1000000000;
constexpr int64_t temporaryLife = 3600 * second;
constexpr off_t largestFile = off_t(1) << 30; // the cache writes no larger files

int64_t nanoseconds(const timespec &time) { return time.tv_sec * second + time.tv_nsec; }

int64_t now() {
  timespec time = {};
  clock_gettime(CLOCK_REALTIME, &time);
  return nanoseconds(time);
}

// A name that differs from that of any other temporary file, also from those of other processes and
// machines.
std::string temporaryName() {
  static std::atomic<unsigned> counter = 0;
  char text[80];
  std::snprintf(text, sizeof(text), "%s%ld-%u-%llx", temporaryPrefix.data(),
                static_cast<long>(getpid()), counter++, static_cast<unsigned long long>(now()));
  return text;
}

bool writeAll(int file, std::string_view content) {
  while (!content.empty()) {
    ssize_t written = write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    content.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

} // namespace

Descriptor::~Descriptor() {
  if (number >= 0)
    ::close(number);
}

bool Descriptor::close() {
  int closing = number;
  number = -1;
  return ::close(closing) == 0;
}

bool makePrivateFolder(const std::string &path) {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    std::string part = path.substr(0, slash);
    if (mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) {
      // Parent folders may exist without being writable, or on read-only mounts. Only a failure for
      // the last folder counts.
      if (slash == std::string::npos)
        return false;
    }
    if (slash == std::string::npos)
      return true;
  }
}

Descriptor openFolder(const std::string &path) {
  return Descriptor(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

std::string objectionToFolder(int folder) {
  struct stat facts = {};
  if (fstat(folder, &facts) != 0)
    return "can't be examined";
  if (facts.st_uid != geteuid())
    return "belongs to user " + std::to_string(facts.st_uid) + ", expected user " +
           std::to_string(geteuid());
  if (facts.st_mode & (S_IWGRP | S_IWOTH)) {
    char mode[16];
    std::snprintf(mode, sizeof(mode), "%04o", static_cast<unsigned>(facts.st_mode & 07777));
    return std::string("can be written by others (mode ") + mode + ", expected 0700)";
  }
  return "";
}

std::optional<std::string> readFile(int folder, const std::string &name, bool inspect) {
  Descriptor file(openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat facts = {};
  if (!file || fstat(file.get(), &facts) != 0)
    return std::nullopt;
  if (!S_ISREG(facts.st_mode) || facts.st_size > largestFile) {
    errno = EINVAL;
    return std::nullopt;
  }
  std::string content(static_cast<size_t>(facts.st_size), '\0');
  size_t done = 0;
  while (done < content.size()) {
    ssize_t got = read(file.get(), content.data() + done, content.size() - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return std::nullopt;
    if (got == 0)
      break;
    done += static_cast<size_t>(got);
  }
  content.resize(done);
  // The modification time records the last use, because many systems do not update the access time.
  if (!inspect)
    futimens(file.get(), nullptr);
  return content;
}

bool writeFile(int folder, const std::string &name, std::string_view content) {
  std::string temporary = temporaryName();
  Descriptor file(openat(folder, temporary.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file)
    return false;
  bool written = writeAll(file.get(), content) && fsync(file.get()) == 0 && file.close() &&
                 renameat(folder, temporary.c_str(), folder, name.c_str()) == 0;
  if (!written) {
    int reason = errno;
    unlinkat(folder, temporary.c_str(), 0);
    errno = reason;
  }
  return written;
}

std::vector<FileFacts> listFiles(int folder) {
  std::vector<FileFacts> files;
  // closedir() closes the stream's descriptor, so the stream gets its own.
  int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *stream = own >= 0 ? fdopendir(own) : nullptr;
  if (!stream) {
    if (own >= 0)
      ::close(own);
    return files;
  }
  int64_t oldest = now() - temporaryLife;
  while (const dirent *item = readdir(stream)) {
    std::string name = item->d_name;
    bool temporary = name.starts_with(temporaryPrefix);
    struct stat facts = {};
    if ((!temporary && !isEntryFileName(name)) ||
        fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    int64_t lastUse = nanoseconds(facts.st_mtim);
    if (temporary && lastUse > oldest)
      continue;
    // The size is the file's length or its space on the disk, whichever is greater.
    uint64_t bytes = std::max<uint64_t>(facts.st_size, uint64_t(facts.st_blocks) * 512);
    files.push_back({std::move(name), bytes, temporary ? 0 : lastUse});
  }
  closedir(stream);
  return files;
}

} // namespace eft::cache
