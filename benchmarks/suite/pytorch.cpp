#include "process_contender.hpp"
#include <anemone/base/error.hpp>

#include <string>

namespace suite {

void add_pytorch(field& f, const field_options& options) {
    for (const char* const way : {"eager", "frozen"}) {
        const std::string name = std::string("PyTorch") + (way == std::string("frozen") ? " frozen" : "");
        if (!options.wants(name)) {
            continue;
        }
        try {
            f.present.push_back(std::make_unique<process_contender>(
                name,
                std::vector<std::string>{"/usr/bin/python3", options.scripts + "/pytorch.py",
                                         std::to_string(options.threads), way},
                options.scratch + "/pytorch"));
        } catch (const ane::error& e) {
            f.absent.push_back(name + ": no python3-torch (" + e.what() + ")");
            return;
        }
    }
}

} // namespace suite
