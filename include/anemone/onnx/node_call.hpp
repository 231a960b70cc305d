#pragma once

#include "../values/checked_integer.hpp"
#include "scope.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>

/// Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

using node_proto = ::onnx::NodeProto;
using attribute_proto = ::onnx::AttributeProto;
/// The attributes of a node by name; within a function those of its caller stand for references to them.
using attribute_map = std::map<std::string, const attribute_proto*, std::less<>>;

/// What a converter makes of one output.
struct produced {
    dynamic_tensor tensor;
    std::optional<known_tensor> known;
    element_type type = element_type::undefined; ///< else what the operation gives, or that of the first operand

    produced() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): a converter returns what it made
    produced(const dynamic_tensor& t, element_type element = element_type::undefined) : tensor(t), type(element) {}
    produced(known_tensor c) : known(std::move(c)) {} // NOLINT(google-explicit-constructor)
};
using results = std::vector<produced>;

inline std::string operator_name(const node_proto& n) {
    return n.domain().empty() || n.domain() == "ai.onnx" ? shown(n.op_type())
                                                         : shown(n.domain()) + "." + shown(n.op_type());
}

/// What a converter sees of a node: its operands, attributes and version, and the graph that it adds operations to.
class node_call {
public:
    ANEMONE_INLINE node_call(model_scope& scope, const node_proto& n, attribute_map given, std::vector<value*> operands,
                             int opset, source_location where)
        : scope_(scope), node_(n), given_(std::move(given)), operands_(std::move(operands)), opset_(opset),
          where_(where) {
        while (!operands_.empty() && operands_.back()->form == value_form::absent) {
            operands_.pop_back();
        }
    }

    std::string_view name() const { return node_.op_type(); }
    int opset() const { return opset_; }
    model_scope& scope() { return scope_; }
    source_location where() const { return where_; }
    const node_proto& node() const { return node_; }
    int operand_count() const { return static_cast<int>(operands_.size()); }
    int output_count() const { return node_.output_size(); }
    bool has(int i) const {
        return i < operand_count() && operands_[static_cast<std::size_t>(i)]->form != value_form::absent;
    }
    bool wants(int i) const { return i < output_count() && !node_.output(i).empty(); }

    [[noreturn]] void refuse(std::string reason) const { throw refused_node{std::move(reason)}; }
    ANEMONE_INLINE void require(bool holds, std::string_view reason) const {
        if (!holds) {
            refuse(std::string(reason));
        }
    }

    ANEMONE_INLINE value& operand(int i) const {
        if (!has(i)) {
            refuse(formatted("has no input {}", i));
        }
        return *operands_[static_cast<std::size_t>(i)];
    }
    element_type type(int i) const { return operand(i).type; }
    const extents& shape(int i) const { return operand(i).shape(); }
    int rank(int i) const { return shape(i).rank; }
    bool is_known(int i) const { return operand(i).form == value_form::known; }
    bool all_known() const {
        return std::all_of(operands_.begin(), operands_.end(), [](const value* v) {
            return v->form == value_form::known || v->form == value_form::absent;
        });
    }

    /// An operand that has to be known while reading.
    ANEMONE_INLINE const known_tensor& known(int i) const {
        const value& v = operand(i);
        if (v.form != value_form::known) {
            refuse(v.is_input
                       ? formatted("needs the value of the input \"{}\" while reading; give it in "
                                   "onnx_reader_options::values",
                                   shown(v.name))
                       : formatted("needs input {} while reading, which depends on data (\"{}\")", i, shown(v.name)));
        }
        return v.constant;
    }
    ANEMONE_INLINE double number(int i) const {
        const known_tensor& c = known(i);
        require_values(i, c);
        if (c.count() != 1) {
            refuse(formatted("takes one number as input {}, not {}", i, print(c.shape)));
        }
        return c.at(0);
    }
    ANEMONE_INLINE std::int64_t integer(int i) const {
        require_whole(i, number(i));
        return known(i).integer(0);
    }
    ANEMONE_INLINE std::vector<std::int64_t> integers(int i) const {
        const known_tensor& c = known(i);
        require_values(i, c);
        if (c.count() > most_listed) {
            refuse(formatted("takes a list as input {}, not {} elements", i, c.count()));
        }
        for (std::int64_t k = 0; is_floating(c.type) && k < c.count(); ++k) {
            require_whole(i, c.at(k));
        }
        std::vector<std::int64_t> list;
        for (std::int64_t k = 0; k < c.count(); ++k) {
            list.push_back(c.integer(k));
        }
        return list;
    }

    ANEMONE_INLINE void require_values(int i, const known_tensor& c) const {
        if (c.is_missing) {
            refuse(formatted("input {} decides shapes, and its values are in a file that is not there", i));
        }
    }
    ANEMONE_INLINE void require_whole(int i, double v) const {
        if (v != std::floor(v)) {
            refuse(formatted("takes whole numbers as input {}, not {}", i, v));
        }
    }

    // Operands in the graph.

