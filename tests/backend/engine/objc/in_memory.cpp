// The door of in-memory MIL text: where ports and files lie is another matter than of a netplist.

#include "anemone/backend/engine/objc/in_memory.hpp"

#include "door.hpp"
#include <anemone/backend/engine/driver/temporary_directory.hpp>
#include <anemone/backend/engine/objc/model_directory.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/io/file.hpp>
#include <anemone/model.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace ane;
using namespace ane::literals;

namespace {

/// Names whose alphabetical order is not that of the ports.
constexpr auto swapped = graph([](auto& g) {
    auto second = g.input("second"_s, f16<1, 4, 2, 3>);
    auto first = g.input("first"_s, f16<1, 4, 2, 3>);
    auto Third = g.input("Third"_s, f16<1, 4, 1, 1>);
    g.output("zebra"_s, second - first);
    g.output("ant"_s, conv2d(first, g.weight("w"_s, f16<4, 4, 1, 1>)) + Third);
});

constexpr auto large = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 64, 32, 32>);
    auto a = g.input("a"_s, f16<1, 64, 1, 1>);
    g.output("y"_s, reduce_sum<axes{1}>(x + a));
});

backend::engine_options by_mil() {
    backend::engine_options options = objc_standin::options();
    options.runtime = backend::engine_runtime::in_memory_mil;
    return options;
}

template <class Tensor> void count_up(Tensor& tensor, double from) {
    for (half& each : tensor.elements()) {
        each = half(from += 0.25);
    }
}

weight_store counted_weights() {
    weight_store weights;
    std::vector<float> w(16);
    for (std::size_t i = 0; i < w.size(); ++i) {
        w[i] = static_cast<float>(i) - 7.5F;
    }
    weights.add("w", extents{4, 4, 1, 1}, std::span<const float>(w));
    return weights;
}

/// The folders of models that the stand-in has been given.
std::size_t folders_in(const std::filesystem::path& parent) {
    std::size_t count = 0;
    for (const auto& each : std::filesystem::directory_iterator(parent)) {
        count += each.path().filename().string().starts_with("anemone_objc_") ? 1 : 0;
    }
    return count;
}

/// A folder for temporary files, for as long as the object lives.
class temporary_folder {
public:
    explicit temporary_folder(const std::string& path) {
        const char* const was = std::getenv("TMPDIR");
        was_ = was != nullptr ? std::optional<std::string>(was) : std::nullopt;
        ::setenv("TMPDIR", path.c_str(), 1);
    }
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    ~temporary_folder() { was_ ? ::setenv("TMPDIR", was_->c_str(), 1) : ::unsetenv("TMPDIR"); }

private:
    std::optional<std::string> was_;
};

} // namespace

TEST_CASE("in-memory MIL: ports are handed over in the alphabetical order of their names") {
    const objc_standin::host machine(h13);
    ndarray<shape<1, 4, 2, 3>> second;
    ndarray<shape<1, 4, 2, 3>> first;
    ndarray<shape<1, 4, 1, 1>> third;
    count_up(second, 100);
    count_up(first, -3);
    count_up(third, 0.5);
    const weight_store weights = counted_weights();
    auto program = compile<swapped>(objc_standin::engine(h13, by_mil()), weights);
    auto reference = compile<swapped>(backend::oracle(h13), weights);
    const auto given = program({"second"_s = second, "first"_s = first, "Third"_s = third});
    const auto expected = reference({"second"_s = second, "first"_s = first, "Third"_s = third});
    CHECK(given["zebra"_s](0, 3, 1, 2) == half(103.0));
    const auto equal = [](const auto& a, const auto& b) {
        return std::ranges::equal(a.elements(), b.elements(), {}, &half::bits, &half::bits);
    };
    CHECK(equal(given["zebra"_s], expected["zebra"_s]));
    CHECK(equal(given["ant"_s], expected["ant"_s]));
    objc::session& session = program.compiled().in_memory_session();
    CHECK(session.input_index("Third") == 0); // capitals first
    CHECK(session.input_index("first") == 1);
    CHECK(session.output_index("ant") == 0);
    CHECK(std::string(objc_standin::books().misuse()).empty());
}

