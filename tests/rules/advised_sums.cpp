#include "advised_layer_parts.hpp"

#include <sstream>
#include <vector>

namespace advised_layers {

// ---- products ----------------------------------------------------------------------------------------------------------

dynamic_graph product::built() const {
    dynamic_builder b;
    const auto promised = [&](double most, double least) {
        return deviation > 0 ? deviating(deviation) : (least > 0 ? within(least, most) : bounded(most));
    };
    const tensor input = times(b, b.input("x", {8, terms}, promised(x, std::min(x, x_least))), x_scale);
    tensor weight;
    if (in_codes || in_palette) { // scaled before it is stored
        weight = b.add(op::compressed, {b.weight("w", {8, terms}, promised(w * w_scale, 0))},
                       in_palette ? compression{.form = weight_form::palette, .bits = 4}
                                  : compression{.form = weight_form::affine, .bits = 8});
    } else {
        weight = times(b, b.weight("w", {8, terms}, promised(w, 0)), w_scale);
    }
    b.output("y", times(b, b.add(op::linear, {input, weight}), 1 / (x_scale * w_scale)));
    return b.finish();
}

std::string product::text() const {
    std::ostringstream s;
    s << "linear of " << terms << " terms, x to " << x << " (least " << x_least << ", scaled by " << x_scale
      << "), w to " << w << " (scaled by " << w_scale << ")" << (in_codes ? ", in 8 bits" : "")
      << (in_palette ? ", in a palette" : "") << ", deviation " << deviation;
    return s.str();
}

std::optional<product> product::follow(const product& from, rule of, const std::string& s, target t) {
    product p = from;
    const bool is_small = of == rule::subnormal_operand_is_zero || of == rule::products_are_near_the_quantum;
    if (begins(s, "scale the input or the weights by a power") || begins(s, "scale the activation") ||
        begins(s, "clamp or scale the activation")) {
        return scaled(p, &product::x_scale, 0.5, of, t);
    }
    if (begins(s, "scale the operand up") || begins(s, "scale an operand by a power")) {
        const double step = is_small ? 2 : 0.5;
        const product by_w = scaled(p, &product::w_scale, step, of, t);
        if (!breaks(by_w.built(), of, t)) {
            return by_w;
        }
        const product by_x = scaled(p, &product::x_scale, step, of, t);
        if (!breaks(by_x.built(), of, t)) {
            return by_x;
        }
        p.w_scale *= is_small ? 0x1p14 : 0x1p-14; // both
        return scaled(p, &product::x_scale, step, of, t);
    }
    if (begins(s, "split the sum") || begins(s, "tile the last axis")) {
        for (int i = 0; i < 24 && p.terms > 1 && breaks(p.built(), of, t); ++i) {
            p.terms = (p.terms + 1) / 2;
        }
        return p;
    }
    if (begins(s, "promise narrower") || begins(s, "promise a narrower") || begins(s, "clamp it")) {
        return scaled(p, &product::x, 0.5, of, t);
    }
    if (begins(s, "keep the weights in fp16")) {
        p.in_codes = p.in_palette = false;
        return p;
    }
    if (begins(s, "stream them as a palette")) {
        p.in_palette = true;
        return p;
    }
    if (begins(s, "declare ranges")) {
        p.deviation = 0;
        return p;
    }
    if (begins(s, "promise the row_l1") || begins(s, "subtract a common offset") ||
        begins(s, "compute this part off")) {
        return std::nullopt;
    }
    return unknown(of, s);
}

std::vector<product> product::some(bool all) {
    std::vector<product> layers;
    int turn = 0;
    for (const std::int64_t terms : {8, 256, 4096, 32768}) {
        for (const double x : {0x1p-16, 0x1p-8, 1.0, 60.0, 5000.0, 60000.0}) {
            for (const double w : {0x1p-16, 0x1p-8, 1.0, 60.0, 250.0}) {
                for (const bool in_codes : {false, true}) {
                    if (all || ++turn % 4 == 0) {
                        layers.push_back({terms, x, w, 0, 1, 1, in_codes});
                        layers.push_back({terms, x, w, x / 2, 1, 1, in_codes});
                    }
                }
            }
        }
        for (const double deviation : {0x1p-10, 0.05, 1.0}) {
            layers.push_back({.terms = terms, .deviation = deviation});
        }
    }
    return layers;
}

// ---- rows --------------------------------------------------------------------------------------------------------------

dynamic_graph row_function::built() const {
    dynamic_builder b;
    const tensor x = times(b, b.input("x", {8, width}, bounded(most)), scale);
    const bool is_norm = kind == op::layer_norm || kind == op::rms_norm || kind == op::l2_norm;
    if (is_norm) {
        std::vector<tensor> operands{x};
        if (kind != op::l2_norm) {
            operands.push_back(b.weight("gamma", {width}, within(0.5, 1)));
        }
        if (kind == op::layer_norm) {
            operands.push_back(b.weight("beta", {width}, bounded(1)));
        }
        b.output("y", b.add(kind, operands, stabilizer{epsilon, 1}));
    } else if (by_ones) {
        b.output("y", times(b, b.add(op::matmul, {x, b.constant({width, 1}, 1)}), 1 / scale));
    } else {
        const double back = kind == op::reduce_sum_square ? 1 / (scale * scale) : 1 / scale;
        b.output("y", times(b, b.add(kind, {x}, axes{1}), back));
    }
    return b.finish();
}

std::string row_function::text() const {
    std::ostringstream s;
    s << name(kind) << " of " << width << " to " << most << ", epsilon " << epsilon << ", scaled by " << scale
      << (by_ones ? ", by ones" : "");
    return s.str();
}

std::optional<row_function> row_function::follow(const row_function& from, rule of, const std::string& s, target t) {
    row_function r = from;
    if (begins(s, "scale the operand by a power of two") || begins(s, "scale the input or the weights")) {
        row_function made = scaled(r, &row_function::scale, 0.5, of, t);
        const double square = made.scale / r.scale * made.scale / r.scale; // the norm stays the same
        made.epsilon = std::max(static_cast<float>(static_cast<double>(made.epsilon) * square), 6e-8F);
        return made;
    }
    if (begins(s, "scale an operand") || begins(s, "clamp it") || begins(s, "promise a narrower") ||
        begins(s, "promise narrower")) { // the result is not small again behind a sum
        return scaled(r, &row_function::most, 0.5, of, t);
    }
    if (begins(s, "matmul with ones")) {
        r.by_ones = true;
        return r;
    }
    if (begins(s, "an epsilon of 1e-5")) {
        r.epsilon = 1e-5F;
        return r;
    }
    if (begins(s, "split the sum")) {
        for (int i = 0; i < 24 && r.width > 1 && breaks(r.built(), of, t); ++i) {
            r.width = (r.width + 1) / 2;
        }
        return r;
    }
    if (begins(s, "promise the row_l1") || begins(s, "declare ranges") || begins(s, "scale what it meets") ||
        begins(s, "a number of at least")) {
        return std::nullopt;
    }
    return unknown(of, s);
}

std::vector<row_function> row_function::some(bool all) {
    std::vector<row_function> layers;
    for (const op kind : {op::layer_norm, op::rms_norm, op::l2_norm, op::reduce_sum, op::reduce_sum_square,
                          op::reduce_l1_norm, op::reduce_l2_norm, op::reduce_mean}) {
        for (const std::int64_t width : {16, 512, 4096}) {
            for (const double most : {1.0, 31.0, 310.0, 4000.0, 60000.0}) {
                for (const float epsilon : {1e-12F, 1e-9F, 1e-5F}) {
                    const bool has_epsilon = kind == op::layer_norm || kind == op::rms_norm || kind == op::l2_norm;
                    if ((has_epsilon || epsilon == 1e-5F) && (all || width != 16)) {
                        layers.push_back({kind, width, most, epsilon});
                    }
                }
            }
        }
    }
    return layers;
}

} // namespace advised_layers
