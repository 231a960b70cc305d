#pragma once

#include "blob_reader.hpp"
#include "mil_ast.hpp"
#include "mil_parser.hpp"
#include "program.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ane::standin {

/// The weight files of a program, opened once each; `@model_path/` stands for the directory of the MIL text.
class weight_files {
public:
    explicit weight_files(std::string directory) : directory_(std::move(directory)) {}

    const blob_reader& open(const std::string& path, int line) {
        constexpr std::string_view prefix = "@model_path/";
        if (path.compare(0, prefix.size(), prefix) != 0) {
            refuse_at(line, "BLOBFILE path '" + path + "' does not begin with @model_path/");
        }
        auto found = files_.find(path);
        if (found == files_.end()) {
            const std::string file = directory_ + "/" + path.substr(prefix.size());
            found = files_.emplace(path, blob_reader::open(file)).first;
        }
        return found->second;
    }

    const std::map<std::string, blob_reader>& opened() const { return files_; }

private:
    std::string directory_;
    std::map<std::string, blob_reader> files_;
};

namespace detail {

inline half half_of(const std::string& spelling, int line) {
    const bool hexadecimal = spelling.find('x') != std::string::npos || spelling.find('X') != std::string::npos;
    if (hexadecimal && spelling.find_first_of("pP") == std::string::npos) {
        // Could be meant as a bit pattern or as a number: the real reader's reading is not known.
        refuse_at(line, "fp16 literal '" + spelling + "': a hexadecimal float needs an exponent");
    }
    const half result(std::strtod(spelling.c_str(), nullptr));
    if (!is_finite(result)) {
        refuse_at(line, "fp16 literal '" + spelling + "' is outside the range of the type");
    }
    return result;
}

inline std::int64_t integer_of(const std::string& spelling, element type, int line) {
    const int width = bits(type);
    const auto number = integer_from<std::int64_t>(spelling, line);
    const std::int64_t low =
        is_signed_integer(type) ? (width == 64 ? INT64_MIN : -(std::int64_t{1} << (width - 1))) : 0;
    const int magnitude = is_signed_integer(type) ? width - 1 : width;
    const std::int64_t high = magnitude >= 63 ? INT64_MAX : (std::int64_t{1} << magnitude) - 1;
    if (number < low || number > high) {
        refuse_at(line, spelling + " does not fit " + std::string(name(type)));
    }
    return number;
}

inline void read_item(constant& into, const std::string& item, element type, int line) {
    const bool word = item == "true" || item == "false";
    if (word != (type == element::boolean)) {
        refuse_at(line, "'" + item + "' is no value of type " + std::string(name(type)));
    }
    if (type == element::boolean) {
        into.integers.push_back(item == "true" ? 1 : 0);
    } else if (type == element::fp16) {
        into.halves.push_back(half_of(item, line));
    } else if (is_real(type)) {
        into.reals.push_back(std::strtod(item.c_str(), nullptr));
    } else {
        into.integers.push_back(integer_of(item, type, line));
    }
}

inline std::vector<half> halves_of(std::span<const std::uint8_t> bytes) {
    std::vector<half> result(bytes.size() / 2);
    for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] = half::from_bits(static_cast<std::uint16_t>(bytes[2 * i] | (bytes[2 * i + 1] << 8U)));
    }
    return result;
}

} // namespace detail

/// The data behind a literal, as many elements as its type declares.
inline constant read_literal(const literal& source, weight_files& files) {
    constant result;
    const std::int64_t count = element_count(source.type.shape);
    if (source.is_blob) {
        if (!source.tensor_spelling) {
            refuse_at(source.line, "BLOBFILE stands in a tensor<...>(...) only");
        }
        const auto data = files.open(source.blob_path, source.line).entry(source.blob_offset, source.type.type, count);
        if (source.type.type == element::fp16) {
            result.halves = detail::halves_of(data);
        } else if (is_integer(source.type.type)) {
            result.integers = unpack_integers(data, source.type.type, count);
        } else {
            refuse_at(source.line, "weights of type " + std::string(name(source.type.type)) + " are not modelled");
        }
        return result;
    }
    if (source.items.size() != static_cast<std::size_t>(count)) {
        refuse_at(source.line, to_string(source.type) + " is given " + std::to_string(source.items.size()) + " values");
    }
    if (source.type.type == element::string) {
        if (source.tensor_spelling) {
            refuse_at(source.line, "a tensor of strings is not accepted");
        }
        result.text = source.items.front();
        return result;
    }
    for (const std::string& item : source.items) {
        detail::read_item(result, item, source.type.type, source.line);
    }
    return result;
}

} // namespace ane::standin
