#pragma once

#include "../dynamic_builder.hpp"
#include "../io/unicode.hpp"
#include "../weights/encode.hpp"
#include "../weights/formats/element_scan.hpp"
#include "../weights/store.hpp"
#include "input_shape.hpp"
#include "large_constants.hpp"
#include "mil_blob.hpp"
#include "mil_syntax.hpp"
#include "read_model.hpp"
#include "unreadable.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

enum class value_form : std::uint8_t {
    broken, ///< its statement was refused
    tensor, ///< a value of the graph
    known,  ///< its elements are known while reading
    text,
    state,
    list, ///< several values: `values = (a, b)`
    absent,
};

/// What a variable stands for. A known value becomes one of the graph when an operation reads it there.
struct mil_value {
    value_form form = value_form::broken;
    element_type element = element_type::f16; ///< as the file says; fp32 and integers are fp16 in the graph
    dynamic_tensor tensor;                    ///< of a known value too, once it is in the graph
    known_tensor constant;
    std::optional<compression> stored; ///< the form in which the file stores a known value
    std::string text;                  ///< a string, the name of a state, or the variable of a known value
    std::vector<mil_value> items;
    bool has_blocks = false;  ///< of a known value: the file has a scale for each block of it
    std::string decoded_by;   ///< of a known value: the constexpr operation of which it is the result
    bool are_indices = false; ///< of a top-k, int32 by default
    bool bare = false;        ///< numbers without a type, which take the one that a statement declares

    std::string blob{}; ///< where a known value was read from
    double blob_offset = 0;
    bool is_given_back = false;                                ///< its elements are read anew where they are needed
    std::shared_ptr<std::vector<std::byte>> decoded = nullptr; ///< its elements, where a weight may take them

    bool in_graph() const { return tensor.node() >= 0; }
    const extents& shape() const { return form == value_form::known ? constant.shape : tensor.shape(); }
};

struct mil_state {
    std::string name;
    mil_value value;
    dynamic_tensor before; ///< the input
    bool written = false;
};

/// The function that is being read: its variables, and the graph that grows.
class mil_scope {
public:
    /// Constants of more elements are weights; smaller ones that stand in the text are constants of the graph.
    static constexpr std::int64_t largest_literal = 64;
    static constexpr std::size_t most_faults = 200;

    ANEMONE_INLINE mil_scope(file_lookup files, std::string_view file_name, const char* kept_name, std::uint64_t memory)
        : blobs(files), file(file_name), kept_file(kept_name), memory_left(memory) {}

    dynamic_builder graph;
    weight_store weights;
    mil_blobs blobs;
    std::vector<std::string> notes;
    std::vector<std::string> expanded; ///< those of the notes that `read_model::expanded` has
    std::vector<std::string> integers; ///< ports that are fp16 here
    std::vector<read_fault> faults;
    std::vector<large_constant> large_constants;
    read_fault reading;              ///< the statement or the port that is being read, for faults that are found later
    std::vector<read_fault> doubts;  ///< statements that the engine's compiler was seen to refuse
    std::vector<read_fault> forms;   ///< what Apple's parser is not known to take
    std::vector<read_fault> hazards; ///< what some system was seen to fail on
    std::vector<read_fault> unheld;  ///< numbers that were approximated
    std::vector<typed_value> types;
    bool converts_ports = false; ///< Core ML hands ports of any type over, and casts them
    std::vector<mil_state> states;
    std::string opset; ///< that the function names
    std::string file;
    const char* kept_file;
    std::uint64_t memory_left;
    bool approximates = false; ///< reads any number, for a verdict
    std::vector<buffer_layout> layouts;
    std::vector<file_hint> hints;
    std::vector<std::string> missing; ///< the weights whose values are not there
    std::vector<input_shape> shapes;  ///< of inputs that the file leaves free

