#pragma once

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "rapidjson.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::detail::inline ANEMONE_WAY {

/// One value of a JSON document that holds no others: a string, a number, a truth value or null; or the mark of an object
/// or a list.
struct json_value {
    enum class kind { string, number, truth, null, object, list };
    kind is = kind::null;
    std::string text; ///< what a string says; how a number or a truth value is written
};

/// What a document is as a whole.
enum class json_top { object, list };

/// The values of a JSON document by their paths, "rope_scaling/factor", "layer_types/0": read event by event, so that time
/// and memory grow with its length, however it nests. `file` names it in errors (errc::file).
class json_values : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, json_values> {
public:
    static constexpr std::size_t most_deep = 64;

    ANEMONE_INLINE json_values(std::string_view text, std::string_view file, json_top wanted = json_top::object)
        : file_(file) {
        if (text.find('\0') != std::string_view::npos) {
            fail("has a zero byte"); // which the parser would take for its end
        }
        rapidjson::MemoryStream stream(text.data(), text.size());
        constexpr unsigned flags = rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag |
                                   rapidjson::kParseValidateEncodingFlag;
        json_reader reader;
        if (const rapidjson::ParseResult result = reader.Parse<flags>(stream, *this); result.IsError()) {
            fail(formatted("is not JSON: byte {}: {}", result.Offset(), rapidjson::GetParseError_En(result.Code())));
        }
        const auto top = all_.find("");
        const bool is_list = wanted == json_top::list;
        if (top == all_.end() || top->second.is != (is_list ? json_value::kind::list : json_value::kind::object)) {
            fail(is_list ? "is not a JSON list" : "is not a JSON object");
        }
    }

    /// The value of a path, or nullptr.
    ANEMONE_INLINE const json_value* find(std::string_view path) const {
        const auto found = all_.find(path);
        return found == all_.end() ? nullptr : &found->second;
    }
    ANEMONE_INLINE const std::map<std::string, json_value, std::less<>>& all() const { return all_; }

    // The events. A number comes as it is written.
    ANEMONE_INLINE bool Null() { return keep({json_value::kind::null, "null"}); }
    ANEMONE_INLINE bool Bool(bool is) { return keep({json_value::kind::truth, is ? "true" : "false"}); }
    ANEMONE_INLINE bool RawNumber(const char* begin, rapidjson::SizeType size, bool) {
        return keep({json_value::kind::number, std::string(begin, size)});
    }
    ANEMONE_INLINE bool String(const char* begin, rapidjson::SizeType size, bool) {
        return keep({json_value::kind::string, std::string(begin, size)});
    }
    ANEMONE_INLINE bool Key(const char* begin, rapidjson::SizeType size, bool) {
        levels_.back().key.assign(begin, size);
        return true;
    }
    ANEMONE_INLINE bool StartObject() { return open(json_value::kind::object); }
    ANEMONE_INLINE bool StartArray() { return open(json_value::kind::list); }
    ANEMONE_INLINE bool EndObject(rapidjson::SizeType) { return close(); }
    ANEMONE_INLINE bool EndArray(rapidjson::SizeType) { return close(); }

private:
    struct level {
        bool is_list;
        std::size_t length; ///< of the path before it
        std::string key;    ///< of the value that comes
        std::size_t next = 0;
    };

    ANEMONE_INLINE void fail [[noreturn]] (const std::string& why) const {
        throw error(errc::file, std::string(file_), why);
    }
    /// Puts the name of the value that comes behind the path.
    ANEMONE_INLINE void name_next() {
        if (levels_.empty()) {
            return;
        }
        level& l = levels_.back();
        path_.resize(l.length);
        path_ += (path_.empty() ? "" : "/") + (l.is_list ? std::to_string(l.next++) : l.key);
    }
    ANEMONE_INLINE bool keep(json_value value) {
        name_next();
        if (!all_.emplace(path_, std::move(value)).second) {
            fail("has the key '" + error::shortened(path_, 200) + "' twice");
        }
        return true;
    }
    ANEMONE_INLINE bool open(json_value::kind is) {
        if (levels_.size() == most_deep) {
            fail(formatted("nests deeper than {}", most_deep));
        }
        keep({is, is == json_value::kind::list ? "a list" : "an object"});
        levels_.push_back({is == json_value::kind::list, path_.size(), {}});
        return true;
    }
    ANEMONE_INLINE bool close() {
        path_.resize(levels_.back().length);
        levels_.pop_back();
        return true;
    }

    std::string_view file_;
    std::map<std::string, json_value, std::less<>> all_;
    std::vector<level> levels_;
    std::string path_;
};

} // namespace ane::detail::inline ANEMONE_WAY
