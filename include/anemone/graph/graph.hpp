#pragma once

#include "identity.hpp"
#include "node.hpp"
#include "refusal.hpp"
#include "sequence.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace ane {

namespace detail {

/// Whether all values lie in [low, high]: eight a step, of which compilers count few in a constant expression.
constexpr bool all_lie_in(std::span<const float> values, float low, float high) {
    const float* const v = values.data();
    const std::size_t count = values.size();
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        if (!(v[i] >= low && v[i] <= high && v[i + 1] >= low && v[i + 1] <= high && v[i + 2] >= low &&
              v[i + 2] <= high && v[i + 3] >= low && v[i + 3] <= high && v[i + 4] >= low && v[i + 4] <= high &&
              v[i + 5] >= low && v[i + 5] <= high && v[i + 6] >= low && v[i + 6] <= high && v[i + 7] >= low &&
              v[i + 7] <= high)) {
            return false;
        }
    }
    for (; i < count; ++i) {
        if (!(v[i] >= low && v[i] <= high)) {
            return false;
        }
    }
    return true;
}

} // namespace detail

/// What a file calls a port, where it has another name than an identifier for it; both are texts of the graph.
struct port_alias {
    range_of port;
    range_of called;
};

/// A read-only view of a graph, however it is stored. Nodes stand in execution order: operands before the nodes that
/// read them. Every pass is a function of a view, usable in constant expressions and at run time alike.
struct graph_view {
    std::span<const node> nodes;
    std::span<const int> operand_pool;
    std::span<const char> text_pool;
    std::span<const float> payload;
    std::span<const output_port> outputs;
    std::span<const port_alias> aliases{}; ///< of graphs that were read; in sorted blocks, see `dynamic_graph::call`

    constexpr int size() const { return static_cast<int>(nodes.size()); }
    constexpr const node& operator[](int index) const { return nodes.data()[index]; }

    /// Indices of the nodes that node `index` reads.
    constexpr std::span<const int> operands(int index) const { return operands((*this)[index]); }
    constexpr std::span<const int> operands(const node& n) const {
        return operand_pool.subspan(static_cast<std::size_t>(n.operands.first),
                                    static_cast<std::size_t>(n.operands.count));
    }
    /// The `position`-th operand of a node.
    constexpr const node& operand(const node& n, int position) const {
        return nodes.data()[operand_pool.data()[n.operands.first + position]];
    }
    constexpr std::string_view text(range_of run) const {
        return {text_pool.data() + run.first, static_cast<std::size_t>(run.count)};
    }
    /// The name given to a node; empty when it has none.
    constexpr std::string_view name(int index) const { return text((*this)[index].name); }
    constexpr std::string_view name(const output_port& port) const { return text(port.name); }

    /// What people call a port: as its file does, else by its name.
    constexpr std::string_view called(std::string_view port) const {
        const port_alias* const all = aliases.data();
        std::size_t end = aliases.size();
        for (std::size_t block = 1; end > 0; block *= 2) {
            if ((end & block) == 0) {
                continue;
            }
            std::size_t low = end - block; // the first of the block that is not before the port
            for (std::size_t high = end; low < high;) {
                const std::size_t middle = low + (high - low) / 2;
                if (text(all[middle].port) < port) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            if (low < end && text(all[low].port) == port) {
                return text(all[low].called);
            }
            end -= block;
        }
        return port;
    }
    /// The name of a node; of an input, what people call it.
    constexpr std::string_view called(int index) const {
        return (*this)[index].kind == op::input ? called(name(index)) : name(index);
    }
    /// The name of the port that people call so.
    constexpr std::string_view port_called(std::string_view wanted) const {
        for (const port_alias& each : aliases) {
            if (text(each.called) == wanted) {
                return text(each.port);
            }
        }
        return wanted;
    }

    /// Values of a constant node: one for all elements, or one each.
    constexpr std::span<const float> values(const node& n) const {
        const literal& l = n.get<literal>();
        return payload.subspan(static_cast<std::size_t>(l.offset), static_cast<std::size_t>(l.count));
    }
    /// The value of element `element` of a constant node.
    constexpr float value(const node& n, std::int64_t element) const {
        const auto all = values(n);
        return all[all.size() == 1 ? 0 : static_cast<std::size_t>(element)];
    }

    /// The input or weight node called `wanted`, or -1.
    constexpr int find(op kind, std::string_view wanted) const {
        for (int i = 0; i < size(); ++i) {
            if ((*this)[i].kind == kind && name(i) == wanted) {
                return i;
            }
        }
        return -1;
    }
    /// The position of the output whose value an input holds in the next run, or -1 for inputs of a caller. Looks through
    /// the outputs: of many nodes `node_ports` (uses.hpp) says it.
    constexpr int next_of(int input) const {
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            if (outputs[i].state == input) {
                return static_cast<int>(i);
            }
        }
        return -1;
    }
    /// The position of the output called `wanted`, or -1.
    constexpr int find_output(std::string_view wanted) const {
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            if (name(outputs[i]) == wanted) {
                return static_cast<int>(i);
            }
        }
        return -1;
    }
};