    /// As it is: fp16, boolean or bytes.
    ANEMONE_INLINE dynamic_tensor raw(int i) { return scope_.in_graph(operand(i), where_); }
    /// As fp16.
    ANEMONE_INLINE dynamic_tensor x(int i) { return real(raw(i)); }
    ANEMONE_INLINE dynamic_tensor real(const dynamic_tensor& t) {
        if (t.type() == dtype::int8) {
            return add(op::dequantize, {t, number_tensor(1)}, quantization{.type = dtype::int8, .axis = 0});
        }
        return t.type() == dtype::f16 ? t : add(op::cast, {t});
    }
    ANEMONE_INLINE dynamic_tensor boolean(int i) {
        const dynamic_tensor t = raw(i);
        return t.type() == dtype::boolean ? t : add(op::not_equal, {real(t), number_tensor(0)});
    }
    /// As bytes of the graph, int8 or uint8.
    ANEMONE_INLINE dynamic_tensor bytes(int i) {
        const dynamic_tensor t = raw(i);
        if (t.type() != dtype::int8 && t.type() != dtype::uint8) {
            refuse(formatted("reads {} where the graph has int8 and uint8 only from ports and quantize",
                             type_name(type(i))));
        }
        return t;
    }

    // Attributes.

    bool has_attribute(std::string_view key) const { return given_.find(key) != given_.end(); }
    ANEMONE_INLINE double number(std::string_view key, double otherwise) const {
        const attribute_proto* a = find(key, attribute_proto::FLOAT);
        return a == nullptr ? otherwise : static_cast<double>(a->f());
    }
    ANEMONE_INLINE std::int64_t integer(std::string_view key, std::int64_t otherwise) const {
        const attribute_proto* a = find(key, attribute_proto::INT);
        return a == nullptr ? otherwise : a->i();
    }
    ANEMONE_INLINE std::int64_t needed_integer(std::string_view key) const {
        require(has_attribute(key), formatted("has no attribute {}", key));
        return integer(key, 0);
    }
    /// An element type.
    ANEMONE_INLINE element_type type(std::string_view key, element_type otherwise) const {
        const std::int64_t number = integer(key, facts_of(otherwise).onnx_number);
        require(element_of(number) != element_type::undefined,
                formatted("gives elements of {}, which are not read", type_name(number)));
        return element_of(number);
    }
    ANEMONE_INLINE std::optional<std::vector<std::int64_t>> integers(std::string_view key) const {
        const attribute_proto* a = find(key, attribute_proto::INTS);
        if (a == nullptr) {
            return std::nullopt;
        }
        require(a->ints_size() <= most_listed, "has a list that is too long");
        return std::vector<std::int64_t>(a->ints().begin(), a->ints().end());
    }
    ANEMONE_INLINE std::vector<double> numbers(std::string_view key) const {
        const attribute_proto* a = find(key, attribute_proto::FLOATS);
        return a == nullptr ? std::vector<double>() : std::vector<double>(a->floats().begin(), a->floats().end());
    }
    ANEMONE_INLINE std::string word(std::string_view key, std::string_view otherwise) const {
        const attribute_proto* a = find(key, attribute_proto::STRING);
        return a == nullptr ? std::string(otherwise) : a->s();
    }
    ANEMONE_INLINE std::vector<std::string> words(std::string_view key) const {
        const attribute_proto* a = find(key, attribute_proto::STRINGS);
        return a == nullptr ? std::vector<std::string>()
                            : std::vector<std::string>(a->strings().begin(), a->strings().end());
    }
    ANEMONE_INLINE std::optional<known_tensor> tensor(std::string_view key) {
        const attribute_proto* a = find(key, attribute_proto::TENSOR);
        return a == nullptr ? std::nullopt : std::optional(constant_of(a->t(), scope_.files));
    }
    /// An axis of a tensor of this rank; negative counts from the last.
    ANEMONE_INLINE int axis(std::int64_t given, int rank) const {
        if (given < -rank || given >= rank) {
            refuse(formatted("names axis {} of a tensor of rank {}", given, rank));
        }
        return static_cast<int>(given < 0 ? given + rank : given);
    }
    int axis(std::string_view key, std::int64_t otherwise, int rank) const {
        return axis(integer(key, otherwise), rank);
    }

    // Operations.

    ANEMONE_INLINE dynamic_tensor add(op kind, std::span<const dynamic_tensor> list, const attributes& given = {}) {
        return scope_.add(kind, list, given, nullptr, where_);
    }
    ANEMONE_INLINE dynamic_tensor add(op kind, std::initializer_list<dynamic_tensor> list,
                                      const attributes& given = {}) {
        return scope_.add(kind, {list.begin(), list.size()}, given, nullptr, where_);
    }
    /// Where operands and attributes do not decide the shape.
    ANEMONE_INLINE dynamic_tensor add_as(const extents& shape, op kind, std::initializer_list<dynamic_tensor> list,
                                         const attributes& given = {}) {
        return scope_.add(kind, {list.begin(), list.size()}, given, &shape, where_);
    }
    /// A binary operation with a number.
    dynamic_tensor add(op kind, const dynamic_tensor& a, double b) { return add(kind, {a, number_tensor(b)}); }
    dynamic_tensor add(op kind, double a, const dynamic_tensor& b) { return add(kind, {number_tensor(a), b}); }

