#include "facts.hpp"

#include <anemone/base/error.hpp>

#include <fstream>
#include <sstream>

namespace kit {

std::vector<fact> read_facts(const std::string& path) {
    std::ifstream file(path);
    if (!file) {
        throw ane::error(ane::errc::file, path, "cannot be opened");
    }
    std::vector<fact> all;
    bool heading = true;
    for (std::string row; std::getline(file, row);) {
        if (row.empty() || row[0] == '#') {
            continue;
        }
        fact f;
        std::istringstream text(row);
        for (std::string fact::*const column :
             {&fact::id, &fact::operation, &fact::chip, &fact::inputs, &fact::expected, &fact::mark, &fact::source}) {
            std::getline(text, f.*column, ';');
        }
        if (!heading) {
            all.push_back(std::move(f));
        }
        heading = false;
    }
    return all;
}

} // namespace kit
