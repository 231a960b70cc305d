#include "process_contender.hpp"
#include <anemone/base/error.hpp>

#include <filesystem>
#include <string>

namespace suite {

void add_onnx_runtime(field& f, const field_options& options) {
    if (!options.wants("ONNX Runtime")) {
        return;
    }
    if (!std::filesystem::exists(options.modules + "/node_modules/onnxruntime-node")) {
        f.absent.push_back("ONNX Runtime: no onnxruntime-node in " + options.modules);
        return;
    }
    try {
        f.present.push_back(std::make_unique<process_contender>(
            "ONNX Runtime",
            std::vector<std::string>{"node", options.scripts + "/onnx_runtime.js", std::to_string(options.threads),
                                     options.modules},
            options.scratch + "/onnx_runtime"));
    } catch (const ane::error& e) {
        f.absent.push_back(std::string("ONNX Runtime: node does not run it (") + e.what() + ")");
    }
}

} // namespace suite
