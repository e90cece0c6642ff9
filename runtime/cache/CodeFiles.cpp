// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cache/CodeFiles.h"

#include <algorithm>
#include <dirent.h>
#include <memory>
#include <sys/stat.h>
#include <vector>

namespace eft::cache {

std::string describeCodeFiles(const std::string &folder) {
  std::unique_ptr<DIR, int (*)(DIR *)> entries(opendir(folder.c_str()), closedir);
  if (!entries)
    return "";
  std::vector<std::string> lines;
  while (const dirent *entry = readdir(entries.get())) {
    const std::string name = entry->d_name;
    struct stat facts;
    if ((!name.ends_with(".py") && !name.ends_with(".so")) ||
        fstatat(dirfd(entries.get()), name.c_str(), &facts, 0) != 0 || !S_ISREG(facts.st_mode))
      continue;
    lines.push_back(name + " " + std::to_string(facts.st_size) + " " +
                    std::to_string(facts.st_mtim.tv_sec) + "." +
                    std::to_string(facts.st_mtim.tv_nsec) + "\n");
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string &line : lines)
    text += line;
  return text;
}

} // namespace eft::cache
