#pragma once

#include "../graph/attributes.hpp"
#include "mil_evaluation.hpp"
#include "mil_scope.hpp"

#include <cmath>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// A statement reads a value whose own statement was refused: nothing new to say.
struct follows_fault {};

/// One statement while it is read: its arguments by name with their defaults, and the nodes that it appends. What is
/// never asked for is no argument of the operation, and refused. Throws `refused_statement`.
class mil_call {
public:
    ANEMONE_INLINE mil_call(mil_scope& scope, const mil_statement& statement)
        : scope_(scope), statement_(statement), where_{scope.kept_file, statement.at.line} {
        const mil_evaluation evaluation(scope);
        for (const std::vector<mil_argument>* all : {&statement.arguments, &statement.attributes}) {
            for (const mil_argument& a : *all) {
                arguments_.push_back({&a, evaluation.of(a.value, a.name), all == &statement.attributes, false});
            }
        }
    }

    mil_call(const mil_call&) = delete;
    mil_call& operator=(const mil_call&) = delete;
    ~mil_call() {
        for (mil_value* const v : read_once_) {
            v->constant.bytes = {};
            v->constant.in_file = nullptr;
            v->constant.lender = nullptr;
            v->is_given_back = true;
        }
    }

    mil_scope& scope() { return scope_; }
    std::string_view operation() const { return statement_.operation; }
    /// What the statement says of its result.
    const mil_type& declared(std::size_t i = 0) const {
        static const mil_type none{};
        return i < statement_.results.size() ? statement_.results[i].type : none;
    }
    std::size_t results() const { return statement_.results.size(); }
    source_location where() const { return where_; }
    ANEMONE_INLINE dynamic_builder& graph() { return scope_.graph; }

    /// What the compiler was seen to refuse, though a graph holds it.
    ANEMONE_INLINE void doubt(std::string_view said) {
        scope_.doubt(statement_.at, formatted("{}", statement_.operation), said);
    }
    void refuse [[noreturn]] (std::string reason) const { throw refused_statement{std::move(reason)}; }

    ANEMONE_INLINE bool has(std::string_view name) const { return find(name) != nullptr; }
    /// Says that an argument has no influence here.
    ANEMONE_INLINE void ignore(std::string_view name) {
        if (argument* const a = find(name); a != nullptr) {
            a->used = true;
        }
    }
    ANEMONE_INLINE mil_value& value(std::string_view name) {
        argument* const a = find(name);
        if (a == nullptr) {
            refuse(formatted("needs the argument {}", name));
        }
        a->used = true;
        return resolved(a->value);
    }
    /// The values of a tuple, or one value alone.
    ANEMONE_INLINE std::vector<mil_value*> values(std::string_view name) {
        mil_value& v = value(name);
        std::vector<mil_value*> all;
        if (v.form == value_form::list) {
            for (mil_value& item : v.items) {
                all.push_back(&resolved(item));
            }
        } else {
            all.push_back(&v);
        }
        return all;
    }

    /// A value of the graph as it is: fp16, bytes or truth values.
    ANEMONE_INLINE dynamic_tensor raw(mil_value& v) {
        if (v.form != value_form::tensor && v.form != value_form::known) {
            refuse(v.form == value_form::text    ? "reads a string where a tensor is needed"
                   : v.form == value_form::state ? "reads a state where a tensor is needed: read_state reads it"
                                                 : "reads a list where one tensor is needed");
        }
        return scope_.in_graph(v, name_of(v), where_);
    }
    ANEMONE_INLINE dynamic_tensor raw(std::string_view name) { return raw(value(name)); }
    /// A value of the graph as fp16.
    ANEMONE_INLINE dynamic_tensor tensor(mil_value& v) {
        const dynamic_tensor t = raw(v);
        switch (t.type()) {
        case dtype::uint8:
        case dtype::boolean: return add(op::cast, {t});
        case dtype::int8: return add(op::dequantize, {t, number(1.0)}, quantization{.type = dtype::int8, .axis = 0});
        default: return t;
        }
    }
    ANEMONE_INLINE dynamic_tensor tensor(std::string_view name) { return tensor(value(name)); }
    /// A truth value for each element.
    ANEMONE_INLINE dynamic_tensor condition(mil_value& v) {
        const dynamic_tensor t = raw(v);
        return t.type() == dtype::boolean ? t : truth_of(tensor(v));
    }
    ANEMONE_INLINE dynamic_tensor condition(std::string_view name) { return condition(value(name)); }
    ANEMONE_INLINE dynamic_tensor truth_of(const dynamic_tensor& t) { return add(op::not_equal, {t, number(0.0)}); }
    ANEMONE_INLINE dynamic_tensor number(double x) { return scope_.graph.constant(x, where_); }
    ANEMONE_INLINE dynamic_tensor filled(const extents& shape, double x) {
        return scope_.graph.constant(shape, x, where_);
    }

