#pragma once

#include "../ranges/interval.hpp"

#include <array>
#include <cstddef>

/// Affine forms: a value as a centre plus multiples of noise symbols in [-1, 1], one of each for every element of the
/// tensor that introduced it, plus a remainder. Values that share a symbol are correlated, so that x - x / 2 is as wide
/// as x / 2. Stolfi and de Figueiredo's affine arithmetic, with fp16 rounding in the remainder.
namespace ane::detail {

/// A noise symbol: an element's own, or the mean of that symbol over the `count` elements to which the element belongs.
struct noise {
    int id = -1;   ///< the node that introduced it
    int count = 0; ///< 0: the element's own; otherwise the number of elements that the mean is over
    int along = 0; ///< which axes the mean is over, as bits
    double factor = 0;

    constexpr bool same(const noise& other) const noexcept {
        return id == other.id && count == other.count && along == other.along;
    }
};

/// At most this many symbols; the weakest goes into the remainder.
inline constexpr std::size_t most_symbols = 8;

struct affine_form {
    bool known = false; ///< false: nothing but its interval is known
    bool declared = false;
    double centre = 0;
    double rest = 0; ///< not negative
    std::array<noise, most_symbols> terms{};
    std::size_t count = 0;

    constexpr void add(const noise& term) {
        if (term.factor == 0) {
            return;
        }
        for (std::size_t i = 0; i < count; ++i) {
            if (terms[i].same(term)) {
                terms[i].factor += term.factor;
                return;
            }
        }
        if (count < most_symbols) {
            terms[count++] = term;
            return;
        }
        std::size_t weakest = 0;
        for (std::size_t i = 1; i < count; ++i) {
            weakest = magnitude(terms[i].factor) < magnitude(terms[weakest].factor) ? i : weakest;
        }
        noise dropped = term;
        if (magnitude(terms[weakest].factor) < magnitude(term.factor)) {
            dropped = terms[weakest];
            terms[weakest] = term;
        }
        rest += magnitude(dropped.factor);
    }

    /// The interval of all values. A symbol e and its mean m over n elements: |a e + b m| is at most |a + b / n| + |b|
    /// (n - 1) / n, because e is one of the n.
    constexpr interval range() const {
        double radius = rest;
        for (std::size_t i = 0; i < count; ++i) {
            const noise& t = terms[i];
            if (t.count == 0) {
                const noise* mean = nullptr;
                for (std::size_t k = 0; k < count; ++k) {
                    const bool paired = terms[k].id == t.id && terms[k].count > 0;
                    mean = paired && mean == nullptr ? &terms[k] : mean;
                }
                if (mean == nullptr) {
                    radius += magnitude(t.factor);
                } else {
                    const double n = mean->count;
                    radius += magnitude(t.factor + mean->factor / n) + magnitude(mean->factor) * (n - 1) / n;
                }
            } else if (!joined(i)) {
                radius += magnitude(t.factor);
            }
        }
        return {centre - radius, centre + radius, declared};
    }

private:
    /// Whether mean `i` is the first of its symbol and the symbol itself is present: then it was counted together with
    /// the symbol.
    constexpr bool joined(std::size_t i) const {
        bool own = false;
        bool first = true;
        for (std::size_t k = 0; k < count; ++k) {
            own = own || (terms[k].id == terms[i].id && terms[k].count == 0);
            first = first && !(k < i && terms[k].id == terms[i].id && terms[k].count > 0);
        }
        return own && first;
    }
};

/// A value of which only its interval is known: one symbol of its own.
constexpr affine_form fresh(const interval& x, int id) {
    affine_form f;
    if (!x.bounded()) {
        return f;
    }
    f.known = true;
    f.declared = x.declared;
    f.centre = 0.5 * x.low + 0.5 * x.high;
    f.add({id, 0, 0, 0.5 * x.high - 0.5 * x.low});
    f.rest = magnitude(f.centre) * 0x1p-50;
    return f;
}

constexpr affine_form combined(const affine_form& a, double x, const affine_form& b, double y) {
    affine_form r;
    r.known = a.known && b.known;
    r.declared = a.declared && b.declared;
    r.centre = x * a.centre + y * b.centre;
    r.rest = magnitude(x) * a.rest + magnitude(y) * b.rest;
    for (std::size_t i = 0; i < a.count; ++i) {
        noise t = a.terms[i];
        t.factor *= x;
        r.add(t);
    }
    for (std::size_t i = 0; i < b.count; ++i) {
        noise t = b.terms[i];
        t.factor *= y;
        r.add(t);
    }
    return r;
}

constexpr affine_form multiple_of(const affine_form& a, double x) { return combined(a, x, affine_form{true, true}, 0); }

/// One rounding to fp16 on the way out: half an ulp, which is 2^-11 of a normal value.
constexpr affine_form rounded(affine_form f, const interval& result, int roundings = 1) {
    f.rest += roundings * (result.magnitude() * 0x1p-11 + 0x1p-25) * (1 + 0x1p-8);
    return f;
}

} // namespace ane::detail
