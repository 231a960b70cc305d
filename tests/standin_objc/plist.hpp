#pragma once

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace ane::standin_objc {

/// What makes a compile fail; the text is what its NSError says.
struct refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct plist_entry;

/// A value of an XML property list, read by nothing of the library's.
struct plist {
    enum class form : std::uint8_t { text, integer, real, truth, list, record } is = form::text;
    std::string text;
    std::int64_t integer = 0;
    double real = 0;
    std::vector<plist> items;
    std::vector<plist_entry> entries;

    inline const plist* find(std::string_view key) const;
    inline const plist& at(std::string_view key) const;
    std::int64_t number() const {
        if (is != form::integer) {
            throw refused("an integer is expected");
        }
        return integer;
    }
    const std::string& string() const {
        if (is != form::text) {
            throw refused("a string is expected");
        }
        return text;
    }
    bool flag() const {
        if (is != form::truth) {
            throw refused("a boolean is expected");
        }
        return integer != 0;
    }
    double floating() const {
        if (is != form::real) {
            throw refused("a real is expected");
        }
        return real;
    }
};
struct plist_entry {
    std::string key;
    plist value;
};

inline const plist* plist::find(std::string_view key) const {
    for (const plist_entry& each : entries) {
        if (each.key == key) {
            return &each.value;
        }
    }
    return nullptr;
}
inline const plist& plist::at(std::string_view key) const {
    if (const plist* const found = find(key)) {
        return *found;
    }
    throw refused("key " + std::string(key) + " is missing");
}

class plist_reader {
public:
    explicit plist_reader(std::string_view text) : rest_(text) {}

    plist document() {
        std::string tag = next_tag();
        while (tag.starts_with('?') || tag.starts_with('!')) {
            tag = next_tag();
        }
        if (!tag.starts_with("plist")) {
            throw refused("the file is no XML property list");
        }
        plist result = value(next_tag());
        if (next_tag() != "/plist") {
            throw refused("the property list has two values");
        }
        return result;
    }

private:
    std::string next_tag() {
        const std::size_t open = rest_.find('<');
        const std::size_t close = rest_.find('>', open);
        if (open == std::string_view::npos || close == std::string_view::npos) {
            throw refused("the property list ends early");
        }
        std::string tag(rest_.substr(open + 1, close - open - 1));
        rest_.remove_prefix(close + 1);
        return tag;
    }

    std::string content(const std::string& tag) {
        const std::size_t end = rest_.find('<');
        std::string raw(rest_.substr(0, end));
        if (next_tag() != "/" + tag) {
            throw refused("<" + tag + "> is not closed");
        }
        std::string text;
        for (std::size_t i = 0; i < raw.size(); ++i) {
            if (raw[i] != '&') {
                text += raw[i];
                continue;
            }
            const std::size_t stop = raw.find(';', i);
            const std::string name = raw.substr(i + 1, stop - i - 1);
            constexpr std::pair<std::string_view, char> known[] = {
                {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
            bool found = false;
            for (const auto& [entity, character] : known) {
                if (entity == name) {
                    text += character;
                    found = true;
                }
            }
            if (!found) {
                throw refused("entity &" + name + "; is not known");
            }
            i = stop;
        }
        return text;
    }

    static std::int64_t whole(const std::string& text) {
        std::int64_t result = 0;
        const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), result);
        if (code != std::errc{} || stop != text.data() + text.size()) {
            throw refused("'" + text + "' is no integer");
        }
        return result;
    }
    static double number(const std::string& text) { // libc++ 16 has no from_chars for it
        char* stop = nullptr;
        const double result = std::strtod(text.c_str(), &stop);
        if (text.empty() || *stop != '\0') {
            throw refused("'" + text + "' is no real");
        }
        return result;
    }

    plist value(const std::string& tag) {
        plist result;
        if (tag == "string" || tag == "string/") {
            result.text = tag == "string" ? content(tag) : "";
        } else if (tag == "integer") {
            result.is = plist::form::integer;
            result.integer = whole(content(tag));
        } else if (tag == "real") {
            result.is = plist::form::real;
            result.real = number(content(tag));
        } else if (tag == "true/" || tag == "false/") {
            result.is = plist::form::truth;
            result.integer = tag == "true/" ? 1 : 0;
        } else if (tag == "array" || tag == "array/") {
            result.is = plist::form::list;
            if (tag == "array") {
                for (std::string inner = next_tag(); inner != "/array"; inner = next_tag()) {
                    result.items.push_back(value(inner));
                }
            }
        } else if (tag == "dict" || tag == "dict/") {
            result.is = plist::form::record;
            if (tag == "dict") {
                for (std::string inner = next_tag(); inner != "/dict"; inner = next_tag()) {
                    if (inner != "key") {
                        throw refused("<key> is expected, <" + inner + "> found");
                    }
                    std::string key = content(inner);
                    result.entries.push_back({std::move(key), value(next_tag())});
                }
            }
        } else {
            throw refused("<" + tag + "> is not known");
        }
        return result;
    }

    std::string_view rest_;
};

} // namespace ane::standin_objc