    /// Numbers that a statement's meaning has, one for each element.
    ANEMONE_INLINE dynamic_tensor constant(known_tensor c) {
        c.is_missing = c.is_missing || (reads_missing_ && c.count() > 1);
        mil_value v = result(std::move(c)).front();
        return scope_.in_graph(v, "", where_);
    }
    ANEMONE_INLINE bool is_known(std::string_view name) { return value(name).form == value_form::known; }

    /// Whether an argument that was asked for is a constant whose values are not there.
    bool reads_missing() const { return reads_missing_; }

    /// An argument whose elements are known while reading.
    ANEMONE_INLINE const known_tensor& known(std::string_view name) {
        const mil_value& v = value(name);
        if (v.form != value_form::known) {
            refuse(formatted(
                "the argument {} must be a constant: a graph has no shapes and parameters that are computed on the device",
                name));
        }
        return v.constant;
    }
    /// The same of an argument that nobody but this statement is likely to read: its file's memory goes back behind it, and
    /// before, by `known_tensor::lender`, where this is the only one that holds it. Null: others do.
    ANEMONE_INLINE ane::detail::lender* read_once(std::string_view name) {
        mil_value& v = value(name);
        if (v.blob.empty() || v.constant.lender == nullptr || v.constant.lender.use_count() != 1) {
            return nullptr;
        }
        read_once_.push_back(&v);
        return v.constant.lender.get();
    }
    ANEMONE_INLINE double number_of(std::string_view name) {
        const known_tensor& c = known(name);
        require_values(name, c);
        if (c.count() != 1 || c.type == element_type::text) {
            refuse(formatted("the argument {} must be one number, not {}", name, print(c.shape)));
        }
        return c.at(0);
    }
    ANEMONE_INLINE double number_of(std::string_view name, double otherwise) {
        return has(name) ? number_of(name) : otherwise;
    }
    ANEMONE_INLINE float float_of(std::string_view name, double otherwise) {
        return static_cast<float>(number_of(name, otherwise));
    }
    ANEMONE_INLINE std::int64_t integer(std::string_view name) { return whole(name, number_of(name)); }
    ANEMONE_INLINE std::int64_t integer(std::string_view name, std::int64_t otherwise) {
        return has(name) ? integer(name) : otherwise;
    }
    ANEMONE_INLINE bool flag(std::string_view name, bool otherwise) {
        return has(name) ? number_of(name) != 0 : otherwise;
    }
    ANEMONE_INLINE std::string word(std::string_view name, std::string_view otherwise) {
        if (!has(name)) {
            return std::string(otherwise);
        }
        const mil_value& v = value(name);
        if (v.form != value_form::text) {
            refuse(formatted("the argument {} must be a string", name));
        }
        return v.text;
    }
    ANEMONE_INLINE indices integers(std::string_view name) {
        const known_tensor& c = known(name);
        require_values(name, c);
        if (c.count() > indices::capacity) {
            refuse(formatted("the argument {} has {} numbers, more than a tensor has axes ({})", name, c.count(),
                             indices::capacity));
        }
        indices list;
        for (std::int64_t i = 0; i < c.count(); ++i) {
            list.append(whole(name, c.at(i)));
        }
        return list;
    }
    ANEMONE_INLINE indices integers(std::string_view name, const indices& otherwise) {
        return has(name) ? integers(name) : otherwise;
    }
    /// The same with a number for each of `count` axes.
    ANEMONE_INLINE indices integers(std::string_view name, int count, const indices& otherwise) {
        const indices list = integers(name, otherwise);
        if (list.rank != count) {
            refuse(formatted("the argument {} has {} numbers, not {}", name, list.rank, count));
        }
        return list;
    }
    /// An axis counted from the front.
    ANEMONE_INLINE int axis_of(std::int64_t given, int rank) const {
        if (given < -rank || given >= rank) {
            refuse(formatted("axis {} is not an axis of a tensor with {}", given, rank));
        }
        return static_cast<int>(given < 0 ? given + rank : given);
    }

    ANEMONE_INLINE dynamic_tensor add(op kind, std::initializer_list<dynamic_tensor> operands,
                                      const attributes& a = {}) {
        return scope_.graph.add(kind, operands, a, where_);
    }
    ANEMONE_INLINE dynamic_tensor add(op kind, std::span<const dynamic_tensor> operands, const attributes& a = {}) {
        return scope_.graph.add(kind, operands, a, where_);
    }
    ANEMONE_INLINE dynamic_tensor reshape(const dynamic_tensor& x, const extents& shape) {
        return x.shape() == shape ? x : scope_.graph.reshape(x, shape, where_);
    }
    ANEMONE_INLINE dynamic_tensor transpose(const dynamic_tensor& x, const indices& order) {
        permutation p;
        p.order = order;
        return add(op::transpose, {x}, p);
    }
    /// The elements [begin, begin + size) of one axis.
    ANEMONE_INLINE dynamic_tensor along(const dynamic_tensor& x, int axis, std::int64_t begin, std::int64_t size) {
        indices from;
        from.rank = x.shape().rank;
        from[axis] = begin;
        indices extent = x.shape();
        extent[axis] = size;
        return slice(x, from, extent);
    }
    ANEMONE_INLINE dynamic_tensor slice(const dynamic_tensor& x, const indices& begin, const indices& size) {
        return size == x.shape() ? x : add(op::slice, {x}, window{begin, size});
    }

