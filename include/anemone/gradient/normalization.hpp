#pragma once

#include "../ops/attention.hpp"
#include "tape.hpp"

/// Derivatives of normalisations: means are taken along the axes that were normalised.
namespace ane::detail::gradients {

/// The axes behind the channels.
constexpr axes behind_channels(int rank) {
    axes over;
    for (int k = 2; k < rank; ++k) {
        over.list.append(k);
    }
    return over;
}

/// So few elements are normalised together that a norm may take almost all of what they get: of two, or of two different ones, all but
/// epsilon / (variance + epsilon).
constexpr bool are_few(const extents& shape, const axes& over) {
    std::int64_t count = 1;
    for (int i = 0; i < over.list.rank; ++i) {
        count *= shape[static_cast<int>(over.list[i])];
    }
    return count <= 8;
}

/// got - value mean(got value), for a value whose mean square is 1 - epsilon scale^2: of what lies along the value, mean(got value),
/// it keeps the part epsilon scale^2. Of few elements that is less than the rounding of the difference in fp16: it is measured
/// there, and what differs is added.
constexpr int without_the_part_along(tape& t, int got, int value, int scale, const axes& over, double epsilon) {
    const int along = t.mean(t.mul(got, value), over);
    const int rest = t.sub(got, t.mul(value, along));
    if (!are_few(t.shape(value), over)) {
        return rest;
    }
    // Its root, for epsilon itself may be subnormal in fp16; in two parts, for a constant is rounded in double precision too.
    const double whole = square_root(epsilon);
    const double high = static_cast<double>(half(whole));
    const int root = t.add(t.scaled(scale, high), t.scaled(t.scaled(scale, (whole - high) * 0x1p10), 0x1p-10));
    const int kept = t.mul(t.mul(along, root), root);
    return t.add(rest, t.mul(value, t.sub(kept, t.mean(t.mul(rest, value), over))));
}

/// Without its mean: the mean of the difference is the rounding of the mean, which in fp16 may be as large as what is left.
constexpr int centred_twice(tape& t, int x, const axes& over) {
    const int near = t.sub(x, t.mean(x, over));
    return t.sub(near, t.mean(near, over));
}

/// x normalised over some axes again, with the reciprocal of its deviation.
struct normalized {
    int value;
    int scale;
    axes over;
    double epsilon;

