#include "built.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/ops/einsum.hpp>
#include <anemone/values/half.hpp>

#include <cstddef>
#include <map>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using namespace ane;
using built::breaks;

namespace {

/// The definition, by maps and loops over all letters: nothing of it is the library's.
struct reference {
    std::string a, b, out;
    std::map<char, std::int64_t> extent;

    reference(std::string_view text, const extents& shape_a, const extents& shape_b) {
        std::string* parts[] = {&a, &b, &out};
        int part = 0;
        for (const char c : text) {
            if (c == ',' || c == '>') {
                ++part;
            } else if (c != '-' && c != ' ') {
                parts[part]->push_back(c);
            }
        }
        for (std::size_t i = 0; i < a.size(); ++i) {
            extent[a[i]] = shape_a[static_cast<int>(i)];
        }
        for (std::size_t i = 0; i < b.size(); ++i) {
            extent[b[i]] = shape_b[static_cast<int>(i)];
        }
    }
    extents shape() const {
        extents e;
        for (const char c : out) {
            e.append(extent.at(c));
        }
        return e;
    }
    std::size_t place(const std::string& letters, const std::map<char, std::int64_t>& at) const {
        std::int64_t flat = 0;
        for (const char c : letters) {
            flat = flat * extent.at(c) + at.at(c);
        }
        return static_cast<std::size_t>(flat);
    }
    std::vector<double> run(const std::vector<double>& x, const std::vector<double>& y) const {
        std::vector<double> r(static_cast<std::size_t>(shape().count()), 0.0);
        std::map<char, std::int64_t> at;
        for (const auto& [c, size] : extent) {
            at[c] = 0;
        }
        for (;;) {
            r[place(out, at)] += x[place(a, at)] * y[place(b, at)];
            auto letter = at.begin();
            while (letter != at.end() && ++letter->second == extent.at(letter->first)) {
                letter->second = 0;
                ++letter;
            }
            if (letter == at.end()) {
                return r;
            }
        }
    }
};

std::vector<half> whole_numbers(std::int64_t count, std::mt19937& random) {
    std::uniform_int_distribution<int> value(-3, 3);
    std::vector<half> r;
    for (std::int64_t i = 0; i < count; ++i) {
        r.push_back(half(static_cast<float>(value(random))));
    }
    return r;
}
std::vector<double> widened(const std::vector<half>& values) { return {values.begin(), values.end()}; }

/// Builds an equation, compares its shape and its values (small whole numbers: exact) with the definition, and returns
/// how many nodes it takes beside the two inputs.
template <fixed_string Equation, extents A, extents B> int check() {
    const std::string text(Equation.view());
    CAPTURE(text);
    const reference wanted(text, A, B);
    const auto made = built::build([](builder& g) {
        const auto a = g.input("a", tensor_type<shape_of<A>, dtype::f16>{}); // in this order: arguments have none
        const auto b = g.input("b", tensor_type<shape_of<B>, dtype::f16>{});
        return einsum<Equation>(a, b);
    });
    const graph_view g = made.view();
    CHECK(made.last().shape == wanted.shape());
    int products = 0;
    for (const node& n : g.nodes) {
        CHECK(n.shape.rank <= max_rank);
        products += n.kind == op::matmul ? 1 : 0;
    }
    CHECK(products == 1);

    std::mt19937 random(static_cast<unsigned>(text.size()));
    const std::vector<half> a = whole_numbers(A.count(), random);
    const std::vector<half> b = whole_numbers(B.count(), random);
    std::vector<half> y(static_cast<std::size_t>(wanted.shape().count()));
    auto program = compile(g, ane::backend::cpu{}, weight_store{});
    const std::span<const std::byte> inputs[] = {std::as_bytes(std::span(a)), std::as_bytes(std::span(b))};
    const std::span<std::byte> outputs[] = {std::as_writable_bytes(std::span(y))};
    program.run(inputs, outputs);
    CHECK(widened(y) == wanted.run(widened(a), widened(b)));
    return g.size() - 2;
}

} // namespace

TEST_CASE("einsum: products by the definition, in as few nodes as the equation allows") {
    CHECK(check<"ij,jk->ik", extents{3, 4}, extents{4, 5}>() == 1);
    CHECK(check<"ij, kj -> ik", extents{3, 4}, extents{5, 4}>() == 1);
    CHECK(check<"ji,jk->ik", extents{4, 3}, extents{4, 5}>() == 1);
    CHECK(check<"ji,kj->ik", extents{4, 3}, extents{5, 4}>() == 1);
    CHECK(check<"ij,jk->ki", extents{3, 4}, extents{4, 5}>() == 2);
    CHECK(check<"bij,bjk->bik", extents{2, 3, 4}, extents{2, 4, 5}>() == 1);
    CHECK(check<"abij,abkj->abik", extents{2, 3, 4, 5}, extents{2, 3, 6, 5}>() == 1);
    CHECK(check<"abcij,abcjk->abcik", extents{2, 3, 2, 4, 5}, extents{2, 3, 2, 5, 6}>() == 4);
    CHECK(check<"nchw,nwhu->nchu", extents{2, 3, 4, 5}, extents{2, 5, 4, 6}>() == 4);
    CHECK(check<"bqhd,bkhd->bhqk", extents{2, 3, 4, 5}, extents{2, 6, 4, 5}>() == 3);
    CHECK(check<"bhqk,bkhd->bqhd", extents{2, 3, 4, 5}, extents{2, 5, 3, 6}>() == 3);
}