    ANEMONE_INLINE dynamic_tensor number_tensor(double v) { return place(folding::known(element_type::f64, v)); }
    /// Numbers that a converter worked out.
    ANEMONE_INLINE dynamic_tensor place(const known_tensor& c) {
        return scope_.place(c, wants(0) ? node_.output(0) : node_.op_type(), false, where_);
    }
    template <class Function> dynamic_tensor filled(const extents& shape, const Function& at) {
        return place(computed(element_type::f64, shape, at));
    }
    /// A constant, element by element: `at(i)`.
    template <class Function> known_tensor computed(element_type type, const extents& shape, const Function& at) {
        return folding::computed(room(), type, shape, at);
    }
    folding::room room() { return scope_.room(); }

    ANEMONE_INLINE dynamic_tensor reshape(const dynamic_tensor& t, const extents& shape) {
        if (shape == t.shape()) {
            return t;
        }
        if (element_count(shape) != t.shape().count()) {
            refuse(
                formatted("reshapes {} to {}, which has another number of elements", print(t.shape()), print(shape)));
        }
        return scope_.add(op::reshape, {&t, 1}, {}, &shape, where_);
    }
    /// The elements [begin, begin + size) of one axis.
    ANEMONE_INLINE dynamic_tensor along(const dynamic_tensor& t, int axis, std::int64_t begin, std::int64_t size) {
        window w;
        w.size = t.shape();
        w.size[axis] = size;
        w.begin.rank = t.shape().rank;
        w.begin[axis] = begin;
        return w.size == t.shape() ? t : add(op::slice, {t}, w);
    }
    ANEMONE_INLINE dynamic_tensor joined(const std::vector<dynamic_tensor>& parts, int along_axis) {
        return parts.size() == 1 ? parts[0] : add(op::concat, parts, ane::axis{along_axis});
    }
    ANEMONE_INLINE dynamic_tensor transposed(const dynamic_tensor& t, const indices& order) {
        permutation p;
        p.order = order;
        return add(op::transpose, {t}, p);
    }
    ANEMONE_INLINE dynamic_tensor reduced(op kind, const dynamic_tensor& t, const indices& over) {
        axes a;
        a.list = over;
        return add(kind, {t}, a);
    }

    static constexpr int most_listed = 1 << 20;

private:
    ANEMONE_INLINE const attribute_proto* find(std::string_view key, int type) const {
        const auto found = given_.find(key);
        if (found == given_.end()) {
            return nullptr;
        }
        if (found->second->type() != type) {
            refuse(formatted("has an attribute {} of another type than its definition", key));
        }
        return found->second;
    }

    model_scope& scope_;
    const node_proto& node_;
    attribute_map given_;
    std::vector<value*> operands_;
    int opset_;
    source_location where_;
};

using converter = results (*)(node_call&);
using converter_table = std::map<std::string_view, converter>;

/// A range of axes as a list.
inline indices axis_range(int begin, int end) {
    indices list;
    for (int i = begin; i < end; ++i) {
        list.append(i);
    }
    return list;
}
/// The product of some extents of a tensor, which may be beyond 64 bits only where another extent is 0; -1 then.
inline std::int64_t count_of(const extents& shape, int begin, int end) {
    checked_integer count = 1;
    for (int i = begin; i < end; ++i) {
        count = count * shape[i];
    }
    return count.is_known() ? count.value() : -1;
}
/// A shape of a given rank; more than it can hold is refused.
ANEMONE_INLINE extents shape_from(std::span<const std::int64_t> list) {
    if (list.size() > extents::capacity) {
        throw refused_node{formatted("has a shape of {} axes; a shape has at most {}", list.size(), extents::capacity)};
    }
    extents shape;
    for (const std::int64_t e : list) {
        shape.append(e);
    }
    return shape;
}
/// A number as an integer, cut off; beyond what 64 bits hold, the nearest that they do.
constexpr std::int64_t whole(double value) {
    constexpr double limit = 9223372036854775807.0; // rounds to 2^63
    if (!(value > -limit)) {
        return value != value ? 0 : std::numeric_limits<std::int64_t>::min(); // NOLINT(misc-redundant-expression): NaN
    }
    return value >= limit ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(value);
}
/// An integer where the graph keeps 32 bits.
ANEMONE_INLINE int narrow(std::int64_t v) {
    if (v < -(std::int64_t{1} << 30) || v > std::int64_t{1} << 30) {
        throw refused_node{formatted("has a size of {}", v)};
    }
    return static_cast<int>(v);
}

} // namespace ane::onnx::inline ANEMONE_WAY
