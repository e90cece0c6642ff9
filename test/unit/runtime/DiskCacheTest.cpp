// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests the disk cache: a failure of the disk is a miss, never an error.
#include "runtime/cache/DiskCache.h"
#include "TemporaryFolder.h"
#include "runtime/cache/Checksum.h"
#include "runtime/cache/Entry.h"
#include "runtime/cache/Folder.h"

#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace eft::cache;
namespace fs = std::filesystem;

namespace {

constexpr uint64_t plenty = uint64_t(1) << 30;

struct CacheTest : testing::Test {
  TemporaryFolder temporary;
  std::string folder = temporary.path / "cache";

  fs::path file(std::string_view key) { return fs::path(folder) / entryFileName(key); }

  std::string content(std::string_view key) {
    std::ifstream stream(file(key), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  void replace(std::string_view key, const std::string &content) {
    std::ofstream(file(key), std::ios::binary | std::ios::trunc) << content;
  }

  size_t filesInFolder() {
    size_t count = 0;
    for ([[maybe_unused]] const auto &item : fs::directory_iterator(folder))
      ++count;
    return count;
  }
};

// Runs `body` in a child process, as another user if this one is root. Root may write anywhere, so
// tests of permissions need another user. Returns the exit status.
template <typename Body> int asNobody(Body body) {
  pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
      _exit(99);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

} // namespace

TEST(Checksum, is_the_well_known_crc32) {
  EXPECT_EQ(crc32("123456789"), 0xCBF43926u);
  EXPECT_EQ(crc32(""), 0u);
  EXPECT_EQ(crc32("56789", crc32("1234")), crc32("123456789"));
  EXPECT_EQ(fnv1a("a"), 0xaf63dc4c8601ec8cu);
}

TEST(Size, has_units) {
  EXPECT_EQ(parseSize("4096"), 4096u);
  EXPECT_EQ(parseSize("512M"), uint64_t(512) << 20);
  EXPECT_EQ(parseSize("2G"), uint64_t(2) << 30);
  EXPECT_EQ(parseSize("0"), 0u);
  for (const char *text : {"", "G", "1GB", "-1", "1.5G", "99999999999T"})
    EXPECT_EQ(parseSize(text), std::nullopt) << text;
}

TEST_F(CacheTest, shows_its_files) {
  DiskCache cache(folder, plenty);
  EXPECT_TRUE(cache.files().empty());
  cache.put("a", "text");
  cache.put("b", "more");
  std::ofstream(fs::path(folder) / "something") << "else";
  std::vector<FileFacts> files = cache.files();
  ASSERT_EQ(files.size(), 2u);
  fs::file_time_type before = fs::last_write_time(file("a"));
  std::optional<Entry> entry = cache.inspect(entryFileName("a"));
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->key, "a");
  EXPECT_EQ(entry->bytes, "text");
  EXPECT_EQ(fs::last_write_time(file("a")), before);
  replace("b", content("a")); // the entry of another key
  EXPECT_FALSE(cache.inspect(entryFileName("b")));
  replace("a", content("a") + "x");
  EXPECT_FALSE(cache.inspect(entryFileName("a")));
  EXPECT_TRUE(cache.remove(entryFileName("a")));
  EXPECT_TRUE(cache.remove(entryFileName("a"))) << "it is gone";
  EXPECT_FALSE(cache.remove("something"));
  EXPECT_EQ(cache.files().size(), 1u);
}

TEST_F(CacheTest, says_why_bytes_are_not_kept) {
  EXPECT_EQ(DiskCache(folder, plenty).put("k", "v"), "");
  EXPECT_EQ(DiskCache(folder, 0).put("k", "v"), "the cache is off (EFT_CACHE_SIZE is 0)");
  EXPECT_EQ(DiskCache("", plenty).put("k", "v"),
            "there is no folder for the cache (EFT_CACHE_DIR names one)");
  EXPECT_EQ(DiskCache(folder, 10).put("k", "v"),
            "its 34 bytes are more than the cache's bound of 10 (EFT_CACHE_SIZE)");
  EXPECT_EQ(DiskCache("/dev/null/cache", plenty).put("k", "v"),
            "'/dev/null/cache' can't be written: Not a directory");
  ASSERT_EQ(chmod(folder.c_str(), 0777), 0);
  EXPECT_EQ(DiskCache(folder, plenty).put("k", "v"),
            "the folder '" + folder + "' is not for the user alone");
}

TEST_F(CacheTest, a_smaller_bound_does_not_wait_for_a_put) {
  std::string bytes(10000, 'x');
  DiskCache large(folder, plenty);
  large.enforceBound(); // the folder does not exist yet
  for (int i = 0; i < 20; ++i)
    large.put("k" + std::to_string(i), bytes);
  auto kept = [&] {
    size_t count = 0;
    for (int i = 0; i < 20; ++i)
      count += fs::exists(file("k" + std::to_string(i)));
    return count;
  };
  large.enforceBound();
  EXPECT_EQ(kept(), 20u);
  DiskCache small(folder, 100000);
  small.enforceBound();
  EXPECT_LT(kept(), 10u);
  EXPECT_GT(kept(), 3u);
  std::ofstream(fs::path(folder) / "bound", std::ios::trunc) << "nonsense";
  DiskCache(folder, 30000).enforceBound();
  EXPECT_LE(kept(), 2u);
  DiskCache(folder, plenty).enforceBound();
  EXPECT_LE(kept(), 2u);
}

TEST_F(CacheTest, keeps_bytes_by_key) {
  DiskCache cache(folder, plenty);
  EXPECT_EQ(cache.get("k"), std::nullopt);
  std::string bytes("zero \0 inside", 13);
  cache.put("k", bytes);
  cache.put("empty", "");
  EXPECT_EQ(cache.get("k"), bytes);
  EXPECT_EQ(cache.get("empty"), "");
  EXPECT_EQ(cache.get("other"), std::nullopt);
  cache.put("k", "new");
  EXPECT_EQ(DiskCache(folder, plenty).get("k"), "new") << "as another process sees it";
  EXPECT_EQ(cache.takeWarning(), "");
}

TEST_F(CacheTest, makes_its_folder_for_the_user_alone) {
  folder = temporary.path / "a" / "b" / "cache";
  DiskCache(folder, plenty).put("k", "v");
  struct stat facts = {};
  ASSERT_EQ(stat(folder.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0700u);
  ASSERT_EQ(stat(file("k").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0600u);
}

TEST_F(CacheTest, leaves_no_temporary_files) {
  DiskCache cache(folder, plenty);
  for (int i = 0; i < 20; ++i)
    cache.put("k", std::string(1000, 'x'));
  EXPECT_EQ(filesInFolder(), 1u);
}

TEST_F(CacheTest, every_truncation_is_a_miss) {
  DiskCache cache(folder, plenty);
  cache.put("key", "value");
  std::string whole = content("key");
  for (size_t length = 0; length < whole.size(); ++length) {
    replace("key", whole.substr(0, length));
    EXPECT_EQ(cache.get("key"), std::nullopt) << length << " bytes are left";
  }
  replace("key", whole + "x");
  EXPECT_EQ(cache.get("key"), std::nullopt);
  replace("key", whole);
  EXPECT_EQ(cache.get("key"), "value");
}

TEST_F(CacheTest, every_flipped_bit_is_a_miss) {
  DiskCache cache(folder, plenty);
  cache.put("key", "value");
  std::string whole = content("key");
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    replace("key", damaged);
    EXPECT_EQ(cache.get("key"), std::nullopt) << "bit " << bit;
  }
  cache.put("key", "again");
  EXPECT_EQ(cache.get("key"), "again") << "a damaged file is replaced";
}

TEST_F(CacheTest, keys_that_share_a_file_name_are_told_apart) {
  std::string entry = encodeEntry("one", "bytes of one");
  EXPECT_EQ(decodeEntry("one", entry), "bytes of one");
  EXPECT_EQ(decodeEntry("two", entry), std::nullopt);
  EXPECT_EQ(decodeEntry("one more", entry), std::nullopt);
}

TEST_F(CacheTest, what_is_no_regular_file_is_a_miss) {
  DiskCache cache(folder, plenty);
  cache.put("other", "v");
  ASSERT_EQ(mkfifo(file("pipe").c_str(), 0600), 0);
  EXPECT_EQ(cache.get("pipe"), std::nullopt);
  fs::create_directory(file("folder"));
  EXPECT_EQ(cache.get("folder"), std::nullopt);
  fs::create_symlink(file("other"), file("link"));
  EXPECT_EQ(cache.get("link"), std::nullopt);
}

TEST_F(CacheTest, a_folder_that_others_can_write_is_not_used) {
  fs::create_directories(folder);
  ASSERT_EQ(chmod(folder.c_str(), 0777), 0);
  DiskCache cache(folder, plenty);
  cache.put("k", "v");
  EXPECT_EQ(filesInFolder(), 0u);
  EXPECT_EQ(cache.get("k"), std::nullopt);
  EXPECT_EQ(cache.takeWarning(), "the compile cache is not used: the folder '" + folder +
                                     "' can be written by others (mode 0777, expected 0700); "
                                     "EFT_CACHE_DIR names another");
  cache.put("k", "v");
  EXPECT_EQ(cache.takeWarning(), "") << "one warning is enough";
}

TEST_F(CacheTest, a_folder_of_another_user_is_not_used) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can make a folder for another user";
  fs::create_directories(folder);
  ASSERT_EQ(chown(folder.c_str(), 12345, 12345), 0);
  DiskCache cache(folder, plenty);
  cache.put("k", "v");
  EXPECT_EQ(cache.takeWarning(), "the compile cache is not used: the folder '" + folder +
                                     "' belongs to user 12345, expected user 0; EFT_CACHE_DIR "
                                     "names another");
}

TEST_F(CacheTest, a_cache_that_cannot_be_written_warns_once) {
  int status = asNobody([&] {
    DiskCache cache(folder, plenty);
    cache.put("k", "v");
    bool right = cache.takeWarning() ==
                 "the compile cache can't be written: '" + folder +
                     "': Permission denied; kernels will be compiled again in the next process "
                     "(EFT_CACHE_DIR names another folder)";
    cache.put("k", "v");
    return right && cache.takeWarning().empty() && !cache.get("k") ? 0 : 1;
  });
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can become somebody without rights here";
  EXPECT_EQ(status, 0);
}

TEST_F(CacheTest, a_file_in_the_folders_place_warns) {
  std::ofstream(folder) << "in the way";
  DiskCache cache(folder, plenty);
  cache.put("k", "v");
  EXPECT_EQ(cache.get("k"), std::nullopt);
  EXPECT_NE(cache.takeWarning().find("Not a directory"), std::string::npos);
}

TEST_F(CacheTest, a_folder_in_an_entrys_place_warns) {
  fs::create_directories(file("k"));
  fs::permissions(folder, fs::perms::owner_all);
  DiskCache cache(folder, plenty);
  cache.put("k", "v");
  EXPECT_EQ(cache.get("k"), std::nullopt);
  EXPECT_EQ(cache.takeWarning(),
            "the compile cache can't be written: '" + file("k").string() +
                "': Is a directory; kernels will be compiled again in the next process "
                "(EFT_CACHE_DIR names another folder)");
  EXPECT_EQ(filesInFolder(), 1u) << "nothing but that folder";
}

TEST_F(CacheTest, a_write_that_fails_half_way_leaves_nothing) {
  pid_t child = fork();
  if (child == 0) {
    // Simulates a full disk: a write beyond the limit fails.
    signal(SIGXFSZ, SIG_IGN);
    rlimit limit = {100, 100};
    setrlimit(RLIMIT_FSIZE, &limit);
    DiskCache cache(folder, plenty);
    cache.put("k", std::string(1000, 'x'));
    bool right = cache.takeWarning().find("File too large") != std::string::npos;
    _exit(right && filesInFolder() == 0 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(CacheTest, the_least_recently_used_go_first) {
  // Files take whole blocks of the disk, which are at most 4 KiB on common systems.
  DiskCache cache(folder, 10 * 4096);
  std::string bytes(4000, 'x');
  auto put = [&](const std::string &key) {
    cache.put(key, bytes);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  };
  for (int i = 0; i < 8; ++i)
    put("key" + std::to_string(i));
  EXPECT_TRUE(cache.get("key0")) << "asked for, so it is not the oldest any more";
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  for (int i = 8; i < 12; ++i)
    put("key" + std::to_string(i));
  EXPECT_TRUE(cache.get("key0"));
  EXPECT_FALSE(cache.get("key1"));
  EXPECT_TRUE(cache.get("key11"));
  uint64_t total = 0;
  for (const auto &item : fs::directory_iterator(folder))
    total += item.file_size();
  EXPECT_LE(total, 10 * 4096u);
}

TEST_F(CacheTest, an_entry_larger_than_the_cache_is_not_kept) {
  DiskCache cache(folder, 1000);
  cache.put("small", "v");
  cache.put("large", std::string(2000, 'x'));
  EXPECT_EQ(cache.get("large"), std::nullopt);
  EXPECT_EQ(cache.takeWarning(), "");
}

TEST_F(CacheTest, leftovers_of_killed_writers_go_and_strangers_files_stay) {
  DiskCache cache(folder, 16 * 1024);
  cache.put("first", "v");
  fs::path old = fs::path(folder) / ".new-1-0-0", young = fs::path(folder) / ".new-2-0-0";
  fs::path stranger = fs::path(folder) / "notes.txt";
  for (const fs::path &path : {old, young, stranger})
    std::ofstream(path) << "text";
  timespec longAgo[2] = {{1000, 0}, {1000, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, old.c_str(), longAgo, 0), 0);
  ASSERT_EQ(utimensat(AT_FDCWD, stranger.c_str(), longAgo, 0), 0);
  cache.put("second", std::string(4000, 'x'));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young));
  EXPECT_TRUE(fs::exists(stranger));
}

TEST_F(CacheTest, a_size_of_zero_is_no_cache) {
  DiskCache cache(folder, 0);
  cache.put("k", "v");
  EXPECT_EQ(cache.get("k"), std::nullopt);
  EXPECT_FALSE(fs::exists(folder));
  DiskCache("", plenty).put("k", "v");
}

TEST_F(CacheTest, processes_write_and_read_at_once) {
  // Each process writes values that show which process wrote them. A reader must see one whole
  // value.
  std::vector<pid_t> children;
  for (int process = 0; process < 4; ++process) {
    pid_t child = fork();
    if (child == 0) {
      DiskCache cache(folder, 64 * 1024);
      for (int i = 0; i < 100; ++i) {
        std::string key = "key" + std::to_string(i % 10);
        cache.put(key, key + std::string(2000 + i, static_cast<char>('a' + process)));
        auto got = cache.get(key);
        if (got &&
            (!got->starts_with(key) || got->find_first_not_of((*got)[5], 5) != std::string::npos))
          _exit(1);
      }
      _exit(cache.takeWarning().empty() ? 0 : 2);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

// Describes the process's cache, in a new process with these environment variables: its folder, its
// limit and its warning.
static std::string describeProcessCache(std::vector<std::pair<const char *, const char *>> set) {
  int ends[2];
  if (pipe(ends) != 0)
    return "";
  pid_t child = fork();
  if (child == 0) {
    for (const char *name : {"EFT_CACHE_DIR", "XDG_CACHE_HOME", "EFT_CACHE_SIZE", "HOME"})
      unsetenv(name);
    for (auto [name, value] : set)
      setenv(name, value, 1);
    DiskCache &cache = DiskCache::process();
    std::string text =
        cache.folder() + " " + std::to_string(cache.limit()) + " " + cache.takeWarning();
    (void)!write(ends[1], text.data(), text.size());
    _exit(0);
  }
  close(ends[1]);
  std::string text(4096, '\0');
  ssize_t got = read(ends[0], text.data(), text.size());
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return text;
}

TEST(ProcessCache, is_where_the_environment_says) {
  EXPECT_EQ(describeProcessCache({{"HOME", "/h"}}), "/h/.cache/eft 1073741824 ");
  EXPECT_EQ(describeProcessCache({{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}}), "/x/eft 1073741824 ");
  EXPECT_EQ(describeProcessCache({{"HOME", "/h"}, {"XDG_CACHE_HOME", "relative"}}),
            "/h/.cache/eft 1073741824 ");
  EXPECT_EQ(describeProcessCache(
                {{"XDG_CACHE_HOME", "/x"}, {"EFT_CACHE_DIR", "/e"}, {"EFT_CACHE_SIZE", "3M"}}),
            "/e 3145728 ");
  EXPECT_EQ(describeProcessCache({{"EFT_CACHE_DIR", "here"}}),
            (fs::current_path() / "here").string() + " 1073741824 ");
  EXPECT_NE(describeProcessCache({}).find("/.cache/eft"), std::string::npos)
      << "the user's home is found without HOME";
}

TEST(ProcessCache, a_size_that_is_none_warns_and_changes_nothing) {
  EXPECT_EQ(describeProcessCache({{"EFT_CACHE_DIR", "/e"}, {"EFT_CACHE_SIZE", "much"}}),
            "/e 1073741824 EFT_CACHE_SIZE must be a size such as 512M or 2G, got 'much': the "
            "compile cache keeps its usual 1G");
}
