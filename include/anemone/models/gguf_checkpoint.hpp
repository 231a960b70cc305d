#pragma once

#include "../base/formatted.hpp"
#include "../io/opened_files.hpp"
#include "../weights/gguf.hpp"
#include "checkpoint.hpp"
#include "gguf_configuration.hpp"
#include "published_tensors.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Language models in GGUF files. Only bodies include this header.
namespace ane::models::inline ANEMONE_WAY {

/// How the rows of a tensor come: of Llama's queries and keys, which ggml turns in pairs, as they were published.
ANEMONE_INLINE gguf_rows rows_of(const decoder_configuration& c, const gguf_tensor& t) {
    const bool turns = c.kind == family::llama &&
                       (t.name.find(".attn_q.") != std::string::npos || t.name.find(".attn_k.") != std::string::npos);
    const bool fits = t.shape.rank > 0 && c.head_width % 2 == 0 && t.shape[0] % c.head_width == 0;
    return {turns && fits ? c.head_width : 0}; // where it does not fit, the shape is refused
}

/// "24 tensors of Q4_K, 3 of Q6_K: decoded to fp16"; nothing where none is.
ANEMONE_INLINE std::string note_of_types(const gguf_file& file) {
    std::map<std::string_view, std::size_t> counts;
    for (const gguf_tensor& t : file.tensors()) {
        if (t.type != gguf_type::f32 && t.type != gguf_type::f16 && t.type != gguf_type::bf16) {
            ++counts[ane::name(t.type)];
        }
    }
    std::string text;
    for (const auto& [type, count] : counts) {
        text += formatted("{}{} of {}", text.empty() ? "" : ", ",
                          text.empty() ? ane::detail::counted(count, "tensor") : std::to_string(count), type);
    }
    return text.empty() ? text : text + ": decoded to fp16";
}

/// The model of a file. Gemma's normalizations are 1 + w in it, products [to, from].
ANEMONE_INLINE checkpoint gguf_checkpoint(const std::string& path, const checkpoint_options& options) {
    const gguf_file file(path);
    if (options.opened != nullptr) {
        options.opened->add(path);
    }
    checkpoint c{.configuration = read_gguf_configuration(file), .weights = {}};
    std::vector<stored_tensor> tensors;
    for (const gguf_tensor& t : file.tensors()) {
        if (t.name == "rope_freqs.weight") { // is in the configuration
            continue;
        }
        stored_tensor stored = file.read(t, rows_of(c.configuration, t));
        // Of the others the reader of checkpoints counts.
        if (const bool decodes = stored.type == element_type::f16 && t.type != gguf_type::f16;
            decodes && options.counts_beyond_half) {
            if (const std::int64_t count = file.beyond_fp16(t); count > 0) {
                c.notes.push_back(note_beyond_half(t.name, count, t.shape.count()));
            }
        }
        if (std::string published = published_name(c.configuration, t.name); !published.empty()) {
            stored.name = std::move(published);
        }
        tensors.push_back(std::move(stored));
    }
    if (tensors.empty()) {
        c.notes.emplace_back("the file has no tensors, the configuration alone is read");
    }
    published_tensors(c, options, path, tensor_source::gguf).take(std::move(tensors), {});
    if (std::string note = note_of_types(file); !note.empty()) {
        c.notes.push_back(std::move(note));
    }
    return c;
}

} // namespace ane::models::inline ANEMONE_WAY
