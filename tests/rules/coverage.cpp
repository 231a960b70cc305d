// Every design rule of the facts (tests/facts/rules.csv) is a rule record, a shape fault, a refused operation or held
// elsewhere; floors and routes agree with the facts about operations (tests/facts/ops.csv).

#include "anemone/ops/fault.hpp"
#include "anemone/ops/refused.hpp"
#include "anemone/rules/held_elsewhere.hpp"
#include "anemone/rules/registry.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace ane;

namespace {

using row = std::vector<std::string>;

/// The lines of a file of facts below its comments and its heading.
std::vector<row> rows_of(const char* path) {
    std::ifstream file(path);
    REQUIRE(file.good());
    std::vector<row> rows;
    bool heading = true;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') {
            continue;
        }
        row cells;
        std::istringstream text(line + ';');
        for (std::string cell; std::getline(text, cell, ';');) {
            cells.push_back(cell);
        }
        if (!heading) {
            rows.push_back(cells);
        }
        heading = false;
    }
    return rows;
}

/// The ids in a text: R and three digits.
std::set<std::string> ids_in(const std::string& text) {
    std::set<std::string> ids;
    for (std::size_t i = 0; i + 3 < text.size(); ++i) {
        const auto digit = [&](std::size_t at) { return text[at] >= '0' && text[at] <= '9'; };
        if (text[i] == 'R' && digit(i + 1) && digit(i + 2) && digit(i + 3)) {
            ids.insert(text.substr(i, 4));
        }
    }
    return ids;
}

/// Facts that nothing holds. Empty: all of them are held.
const std::set<std::string> not_yet;

} // namespace

TEST_CASE("every fact is held somewhere") {
    std::map<std::string, std::string> held;
    for (std::size_t i = 0; i < rule_count; ++i) {
        const rule_record& r = record_of(static_cast<rule>(i));
        for (const std::string& id : ids_in(r.fact)) {
            held[id] += std::string(name(r.id)) + " ";
        }
    }
    for (int f = 1; std::string_view(sentence(static_cast<fault>(f))) != ""; ++f) {
        for (const std::string& id : ids_in(sentence(static_cast<fault>(f)))) {
            held[id] += "shape fault ";
        }
    }
    for (const refused_operation& r : refused_operations) {
        for (const std::string& id : ids_in(std::string(r.fact))) {
            held[id] += "refused operation ";
        }
    }
    std::set<std::string> elsewhere;
    for (const held_fact& f : held_elsewhere) {
        const std::string fact = f.fact;
        CHECK_MESSAGE(held.count(fact) == 0, fact, " is held by a record, a fault or a refusal too");
        CHECK_MESSAGE(elsewhere.insert(fact).second, fact, " is listed twice");
        const std::string where = std::string(ANEMONE_TEST_DATA "/../include/anemone/").append(f.where);
        CHECK_MESSAGE(std::ifstream(where).good(), where);
    }

    const std::vector<row> facts = rows_of(ANEMONE_TEST_DATA "/facts/rules.csv");
    CHECK(facts.size() == 170);
    std::set<std::string> known;
    for (const row& r : facts) {
        known.insert(r[0]);
        const bool is_held = held.count(r[0]) != 0 || elsewhere.count(r[0]) != 0;
        CHECK_MESSAGE(is_held != (not_yet.count(r[0]) != 0), r[0],
                      std::string(is_held ? " is held and still listed" : " is not held"));
    }
    for (const auto& fact : held) {
        CHECK_MESSAGE(known.count(fact.first) == 1, fact.first, " is no fact: ", fact.second);
    }
}

TEST_CASE("every rule about graphs and weights has a model that does not compile") {
    std::string expected;
    for (const auto& file : std::filesystem::directory_iterator(ANEMONE_TEST_DATA "/compile_fail")) {
        if (file.path().extension() == ".cpp") {
            std::ifstream source(file.path());
            for (std::string line; std::getline(source, line) && line.rfind("//", 0) == 0;) {
                expected += line + '\n';
            }
        }
    }
    for (std::size_t i = 0; i < rule_count; ++i) {
        const rule_record& r = record_of(static_cast<rule>(i));
        if (r.scope == rule_scope::graph || r.scope == rule_scope::weights) {
            const std::string words = "ane::rule::" + std::string(name(r.id)) + ",";
            CHECK_MESSAGE(expected.find(words) != std::string::npos, words);
        }
    }
}

TEST_CASE("no record claims to be better known than its fact") {
    std::map<std::string, row> facts;
    for (const row& r : rows_of(ANEMONE_TEST_DATA "/facts/rules.csv")) {
        facts[r[0]] = r;
    }
    const std::map<std::string, int> strength{{"measured", 0}, {"decompiled", 1}, {"predicted", 2}};
    for (std::size_t i = 0; i < rule_count; ++i) {
        const rule_record& r = record_of(static_cast<rule>(i));
        int best = -1;
        for (const std::string& id : ids_in(r.fact)) {
            const int s = strength.at(facts.at(id)[2]);
            best = best < 0 || s < best ? s : best;
        }
        if (best >= 0) {
            CHECK_MESSAGE(static_cast<int>(r.evidence) >= best, std::string(name(r.id)), " claims ",
                          std::string(name(r.evidence)));
        }
    }
}

TEST_CASE("floors and routes are those of the facts") {
    std::map<std::string, row> facts;
    for (const row& r : rows_of(ANEMONE_TEST_DATA "/facts/ops.csv")) {
        facts[r[0]] = r;
    }
    CHECK(facts.size() == 204);
    const std::map<std::string, family> floors{
        {"F0", family::older}, {"F2", family::a13}, {"F3", family::a14}, {"F4", family::a15}};
    const family of_generation[mac_generations] = {family::a13, family::a14, family::a15, family::a16, family::a17};
    for (std::size_t i = 0; i < op_count; ++i) {
        const auto kind = static_cast<op>(i);
        const operation_support& s = support_of(kind);
        CHECK(std::string_view(s.status).size() == mac_generations);
        const std::string fact = s.fact;
        if (fact.empty()) {
            continue;
        }
        REQUIRE_MESSAGE(facts.count(fact) == 1, fact);
        const row& f = facts[fact];
        for (std::size_t g = 0; g < mac_generations; ++g) {
            const std::string wanted = f[2 + g].substr(0, f[2 + g].find('('));
            CHECK_MESSAGE(name(s.on(g)) == wanted, fact, " on generation ", g);
            // Nothing is granted where it is gated.
            CHECK_MESSAGE((s.on(g) == availability::native || s.on(g) == availability::bridge) >=
                              at_least(of_generation[g], s.floor),
                          fact, " on generation ", g);
        }
        // The listed floor, but for what the appendix finds on the M1 all the same (OC11) and what has no listed floor.
        const bool gathers = kind == op::gather || kind == op::gather_along_axis || kind == op::gather_nd;
        if (!f[1].empty() && !gathers) {
            CHECK_MESSAGE(floors.at(f[1]) == s.floor, fact, " has another floor than ", f[1]);
        }
    }
}
