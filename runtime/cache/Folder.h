// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The disk cache's dealings with the file system. All of it goes through one descriptor of the
// folder, so that a folder exchanged under way is not followed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eft::cache {

// Owns a descriptor; -1 is none.
class Descriptor {
public:
  explicit Descriptor(int number = -1) : number(number) {}
  Descriptor(Descriptor &&other) noexcept : number(other.number) { other.number = -1; }
  ~Descriptor();

  explicit operator bool() const { return number >= 0; }
  int get() const { return number; }
  // Closes, and says whether the system had something to object (a full disk shows here on some
  // network file systems).
  bool close();

private:
  int number;
};

// Makes a folder, and those above it, for the user alone. True if it is there then.
bool makePrivateFolder(const std::string &path);

// The folder, opened; no descriptor and errno if that fails.
Descriptor openFolder(const std::string &path);

// Says why a folder is not trusted, in words that complete "…: the folder "; empty if it is the
// user's own and no one else can write to it.
std::string objectionToFolder(int folder);

// The content of a file. Reading it marks it as used now, unless it is only inspected. Nothing and
// errno if that fails.
std::optional<std::string> readFile(int folder, const std::string &name, bool inspect = false);

// Writes a file so that it is there whole or not at all. False and errno if that fails.
bool writeFile(int folder, const std::string &name, std::string_view content);

struct FileFacts {
  std::string name;
  uint64_t bytes = 0;
  int64_t lastUse = 0; // nanoseconds since the epoch
};

// The entries' files, and the temporary ones that are so old that their writer must be gone.
std::vector<FileFacts> listFiles(int folder);

} // namespace eft::cache
