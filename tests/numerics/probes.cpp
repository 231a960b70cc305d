// The register of the published records (tests/facts/numerics.csv): each is a check that runs here on the generations
// that it names, or is checked in another file, or lies outside of arithmetic, or is not met, with the arithmetic that
// shows it.

#include "probes.hpp"

#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/catalogue/engine_path.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>

using namespace probing;

namespace {

const generation m1{family::a13, datapath_of(family::a13)};

/// id and chip of each line of the facts.
std::map<std::string, std::string> records() {
    std::ifstream file(ANEMONE_TEST_DATA "/facts/numerics.csv");
    REQUIRE(file.good());
    std::map<std::string, std::string> all;
    bool heading = true;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') {
            continue;
        }
        std::istringstream text(line);
        std::string id, operation, chip;
        std::getline(text, id, ';');
        std::getline(text, operation, ';');
        std::getline(text, chip, ';');
        if (!heading) {
            CAPTURE(id);
            CHECK(all.emplace(id, chip).second);
        }
        heading = false;
    }
    return all;
}

} // namespace

TEST_CASE("register: every published record has its place, once") {
    std::map<std::string, int> places;
    for (const probe& p : all_probes()) {
        ++places[std::string(p.id)];
    }
    for (const elsewhere& r : records_elsewhere()) {
        ++places[std::string(r.id)];
    }
    for (const beyond_arithmetic& r : records_beyond()) {
        CHECK_FALSE(r.reason.empty());
        ++places[std::string(r.id)];
    }
    for (const unmet& r : records_unmet()) {
        CHECK_FALSE(r.reason.empty());
        ++places[std::string(r.id)];
    }
    const auto known = records();
    CHECK(known.size() == 173);
    for (const auto& record : known) {
        CAPTURE(record.first);
        CHECK(places[record.first] == 1);
    }
    for (const auto& place : places) {
        CAPTURE(place.first);
        CHECK(known.count(place.first) == 1);
    }
}

TEST_CASE("register: what is checked elsewhere is named there") {
    for (const elsewhere& r : records_elsewhere()) {
        std::ifstream file(ANEMONE_TEST_DATA "/" + std::string(r.file));
        CAPTURE(std::string(r.file));
        REQUIRE(file.good());
        const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        CAPTURE(std::string(r.id));
        CHECK(text.find(r.id) != std::string::npos);
    }
}

TEST_CASE("register: the chips of the records") {
    CHECK(tiers_of("M1,M1 Max,M2 Pro,M4,M5 Pro,M6") ==
          std::set<family>{family::a13, family::a14, family::a16, family::a17, family::a18});
    CHECK(tiers_of("M5/H17s") == std::set<family>{family::a17});
    CHECK(tiers_of("M3/A15") == std::set<family>{family::a15});
    CHECK(tiers_of("A11/A12") == std::set<family>{family::older});
    CHECK(tiers_of("H18") == std::set<family>{family::a18});
    CHECK(tiers_of("all").size() == 5);
}

TEST_CASE("register: every probe, on every generation that its record names") {
    const auto known = records();
    for (const probe& p : all_probes()) {
        const auto found = known.find(std::string(p.id));
        REQUIRE(found != known.end());
        for (const family tier : tiers_of(found->second)) {
            CAPTURE(found->first);
            CAPTURE(found->second);
            CAPTURE(static_cast<int>(tier));
            p.check({tier, datapath_of(tier)});
        }
    }
}

TEST_CASE("register: why some records are not met") {
    for (const unmet& r : records_unmet()) {
        CAPTURE(std::string(r.id));
        CAPTURE(std::string(r.reason));
        r.show(m1);
    }
}

TEST_CASE("what section 1 gives for the sums of section 2, which are therefore read as reductions") {
    halves large(1025, half(1.0));
    large[0] = half(4096.0);
    CHECK(dot_with_ones(m1, large) == 5120);                          // N003 published: 5116
    CHECK(dot_with_ones(m1, repeated({16000, -16000, 1}, 16)) == 16); // N01_16000 published: 4
}

TEST_CASE("an arithmetic with a number that no register has is refused") {
    const auto altered = [](int datapath::*member, int value) {
        datapath path;
        path.*member = value;
        return path;
    };
    for (const auto& [member, low, high] :
         {std::tuple{&datapath::mac_exponent_floor, -64, 64}, std::tuple{&datapath::reduction_tile, 1, 1 << 22},
          std::tuple{&datapath::reduction_significand_bits, 1, 63}}) {
        CHECK_THROWS_AS(ane::backend::oracle{altered(member, low - 1)}, error);
        CHECK_THROWS_AS(ane::backend::oracle{altered(member, high + 1)}, error);
        CHECK(checked(altered(member, low)) == altered(member, low));
        CHECK(checked(altered(member, high)) == altered(member, high));
    }
}

TEST_CASE("every operation has a path, contractions the accumulator, reductions the narrow tiles") {
    for (std::size_t i = 0; i < op_count; ++i) {
        const auto kind = static_cast<op>(i);
        CAPTURE(name(kind));
        if (!has_engine_path(kind)) {
            continue;
        }
        const engine_path& row = engine_path_of(kind);
        CHECK((!is_contraction(kind) || row.path == arithmetic_path::multiply_accumulate));
        CHECK_FALSE(name(row.path).empty());
        CHECK_FALSE(name(row.known).empty());
    }
    CHECK(engine_path_of(op::reduce_sum).path == arithmetic_path::reduction);
}
