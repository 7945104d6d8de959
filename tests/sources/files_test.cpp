// Files: names and formats, compression, and files that cannot be read.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "sources/reading.hpp"
#include "support/temporary_folder.hpp"

namespace freegap::sources {
namespace {

Input file(const std::string& path) {
  Input input;
  input.path = path;
  return input;
}

/// Root needs no leave to read, and so is somebody else for as long as this lives.
class SomebodyElse {
 public:
  SomebodyElse() {
    constexpr uid_t nobody = 65534;
    static_cast<void>(root_ && seteuid(nobody) == 0);
  }
  SomebodyElse(const SomebodyElse&) = delete;
  SomebodyElse& operator=(const SomebodyElse&) = delete;
  ~SomebodyElse() { EXPECT_TRUE(!root_ || seteuid(0) == 0); }

 private:
  bool root_ = geteuid() == 0;
};

/// Standard input, from a file, for as long as this lives.
class StandardInput {
 public:
  explicit StandardInput(const std::string& path) : kept_(dup(STDIN_FILENO)) {
    const int descriptor = open(path.c_str(), O_RDONLY);
    EXPECT_GE(dup2(descriptor, STDIN_FILENO), 0);
    close(descriptor);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;
  ~StandardInput() {
    if (kept_ >= 0) {
      dup2(kept_, STDIN_FILENO);
      close(kept_);
    } else {
      close(STDIN_FILENO);
    }
  }

 private:
  int kept_;
};

TEST(Files, AreKnownByTheirEndings) {
  const testing::TemporaryFolder folder;
  const std::string dat = "a b\na\n";
  const std::string csv = "item,count\na,2\nb,1\n";
  const std::string tsv = "item\tcount\na\t2\nb\t1\n";
  const std::string counted = "a=2 b=1 (2 of transaction)";
  const std::string given = "a=2 b=1 (2 of )";
  EXPECT_EQ(shown(read(file(folder.write("t.dat", dat)))), counted);
  EXPECT_EQ(shown(read(file(folder.write("t.dat.gz", gzip(dat))))), counted);
  EXPECT_EQ(shown(read(file(folder.write("t.dat.zst", zstandard(dat))))), counted);
  EXPECT_EQ(shown(read(file(folder.write("t.csv", csv)))), given);
  EXPECT_EQ(shown(read(file(folder.write("t.csv.gz", gzip(csv))))), given);
  EXPECT_EQ(shown(read(file(folder.write("t.tsv", tsv)))), given);
  EXPECT_EQ(shown(read(file(folder.write("t.tsv.zst", zstandard(tsv))))), given);
}

TEST(Files, OfTransactionsAreCompressedIfThatIsSaid) {
  // A first record that looks like the beginning of a compressed file does not affect the others.
  const testing::TemporaryFolder folder;
  for (const std::string& record : {std::string("\x1f\x8b\x08"), std::string("\x28\xb5\x2f\xfd")}) {
    Input input = file(folder.write("a.dat", record + "\na b\n"));
    input.skip_bad_records = true;
    const Values values = read(input);
    EXPECT_EQ(values.items, (std::vector<std::string>{"a", "b"}));
  }
  EXPECT_EQ(shown(read(file(folder.write("b.dat.gz", gzip("a\n") + gzip("a\n"))))),
            "a=2 (2 of transaction)");
  EXPECT_EQ(shown(read(file(folder.write("c.dat.gz", zstandard("a\n"))))),
            "a=1 (1 of transaction)");
  Input other = file(folder.write("d.bin", gzip("a\n")));
  other.format = Format::transactions;
  other.packed = true;
  EXPECT_EQ(shown(read(other)), "a=1 (1 of transaction)");
  const Input plain = file(folder.write("e.dat.gz", "a\n"));
  EXPECT_EQ(
      refusal([&] { read(plain); }),
      plain.path + ": it is not compressed; name it, or say --input-format, without .gz or .zst");
}

TEST(Files, OfOtherFormatsAreCompressedIfTheirBytesSaySo) {
  const testing::TemporaryFolder folder;
  EXPECT_EQ(shown(read(file(folder.write("d.csv.gz", zstandard("item,count\na,1\n"))))),
            "a=1 (1 of )");
  EXPECT_EQ(shown(read(file(folder.write("d.csv", gzip("item,count\na,1\n"))))), "a=1 (1 of )");
  Input cut = file(folder.write("e.dat.gz", gzip("a\n").substr(0, 12)));
  cut.skip_bad_records = true;
  EXPECT_EQ(refusal([&] { read(cut); }), cut.path + ": the compressed data ends too early");
}

TEST(Files, MayBeNamedOtherwise) {
  const testing::TemporaryFolder folder;
  Input input = file(folder.write("data.txt", "a,b\nx,y\n"));
  EXPECT_EQ(refusal([&] { read(input); }),
            input.path +
                ": say how it is written with --input-format dat, csv or tsv (known from the "
                "endings .dat, .csv and .tsv, also followed by .gz or .zst)");
  input.format = Format::transactions;
  input.separator = ' ';
  EXPECT_EQ(shown(read(input)), "a,b=1 x,y=1 (2 of transaction)");
  input.separator = ',';
  EXPECT_EQ(shown(read(input)), "a=1 b=1 x=1 y=1 (2 of transaction)");
  input.format = Format::csv;
  EXPECT_EQ(refusal([&] { read(input); }).rfind("--separator: it is for transactions", 0), 0U);
  input.separator.reset();
  input.item = "b";
  EXPECT_EQ(shown(read(input)), "y=1 (1 of row)");
}

TEST(Files, MayBeStandardInput) {
  const testing::TemporaryFolder folder;
  const std::string plain = folder.write("plain", "a b\nb\n");
  const std::string packed = folder.write("packed", gzip("item,count\na,4\n"));
  Input input = file("-");
  EXPECT_EQ(refusal([&] { read(input); }).rfind("standard input: say how it is written", 0), 0U);
  input.format = Format::transactions;
  {
    const StandardInput redirected(plain);
    EXPECT_EQ(shown(read(input)), "a=1 b=2 (2 of transaction)");
  }
  {
    const StandardInput redirected(packed);
    input.format = Format::csv;
    EXPECT_EQ(shown(read(input)), "a=4 (1 of )");
  }
  {
    const StandardInput redirected(plain);
    EXPECT_EQ(read_list("-"), (std::vector<std::string>{"a b", "b"}));
  }
}

TEST(Files, ThatAreNotThereAreRefused) {
  const testing::TemporaryFolder folder;
  const std::string missing = folder.file("missing.csv");
  EXPECT_EQ(refusal([&] { read(file(missing)); }),
            missing + ": it cannot be read: No such file or directory");
  const std::string directory = folder.file("folder.dat");
  std::filesystem::create_directory(directory);
  EXPECT_EQ(refusal([&] { read(file(directory)); }),
            directory + ": it cannot be read: Is a directory");
  EXPECT_EQ(refusal([&] { read_list(missing); }),
            missing + ": it cannot be read: No such file or directory");
}

TEST(Files, WithoutLeaveToReadAreRefused) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("secret.dat", "a b\n");
  ASSERT_EQ(chmod(path.c_str(), 0), 0);
  const SomebodyElse reader;
  if (geteuid() == 0) {
    GTEST_SKIP() << "cannot become another user";
  }
  EXPECT_EQ(refusal([&] { read(file(path)); }), path + ": it cannot be read: Permission denied");
}

TEST(Files, ThatTheMachineCannotReadAreItsFault) {
  // Reading a process's memory at 0 fails like a broken disk.
  Input input = file("/proc/self/mem");
  input.format = Format::transactions;
  EXPECT_THROW(read(input), MachineFault);
}

TEST(Files, AskForWhatMakesSense) {
  const testing::TemporaryFolder folder;
  Input input = file(folder.write("t.dat", "a\n"));
  input.item = "a";
  EXPECT_EQ(refusal([&] { read(input); }),
            input.path +
                ": transactions have no columns: leave out --item, --value and --unit (the unit is "
                "the transaction)");
  input.item.reset();
  input.unit = "user";
  EXPECT_NE(refusal([&] { read(input); }), "nothing is refused");
  EXPECT_EQ(
      refusal([] { read(Input()); }),
      "input: give one file (\"-\" for standard input), --parquet FILE, or --sqlite FILE --query "
      "SQL (or --duckdb)");
  input = file("t.csv");
  input.query = "SELECT 1";
  EXPECT_EQ(refusal([&] { read(input); }),
            "query: it needs a database: give --sqlite FILE, or --duckdb FILE");
  input.query.clear();
  input = Input();
  input.sqlite = "no.db";  // refused before anything is opened
  EXPECT_EQ(refusal([&] { read(input); }), "query: say what to ask the database: give --query SQL");
  input = file("t.csv");
  input.step = 513;
  EXPECT_EQ(refusal([&] { read(input); }), "step: it must be between 2^-512 and 2^512");
}

TEST(Files, StandBesideNoEngineAndEnginesAlone) {
  const auto refused = [](Input input, const std::string& message) {
    input.item = "a";
    input.unit = "b";
    EXPECT_EQ(refusal([&] { records_of(input); }), message);
  };
  Input input;
  input.duckdb = "";
  input.query = "FROM t";
  refused(input, "duckdb: name the file of the database");
  input.duckdb = "shop.duckdb";
  EXPECT_TRUE(asks_engine(input));
  EXPECT_EQ(records_of(input), Records::numbers);
  input.sqlite = "shop.db";
  refused(input, "input: give one of --sqlite, --duckdb and --parquet");
  input.sqlite.reset();
  input.format = Format::csv;
  refused(input, "input: give either a file or a database, not both");
  input = Input();
  EXPECT_FALSE(asks_engine(input));
  input.parquet = "";
  refused(input, "parquet: name the file, or files by a pattern: 'sales/*.parquet'");
  input.parquet = "sales.parquet";
  input.separator = ',';
  EXPECT_NE(refusal([&] { records_of(input); }), "nothing is refused");
  input.separator.reset();
  input.item = "a";
  EXPECT_EQ(records_of(input), Records::rows);
  input.value = "b";
  EXPECT_EQ(records_of(input), Records::numbers);
}

TEST(Files, AreCheckedToTheirEnd) {
  const testing::TemporaryFolder folder;
  std::string text = "item,count\n";
  for (int i = 0; i < 50; ++i) {
    text += std::to_string(i) + (i % 5 == 4 ? ",x\n" : ",1\n");
  }
  const Input input = file(folder.write("t.csv", text));
  const Values all = check(input);
  EXPECT_EQ(all.records, 40U);
  ASSERT_EQ(all.bad.size(), 10U);
  EXPECT_EQ(all.bad[1].line, 11U);
  EXPECT_EQ(all.bad[1].problem, "the number is not whole");
  const Values some = check(input, 3);
  EXPECT_EQ(some.records, 40U);
  EXPECT_EQ(some.bad.size(), 3U);
  EXPECT_TRUE(check(input, 0).bad.empty());
}

}  // namespace
}  // namespace freegap::sources