/// What a builder refused: the rule, the name or the operation, the source position, and the values compared.
struct refused {
    bool any = false;
    model_rule why{};
    range_of subject{}; ///< in the graph's text pool
    range_of instead{}; ///< the same: what to write instead, where that is known
    source_location where{};
    extents shape{};       ///< for weights: the requested shape
    extents known_shape{}; ///< for weights: the shape that the name already has
    std::int64_t got = 0;
    std::int64_t want = 0;
    bool counted = false; ///< whether `got` and `want` are meaningful
};

/// A graph under construction: what builders, readers and passes make. Usable inside constant expressions.
class dynamic_graph {
public:
    sequence<node> nodes;
    sequence<int> operand_pool;
    sequence<char> text_pool;
    sequence<float> payload;
    sequence<output_port> outputs;
    sequence<port_alias> aliases;
    refused first_refusal;       ///< the first refusal that was recorded
    bool keeps_refusals = false; ///< whether a refusal is kept here; otherwise it is an `error`

    constexpr operator graph_view() const { // NOLINT(google-explicit-constructor): a view of it, as of a string
        return {nodes, operand_pool, text_pool, payload, outputs, aliases};
    }
    constexpr graph_view view() const { return *this; }

    /// The identity that handles of this graph's values carry, see `graph_identity`.
    constexpr std::uint64_t number() const { return identity_.number(); }

    /// Refuses a request to a builder. In a constant expression the first refusal is recorded, so that `graph` can show
    /// it as a type; at run time it is an `error`. (std::is_constant_evaluated cannot decide this: clang 14 also tries
    /// expressions at other times, and crashes while recording the path to the `throw`.)
    constexpr void refuse(model_rule why, std::string_view subject, refused more) {
        if (!keeps_refusals) {
            if (more.counted) {
                detail::refuse_graph(subject, sentence(why), more.got, more.want);
            }
            if (why == model_rule::the_operands_belong_to_different_graphs && more.where.line > 0) {
                detail::refuse_graph_at(subject, sentence(why), more.where.file, more.where.line);
            }
            detail::refuse_graph(subject, sentence(why));
        }
        if (!first_refusal.any) {
            more.any = true;
            more.why = why;
            more.subject = intern(subject);
            first_refusal = more;
        }
    }
    constexpr void refuse(model_rule why, std::string_view subject, source_location where) {
        refuse(why, subject, {.where = where});
    }
    constexpr void refuse(model_rule why, std::string_view subject, source_location where, std::int64_t got,
                          std::int64_t want) {
        refuse(why, subject, {.where = where, .got = got, .want = want, .counted = true});
    }
    /// Constants of a graph are fp16 values.
    constexpr void require_fp16(double value, std::string_view subject, source_location where) {
        if (!(value >= -half_max && value <= half_max)) {
            refuse_beyond_fp16(model_rule::a_number_does_not_fit_into_fp16_which_ends_at_65504_a_mask_takes_minus_30000,
                               value, subject, where);
        }
    }
    /// So are the values of an fp16 input, whatever is promised of them.
    constexpr void require_fp16(const contract& promise, std::string_view subject, source_location where) {
        for (const double end : {promise.low, promise.high}) {
            if (promise.declared && !(end >= -half_max && end <= half_max)) {
                refuse_beyond_fp16(model_rule::a_promise_of_fp16_values_lies_within_65504, end, subject, where);
            }
        }
    }

