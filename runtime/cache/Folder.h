// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file system operations of the disk cache. They use one descriptor of the folder, so that they
// keep working on the same folder even if another folder takes its name in between.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eft::cache {

// Owns a file descriptor; -1 means none.
class Descriptor {
public:
  explicit Descriptor(int number = -1) : number(number) {}
  Descriptor(Descriptor &&other) noexcept : number(other.number) { other.number = -1; }
  ~Descriptor();

  explicit operator bool() const { return number >= 0; }
  int get() const { return number; }
  // Closes the descriptor. Returns false if the system reports an error: some network file systems
  // report a full disk only here.
  bool close();

private:
  int number;
};

// Makes a folder and its parents, accessible to the user only. Returns true if the folder exists
// afterwards.
bool makePrivateFolder(const std::string &path);

// Opens the folder. If that fails, returns no descriptor and sets errno.
Descriptor openFolder(const std::string &path);

// Returns why the folder is not trusted, as a predicate such as "belongs to user 0, expected user
// 1000". Empty if the folder belongs to the user and no one else can write to it.
std::string objectionToFolder(int folder);

// Reads a file. Marks the file as used now, unless `inspect` is true. If reading fails, returns
// nothing and sets errno.
std::optional<std::string> readFile(int folder, const std::string &name, bool inspect = false);

// Writes a file atomically: a reader finds the whole file or none. If that fails, returns false and
// sets errno.
bool writeFile(int folder, const std::string &name, std::string_view content);

struct FileFacts {
  std::string name;
  uint64_t bytes = 0;
  int64_t lastUse = 0; // nanoseconds since the epoch; 0 for a temporary file
};

// The files of entries, and temporary files that are more than an hour old, whose writer must be
// gone.
std::vector<FileFacts> listFiles(int folder);

} // namespace eft::cache