    ANEMONE_INLINE mil_value* find(std::string_view name) {
        mil_value* const v = peek(name);
        if (v != nullptr && v->is_given_back) {
            v->constant = blobs.entry(v->blob, v->blob_offset, v->constant.type, v->constant.shape);
            v->is_given_back = false;
        }
        return v;
    }
    /// The same whose elements are not asked for.
    ANEMONE_INLINE mil_value* peek(std::string_view name) {
        const auto found = variables_.find(name);
        return found == variables_.end() ? nullptr : &found->second;
    }
    /// False where there is one of this name already.
    ANEMONE_INLINE bool define(std::string_view name, mil_value value) {
        if (value.form == value_form::known) {
            value.text = name;
        }
        return variables_.emplace(name, std::move(value)).second;
    }

    ANEMONE_INLINE void blame(text_place at, std::string_view operation, std::string_view reason) {
        // Both may have pieces of the text.
        faults.push_back({file, at.line, at.column, ane::detail::printable(operation), ane::detail::printable(reason)});
        if (faults.size() >= most_faults) {
            throw unreadable(file, std::move(faults));
        }
    }
    /// Keeps what the engine's compiler says of a statement that the graph holds.
    ANEMONE_INLINE void doubt(text_place at, const std::string& operation, std::string_view said) {
        if (!said.empty() && doubts.size() < most_faults) {
            doubts.push_back({file, at.line, at.column, operation, formatted("the engine's compiler: {}", said)});
        }
    }
    /// Keeps what Apple's parser is not known to take of the file's form, with what to write instead.
    ANEMONE_INLINE void form(text_place at, const std::string& operation, std::string_view said) {
        if (!said.empty() && forms.size() < most_faults) {
            forms.push_back({file, at.line, at.column, operation, std::string(said)});
        }
    }
    /// Keeps what a system was seen to fail on.
    ANEMONE_INLINE void hazard(text_place at, const std::string& operation, std::string_view said) {
        if (!said.empty() && hazards.size() < most_faults) {
            hazards.push_back({file, at.line, at.column, operation, std::string(said)});
        }
    }
    /// Keeps a type that the graph does not have, where it is used.
    ANEMONE_INLINE void type(text_place at, const std::string& operation, type_use use, element_type e) {
        if (types.size() < most_faults) {
            types.push_back({use, e, {file, at.line, at.column, operation, {}}});
        }
    }
    /// Keeps what a tool wrote beside an operation or a function.
    ANEMONE_INLINE void hint(std::string_view subject, text_place at, std::string_view key, std::string_view value) {
        constexpr std::size_t most = 100'000;
        constexpr std::size_t longest = 200;
        if (hints.size() < most) {
            hints.push_back({ane::detail::printable(subject.substr(0, longest)), at.line,
                             ane::detail::printable(key.substr(0, longest)),
                             ane::detail::printable(value.substr(0, longest))});
        }
    }
    /// Takes memory for weights out of what the caller allows.
    ANEMONE_INLINE void spend(std::int64_t bytes) {
        if (bytes < 0 || static_cast<std::uint64_t>(bytes) > memory_left) {
            throw refused_statement{
                formatted("its weights take more memory than the reader may use: {} bytes more, {} are left", bytes,
                          memory_left)};
        }
        memory_left -= static_cast<std::uint64_t>(bytes);
    }
    /// A sentence for the caller, once.
    ANEMONE_INLINE bool note(const std::string& sentence) {
        if (!told_.insert(sentence).second) {
            return false;
        }
        notes.push_back(sentence);
        return true;
    }
    /// The same of compressed weights that are fp16 here.
    ANEMONE_INLINE void note_expanded(const std::string& sentence) {
        if (note(sentence)) {
            expanded.push_back(sentence);
        }
    }

    ANEMONE_INLINE mil_state* find_state(std::string_view name) {
        for (mil_state& s : states) {
            if (s.name == name) {
                return &s;
            }
        }
        return nullptr;
    }

