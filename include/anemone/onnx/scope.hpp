#pragma once

#include "../dynamic_builder.hpp"
#include "../folding/known_tensor.hpp"
#include "../readers/element_count.hpp"
#include "../readers/file_names.hpp"
#include "../readers/large_constants.hpp"
#include "../readers/unreadable.hpp"
#include "../weights/half_elements.hpp"
#include "../weights/store.hpp"
#include "names.hpp"
#include "options.hpp"
#include "tensor_data.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

enum class value_form : std::uint8_t {
    broken, ///< its node was refused
    absent, ///< an operand that is left out
    known,  ///< its elements are known while reading
    tensor, ///< a value of the graph
};

/// What a name of the file stands for. A known value becomes one of the graph when an operation reads it there.
struct value {
    value_form form = value_form::broken;
    element_type type = element_type::f32; ///< as the file has it; in the graph real numbers and wide integers are fp16
    known_tensor constant = {};
    dynamic_tensor tensor = {}; ///< of a known value too, once it is in the graph
    std::string name = {};
    bool is_initializer = false;
    bool is_input = false;

    bool in_graph() const { return tensor.node() >= 0; }
    const extents& shape() const { return form == value_form::known ? constant.shape : tensor.shape(); }
};

/// The model that is being read: the graph that grows, and what bounds it.
class model_scope {
public:
    static constexpr std::int64_t largest_literal = 64; ///< constants of more elements are weights
    static constexpr std::size_t most_faults = 10'000;
    static constexpr std::size_t most_nodes = 500'000;      ///< of the file, functions written out
    static constexpr std::size_t most_operations = 200'000; ///< of the graph
    static constexpr int deepest = 64;                      ///< functions and branches within each other

    ANEMONE_INLINE model_scope(std::string_view file_name, const std::string& folder, const onnx_reader_options& given)
        : files(folder, given.max_bytes, given.opened), file(file_name), options(given), bytes_left(given.max_bytes) {
        files.allows_missing = given.allows_missing;
    }

    dynamic_builder graph;
    weight_store weights;
    external_files files;
    std::vector<std::string> notes;
    /// Weights that the file stores in fewer bits than fp16, by their form: how many, and one of them.
    struct expanded_weights {
        int count = 0;
        std::string first;
    };
    std::map<std::string, expanded_weights> expanded;
    std::vector<std::string> integers; ///< ports that are fp16 here
    std::vector<read_fault> faults;
    std::vector<readers::large_constant> large_constants;
    std::vector<std::string> missing; ///< the weights whose values are not there
    bool reads_missing = false;       ///< of the present node: it reads constants that are not there
    read_fault reading;               ///< the node or the port that is being read, for faults that are found later
    std::string file;
    const onnx_reader_options& options;
    std::uint64_t bytes_left;
    fresh_names ports;
    fresh_names weight_names;
    std::size_t nodes_read = 0;
    std::size_t operations = 0;

    /// Keeps a fault; whatever of the file got into the sentences cannot harm a terminal.
    ANEMONE_INLINE void blame(int number, std::string_view operation, std::string_view reason) {
        faults.push_back({file, number, 0, ane::detail::printable(operation), ane::detail::printable(reason)});
        if (faults.size() >= most_faults) {
            throw unreadable(file, std::move(faults));
        }
    }
    /// An identifier for a port of the file, which goes on being called as it is there.
    ANEMONE_INLINE std::string port_name(const std::string& given, std::string_view what) {
        std::string name = ports.identifier(given);
        if (name != given) {
            graph.call(name, shown(given));
            note(formatted("the {} \"{}\" is written as {}, where names are letters, digits and underscores", what,
                           shown(given), name));
        }
        return name;
    }
    ANEMONE_INLINE void note(const std::string& sentence) {
        if (told_.insert(sentence).second) {
            notes.push_back(sentence);
        }
    }
    /// Keeps that a constant of fewer bits than fp16, in blocks of `block` (0: none), becomes fp16 in the graph.
    ANEMONE_INLINE void expand(const known_tensor& codes, std::int64_t block, const std::string& name) {
        if (facts_of(codes.type).bits < 16 && codes.count() > largest_literal) {
            expanded_weights& of_form =
                expanded[std::string(type_name(codes.type)) +
                         (block > 0 ? formatted(" with scales for blocks of {}", block) : std::string())];
            of_form.first = of_form.count++ == 0 ? name : of_form.first;
        }
    }
    /// Takes memory out of what the caller allows, before anything is allocated.
    ANEMONE_INLINE void spend(std::int64_t bytes) {
        if (bytes < 0 || static_cast<std::uint64_t>(bytes) > bytes_left) {
            throw refused_node{formatted("takes more memory than the reader may use (max_bytes {}): {} bytes more, {} "
                                         "are left",
                                         options.max_bytes, bytes, bytes_left)};
        }
        bytes_left -= static_cast<std::uint64_t>(bytes);
    }
    /// Room for the elements of a computed constant, as numbers of 64 bits.
    ANEMONE_INLINE void allow(const extents& shape) {
        const std::int64_t count = element_count(shape);
        if (count < 0) {
            throw refused_node{formatted("gives the shape {}, which no tensor has", print(shape))};
        }
        spend(count * static_cast<std::int64_t>(sizeof(double)));
    }
    ANEMONE_INLINE folding::room room() {
        return [this](const extents& shape) { allow(shape); };
    }

