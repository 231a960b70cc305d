#pragma once

#include <anemone/formats/cpp_names.hpp>
#include <anemone/io/json.hpp>
#include <anemone/passes/print.hpp>
#include <anemone/weights/statistics.hpp>
#include <anemone/weights/store.hpp>

#include <fmt/format.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// Text of the header: names of tensors become C++ identifiers, their statistics constants.

using ane::formats::cpp_identifier;

/// An identifier for each name. Of several names with one identifier the first in sorted order keeps it, the others get
/// numbers from 2 on that no other name's identifier has.
inline std::map<std::string, std::string> identifiers(const std::set<std::string>& names) {
    std::set<std::string> wanted;
    for (const std::string& name : names) {
        wanted.insert(cpp_identifier(name));
    }
    std::map<std::string, std::string> result;
    std::set<std::string> used;
    for (const std::string& name : names) {
        const std::string base = cpp_identifier(name);
        std::string chosen = base;
        for (int number = 2; used.count(chosen) != 0 || (chosen != base && wanted.count(chosen) != 0); ++number) {
            chosen = fmt::format("{}_{}", base, number);
        }
        used.insert(chosen);
        result.emplace(name, chosen);
    }
    return result;
}

/// A text for a comment: in quotes, with everything escaped that could end the line.
inline std::string escaped(std::string_view text) { return ane::json_string(text); }

/// The whole header. `file` and `digest` are for its first lines, `advance(bytes)` is told of each tensor that is done,
/// `left_out(name, reason)` of each that has no fp16 form and so no constant.
inline std::string header_text(const ane::weight_store& store, std::string_view file, std::string_view digest,
                               std::string_view space, const std::function<void(std::size_t)>& advance,
                               const std::function<void(const std::string&, const std::string&)>& left_out) {
    std::set<std::string> names;
    for (const ane::stored_tensor& tensor : store) {
        names.insert(tensor.name);
    }
    const std::map<std::string, std::string> called = identifiers(names);
    std::string text = fmt::format("// Made by weight_statistics, not by hand.\n"
                                   "// file: {}\n// sha256: {}\n"
                                   "#pragma once\n\n#include <anemone/values/contract.hpp>\n\n"
                                   "/// What the tensors of the file are, stored as fp16. A contract is\n"
                                   "/// `ane::bounded_by(...)` of one of these.\n"
                                   "namespace {} {{\n",
                                   escaped(file), digest, space);
    for (const std::string& name : names) {
        const ane::stored_tensor& tensor = store.at(name);
        text += fmt::format("\n/// {}: {} {}\n", escaped(name), ane::facts_of(tensor.type).safetensors,
                            ane::print(tensor.shape));
        try {
            text += fmt::format("inline constexpr ane::tensor_statistics {}{};\n", called.at(name),
                                ane::print(ane::statistics_of(tensor)));
        } catch (const ane::error& reason) {
            text += fmt::format("/// is left out: {}\n", escaped(reason.what()));
            left_out(name, reason.what());
        }
        advance(tensor.bytes.size());
    }
    return text + fmt::format("\n}} // namespace {}\n", space);
}