TEST_CASE("einsum: contractions over several letters, sums, outer products and scalars") {
    CHECK(check<"icj,cjo->io", extents{3, 4, 5}, extents{4, 5, 6}>() == 3);
    CHECK(check<"icj,jco->io", extents{3, 4, 5}, extents{5, 4, 6}>() == 4);
    CHECK(check<"ijk,jl->il", extents{3, 4, 5}, extents{4, 2}>() == 3); // sum, reshape, product
    check<"ij,jkl->", extents{3, 4}, extents{4, 2, 3}>();
    check<"i,i->", extents{7}, extents{7}>();
    check<"i,j->ij", extents{3}, extents{4}>();
    check<"i,j->ji", extents{3}, extents{4}>();
    check<"ij,ij->ij", extents{3, 4}, extents{3, 4}>();
    check<"ij,ij->ji", extents{3, 4}, extents{3, 4}>();
    check<"ij,ij->j", extents{3, 4}, extents{3, 4}>();
    check<"abc,d->dcba", extents{2, 3, 4}, extents{5}>();
    check<"abc,cba->ba", extents{2, 3, 4}, extents{4, 3, 2}>();
    check<"abcd,aecd->ebd", extents{2, 3, 4, 5}, extents{2, 6, 4, 5}>();
    check<",ij->ji", extents{}, extents{3, 4}>();
    check<"Aa,aB->BA", extents{2, 3}, extents{3, 4}>();
    check<"ij,jk->ik", extents{1, 1}, extents{1, 1}>();
}

TEST_CASE("einsum: every permutation of a batched product") {
    CHECK(check<"bik,bkj->bij", extents{2, 3, 4}, extents{2, 4, 5}>() == 1);
    check<"bik,bkj->bji", extents{2, 3, 4}, extents{2, 4, 5}>();
    check<"bik,bkj->ibj", extents{2, 3, 4}, extents{2, 4, 5}>();
    check<"bik,bkj->ijb", extents{2, 3, 4}, extents{2, 4, 5}>();
    check<"bik,bkj->jbi", extents{2, 3, 4}, extents{2, 4, 5}>();
    check<"bik,bkj->jib", extents{2, 3, 4}, extents{2, 4, 5}>();
    check<"ibk,kjb->bij", extents{3, 2, 4}, extents{4, 5, 2}>();
    check<"kib,jbk->bij", extents{4, 3, 2}, extents{5, 2, 4}>();
    check<"bki,bjk->bij", extents{2, 4, 3}, extents{2, 5, 4}>();
    check<"kbi,bkj->jib", extents{4, 2, 3}, extents{2, 4, 5}>();
    check<"ikb,bjk->ijb", extents{3, 4, 2}, extents{2, 5, 4}>();
}

TEST_CASE("einsum: what is wrong with an equation") {
    const extents a{3, 4};
    const extents b{4, 5};
    const auto rule = [&](std::string_view text) { return plan_einsum(text, a, b).rule; };
    CHECK(rule("ij,jk->ik").ok());
    breaks(rule("ij,jk"), fault::equation_must_be_letters_comma_letters_arrow_letters, 5, 5);
    breaks(rule("ij->i"), fault::equation_must_be_letters_comma_letters_arrow_letters, 2, 5);
    breaks(rule("ij,jk,kl->il"), fault::equation_must_be_letters_comma_letters_arrow_letters, 5, 12);
    breaks(rule("ij,jk->ik->i"), fault::equation_must_be_letters_comma_letters_arrow_letters, 9, 12);
    breaks(rule("ij,...k->ik"), fault::equation_must_be_letters_comma_letters_arrow_letters, 3, 11);
    breaks(rule("ij,jk-ik"), fault::equation_must_be_letters_comma_letters_arrow_letters, 5, 8);
    breaks(rule(""), fault::equation_must_be_letters_comma_letters_arrow_letters, 0, 0);
    breaks(rule("abcdefghi,jk->a"), fault::equation_must_be_letters_comma_letters_arrow_letters, 8, 15);
    breaks(rule("ii,ik->ik"), fault::letter_must_occur_once_in_an_operand, 'i', 'i');
    breaks(rule("ij,jk->ii"), fault::letter_must_occur_once_in_an_operand, 'i', 'i');
    breaks(rule("ij,jk->iz"), fault::letter_of_the_result_must_be_one_of_an_operand, 'z', 'z');
    breaks(rule("ijl,jk->ik"), fault::operand_must_have_one_axis_for_each_letter, 2, 3);
    breaks(rule("ij,k->ik"), fault::operand_must_have_one_axis_for_each_letter, 2, 1);
    breaks(rule("ij,ik->jk"), fault::axes_of_one_letter_must_have_equal_extents, 4, 3);
    static_assert(is_native_einsum("nchw,nwhu->nchu") && !is_native_einsum("ij,jk->ik"));
}