    constexpr void require_fp16(std::span<const float> values, std::string_view subject, source_location where) {
        if (!detail::all_lie_in(values, -65504.0F, 65504.0F)) {
            for (const float value : values) {
                require_fp16(static_cast<double>(value), subject, where);
            }
        }
    }

    /// Appends a node that reads `operands`; returns its index. `n.operands` is set here.
    constexpr int append(const node& n, std::span<const int> operands) {
        const auto index = static_cast<int>(nodes.size());
        nodes.push_back(n);
        nodes.back().operands = {static_cast<int>(operand_pool.size()), static_cast<int>(operands.size())};
        operand_pool.append(operands);
        return index;
    }
    /// Keeps a piece of text and returns where it is.
    constexpr range_of intern(std::string_view text) {
        const range_of run{static_cast<int>(text_pool.size()), static_cast<int>(text.size())};
        text_pool.append(text);
        return run;
    }
    /// Keeps the values of a constant and returns the attributes that refer to them.
    constexpr literal keep(std::span<const float> values) {
        const literal run{static_cast<int>(payload.size()), static_cast<int>(values.size())};
        payload.append(values);
        return run;
    }
    /// Keeps what the file of a port calls it; what was kept first stays. The list consists of sorted blocks, whose sizes
    /// are the powers of two in its own size, from large to small: thus a port is found in log^2 n steps at any time.
    constexpr void call(std::string_view port, std::string_view called) {
        if (view().called(port) != port) {
            return;
        }
        const range_of name = intern(port); // one after the other: the order of arguments is the compiler's
        aliases.push_back({name, intern(called)});
        for (std::size_t block = 1; (aliases.size() & block) == 0; block *= 2) {
            merge_aliases(block);
        }
    }
    /// Calls ports as another graph does, of which this one is made.
    constexpr void call_as(const graph_view& g) {
        for (const port_alias& each : g.aliases) {
            call(g.text(each.port), g.text(each.called));
        }
    }
    constexpr void add_output(int node, std::string_view name, int state = -1) {
        outputs.push_back({node, intern(name), state});
    }
    /// The same under its name, so that `has_port` finds it; `hash` is the name's.
    constexpr void add_named_output(int node, std::string_view name, std::size_t hash, int state = -1) {
        add_output(node, name, state);
        remember({.output = static_cast<int>(outputs.size()) - 1, .hash = hash});
    }

    /// The hash by which the name of an input or a weight is looked up.
    static constexpr std::size_t hash_of(std::string_view name) {
        const char* const text = name.data();
        const std::size_t size = name.size();
        std::size_t hash = size;
        std::size_t i = 0;
        for (; i + 4 <= size; i += 4) { // four characters at once save steps in constant expressions
            hash = (((hash * 31 + static_cast<unsigned char>(text[i])) * 31 + static_cast<unsigned char>(text[i + 1])) *
                        31 +
                    static_cast<unsigned char>(text[i + 2])) *
                       31 +
                   static_cast<unsigned char>(text[i + 3]);
        }
        for (; i < size; ++i) {
            hash = hash * 31 + static_cast<unsigned char>(text[i]);
        }
        return hash;
    }
    /// Appends an input or a weight under its name, so that `find_named` finds it; `hash` is the name's.
    constexpr int append_named(node n, std::string_view name, std::size_t hash) {
        n.name = intern(name);
        const int index = append(n, {});
        remember({.node = index, .hash = hash});
        return index;
    }
    /// The input or weight called `wanted` among those that `append_named` made, or -1; in constant time.
    constexpr int find_named(op kind, std::string_view wanted, std::size_t hash) const {
        if (heads_.empty()) {
            return -1;
        }
        const link* const links = chain_.data();
        for (int i = heads_[bucket_of(hash)]; i >= 0; i = links[i].next) {
            if (links[i].hash != hash || links[i].node < 0) {
                continue;
            }
            const node& n = nodes[static_cast<std::size_t>(links[i].node)];
            if (n.kind == kind &&
                std::string_view(text_pool.data() + n.name.first, static_cast<std::size_t>(n.name.count)) == wanted) {
                return links[i].node;
            }
        }
        return -1;
    }
    /// Whether an input or an output that was made under its name is called `wanted`; in constant time.
    constexpr bool has_port(std::string_view wanted, std::size_t hash) const {
        if (find_named(op::input, wanted, hash) >= 0) {
            return true;
        }
        const link* const links = chain_.data();
        for (int i = heads_.empty() ? -1 : heads_[bucket_of(hash)]; i >= 0; i = links[i].next) {
            if (links[i].hash == hash && links[i].output >= 0 &&
                view().name(outputs[static_cast<std::size_t>(links[i].output)]) == wanted) {
                return true;
            }
        }
        return false;
    }

private:
    /// Makes one sorted block of the last two of the list, which have this size.
    constexpr void merge_aliases(std::size_t block) {
        sequence<port_alias> left;
        left.append(std::span<const port_alias>(aliases.end() - 2 * block, block));
        const port_alias* const right = aliases.end() - block;
        port_alias* to = aliases.end() - 2 * block;
        for (std::size_t i = 0, j = 0; i < block;) { // what is left of the right one stands where it belongs
            const bool takes_right = j < block && view().text(right[j].port) < view().text(left[i].port);
            *to++ = takes_right ? right[j++] : left[i++];
        }
    }

