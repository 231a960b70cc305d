#pragma once

#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// A checker of the XML that drawings use: elements, attributes, text, the five entities. Returns "" or what is wrong.
namespace drawing_test {

inline std::string xml_error(std::string_view text) {
    std::vector<std::string> open;
    bool had_root = false;
    const auto entities_ok = [](std::string_view t) {
        for (std::size_t i = 0; i < t.size(); ++i) {
            if (t[i] == '<' || (static_cast<unsigned char>(t[i]) < 0x20 && t[i] != '\n')) {
                return false;
            }
            if (t[i] == '&') {
                bool known = false;
                for (const std::string_view e : {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"}) {
                    known = known || t.substr(i, e.size()) == e;
                }
                if (!known) {
                    return false;
                }
            }
        }
        return true;
    };
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t tag = text.find('<', at);
        const std::string_view between = text.substr(at, tag == std::string_view::npos ? tag : tag - at);
        if (!entities_ok(between)) {
            return "text: " + std::string(between.substr(0, 60));
        }
        if (open.empty() && between.find_first_not_of(" \n") != std::string_view::npos) {
            return "text outside of the root";
        }
        if (tag == std::string_view::npos) {
            break;
        }
        std::size_t i = tag + 1;
        const auto name_at = [&] {
            const std::size_t begin = i;
            while (i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '-')) {
                ++i;
            }
            return std::string(text.substr(begin, i - begin));
        };
        if (i < text.size() && text[i] == '/') {
            ++i;
            const std::string name = name_at();
            if (open.empty() || open.back() != name || i >= text.size() || text[i] != '>') {
                return "end tag " + name;
            }
            open.pop_back();
            at = i + 1;
            continue;
        }
        const std::string name = name_at();
        if (name.empty() || (open.empty() && had_root)) {
            return "start tag at " + std::string(text.substr(tag, 40));
        }
        had_root = true;
        std::set<std::string> seen;
        while (i < text.size() && text[i] == ' ') {
            ++i;
            const std::string attribute = name_at();
            if (attribute.empty() || !seen.insert(attribute).second || text.substr(i, 2) != "=\"") {
                return "attribute of " + name + " at " + std::string(text.substr(tag, 80));
            }
            i += 2;
            const std::size_t end = text.find('"', i);
            if (end == std::string_view::npos || !entities_ok(text.substr(i, end - i))) {
                return "value of " + attribute;
            }
            i = end + 1;
        }
        if (i < text.size() && text[i] == '>') {
            open.push_back(name);
            at = i + 1;
        } else if (text.substr(i, 2) == "/>") {
            at = i + 2;
        } else {
            return "tag " + name;
        }
    }
    return !had_root ? "no root" : open.empty() ? "" : "open: " + open.back();
}

} // namespace drawing_test
