// The units of the netplist format (tests/facts/netplist_units.csv): each is written by a model of the tests, with the
// keys of its record, or docs/formats.md says why no graph gives it.

#include "netplist_parts.hpp"

#include <doctest/doctest.h>

#include <array>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>

using namespace ane;
using namespace netplist_parts;

namespace {

using unit_name = std::pair<std::string, std::string>; ///< type and variant

struct unit_record {
    std::string evidence;
    std::set<std::string> required;
    std::set<std::string> optional;
};

std::map<unit_name, unit_record> records() {
    std::ifstream file(ANEMONE_TEST_DATA "/facts/netplist_units.csv");
    REQUIRE(file.good());
    std::map<unit_name, unit_record> result;
    for (std::string line; std::getline(file, line);) {
        if (line[0] == '#' || line.rfind("type;", 0) == 0) {
            continue;
        }
        std::istringstream cells(line);
        std::array<std::string, 5> cell;
        for (std::string& text : cell) {
            std::getline(cells, text, ';');
        }
        unit_record r{cell[2], {}, {}};
        std::istringstream required(cell[3]);
        std::istringstream optional(cell[4]);
        for (std::string key; required >> key;) {
            r.required.insert(key);
        }
        for (std::string key; optional >> key;) {
            r.optional.insert(key);
        }
        CHECK(result.emplace(unit_name{cell[0], cell[1]}, r).second);
    }
    return result;
}

/// The table of docs/formats.md, with the column of evidence.
std::map<unit_name, std::string> exceptions() {
    std::ifstream file(ANEMONE_SOURCE_DIR "/docs/formats.md");
    REQUIRE(file.good());
    std::map<unit_name, std::string> result;
    bool inside = false;
    for (std::string line; std::getline(file, line);) {
        inside = (inside || line == "<!-- units that no graph gives -->") && line != "<!-- end of the units -->";
        if (!inside || line.rfind("| `", 0) != 0) {
            continue;
        }
        std::array<std::string, 4> cell;
        std::istringstream cells(line.substr(1));
        for (std::string& text : cell) {
            std::getline(cells, text, '|');
            std::erase_if(text, [](char c) { return c == ' ' || c == '`'; });
        }
        CHECK(!cell[3].empty());
        CHECK(result.emplace(unit_name{cell[0], cell[1]}, cell[2]).second);
    }
    return result;
}

unit_name name_of(const parts& p, std::size_t unit) {
    const plist_value* const params = p.units[unit].find("Params");
    const std::string type = p.type(unit);
    if (params == nullptr) {
        return {type, ""};
    }
    const plist_dict& keys = *params->get_if<plist_dict>();
    if (type == "GOC") {
        return {type, keys.find("BiasScaleGroupData") != nullptr ? "per channel" : "scalar"};
    }
    const plist_value* const variant = keys.find(type == "ArgMinMax" ? "Mode" : "Type");
    return {type, variant == nullptr ? "" : *variant->get_if<std::string>()};
}

} // namespace

TEST_CASE("netplist: every unit of the facts is written with the keys of its record, or the page says why not") {
    const std::map<unit_name, unit_record> all = records();
    CHECK(all.size() == 145);
    std::set<unit_name> written;
    netplist_models::for_each_model([&](const netplist_models::named_model& model) {
        const parts p(model.program());
        for (std::size_t i = 0; i < p.units.size(); ++i) {
            const unit_name name = name_of(p, i);
            CAPTURE(model.name);
            CAPTURE(name.first);
            CAPTURE(name.second);
            written.insert(name);
            REQUIRE(all.count(name) == 1);
            const unit_record& record = all.at(name);
            const plist_value* const params = p.units[i].find("Params");
            const plist_dict keys = params == nullptr ? plist_dict{} : *params->get_if<plist_dict>();
            const bool without_a_blob =
                keys.find("KernelMode") != nullptr && *keys.find("KernelMode")->get_if<std::string>() == "Unity";
            for (const std::string& key : record.required) {
                const bool of_a_blob = key == "KernelIndex" || key == "KernelOffset";
                CAPTURE(key);
                CHECK((keys.find(key) != nullptr) != (without_a_blob && of_a_blob));
            }
            for (const formats::plist_member& member : keys.members()) {
                CAPTURE(member.key);
                CHECK(record.required.count(member.key) + record.optional.count(member.key) == 1);
            }
        }
    });
    const std::map<unit_name, std::string> unwritten = exceptions();
    for (const auto& each : all) {
        const unit_name& name = each.first;
        CAPTURE(name.first);
        CAPTURE(name.second);
        const bool by_name_alone = each.second.evidence == "enum";
        CHECK((written.count(name) == 1) != (by_name_alone || unwritten.count(name) == 1));
        if (!by_name_alone && unwritten.count(name) == 1) {
            CHECK(unwritten.at(name) == each.second.evidence);
        }
    }
    for (const auto& each : unwritten) {
        CAPTURE(each.first.first);
        CAPTURE(each.first.second);
        CHECK(all.count(each.first) == 1);
    }
}