    constexpr normalized(tape& t, int x, const axes& along, double least)
        : value(-1), scale(-1), over(along), epsilon(least) {
        const int centred = centred_twice(t, x, along);
        scale = t.rsqrt(t.mean(t.mul(centred, centred), along), epsilon);
        value = t.mul(centred, scale);
    }
    /// What reaches x of what its normalised value gets.
    constexpr int back(tape& t, int got) const {
        if (are_few(t.shape(value), over)) {
            const int centred = centred_twice(t, got, over);
            return t.mul(scale, without_the_part_along(t, centred, value, scale, over, epsilon));
        }
        const int shift = t.add(t.mean(got, over), t.mul(value, t.mean(t.mul(got, value), over)));
        return t.mul(scale, t.sub(got, shift));
    }
};

/// What a parameter that lies along one axis gets.
constexpr void pull_along(const step& s, int position, int value, int along) {
    extents wanted;
    for (int k = 0; k < s.n.shape.rank; ++k) {
        wanted.append(k == along ? s.n.shape[k] : 1);
    }
    s.pull(position, s.t.reshape(s.t.to_shape(value, wanted), s.shape(position)));
}
/// gamma and beta of a normalised value.
constexpr void pull_scale_and_offset(const step& s, int gamma, int beta, int value, int along) {
    if (s.wants(gamma)) {
        pull_along(s, gamma, s.t.mul(s.dy, value), along);
    }
    if (s.wants(beta)) {
        pull_along(s, beta, s.dy, along);
    }
}

template <> struct derivative<op::softmax> : smooth {
    static constexpr void pull(const step& s) {
        const int along = normalized_axis(s.n.get<axis>().index, s.n.shape.rank);
        const axes over{along};
        int rest = s.t.sub(s.dy, s.t.sum(s.t.mul(s.dy, s.index), over));
        if (are_few(s.n.shape, over)) { // what is left of the mean is its rounding
            rest = s.t.sub(rest, s.t.sum(s.t.mul(rest, s.index), over));
        }
        s.pull(0, s.t.mul(s.index, rest));
    }
};

/// (x, gamma, beta)
template <> struct derivative<op::layer_norm> : smooth {
    static constexpr void pull(const step& s) {
        const stabilizer c = s.n.get<stabilizer>();
        const int along = normalized_axis(c.axis, s.n.shape.rank);
        const normalized x(s.t, s.x(), axes{along}, static_cast<double>(c.epsilon));
        if (s.wants(0)) {
            s.pull(0, x.back(s.t, s.t.mul(s.dy, s.t.along(s.x(1), along, s.n.shape.rank))));
        }
        pull_scale_and_offset(s, 1, 2, x.value, along);
    }
};
template <> struct derivative<op::instance_norm> : smooth {
    static constexpr void pull(const step& s) {
        const normalized x(s.t, s.x(), behind_channels(s.n.shape.rank),
                           static_cast<double>(s.n.get<stabilizer>().epsilon));
        if (s.wants(0)) {
            s.pull(0, x.back(s.t, s.t.mul(s.dy, s.t.along(s.x(1), 1, s.n.shape.rank))));
        }
        pull_scale_and_offset(s, 1, 2, x.value, 1);
    }
};
template <> struct derivative<op::group_norm> : smooth {
    static constexpr void pull(const step& s) {
        const grouping c = s.n.get<grouping>();
        const extents shape = s.n.shape;
        const extents grouped{shape[0], c.groups, shape.count() / (shape[0] * c.groups)};
        const normalized x(s.t, s.t.reshape(s.x(), grouped), axes{2}, static_cast<double>(c.epsilon));
        if (s.wants(0)) {
            const int got = s.t.mul(s.dy, s.t.along(s.x(1), 1, shape.rank));
            s.pull(0, s.t.reshape(x.back(s.t, s.t.reshape(got, grouped)), shape));
        }
        pull_scale_and_offset(s, 1, 2, s.t.reshape(x.value, shape), 1);
    }
};
/// (x, mean, variance, gamma, beta), statistics given.
template <> struct derivative<op::batch_norm> : smooth {
    static constexpr void pull(const step& s) {
        const int rank = s.n.shape.rank;
        const int scale = s.t.rsqrt(s.t.along(s.x(2), 1, rank), static_cast<double>(s.n.get<stabilizer>().epsilon));
        const int centred = s.t.sub(s.x(), s.t.along(s.x(1), 1, rank));
        const int got = s.t.mul(s.dy, s.t.along(s.x(3), 1, rank));
        const int back = s.t.mul(got, scale);
        s.pull(0, back);
        if (s.wants(1)) {
            pull_along(s, 1, s.t.scaled(back, -1), 1);
        }
        if (s.wants(2)) {
            pull_along(s, 2, s.t.scaled(s.t.mul(s.t.mul(back, centred), s.t.mul(scale, scale)), -0.5), 1);
        }
        pull_scale_and_offset(s, 3, 4, s.t.mul(centred, scale), 1);
    }
};
/// (x, gamma)
template <> struct derivative<op::rms_norm> : smooth {
    static constexpr void pull(const step& s) {
        const stabilizer c = s.n.get<stabilizer>();
        const int along = normalized_axis(c.axis, s.n.shape.rank);
        const int scale = s.t.rsqrt(s.t.mean(s.t.mul(s.x(), s.x()), axes{along}), static_cast<double>(c.epsilon));
        const int x = s.t.mul(s.x(), scale);
        if (s.wants(0)) {
            const int got = s.t.mul(s.dy, s.t.along(s.x(1), along, s.n.shape.rank));
            const int rest = without_the_part_along(s.t, got, x, scale, axes{along}, static_cast<double>(c.epsilon));
            s.pull(0, s.t.mul(scale, rest));
        }
        if (s.wants(1)) {
            pull_along(s, 1, s.t.mul(s.dy, x), along);
        }
    }
};
/// x / max(length, root of epsilon): below it a plain scale.
template <> struct derivative<op::l2_norm> : smooth {
    static constexpr void pull(const step& s) {
        const stabilizer c = s.n.get<stabilizer>();
        const int along = normalized_axis(c.axis, s.n.shape.rank);
        const int epsilon = s.t.number(static_cast<double>(c.epsilon));
        const int squares = s.t.sum(s.t.mul(s.x(), s.x()), axes{along});
        const int scale = s.t.rsqrt(s.t.apply(op::maximum, squares, epsilon));
        const int drift = s.t.mul(s.index, s.t.sum(s.t.mul(s.dy, s.index), axes{along}));
        s.pull(0, s.t.mul(scale, s.t.sub(s.dy, s.t.only_where(op::greater, squares, epsilon, drift))));
    }
};
/// (x - min) / (max - min + epsilon): equal extremes share.
template <> struct derivative<op::minmax_norm> : smooth {
    static constexpr void pull(const step& s) {
        const stabilizer c = s.n.get<stabilizer>();
        const axes over{normalized_axis(c.axis, s.n.shape.rank)};
        const int low = s.t.emit(op::reduce_min, over, {s.x()});
        const int high = s.t.emit(op::reduce_max, over, {s.x()});
        const int scale = s.t.inverse(s.t.sub(high, low), static_cast<double>(c.epsilon));
        const int back = s.t.mul(s.dy, scale);
        const int by_range = s.t.sum(s.t.mul(back, s.index), over);
        const int by_low = s.t.sub(by_range, s.t.sum(back, over));
        const auto shared = [&](int extreme, int value) {
            const int hit = s.t.where(op::equal, s.x(), extreme, s.t.number(1), s.t.number(0));
            return s.t.mul(hit, s.t.mul(value, s.t.inverse(s.t.sum(hit, over))));
        };
        s.pull(0, s.t.add(back, s.t.sub(shared(low, by_low), shared(high, by_range))));
    }
};
/// x d^-beta, d = k + alpha / size times the sum of x^2 over a window of channels.
template <> struct derivative<op::local_response_norm> : smooth {
    static constexpr void pull(const step& s) {
        const response_norm_shape c = s.n.get<response_norm_shape>();
        const int before = (c.size - 1) / 2;
        const int behind = c.size / 2;
        const double factor = static_cast<double>(c.alpha) / c.size;
        const double beta = static_cast<double>(c.beta);
        const int squares = window_sum(s.t, s.t.mul(s.x(), s.x()), before, behind);
        const int d = s.t.plus(s.t.scaled(squares, factor), static_cast<double>(c.k));
        const int direct = s.t.mul(s.dy, s.t.apply(op::pow, d, s.t.number(-beta)));
        // The window mirrored: an element is read by the channels that it lies behind or before.
        const int spread = window_sum(s.t, s.t.mul(s.t.mul(direct, s.x()), s.t.inverse(d)), behind, before);
        s.pull(0, s.t.sub(direct, s.t.scaled(s.t.mul(s.x(), spread), 2 * factor * beta)));
    }

private:
    static constexpr int window_sum(tape& t, int value, int before, int behind) {
        const std::int64_t channels = t.shape(value)[1];
        const int wide = t.padded(value, 1, before, behind);
        int sum = -1;
        for (int k = 0; k <= before + behind; ++k) {
            const int part = t.slice(wide, 1, k, channels);
            sum = sum < 0 ? part : t.add(sum, part);
        }
        return sum;
    }
};

} // namespace ane::detail::gradients
