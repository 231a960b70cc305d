#pragma once

#include "values.hpp"
#include <anemone/catalogue/catalogue.hpp>
#include <anemone/dynamic_builder.hpp>

#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <vector>

/// One node of any operation, with what it reads, made through `dynamic_builder`.
namespace catalogue {

struct operand_recipe {
    extents shape;
    dtype type = dtype::f16; ///< a boolean is the result of a comparison with zero
    bool is_weight = false;
};

struct recipe {
    op kind{};
    std::vector<operand_recipe> operands;
    attributes values;
    std::optional<extents> result;
};

inline std::string text_of(const recipe& r) {
    std::string text = std::string(name(r.kind)) + "(";
    for (const operand_recipe& o : r.operands) {
        text += (&o == r.operands.data() ? "" : ", ") + std::string(o.is_weight ? "weight " : "") +
                std::string(mil_name(o.type)) + " " + text_of(o.shape);
    }
    return text + ") {" + text_of(r.values) + "}" + (r.result ? " as " + text_of(*r.result) : "");
}

/// The operands of nodes in a builder of their own.
class bench {
public:
    explicit bench(const std::vector<operand_recipe>& operands, const contract& promise = {}) {
        for (const operand_recipe& o : operands) {
            const std::string name = "x" + std::to_string(operands_.size());
            if (o.is_weight) {
                operands_.push_back(builder_.weight(name, o.shape, promise));
            } else if (o.type == dtype::boolean) {
                const dynamic_tensor compared = builder_.input(name, o.shape, promise);
                operands_.push_back(builder_.add(op::greater, {compared, builder_.constant(0.0)}));
            } else {
                operands_.push_back(builder_.input(name, o.shape, promise, o.type));
            }
        }
    }

    /// Throws `error` where the node is refused.
    dynamic_tensor add(op kind, const attributes& values, const std::optional<extents>& result) {
        return result ? builder_.add(kind, operands_, values, *result) : builder_.add(kind, operands_, values);
    }
    /// Whether the rules that `validate` applies give the value its shape and type too, from its operands and attributes.
    bool agrees(const dynamic_tensor& value) const {
        const graph_view g = builder_.graph();
        const node& n = g[value.node()];
        const inferred rule = infer(g, n);
        return rule.ok() && rule.shape == value.shape() && n.shape == value.shape() && n.type == value.type() &&
               inferred_type(g, n) == value.type();
    }
    /// The graph with this value as its output, in fp16.
    dynamic_graph finish(const dynamic_tensor& value) {
        builder_.output("y", value.type() == dtype::f16 ? value
                             : value.type() == dtype::int8
                                 ? builder_.add(op::dequantize, {value, builder_.constant({1}, 1)}, quantization{})
                                 : builder_.add(op::cast, {value}));
        return builder_.finish();
    }

private:
    dynamic_builder builder_;
    std::vector<dynamic_tensor> operands_;
};

inline dynamic_graph graph_of(const recipe& r, const contract& promise) {
    bench b(r.operands, promise);
    return b.finish(b.add(r.kind, r.values, r.result));
}

/// Shapes of every rank: extents of one, small odd ones, and those that some operation insists on.
inline const std::vector<extents>& shapes() {
    static const std::vector<extents> all{{},
                                          {1},
                                          {3},
                                          {4},
                                          {1, 1},
                                          {2, 3},
                                          {3, 3},
                                          {2, 4},
                                          {2, 6},
                                          {1, 5},
                                          {1, 1, 1},
                                          {2, 3, 4},
                                          {3, 1, 2},
                                          {1, 1, 1, 1},
                                          {1, 1, 3, 3},
                                          {2, 2, 3, 3},
                                          {2, 4, 3, 5},
                                          {1, 3, 1, 6},
                                          {2, 3, 1, 1},
                                          {1, 4, 2, 2},
                                          {8, 2, 2, 3},
                                          {1, 1, 1, 1, 1},
                                          {2, 1, 3, 2, 2},
                                          {1, 4, 2, 3, 1}};
    return all;
}

/// What an operand beside one of this shape may look like: the same, vectors along its axes, and any.
inline std::vector<extents> shapes_beside(const extents& x) {
    std::vector<extents> all{x, x, {1}, {}};
    for (int i = 0; i < x.rank; ++i) {
        all.push_back({x[i]});
    }
    if (x.rank >= 2) {
        extents ones = x;
        ones[0] = 1;
        all.push_back(ones);
        all.push_back({x[x.rank - 1], x[x.rank - 2]});
    }
    all.insert(all.end(), shapes().begin(), shapes().end());
    return all;
}

/// Results that an operation on x may be asked for where nothing else determines them.
inline std::vector<extents> results_of(const extents& x) {
    extents halved = x;
    extents ones = x;
    for (int i = 0; i < x.rank; ++i) {
        halved[i] = (x[i] + 1) / 2;
        ones[i] = 1;
    }
    return {x, {x.count()}, {1, x.count()}, {1, 1, x.count(), 1}, halved, ones, {}, {3, 2}};
}

/// Which operands are of which type and source: the choice of this number among `type_choices(count)`.
inline std::size_t type_choices(std::size_t count) { return 3 + 3 + 3 * count; }
inline void choose_types(std::vector<operand_recipe>& operands, std::size_t number) {
    constexpr dtype others[] = {dtype::uint8, dtype::int8, dtype::boolean};
    for (std::size_t i = 0; i < operands.size(); ++i) {
        operands[i].is_weight = number == 1 ? i > 0 : number == 2;
        if (number >= 3 && number < 6) {
            operands[i].type = others[number - 3];
        } else if (number >= 6 && (number - 6) / 3 == i) {
            operands[i].type = others[(number - 6) % 3];
        }
    }
}

/// Ordinary nodes of one operation: all of them where they are few, a sample otherwise, always the same for one seed.
class recipe_maker {
public:
    recipe_maker(op kind, unsigned seed) : kind_(kind), random_(seed + static_cast<unsigned>(kind)) {}

    std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }
    bool chance(unsigned percent) { return below(100) < percent; }

    /// Operands of an operation that takes them: often fp16 inputs, often all alike or all but the first.
    std::vector<operand_recipe> operands() {
        const op_signature& takes = signature(kind_);
        const bool one_more = takes.most_operands > takes.least_operands && chance(50);
        std::vector<operand_recipe> all(static_cast<std::size_t>(takes.least_operands + (one_more ? 1 : 0)));
        const bool same = chance(20);
        const bool alike = chance(50);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::vector<extents> beside = i == 0 ? shapes() : shapes_beside(all[0].shape);
            all[i].shape = same && i > 0 ? all[0].shape : alike && i > 1 ? all[1].shape : beside[below(beside.size())];
        }
        choose_types(all, chance(50) ? below(3) : below(type_choices(all.size())));
        return all;
    }

    recipe draw(bool with_result) {
        recipe r{kind_, operands(), {}, {}};
        const extents x = r.operands.empty() ? extents{2, 3} : r.operands[0].shape;
        const attribute_choices choices(default_attributes(kind_), x, choice::ordinary);
        r.values = chance(30) ? default_attributes(kind_) : choices.combination(below(choices.combinations()));
        if (with_result) {
            const std::vector<extents> results = results_of(x);
            r.result = results[below(results.size())];
        }
        return r;
    }

private:
    op kind_;
    std::mt19937 random_;
};

} // namespace catalogue