TEST_CASE("in-memory MIL: surfaces of one side have one size, of at least 48 KB, and are dense") {
    auto small = compile<swapped>(objc_standin::engine(h13, by_mil()), counted_weights());
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(small.compiled().in_memory_session().input_layout(i).surface == 49'152);
    }
    auto big = compile<large>(objc_standin::engine(h13, by_mil()), weight_store{});
    objc::session& session = big.compiled().in_memory_session();
    CHECK(session.input_layout(0).surface == 131'072); // 64 x 32 x 32 x 2 bytes: that of x
    CHECK(session.input_layout(1).surface == 131'072);
    CHECK(session.output_layout(0).surface == 49'152);
    CHECK(session.input_layout(1).stride == std::array<std::int64_t, 5>{131'072, 131'072, 2048, 64, 2});
    CHECK_THROWS_WITH_AS(static_cast<void>(big.compiled().session()), doctest::Contains("e5rt door"), error);
}

TEST_CASE("in-memory MIL: sessions of one text share a folder, which goes with the last") {
    const e5rt::temporary_directory alone("anemone_in_memory");
    const temporary_folder here(alone.path());
    {
        std::optional first(compile<large>(objc_standin::engine(h13, by_mil()), weight_store{}));
        auto second = compile<large>(objc_standin::engine(h13, by_mil()), weight_store{});
        CHECK(folders_in(alone.path()) == 1);
        first.reset();
        CHECK(folders_in(alone.path()) == 1);
        second.compiled().in_memory_session().execute();
        second.compiled().in_memory_session().close();
        CHECK(folders_in(alone.path()) == 0);
    }
    CHECK(folders_in(alone.path()) == 0);
}

TEST_CASE("in-memory MIL: a folder is shared between processes, and one that was there before stays") {
    const e5rt::temporary_directory alone("anemone_in_memory");
    const std::string folder = (alone.path() / "model").string();
    using objc::detail::model_directory;
    {
        model_directory mine(folder);
        const ::pid_t other = ::fork();
        if (other == 0) {
            { const model_directory theirs(folder); }
            ::_exit(std::filesystem::exists(folder) ? 0 : 1); // not the last
        }
        int status = -1;
        REQUIRE(::waitpid(other, &status, 0) == other);
        CHECK(status == 0);
        CHECK(std::filesystem::exists(folder));
    }
    CHECK_FALSE(std::filesystem::exists(folder));
    std::filesystem::create_directory(folder);
    { const model_directory mine(folder); }
    CHECK(std::filesystem::exists(folder));
    std::filesystem::remove(folder);

    std::vector<::pid_t> children; // many at once, each of which needs the folder while it has it
    for (int i = 0; i < 8; ++i) {
        children.push_back(::fork());
        if (children.back() == 0) {
            bool always = true;
            try {
                for (int round = 0; round < 1000; ++round) {
                    const model_directory mine(folder);
                    always = always && std::filesystem::exists(folder);
                }
            } catch (const error&) { // a child never returns to the test
                always = false;
            }
            ::_exit(always ? 0 : 1);
        }
    }
    for (const ::pid_t each : children) {
        int status = -1;
        REQUIRE(::waitpid(each, &status, 0) == each);
        CHECK(status == 0);
    }
    CHECK_FALSE(std::filesystem::exists(folder));
}

TEST_CASE("in-memory MIL: a folder that cannot be made is named, and nothing is left") {
    const e5rt::temporary_directory alone("anemone_in_memory");
    const std::string file = (alone.path() / "file").string();
    write_file(file, "no folder");
    const long live = objc_standin::books().live();
    {
        const temporary_folder wrong(file);
        for (const auto way : {backend::engine_runtime::in_memory_mil, backend::engine_runtime::netplist}) {
            backend::engine_options options = by_mil();
            options.runtime = way;
            try {
                static_cast<void>(compile<large>(objc_standin::engine(h13, options), weight_store{}));
                FAIL_CHECK("no error");
            } catch (const error& e) {
                CHECK(e.code() == errc::file);
                CHECK(e.subject().starts_with(file));
            }
        }
    }
    CHECK(objc_standin::books().live() == live);
    CHECK(e5rt::loaded_programs() == 0);
    const auto again = compile<large>(objc_standin::engine(h13, by_mil()), weight_store{});
}