    /// Whether every argument is known while reading, and has no more elements than these.
    ANEMONE_INLINE bool all_known(std::int64_t most) {
        const auto is_known = [&](const mil_value& v) {
            return v.form == value_form::text ||
                   (v.form == value_form::known && !v.stored && v.constant.count() <= most);
        };
        return std::all_of(arguments_.begin(), arguments_.end(), [&](argument& a) {
            if (a.is_attribute && a.written->value.form == expression_form::dictionary) {
                return true;
            }
            const mil_value& v = resolved(a.value);
            return v.form == value_form::list ? std::all_of(v.items.begin(), v.items.end(),
                                                            [&](mil_value item) { return is_known(resolved(item)); })
                                              : is_known(v);
        });
    }

    // What the statement gives.

    /// A value of the graph; truth values that were moved as numbers become truth values again.
    ANEMONE_INLINE std::vector<mil_value> result(const dynamic_tensor& t, element_type element) {
        const bool moved = element == element_type::boolean && t.type() != dtype::boolean;
        return plain(moved ? truth_of(t) : t, element);
    }
    ANEMONE_INLINE std::vector<mil_value> result(const dynamic_tensor& t) const { return plain(t, declared().element); }
    ANEMONE_INLINE std::vector<mil_value> result(known_tensor c) const {
        if (!c.is_borrowed()) {
            scope_.spend(8 * c.count());
        }
        mil_value v;
        v.form = value_form::known;
        v.element = c.type;
        v.constant = std::move(c);
        return {std::move(v)};
    }
    ANEMONE_INLINE std::vector<mil_value> result(mil_value v) const { return {std::move(v)}; }

    /// Refuses arguments that the operation did not ask for. Attributes that it does not have are hints of a tool.
    ANEMONE_INLINE void require_all_used() const {
        for (const argument& a : arguments_) {
            if (!a.used && !a.is_attribute) {
                refuse(formatted("has an argument {} that is not known here", a.written->name));
            }
        }
    }

private:
    struct argument {
        const mil_argument* written;
        mil_value value;
        bool is_attribute;
        bool used;
    };

    ANEMONE_INLINE argument* find(std::string_view name) {
        for (argument& a : arguments_) {
            if (a.written->name == name) {
                return &a;
            }
        }
        return nullptr;
    }
    ANEMONE_INLINE const argument* find(std::string_view name) const { return const_cast<mil_call*>(this)->find(name); }

    ANEMONE_INLINE void require_values(std::string_view name, const known_tensor& c) const {
        if (c.is_missing) {
            refuse(formatted("the argument {} decides shapes, and its values are in a blob that is not there", name));
        }
    }
    ANEMONE_INLINE std::int64_t whole(std::string_view name, double x) const {
        if (x != std::floor(x) || std::abs(x) > 9e15) {
            refuse(formatted("the argument {} is {}, not a whole number", name, x));
        }
        return static_cast<std::int64_t>(x);
    }

    ANEMONE_INLINE std::vector<mil_value> plain(const dynamic_tensor& t, element_type element) const {
        mil_value v;
        v.form = value_form::tensor;
        v.tensor = t;
        v.element = element;
        return {std::move(v)};
    }

    // A variable as an argument is a value of form `absent` with its name, so that it is never copied.
    ANEMONE_INLINE mil_value& resolved(mil_value& v) {
        if (v.form != value_form::absent) {
            reads_missing_ = reads_missing_ || (v.form == value_form::known && v.constant.is_missing);
            return v;
        }
        mil_value* const found = scope_.find(v.text);
        if (found == nullptr) {
            refuse(formatted("reads {}, which no statement before it defines", v.text));
        }
        if (found->form == value_form::broken) {
            throw follows_fault{};
        }
        reads_missing_ = reads_missing_ || (found->form == value_form::known && found->constant.is_missing);
        return *found;
    }
    /// What a weight is called that this value becomes: as its variable, or after the statement that it stands in.
    ANEMONE_INLINE std::string name_of(const mil_value& v) const {
        if (!v.text.empty()) {
            return v.text;
        }
        return statement_.results.empty() ? std::string() : std::string(statement_.results[0].name) + "_constant";
    }

    mil_scope& scope_;
    const mil_statement& statement_;
    source_location where_;
    std::vector<argument> arguments_;
    std::vector<mil_value*> read_once_; ///< whose elements go back at the end
    bool reads_missing_ = false;
};

} // namespace ane::readers::inline ANEMONE_WAY
