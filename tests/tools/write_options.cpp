#include "../../tools/app/backends.hpp"
#include "../../tools/app/bench.hpp"
#include "../../tools/app/check.hpp"
#include "../../tools/app/convert.hpp"
#include "../../tools/app/cost.hpp"
#include "../../tools/app/diff.hpp"
#include "../../tools/app/draw.hpp"
#include "../../tools/app/generate_options.hpp"
#include "../../tools/app/layer_errors.hpp"
#include "../../tools/app/option_faults.hpp"
#include "../../tools/app/plan.hpp"
#include "../../tools/app/precision.hpp"
#include "../../tools/app/train_options.hpp"
#include <anemone/io/json.hpp>

#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

/// Prints the options of all use cases as JSON, by their tables: for python/options.py.
namespace {

void write(ane::json_writer& json, const char* key, const app::texts& texts) {
    json.key(key).object().member("command", texts.command).member("c", texts.c).member("python", texts.python).end();
}

void write(ane::json_writer& json, const app::description& is) {
    json.member("name", is.name);
    json.member("word", is.word);
    json.member("letter", is.letter == '\0' ? std::string() : std::string(1, is.letter));
    json.member("is_required", is.is_required).member("is_argument_in_c", is.is_argument_in_c);
    json.member("command_unit", is.command_unit);
    for (const auto& [key, of] :
         {std::pair("names", &app::description::name_in), std::pair("texts", &app::description::text_in)}) {
        write(json, key,
              {(is.*of)(app::front_end::command), (is.*of)(app::front_end::c), (is.*of)(app::front_end::python)});
    }
    write(json, "written", is.written);
    write(json, "left_out", is.left_out);
}

template <class Of, class Value>
void write_value(ane::json_writer& json, const app::option<Of, Value>& row, const Value& standard) {
    if constexpr (std::is_same_v<Value, bool>) {
        json.member("kind", "flag").member("default", standard);
    } else if constexpr (app::is_number<Value>) {
        using number = typename app::limits<Value>::number;
        const bool is_optional = !std::is_same_v<Value, number>;
        json.member("kind", std::is_integral_v<number> ? "count" : "number").member("is_optional", is_optional);
        if constexpr (std::is_same_v<Value, number>) {
            json.member("default", standard);
        }
        const app::allowed_numbers allowed = app::allowed_in(row, app::front_end::command);
        json.member("least", allowed.least).member("most", allowed.most);
        json.member("is_limited", row.within != app::limits<Value>{}).member("is_unsigned", std::is_unsigned_v<number>);
    } else if constexpr (std::is_enum_v<Value>) {
        json.member("kind", "word").member("default", app::word_of(standard)).key("words").array();
        for (const auto& each : app::words_of<Value>) {
            json.value(each.name);
        }
        json.end();
    } else if constexpr (std::is_same_v<Value, std::string>) {
        json.member("kind", "text").member("default", standard);
    } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
        json.member("kind", "texts");
    } else if constexpr (std::is_same_v<Value, std::vector<int>>) {
        json.member("kind", "counts");
    } else {
        json.member("kind", "own");
    }
}

template <class Options> void write(ane::json_writer& json) {
    constexpr auto table = Options::table();
    const Options standard;
    json.object();
    write(json, "place", table.place);
    json.key("options").array();
    app::each_option<Options>([&](const auto& row) {
        json.object();
        write(json, row.is);
        if constexpr (requires { row.member; }) {
            write_value(json, row, standard.*row.member);
        } else {
            json.member("kind", "own");
        }
        json.end();
    });
    json.end().end();
}

template <class... Options> void write_all(ane::json_writer& json) { (write<Options>(json), ...); }

} // namespace

int main() {
    ane::json_writer json;
    json.array();
    write_all<app::reading_options, app::check_options, app::cost_options, app::optimize_options, app::compress_options,
              app::placement_options, app::timeline_options, app::convert_options, app::draw_options,
              app::compile_options, app::diff_options, app::train_options, app::layer_error_options, app::bench_options,
              app::decoding_options, app::generate_options, app::precision_options>(json);
    json.end();
    std::puts(json.str().c_str());
}
