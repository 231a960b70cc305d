#include "token_file.hpp"

#include "../app/generate.hpp"
#include "input_file.hpp"
#include "numpy_file.hpp"
#include <anemone/base/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

namespace command {

std::vector<std::vector<ane::token_id>> texts_in(const std::string& file) {
    constexpr std::uint64_t most = std::uint64_t{64} << 20U;
    if (!file.ends_with(".npy") && !file.ends_with(".npz")) {
        return {app::tokens_in(input_bytes(file, most), file)};
    }
    const std::vector<tensor> arrays = read_arrays(file, most);
    if (arrays.size() != 1) {
        throw ane::error(ane::errc::file, file, fmt::format("has {} arrays, tokens are one", arrays.size()));
    }
    const tensor& all = arrays.front();
    if (all.shape.size() > 2) {
        throw ane::error(
            ane::errc::file, file,
            fmt::format("has {} axes, tokens have one, or two where there are several texts", all.shape.size()));
    }
    std::vector<ane::token_id> tokens;
    for (const double each : all.values) {
        if (!(std::abs(each) < 2147483648.0) || each != std::floor(each)) {
            throw ane::error(ane::errc::file, file, fmt::format("has {}, which is no token", each));
        }
        tokens.push_back(static_cast<ane::token_id>(each));
    }
    if (all.shape.size() < 2 || tokens.empty()) {
        return {tokens};
    }
    std::vector<std::vector<ane::token_id>> texts;
    const std::int64_t length = all.shape[1];
    for (auto row = tokens.begin(); row != tokens.end(); row += length) {
        texts.emplace_back(row, row + length);
    }
    return texts;
}

std::vector<ane::token_id> tokens_given(const std::string& given) {
    const std::string file = given.starts_with('@') ? given.substr(1) : given;
    std::error_code none;
    if (!std::filesystem::exists(file, none)) {
        if (given.starts_with('@') || file.ends_with(".npy") || file.ends_with(".npz") || file.ends_with(".txt")) {
            throw ane::error(ane::errc::file, file, "the file does not exist");
        }
        return app::tokens_in(given, "--tokens");
    }
    std::vector<ane::token_id> tokens;
    for (const std::vector<ane::token_id>& each : texts_in(file)) {
        tokens.insert(tokens.end(), each.begin(), each.end());
    }
    return tokens;
}

} // namespace command