    /// A value as a tensor of the graph. A known one becomes a constant or a weight, the first time that it is read.
    ANEMONE_INLINE dynamic_tensor in_graph(mil_value& v, std::string_view name, source_location where) {
        if (v.form == value_form::known && !v.in_graph()) {
            const bool small = v.constant.count() <= largest_literal && !v.constant.is_borrowed() && !v.stored;
            const known_tensor& c = v.constant;
            // What was worked out may be no number.
            const bool is_worked_out = v.stored && c.type == element_type::f16 && !c.is_missing;
            const bool is_finite = is_worked_out && !c.first_where<half>(weight_formats::not_finite{});
            const auto large = c.is_missing || is_finite ? std::nullopt : first_beyond_fp16(c);
            v.tensor = c.is_missing ? missing_weight(v, name, where)
                       : large      ? weight_for_now(c, name, small, *large, where)
                       : small      ? literal(c, where)
                                    : weight(v, name, !is_worked_out || is_finite, where);
        }
        return v.tensor;
    }

private:
    ANEMONE_INLINE static void require_elements(const known_tensor& c) {
        if (c.count() < 1) {
            throw refused_statement{formatted("reads a tensor {} without elements", print(c.shape))};
        }
    }
    ANEMONE_INLINE half as_half(const known_tensor& c, std::int64_t i) {
        const double value = c.at(i);
        const half rounded(value);
        if (!is_finite(rounded)) {
            refuse_number([&] {
                return formatted("element {} of a constant is {}; the graph holds finite fp16 values, up to {}", i,
                                 value, half_max);
            });
            return half(std::isnan(value) ? 0.0 : value);
        }
        if (is_integer(c.type) && static_cast<double>(rounded) != value) {
            refuse_number([&] {
                return formatted("element {} of a constant is {}, which fp16 does not hold exactly", i, value);
            });
        }
        return rounded;
    }
    /// The fault of a number that the graph does not hold: kept beside a model that is read to be judged, the first of
    /// a statement, as it is the first that ends the reading of another.
    template <class Why> void refuse_number(const Why& why) {
        if (!approximates) {
            throw refused_statement{why()};
        }
        const bool is_told = !unheld.empty() && unheld.back().line == reading.line &&
                             unheld.back().column == reading.column && unheld.back().operation == reading.operation;
        if (!is_told && unheld.size() < most_faults) {
            unheld.push_back(reading);
            unheld.back().reason = why();
        }
    }

    ANEMONE_INLINE std::vector<half> as_halves(const known_tensor& c) {
        std::vector<half> values(static_cast<std::size_t>(c.count()));
        if (c.type == element_type::f16 && !c.first_where<half>(weight_formats::not_finite{})) {
            std::memcpy(static_cast<void*>(values.data()), c.elements().data(), values.size() * sizeof(half));
            return values;
        }
        for (std::int64_t i = 0; i < c.count(); ++i) {
            values[static_cast<std::size_t>(i)] = as_half(c, i);
        }
        return values;
    }

    ANEMONE_INLINE dynamic_tensor literal(const known_tensor& c, source_location where) {
        require_elements(c);
        std::vector<float> values;
        for (std::int64_t i = 0; i < c.count(); ++i) {
            const half rounded = as_half(c, i);
            const bool is_lost = rounded == half(0.0F) && !std::isnan(c.at(i)); // or 0: number_becomes_zero tells
            values.push_back(is_lost ? static_cast<float>(c.at(i)) : static_cast<float>(rounded));
        }
        return graph.constant(c.shape, values, where);
    }

    ANEMONE_INLINE std::string weight_name(std::string_view name) const {
        std::string unique(name.empty() ? "constant" : name);
        for (std::size_t i = weights.size(); weights.contains(unique) || missing_names_.contains(unique); ++i) {
            unique = formatted("{}_{}", name.empty() ? "constant" : name, i);
        }
        return unique;
    }

    /// A constant with elements beyond fp16, until it is known what reads it.
    ANEMONE_INLINE dynamic_tensor weight_for_now(const known_tensor& c, std::string_view name, bool is_literal,
                                                 std::int64_t element, source_location where) {
        for (std::int64_t i = 0; i < c.count(); ++i) {
            if (!is_beyond_fp16(c.at(i))) {
                as_half(c, i); // which throws for what no mask is either
            }
        }
        spend(4 * c.count());
        stored_tensor s = as_large_weight(c, weight_name(name));
        large_constants.push_back({s.name, is_literal, reading});
        large_constants.back().fault.reason = why_too_large(c, element);
        const dynamic_tensor made = graph.weight(s.name, s.shape, {}, where);
        weights.add(std::move(s));
        return made;
    }

