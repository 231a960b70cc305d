#pragma once

#include "folding.hpp"

/// Sums of products by letters. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

/// An operand of Einsum and the letter of each of its axes.
struct lettered {
    dynamic_tensor tensor;
    std::string letters;

    bool has(char letter) const { return letters.find(letter) != std::string::npos; }
    std::int64_t extent(char letter) const { return tensor.shape()[static_cast<int>(letters.find(letter))]; }
};

/// Where a letter stands twice, the elements of the diagonal: a gather.
ANEMONE_INLINE lettered diagonal(node_call& c, const lettered& x) {
    std::string kept;
    for (const char l : x.letters) {
        kept += kept.find(l) == std::string::npos ? std::string(1, l) : std::string();
    }
    if (kept == x.letters) {
        return x;
    }
    const extents own = row_major_strides(x.tensor.shape());
    extents shape;
    extents strides;
    for (const char l : kept) {
        shape.append(x.extent(l));
        std::int64_t step = 0;
        for (std::size_t i = 0; i < x.letters.size(); ++i) {
            if (x.letters[i] == l) {
                c.require(x.tensor.shape()[static_cast<int>(i)] == shape.width(), "has a diagonal of no square");
                step += own[static_cast<int>(i)];
            }
        }
        strides.append(step);
    }
    const dynamic_tensor places = c.filled(shape, [&](std::int64_t i) { return place_of(i, shape, strides); });
    const dynamic_tensor flat = c.reshape(x.tensor, {x.tensor.shape().count()});
    return {c.add(op::gather, {flat, places}, ane::axis{0}), kept};
}
/// The sum over the letters that `kept` does not hold.
ANEMONE_INLINE lettered summed(node_call& c, const lettered& x, const std::string& kept) {
    indices over;
    lettered y;
    extents shape;
    for (std::size_t i = 0; i < x.letters.size(); ++i) {
        if (kept.find(x.letters[i]) == std::string::npos) {
            over.append(static_cast<std::int64_t>(i));
        } else {
            y.letters += x.letters[i];
            shape.append(x.tensor.shape()[static_cast<int>(i)]);
        }
    }
    y.tensor = over.rank == 0 ? x.tensor : c.reshape(c.reduced(op::reduce_sum, x.tensor, over), shape);
    return y;
}
ANEMONE_INLINE dynamic_tensor arranged(node_call& c, const lettered& x, const std::string& wanted) {
    indices order;
    for (const char l : wanted) {
        c.require(x.has(l), formatted("gives the letter {}, which no operand has", l));
        order.append(static_cast<std::int64_t>(x.letters.find(l)));
    }
    return wanted == x.letters ? x.tensor : c.transposed(x.tensor, order);
}

/// The equation without blanks, `...` as letters that stand nowhere else, the result written out.
ANEMONE_INLINE std::pair<std::vector<std::string>, std::string> terms_of(node_call& c) {
    std::string text;
    for (const char l : c.word("equation", "")) {
        text += l == ' ' ? std::string() : std::string(1, l);
    }
    const std::size_t arrow = text.find("->");
    const std::string left = text.substr(0, arrow);
    std::vector<std::string> terms(1);
    for (const char l : left) {
        if (l == ',') {
            terms.emplace_back();
        } else {
            terms.back() += l;
        }
    }
    c.require(static_cast<int>(terms.size()) == c.operand_count(), "has another number of terms than of inputs");
    std::string dots;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const int rank = c.rank(static_cast<int>(i));
        if (const std::size_t at = terms[i].find("..."); at != std::string::npos) {
            const int open = rank - static_cast<int>(terms[i].size() - 3);
            c.require(open >= 0, "has more letters than axes");
            c.require(dots.empty() || static_cast<int>(dots.size()) == open,
                      "has operands with another number of axes in place of the dots");
            dots = std::string("01234567").substr(0, static_cast<std::size_t>(open));
            terms[i].replace(at, 3, dots);
        }
        c.require(static_cast<int>(terms[i].size()) == rank, "has another number of letters than of axes");
    }
    std::string result;
    if (arrow != std::string::npos) {
        result = text.substr(arrow + 2);
        if (const std::size_t at = result.find("..."); at != std::string::npos) {
            result.replace(at, 3, dots);
        }
    } else { // the letters that stand once, in order
        result = dots;
        for (char l = 'A'; l <= 'z'; ++l) {
            result += std::count(left.begin(), left.end(), l) == 1 ? std::string(1, l) : std::string();
        }
    }
    c.require(result.size() <= extents::capacity, "gives a tensor of too many axes");
    return {terms, result};
}

ANEMONE_INLINE results read_einsum(node_call& c) {
    const auto [terms, result] = terms_of(c);
    c.require(terms.size() <= 2, "contracts more than two operands");
    const lettered a = diagonal(c, {c.x(0), terms[0]});
    if (terms.size() == 1) {
        return {arranged(c, summed(c, a, result), result)};
    }
    const lettered b = diagonal(c, {c.x(1), terms[1]});
    const lettered left = summed(c, a, b.letters + result);
    const lettered right = summed(c, b, a.letters + result);
    std::string batch, rows, columns, inner; // NOLINT(readability-isolate-declaration)
    for (const char l : left.letters) {
        const bool both = right.has(l);
        c.require(!both || left.extent(l) == right.extent(l), "has a letter of two extents");
        (!both ? rows : result.find(l) != std::string::npos ? batch : inner) += l;
    }
    for (const char l : right.letters) {
        columns += left.has(l) ? std::string() : std::string(1, l);
    }
    const auto size = [&](const std::string& letters) {
        std::int64_t count = 1;
        for (const char l : letters) {
            count *= left.has(l) ? left.extent(l) : right.extent(l);
        }
        return count;
    };
    const dynamic_tensor p = c.reshape(arranged(c, left, batch + rows + inner), {size(batch), size(rows), size(inner)});
    const dynamic_tensor q =
        c.reshape(arranged(c, right, batch + inner + columns), {size(batch), size(inner), size(columns)});
    const std::string order = batch + rows + columns;
    extents shape;
    c.require(order.size() <= extents::capacity, "gives a tensor of too many axes");
    for (const char l : order) {
        shape.append(size(std::string(1, l)));
    }
    return {arranged(c, {c.reshape(c.add(op::matmul, {p, q}, ane::transposed{}), shape), order}, result)};
}

} // namespace ane::onnx::inline ANEMONE_WAY
