#include "contender.hpp"

#include <anemone/base/error.hpp>

#include <chrono>
#include <string>

namespace suite {

std::vector<double> local_session::run(int count) {
    std::vector<double> seconds;
    seconds.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        once();
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    return seconds;
}

field make_field(const field_options& options) {
    field f;
    add_anemone(f, options);
    add_onednn(f, options);
    add_openblas(f, options);
    add_eigen(f, options);
    add_pytorch(f, options);
    add_onnx_runtime(f, options);
    return f;
}

void refuse(const std::string& contender, ane::op kind) {
    throw ane::error(ane::errc::lowering, contender, "has no form of " + std::string(name(kind)));
}

} // namespace suite