    /// A weight of which the graph has the shape and the form, and the store nothing.
    ANEMONE_INLINE dynamic_tensor missing_weight(const mil_value& v, std::string_view name, source_location where) {
        require_elements(v.constant);
        std::string unique(name.empty() ? "constant" : name);
        for (std::size_t i = missing.size(); weights.contains(unique) || !missing_names_.insert(unique).second; ++i) {
            unique = formatted("{}_{}", name.empty() ? "constant" : name, i);
        }
        missing.push_back(unique);
        const dynamic_tensor made = graph.weight(unique, v.constant.shape, {}, where);
        try {
            return v.stored ? graph.add(op::compressed, {made}, *v.stored, where) : made;
        } catch (const error&) { // a form that the library does not have
            return made;
        }
    }

    ANEMONE_INLINE dynamic_tensor weight(mil_value& v, std::string_view name, bool is_finite_throughout,
                                         source_location where) {
        const known_tensor& c = v.constant;
        require_elements(c);
        const std::string unique = weight_name(name);
        stored_tensor s;
        s.name = unique;
        s.shape = c.shape;
        s.type = element_type::f16;
        const bool keeps_form = v.stored && keeps_form_of(c, *v.stored);
        // The value, and who was to have its elements, are all that hold them: the store takes them, and lends them.
        const bool takes = is_finite_throughout && v.decoded != nullptr && v.decoded.use_count() == 2;
        if (!takes) {
            spend(c.count() * (c.type == element_type::f32 ? 4 : 2));
        }
        const bool is_real = c.type == element_type::f16 || c.type == element_type::f32 || c.type == element_type::bf16;
        if (takes) {
            s.bytes = std::move(*v.decoded);
        } else if (is_real && is_finite_throughout) {
            s.type = c.type;
            s.bytes = stored_bytes(c);
        } else {
            s.bytes = weight_formats::pack_halves(as_halves(c));
        }
        const dynamic_tensor made = graph.weight(unique, c.shape, {}, where);
        weights.add(std::move(s));
        if (takes) {
            v.constant.owned = nullptr;
            const tensor_bytes& taken = weights.at(unique).bytes;
            v.constant.bytes = {taken.data(), taken.size()};
        }
        v.decoded = nullptr;
        try {
            return keeps_form ? graph.add(op::compressed, {made}, *v.stored, where) : made;
        } catch (const error&) { // a form that the library does not have
            return made;
        }
    }

    /// Whether encoding a weight's values in the form in which the file stores it gives these values again. Looked at some
    /// rows at a time, where rows do not depend on each other.
    ANEMONE_INLINE bool keeps_form_of(const known_tensor& c, const compression& form) {
        const bool in_rows = (form.form == weight_form::affine || form.form == weight_form::blockwise) &&
                             c.shape.rank > 0 && c.type == element_type::f16;
        const std::int64_t row = c.shape.rank > 0 ? c.count() / c.shape[0] : c.count();
        constexpr std::int64_t most = 1 << 16; // elements
        const std::int64_t step = in_rows ? std::clamp<std::int64_t>(most / row, 1, c.shape[0]) : 0;
        bool keeps = true;
        try {
            if (!in_rows) {
                keeps = keeps_values(as_halves(c), c.shape, form);
            }
            for (std::int64_t first = 0; in_rows && keeps && first < c.shape[0]; first += step) {
                known_tensor rows = c;
                rows.in_file = nullptr;
                rows.shape[0] = std::min(step, c.shape[0] - first);
                rows.bytes = c.elements().subspan(static_cast<std::size_t>(2 * first * row),
                                                  static_cast<std::size_t>(2 * rows.shape[0] * row));
                keeps = keeps_values(as_halves(rows), rows.shape, form);
            }
        } catch (const error&) { // a form that the library does not have
            keeps = false;
        }
        if (!keeps) {
            note_expanded("compressed weights whose values would change if the library stored them anew are read as "
                          "fp16, and written so");
        }
        return keeps;
    }

    // By views into the text, which outlives the scope.
    std::unordered_map<std::string_view, mil_value> variables_;
    std::set<std::string> told_;
    std::set<std::string> missing_names_;
};

} // namespace ane::readers::inline ANEMONE_WAY
