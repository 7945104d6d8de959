// Compressed streams: recognised by their bytes, read to their end, refused when damaged.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "sources/reading.hpp"

namespace freegap::sources {
namespace {

std::string read_all(std::string_view packed, std::size_t at_once = 1U << 20U,
                     std::size_t room = 4096) {
  const auto bytes = decompressed(in_memory(packed, at_once), "packed");
  std::string text;
  std::vector<char> buffer(room);
  while (const std::size_t got = bytes->read(buffer)) {
    text.append(buffer.data(), got);
  }
  EXPECT_EQ(bytes->read(buffer), 0U);
  return text;
}

std::string made_up_text(std::size_t lines) {
  std::mt19937_64 random(29);
  std::string text;
  for (std::size_t i = 0; i < lines; ++i) {
    text += std::to_string(random() % 1000) + " " + std::to_string(random() % 10) + "\n";
  }
  return text;
}

/// Zstandard's frame that holds nothing to read.
const std::string skippable("\x53\x2a\x4d\x18\x03\x00\x00\x00xyz", 11);

TEST(Compressed, PlainBytesStayAsTheyAre) {
  for (const std::string text : {"", "a", "abc", "abcd", "abcde", "\x1f", "\x28\xb5\x2f"}) {
    EXPECT_EQ(read_all(text), text);
    EXPECT_EQ(read_all(text, 1, 1), text);
  }
}

TEST(Compressed, IsReadWhateverTheSizes) {
  const std::string text = made_up_text(5000);
  for (const std::string& packed : {gzip(text), zstandard(text)}) {
    ASSERT_LT(packed.size(), text.size());
    EXPECT_EQ(read_all(packed), text);
    EXPECT_EQ(read_all(packed, 1, 1), text);
    EXPECT_EQ(read_all(packed, 7, 100'000), text);
    EXPECT_EQ(read_all(packed, 100'000, 3), text);
  }
}

TEST(Compressed, MayBeEmpty) {
  EXPECT_EQ(read_all(gzip("")), "");
  EXPECT_EQ(read_all(zstandard("")), "");
}

TEST(Compressed, MayComeInSeveralParts) {
  for (const std::size_t at_once : {std::size_t{1}, std::size_t{1} << 20U}) {
    EXPECT_EQ(read_all(gzip("ab") + gzip("") + gzip("c\n"), at_once), "abc\n");
    EXPECT_EQ(read_all(zstandard("ab") + zstandard("") + zstandard("c\n"), at_once), "abc\n");
    EXPECT_EQ(read_all(std::string(skippable).append(zstandard("ab")).append(skippable), at_once),
              "ab");
    EXPECT_EQ(read_all(gzip("ab") + std::string(700, '\0'), at_once), "ab");  // padded
  }
}

TEST(Compressed, IsRefusedWhenCutShort) {
  const std::string text = made_up_text(300);
  for (const std::string& packed : {gzip(text), zstandard(text)}) {
    for (std::size_t length = 4; length < packed.size(); ++length) {
      ASSERT_EQ(refusal([&] { read_all(packed.substr(0, length)); }),
                "packed: the compressed data ends too early")
          << length;
    }
  }
}

TEST(Compressed, IsRefusedWhenDamaged) {
  const std::string text = made_up_text(300);
  for (const std::string& packed : {gzip(text), zstandard(text)}) {
    int damaged_data = 0;
    for (std::size_t at = 10; at < packed.size(); ++at) {  // behind the header
      std::string damaged = packed;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
      // A few bits have no meaning.
      const std::string message = refusal([&] { ASSERT_EQ(read_all(damaged), text) << at; });
      damaged_data += message == "packed: the compressed data is damaged" ? 1 : 0;
    }
    EXPECT_GT(damaged_data, 100);
  }
}

TEST(Compressed, GivesWhatIsBufferedWhenNoInputIsLeft) {
  // Without a checksum nothing follows the last block, of which more is buffered than is asked for.
  const std::string text = made_up_text(5000);
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  for (const std::size_t room : {1U, 7U, 4096U}) {
    EXPECT_EQ(read_all(packed, 1U << 20U, room), text);
  }
  EXPECT_EQ(read_all(packed + packed, 100, 5), text + text);
}

TEST(Compressed, IsRefusedWhenAnotherPartFollowsPadding) {
  EXPECT_EQ(refusal([] { read_all(gzip("a") + std::string(3, '\0') + gzip("b")); }),
            "packed: the compressed data is damaged");
}

TEST(Compressed, IsRefusedWhenSomethingElseFollows) {
  for (const std::string& end :
       {std::string("x"), std::string("\0x", 2), std::string("\x1f"), std::string("text\n")}) {
    EXPECT_NE(refusal([&] { read_all(gzip("a") + end); }), "nothing is refused");
    EXPECT_NE(refusal([&] { read_all(zstandard("a") + end); }), "nothing is refused");
  }
}

}  // namespace
}  // namespace freegap::sources
