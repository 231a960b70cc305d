#include <anemone/io/file.hpp>
#include <anemone/weights/convert.hpp>
#include <anemone/weights/safetensors.hpp>
#include <anemone/weights/statistics.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <system_error>
#include <thread>

using namespace ane;

namespace {

/// 40,000 floats, 160,000 bytes: 0, 1/4, 2/4, ... 999/4, and again.
std::vector<float> many_values() {
    std::vector<float> values(40'000);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(i % 1000) / 4;
    }
    return values;
}

/// A file of a large tensor and a small one, in a folder of its own.
class large_file {
public:
    large_file() {
        std::filesystem::create_directory(folder_);
        weight_store store;
        store.add("large", {40, 1000}, std::span<const float>(many_values()));
        store.add("small", {2}, {1, 2});
        save_safetensors(path(), store);
    }
    large_file(const large_file&) = delete;
    large_file& operator=(const large_file&) = delete;
    ~large_file() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    std::string path() const { return folder_ / "large.safetensors"; }

private:
    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / fmt::format("anemone-large-{}", std::random_device{}());
};

std::string look_of(const weight_store& store) {
    try {
        static_cast<void>(to_half(store.at("large")));
    } catch (const error& e) {
        CHECK(e.code() == errc::file);
        return e.what();
    }
    return "read";
}

} // namespace

TEST_CASE("large tensors stay in their file until somebody asks for all of their bytes") {
    const large_file file;
    const weight_store store = load_safetensors(file.path());
    const tensor_bytes& large = store.at("large").bytes;
    CHECK(store.at("small").bytes.is_in_memory());
    CHECK(!large.is_in_memory());
    CHECK(large.size() == 160'000);
    const std::vector<float> wanted = many_values();
    CHECK(to_float(store.at("large")) == wanted);
    const std::vector<half> halves = to_half(store.at("large"));
    CHECK(std::equal(wanted.begin(), wanted.end(), halves.begin(), halves.end(),
                     [](float a, half b) { return a == static_cast<float>(b); }));
    const tensor_statistics found = statistics_of(store.at("large"));
    CHECK(found.low == 0.0);
    CHECK(found.high == 249.75);
    CHECK(found.row_l1 == 124'875.0);      // (0 + ... + 999) / 4
    CHECK(found.column_l1 == 40 * 249.75); // the last column
    CHECK(found.zeros == 0.001);
    CHECK(!large.is_in_memory());
    // Pieces, and parts of parts.
    std::array<std::byte, 4> bytes{};
    large.read(4 * 39'999, bytes);
    CHECK(std::memcmp(bytes.data(), &wanted[39'999], 4) == 0);
    CHECK_THROWS_AS(large.read(159'997, bytes), error);
    const tensor_bytes half_of_it = large.part(80'000, 80'000);
    CHECK(!half_of_it.is_in_memory());
    CHECK(half_of_it.part(8, 4).is_in_memory());
    CHECK(std::memcmp(half_of_it.part(8, 4).data(), &wanted[20'002], 4) == 0);
    CHECK_THROWS_AS(half_of_it.part(80'000, 1), error);
    // Two files, or a file and memory, compare by their bytes.
    CHECK(store == load_safetensors(file.path()));
    const auto copied = std::as_bytes(std::span(wanted));
    CHECK(large == tensor_bytes(std::vector<std::byte>(copied.begin(), copied.end())));
    CHECK(!(half_of_it == large.part(0, 80'001)));
    CHECK(!large.is_in_memory());
    // Copies share what was read, by whichever thread asked first.
    const weight_store copy = store;
    std::array<const std::byte*, 4> seen{};
    {
        std::vector<std::thread> threads;
        for (const std::byte*& each : seen) {
            threads.emplace_back([&] { each = copy.at("large").bytes.data(); });
        }
        for (std::thread& each : threads) {
            each.join();
        }
    }
    for (const std::byte* const each : seen) {
        CHECK(each == large.data());
    }
    CHECK(large.is_in_memory());
    CHECK(std::memcmp(large.data(), wanted.data(), large.size()) == 0);
}

TEST_CASE("a file that another replaces, or that is removed, is read all the same") {
    const large_file file;
    const weight_store store = load_safetensors(file.path());
    weight_store other;
    other.add("large", {1}, {3});
    save_safetensors(file.path(), other);
    CHECK(to_float(store.at("large")) == many_values());
    std::filesystem::remove(file.path());
    CHECK(to_float(store.at("large")) == many_values());
}

TEST_CASE("a file that is written to or made shorter meanwhile is an error") {
    const large_file file;
    const weight_store store = load_safetensors(file.path());
    weight_store kept = load_safetensors(file.path());
    CHECK(kept.at("large").bytes.data() != nullptr);
    std::fstream stream(file.path(), std::ios::binary | std::ios::in | std::ios::out);
    stream.seekp(-1, std::ios::end);
    stream.put('x');
    stream.close();
    const auto later = std::filesystem::last_write_time(file.path()) + std::chrono::seconds(1);
    std::filesystem::last_write_time(file.path(), later); // the system's clock may be coarse
    CHECK(look_of(store) == "file: " + file.path() + ": was written to while it was read; read the model again");
    CHECK(look_of(kept) == "read"); // it is in memory
    const weight_store again = load_safetensors(file.path());
    std::filesystem::resize_file(file.path(), 100'000);
    CHECK(look_of(again).find("ends at byte 100000, it had 160") != std::string::npos);
    CHECK(look_of(again).find(file.path()) != std::string::npos);
    // What does not look at it goes on.
    CHECK(again.at("large").bytes.size() == 160'000);
}
