#include "anemone/backend/engine/e5rt/library.hpp"

#include "anemone/backend/engine/e5rt/call.hpp"
#include "fake_runtime.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace e5 = ane::e5rt;

namespace {

/// Sets or removes an environment variable until the end of the scope.
class environment {
public:
    environment(const char* name, const char* value) : name_(name) {
        if (const char* old = std::getenv(name))
            old_ = old;
        had_ = std::getenv(name) != nullptr;
        set(value);
    }
    ~environment() { set(had_ ? old_.c_str() : nullptr); }
    environment(const environment&) = delete;
    environment& operator=(const environment&) = delete;

private:
    void set(const char* value) const {
        if (value != nullptr)
            ::setenv(name_, value, 1);
        else
            ::unsetenv(name_);
    }
    const char* name_;
    std::string old_;
    bool had_ = false;
};

} // namespace

TEST_CASE("engine library: the environment chooses the image") {
    const environment chosen("ANEMONE_E5RT", "/somewhere/stand-in.so");
    CHECK(e5::default_library_path() == "/somewhere/stand-in.so");
}

#if !defined(__APPLE__)
TEST_CASE("engine library: without a choice the error tells what to set") {
    for (const char* value : {static_cast<const char*>(nullptr), ""}) {
        const environment none("ANEMONE_E5RT", value);
        const ane::error failure = fake::thrown([] { e5::default_library_path(); });
        CHECK(failure.code() == ane::errc::library);
        CHECK(fake::has(failure.what(), "ANEMONE_E5RT"));
        CHECK(fake::has(failure.what(), "stand-in"));
    }
}
#endif

TEST_CASE("engine library: an image that cannot be opened is named") {
    const ane::error failure = fake::thrown([] { e5::library::open("/no/such/image.so"); });
    CHECK(failure.code() == ane::errc::library);
    CHECK(failure.subject() == "/no/such/image.so");
}

#if defined(__linux__)
TEST_CASE("engine library: an image without the functions is refused") {
    const ane::error failure = fake::thrown([] { e5::library::open("libm.so.6"); });
    CHECK(failure.code() == ane::errc::library);
    CHECK(failure.subject() == "e5rt_e5_compiler_config_options_create");
    CHECK(fake::has(failure.what(), "libm.so.6"));
}
#endif

TEST_CASE("engine library: each symbol is looked up once") {
    fake::bench bench;
    const auto library = bench.library();
    CHECK(library->image() == "fake image");
    CHECK(bench.rt.looked_up.size() == e5::symbol_count);
    for (std::size_t i = 0; i != e5::symbol_count; ++i)
        CHECK(bench.rt.looked_up[i] == e5::symbols[i].name);
    e5::for_each_symbol([&](auto entry) { CHECK((library->functions().*decltype(entry)::member != nullptr)); });
}

TEST_CASE("engine library: a leading underscore is tried second") {
    fake::bench bench;
    for (const auto& each : e5::symbols)
        bench.rt.only_underscored.insert(each.name);
    const auto library = bench.library();
    CHECK(bench.rt.looked_up.size() == 2 * e5::symbol_count);
    e5::for_each_symbol([&](auto entry) { CHECK((library->functions().*decltype(entry)::member != nullptr)); });
}

TEST_CASE("engine library: each missing symbol in turn") {
    for (const auto& each : e5::symbols) {
        fake::bench bench;
        bench.rt.absent.insert(each.name);
        CAPTURE(each.name);
        if (each.required_or_optional == e5::presence::optional) {
            CHECK_NOTHROW(bench.library());
            continue;
        }
        const ane::error failure = fake::thrown([&] { bench.library(); });
        CHECK(failure.code() == ane::errc::library);
        CHECK(failure.subject() == each.name);
        CHECK(fake::has(failure.what(), "fake image"));
        CHECK(!fake::has(failure.what(), "also missing"));
    }
}

TEST_CASE("engine library: all missing symbols are listed") {
    fake::bench bench;
    bench.rt.absent = {"e5rt_io_port_release", "e5rt_buffer_object_alloc", "e5rt_execution_stream_create"};
    const ane::error failure = fake::thrown([&] { bench.library(); });
    CHECK(failure.subject() == "e5rt_io_port_release");
    CHECK(fake::has(failure.what(), "also missing: e5rt_buffer_object_alloc, e5rt_execution_stream_create"));
}

TEST_CASE("engine library: a call of a missing optional function throws") {
    fake::bench bench;
    bench.rt.absent.insert("e5rt_async_event_create");
    const auto library = bench.library();
    void* event = nullptr;
    const ane::error failure = fake::thrown(
        [&] { e5::call<&e5::api::e5rt_async_event_create>(library->functions(), &event, "name", std::uint32_t{0}); });
    CHECK(failure.code() == ane::errc::library);
    CHECK(failure.subject() == "e5rt_async_event_create");
}