    ANEMONE_INLINE dynamic_tensor add(op kind, std::span<const dynamic_tensor> operands, const attributes& given,
                                      const extents* shape, source_location where) {
        if (++operations > most_operations) { // what follows would tell the same of every node
            blame(where.line, where.file, formatted("makes the graph longer than {} operations", most_operations));
            throw unreadable(file, std::move(faults));
        }
        return shape != nullptr ? graph.add(kind, operands, given, *shape, where)
                                : graph.add(kind, operands, given, where);
    }

    /// A known value as a tensor of the graph, once: a few numbers as a constant, more and initialisers as a weight.
    ANEMONE_INLINE dynamic_tensor in_graph(value& v, source_location where) {
        if (v.form == value_form::known && !v.in_graph()) {
            v.tensor = place(v.constant, v.name, v.is_initializer, where);
        }
        return v.tensor;
    }
    ANEMONE_INLINE dynamic_tensor place(const known_tensor& c, std::string_view name, bool is_initializer,
                                        source_location where) {
        if (c.count() < 1) {
            throw refused_node{formatted("reads a tensor {} without elements", print(c.shape))};
        }
        if (c.is_missing || (reads_missing && !is_initializer && c.count() > 1)) {
            missing.push_back(weight_names.printable(name));
            return graph.weight(missing.back(), c.shape, {}, where);
        }
        require_fp16(c);
        const bool small = c.count() == 1 || (c.count() <= largest_literal && !is_initializer);
        if (const auto large = readers::first_beyond_fp16(c)) {
            return weight(stored_for_now(c, name, small, *large), where);
        }
        return small ? literal(c, where) : weight(stored(c, name), where);
    }

private:
    /// Throws for a NaN, and for an integer that fp16 does not hold exactly.
    ANEMONE_INLINE static void require_fp16(const known_tensor& c) {
        using namespace weight_formats;
        const auto wrong = with_element(c.type, [&]<class Element>() -> std::optional<std::int64_t> {
            if constexpr (std::is_integral_v<Element>) {
                return c.first_where<Element>(inexact_in_fp16{});
            } else if constexpr (!std::is_void_v<Element>) {
                return c.first_where<Element>(not_a_number{});
            } else {
                return std::nullopt; // a few bits
            }
        });
        if (wrong && is_integer(c.type)) {
            throw refused_node{
                formatted("element {} of a constant is {}, which fp16 does not hold exactly", *wrong, c.at(*wrong))};
        }
        if (wrong) {
            throw refused_node{formatted("element {} of a constant is {}; the graph holds finite fp16 values, up to {}",
                                         *wrong, c.at(*wrong), half_max)};
        }
    }
    ANEMONE_INLINE dynamic_tensor literal(const known_tensor& c, source_location where) {
        std::vector<float> list;
        for (std::int64_t i = 0; i < c.count(); ++i) {
            list.push_back(static_cast<float>(c.at(i)));
        }
        return graph.constant(c.shape, list, where);
    }
    ANEMONE_INLINE dynamic_tensor weight(stored_tensor s, source_location where) {
        const dynamic_tensor made = graph.weight(s.name, s.shape, {}, where);
        weights.add(std::move(s));
        return made;
    }
    /// Elements as fp16, each rounded once.
    ANEMONE_INLINE static std::vector<std::byte> as_halves(const known_tensor& c) {
        std::vector<std::byte> all;
        all.reserve(static_cast<std::size_t>(c.count()) * 2);
        std::array<half, 4096> some;
        const std::span<const std::byte> elements = c.elements();
        for (std::int64_t begin = 0; begin < c.count();) {
            const auto here = std::min<std::int64_t>(c.count() - begin, std::ssize(some));
            const std::span<half> to = std::span(some).first(static_cast<std::size_t>(here));
            if (c.type == element_type::f32) {
                ane::detail::narrow_elements<float>(elements.subspan(static_cast<std::size_t>(begin) * 4), to);
            } else {
                for (std::int64_t i = 0; i < here; ++i) {
                    to[static_cast<std::size_t>(i)] = half(c.at(begin + i));
                }
            }
            const auto bytes = std::as_bytes(to);
            all.insert(all.end(), bytes.begin(), bytes.end());
            begin += here;
        }
        return all;
    }
    ANEMONE_INLINE stored_tensor stored(const known_tensor& c, std::string_view name) {
        const bool as_it_is = c.is_borrowed() && (c.type == element_type::f32 || c.type == element_type::f16 ||
                                                  c.type == element_type::bf16);
        stored_tensor s;
        s.name = weight_names.printable(name);
        s.shape = c.shape;
        if (as_it_is) {
            spend(static_cast<std::int64_t>(c.size_in_bytes()));
            s.type = c.type;
            s.bytes = readers::stored_bytes(c);
        } else {
            spend(2 * c.count());
            s.type = element_type::f16;
            s.bytes = c.type == element_type::f16 ? readers::stored_bytes(c) : tensor_bytes(as_halves(c));
        }
        return s;
    }
    /// What is beyond fp16 in a constant, to be settled when it is known what reads it.
    ANEMONE_INLINE stored_tensor stored_for_now(const known_tensor& c, std::string_view name, bool is_literal,
                                                std::int64_t element) {
        spend(4 * c.count());
        stored_tensor s = readers::as_large_weight(c, weight_names.printable(name));
        large_constants.push_back({s.name, is_literal, reading});
        large_constants.back().fault.reason = readers::why_too_large(c, element);
        return s;
    }

    std::set<std::string> told_;
};

} // namespace ane::onnx::inline ANEMONE_WAY
