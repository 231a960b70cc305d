#include "opened_model.hpp"

#include "progress.hpp"
#include <anemone/io/unicode.hpp>

#include <fmt/format.h>

#include <cstdio>

namespace command {

app::model opened(const std::string& path, const app::reading_options& how) {
    app::model made(path, how, user());
    for (const std::string& change : made.changes()) {
        std::fputs(fmt::format("note: {}: {}\n", ane::detail::printable(made.file_name()), change).c_str(), stderr);
    }
    return made;
}

} // namespace command