    constexpr void refuse_beyond_fp16(model_rule why, double value, std::string_view subject, source_location where) {
        const double most = 9e18; // of the integers that say what it was
        const double shown = value > most ? most : (value < -most ? -most : (value == value ? value : 0));
        refuse(why, subject, where, static_cast<std::int64_t>(shown), value < 0 ? -65504 : 65504);
    }

    struct link {
        int node = -1;   ///< an input or a weight,
        int output = -1; ///< or the position of an output
        int next = -1;
        std::size_t hash = 0;
    };
    constexpr std::size_t bucket_of(std::size_t hash) const { return hash % heads_.size(); }

    /// Buckets are as many as names, so that each has few.
    constexpr void remember(link made) {
        if (heads_.size() <= chain_.size()) {
            heads_ = sequence<int>(heads_.empty() ? 1024 : 4 * heads_.size(), -1);
            for (std::size_t i = 0; i < chain_.size(); ++i) {
                enter(chain_[i], static_cast<int>(i));
            }
        }
        enter(made, static_cast<int>(chain_.size()));
        chain_.push_back(made);
    }
    constexpr void enter(link& made, int index) {
        int& head = heads_[bucket_of(made.hash)];
        made.next = head;
        head = index;
    }

    graph_identity identity_;
    sequence<int> heads_; ///< per bucket the last link; empty while nothing is named
    sequence<link> chain_;
};

/// How many elements the pools of a graph have; the template argument of a stored graph.
struct graph_size {
    std::size_t nodes = 0;
    std::size_t operands = 0;
    std::size_t text = 0;
    std::size_t payload = 0;
    std::size_t outputs = 0;
};

constexpr graph_size size_of(const graph_view& g) {
    return {g.nodes.size(), g.operand_pool.size(), g.text_pool.size(), g.payload.size(), g.outputs.size()};
}

/// A graph as a constant: exactly as large as it needs to be, with public members only. A `constexpr` variable of this
/// type is a template argument by reference (`template <const auto& Model>`).
template <graph_size Size> struct static_graph {
    std::array<node, Size.nodes> nodes{};
    std::array<int, Size.operands> operand_pool{};
    std::array<char, Size.text> text_pool{};
    std::array<float, Size.payload> payload{};
    std::array<output_port, Size.outputs> outputs{};

    constexpr static_graph() = default;
    constexpr explicit static_graph(const graph_view& g) {
        copy(g.nodes, nodes);
        copy(g.operand_pool, operand_pool);
        copy(g.text_pool, text_pool);
        copy(g.payload, payload);
        copy(g.outputs, outputs);
    }

    constexpr operator graph_view() const { // NOLINT(google-explicit-constructor): a view of it, as of a string
        return {nodes, operand_pool, text_pool, payload, outputs};
    }
    constexpr graph_view view() const { return *this; }

private:
    template <class T, std::size_t N> static constexpr void copy(std::span<const T> from, std::array<T, N>& to) {
        if constexpr (N > 0) {
            detail::copy_elements(from.data(), to.data(), N);
        }
    }
};

} // namespace ane
