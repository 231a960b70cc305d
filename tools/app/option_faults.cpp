#include "option_faults.hpp"

#include <algorithm>

namespace app {

std::string spelled(const description& option, front_end by) {
    std::string text(option.name_in(by));
    if (by == front_end::command) {
        std::replace(text.begin(), text.end(), '_', '-');
        text.insert(0, "--");
    }
    return text;
}

std::string alternatives(std::span<const std::string_view> words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        text.append(i == 0 ? "" : i + 1 == words.size() ? " or " : ", ").append(words[i]);
    }
    return text;
}

void refuse_number(const description& option, front_end by, const std::string& shown, const allowed_numbers& allowed) {
    const std::string range = allowed.most.empty() ? fmt::format("finite numbers from {} on", allowed.least)
                                                   : fmt::format("{} to {}", allowed.least, allowed.most);
    throw ane::error(ane::errc::argument, spelled(option, by),
                     fmt::format("{} {}, allowed are {}", option.is_plural ? "are" : "is", shown, range));
}

void refuse_word(const description& option, front_end by, std::string_view word,
                 std::span<const std::string_view> allowed) {
    throw ane::error(ane::errc::argument, fmt::format("{} '{}'", spelled(option, by), word),
                     "must be " + alternatives(allowed));
}

} // namespace app
