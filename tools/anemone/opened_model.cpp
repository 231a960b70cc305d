#include "opened_model.hpp"

#include "command.hpp"
#include "progress.hpp"
#include "terminal_text.hpp"

#include <fmt/format.h>

namespace command {

app::model opened(const std::string& path, const app::reading_options& how) {
    app::model made(path, how, user());
    for (const std::string& change : made.changes()) {
        tell(fmt::format("note: {}: {}\n", one_line(made.file_name()), one_line(change)));
    }
    return made;
}

} // namespace command
