#pragma once

#include "../folding/known_tensor.hpp"
#include "../readers/element_count.hpp"
#include "../readers/file_elements.hpp"
#include "../readers/limited_files.hpp"
#include "../readers/missing_data.hpp"
#include "../readers/model_folder.hpp"
#include "element.hpp"
#include "names.hpp"

#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>

/// Weights in files beside the model. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

using folding::known_tensor;
using readers::element_count;

/// Why a node cannot be read; its name and operator are added to it.
using refused_node = folding::refused;

/// The files that tensors of a model refer to, each opened once: only those in the model's folder and below it.
class external_files {
public:
    /// An empty folder: there are none.
    ANEMONE_INLINE external_files(std::string folder, std::uint64_t most, opened_files* told = nullptr)
        : folder_(std::move(folder)), told_(told), files_(most) {}

    /// Tells of the files that tensors name, whether or not they are read.
    template <class Tensors> void tell_of(const Tensors& tensors) {
        for (const auto& tensor : tensors) {
            for (const auto& entry : tensor.external_data()) {
                if (told_ != nullptr && entry.key() == "location" && told_of_.insert(entry.value()).second) {
                    static_cast<void>(home().file(entry.value()));
                }
            }
        }
    }

    /// Where the bytes lie that a tensor names.
    struct range {
        file_bytes file;
        std::uint64_t begin;
        std::uint64_t count;
    };
    /// What is thrown where a file is not there, or ends too early.
    struct nothing_there {
        std::string why;
    };

    /// Reads nothing of them yet. Throws `refused_node`, and `nothing_there`.
    ANEMONE_INLINE range of(const tensor_proto& tensor) {
        std::string location;
        std::uint64_t offset = 0;
        std::uint64_t length = 0;
        bool has_length = false;
        for (const auto& entry : tensor.external_data()) {
            if (entry.key() == "location") {
                location = entry.value();
            } else if (entry.key() == "offset") {
                offset = number(entry.key(), entry.value());
            } else if (entry.key() == "length") {
                length = number(entry.key(), entry.value());
                has_length = true;
            }
        }
        const file_bytes bytes = file(location);
        if (offset > bytes.size() || (has_length && length > bytes.size() - offset)) {
            throw nothing_there{
                formatted("its data lie at {} in \"{}\", which has {} bytes", offset, shown(location), bytes.size())};
        }
        return {bytes, offset, has_length ? length : bytes.size() - offset};
    }
    /// Gives them to a constant. Throws `refused_node` where the file ends before them, or more memory is taken than the
    /// caller allows.
    ANEMONE_INLINE static void give(const range& r, known_tensor& c) {
        try {
            readers::give_elements(c, r.file, r.begin, r.count);
        } catch (const error& e) {
            throw refused_node{formatted("its data cannot be read: {}", shown(e.what()))};
        }
    }

    /// Tensors of the message whose bytes stay in the model's own file.
    std::map<const tensor_proto*, ane::detail::file_part> in_message;
    bool allows_missing = false;
    readers::missing_data gaps;
    std::string lost; ///< what is wrong with the first file that is not there

private:
    ANEMONE_INLINE static std::uint64_t number(const std::string& key, const std::string& text) {
        std::uint64_t value = 0;
        const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
        if (end.ec != std::errc() || end.ptr != text.data() + text.size()) {
            throw refused_node{formatted("the {} of its external data is \"{}\"", key, shown(text))};
        }
        return value;
    }

    ANEMONE_INLINE const readers::model_folder& home() { return home_ ? *home_ : home_.emplace(folder_, told_); }

    ANEMONE_INLINE file_bytes file(const std::string& location) {
        if (const file_bytes* const found = files_.find(location); found != nullptr) {
            return *found;
        }
        if (folder_.empty()) {
            throw nothing_there{
                formatted("its data are in the file \"{}\"; read the model with read_onnx_file", shown(location))};
        }
        readers::opened_below found = home().file(location);
        if (!found.refused.empty()) {
            const std::string why = formatted("its data are in \"{}\", which {}", shown(location), found.refused);
            if (found.is_missing) {
                throw nothing_there{why};
            }
            throw refused_node{why};
        }
        try {
            return files_.add(location, std::move(found.file), location);
        } catch (const error& e) {
            throw refused_node{formatted("its data cannot be read: {}", shown(e.what()))};
        }
    }

    std::string folder_;
    opened_files* told_;
    std::optional<readers::model_folder> home_;
    std::set<std::string> told_of_;
    readers::limited_files files_;
};

} // namespace ane::onnx::inline ANEMONE_WAY
