// Whatever a finding proposes is built for its case: the model that follows keeps the rule and every other rule that is an
// error there, and computes the same where it means to.

#include "advised.hpp"
#include "anemone/rules/conforms.hpp"
#include "examples.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/samples.hpp>
#include <anemone/backend/wide/wide.hpp>
#include <anemone/rules/phrases.hpp>
#include <anemone/rules/violation_text.hpp>
#include <anemone/weights/random.hpp>

#include <doctest/doctest.h>

#include <array>
#include <map>
#include <set>
#include <string>

using namespace advised;

namespace {

std::vector<pair_of_models> all_pairs() {
    std::vector<pair_of_models> all;
    for (const auto& make_them :
         {advised_values, advised_digits, advised_operations, advised_convolutions, advised_products, advised_movement,
          advised_shapes, advised_weights, advised_guidance}) {
        for (pair_of_models& p : make_them()) {
            all.push_back(std::move(p));
        }
    }
    return all;
}

/// The examples by rule, in their order.
std::map<rule, std::vector<one_node::example>> examples_by_rule() {
    std::map<rule, std::vector<one_node::example>> all;
    for (const auto& make_them :
         {one_node::support_examples, one_node::extent_examples, one_node::convolution_examples,
          one_node::reduction_examples, one_node::movement_examples, one_node::elementwise_examples,
          one_node::weight_examples, one_node::memory_examples}) {
        for (one_node::example& e : make_them()) {
            all[e.rule].push_back(std::move(e));
        }
    }
    return all;
}

constexpr std::array twins{
    twin{rule::scales_of_blocks_are_not_applied, "quantize it by output"},
    twin{rule::epsilon_becomes_zero, "an epsilon of"},
    twin{rule::own_layer_fails, "promise a narrower"},
    twin{rule::parametric_softplus_may_be_zero, "promise a narrower"},
    twin{rule::width_slice_may_saturate, "begin at 0", 1},
    twin{rule::width_slice_may_saturate, "promise a narrower"},
    twin{rule::number_becomes_zero, "a number of at least"},
    twin{rule::live_set_exceeds, "make them smaller"},
    twin{rule::rows_share_a_bank, "a width that is an odd"},
    twin{rule::working_set_exceeds_nominal, "keep it under"},
    twin{rule::attention_mask_type_differs, "use an fp16 mask"},
    twin{rule::cast_gives_int32, "keep fp16"},
    twin{rule::element_type_is_not_f16, "use fp16 tensors"},
    twin{rule::excluded_padding_reaches_the_window, "pad less"},
    twin{rule::extent_is_not_known, "make one model"},
    twin{rule::large_kernel_is_dilated, "use a smaller kernel"},
    twin{rule::large_kernel_is_grouped, "use a smaller kernel"},
    twin{rule::large_kernel_is_grouped, "one group for each", 1},
    twin{rule::normalized_group_exceeds, "use a smaller image"},
    twin{rule::normalized_groups_do_not_divide_channels, "choose a number"},
    twin{rule::padding_mode_needs_the_texture_engine, "pad with a constant"},
    twin{rule::pool_window_exceeds_input, "use a smaller window"},
    twin{rule::random_numbers_are_not_supported, "leave dropout out"},
    twin{rule::reduced_axis_exceeds_four, "reshape to rank 5"},
    twin{rule::reshape_does_not_flatten, "flatten to"},
    twin{rule::space_to_channel_batch_exceeds_one, "one image at a time"},
    twin{rule::stride_does_not_factor, "use a stride such as"},
    twin{rule::dynamic_weight_batch_exceeds_one, "use batch 1"},
    twin{rule::compressed_elements_are_narrow, "use 8 bits"},
    twin{rule::palette_index_width_is_not_supported, "use 4 or 8 bits"},
    twin{rule::vector_palette_meets_a_special_convolution, "use vectors of one", 2},
    twin{rule::weight_is_not_float, "store it as fp16"},
    twin{rule::weight_is_palette_and_sparse, "use one of the two"},
    twin{rule::zero_point_is_not_supported, "quantize symmetrically"},
    twin{rule::channels_do_not_interleave, "use a channel count"},
    twin{rule::dilation_is_not_native, "lower the dilation"},
    twin{rule::groups_do_not_divide_cores, "use a group count"},
    twin{rule::input_is_not_used, "remove it"},
    twin{rule::output_channels_cross_a_pass, "use at most 192"},
    twin{rule::sliced_channels_are_not_aligned, "begin at a channel"},
    twin{rule::state_width_is_not_a_multiple, "pad the last axis"},
    twin{rule::stride_is_not_native, "use strides of"},
    twin{rule::width_is_not_a_granule, "use widths"},
    twin{rule::working_set_exceeds, "tile the batch"},
};

/// Tensors of integers: element_type_is_not_f16 says what helps, and this rule what the compiler says.
constexpr std::string_view refused_first = "element_type_is_not_f16 refuses the tensor whatever its channels";

constexpr std::array no_models{
    not_a_model{rule::factor_after_rounding_is_dropped, "let anemone convert",
                "another file of the same model: formats of the command are tested there"},
    not_a_model{rule::own_layer_fails, "let anemone convert", "another file of the same model"},
    not_a_model{rule::terms_cancel, "compute this part off", "another device"},
    not_a_model{rule::arg_reduction_has_no_mil_form, "take the index on the host", "another device"},
    not_a_model{rule::code_generator_lacks_the_operation, "do it on the host", "another device"},
    not_a_model{rule::texture_engine_is_missing, "sample on the host", "another device"},
    not_a_model{rule::winograd_needs_unit_stride, "nothing", "nothing is to be changed"},
    not_a_model{rule::kernel_height_exceeds, "split the kernel",
                "by the numbers of the convolution: kernel_advice.cpp"},
    not_a_model{rule::kernel_height_exceeds, "cut the input into frames",
                "by the numbers of the convolution: kernel_advice.cpp"},
    not_a_model{rule::kernel_width_exceeds, "swap the axes", "by the numbers of the convolution: kernel_advice.cpp"},
    not_a_model{rule::kernel_width_exceeds, "cut the input into frames",
                "by the numbers of the convolution: kernel_advice.cpp"},
    not_a_model{rule::stride_does_not_factor, "cut the input into frames", "kernel_advice.cpp has the model"},
    not_a_model{rule::int4_channels_do_not_interleave, "pad the channels", refused_first},
    not_a_model{rule::int4_channels_do_not_interleave, "use int8", refused_first},
    not_a_model{rule::tile_ends_the_process, "repeat on the host", "another device"},
    not_a_model{rule::whole_decoder_runs_faster_on_gpu, "the GPU", "another device"},
    not_a_model{rule::decoding_runs_faster_on_gpu, "the GPU", "another device"},
    not_a_model{rule::encoder_batch_runs_faster_on_gpu, "the GPU", "another device"},
    not_a_model{rule::large_matmul_runs_faster_on_gpu, "the GPU", "another device"},
    not_a_model{rule::long_attention_runs_faster_on_gpu, "the GPU", "another device"},
};

/// Rules that look at no node. Where their page says what to do it is no other model, or what the driver does by itself.
enum class apart_from_models : std::uint8_t { use_of_the_model, device, driver, another_program };
struct rule_apart {
    ane::rule rule;
    apart_from_models advised;
};
constexpr std::array rules_apart{
    rule_apart{rule::nan_enters_as_infinity, apart_from_models::use_of_the_model},
    rule_apart{rule::max_pool_channels_are_tiled, apart_from_models::use_of_the_model}, // measure
    rule_apart{rule::target_is_not_known, apart_from_models::device},
    rule_apart{rule::compile_follows_a_failure, apart_from_models::driver},
    rule_apart{rule::descriptor_generation_differs, apart_from_models::driver},
    rule_apart{rule::shape_is_dynamic, apart_from_models::driver}, // every shape of a model is a constant here
    rule_apart{rule::programs_are_several, apart_from_models::driver},
    rule_apart{rule::attention_cuts_the_program, apart_from_models::driver}, // what lowering writes
    rule_apart{rule::trained_batch_is_large, apart_from_models::use_of_the_model},
    rule_apart{rule::loaded_programs_exceed, apart_from_models::use_of_the_model},
    rule_apart{rule::requests_in_flight_exceed, apart_from_models::driver},
    rule_apart{rule::streams_overlap, apart_from_models::driver},
    rule_apart{rule::engine_was_idle, apart_from_models::use_of_the_model},
    rule_apart{rule::work_is_below_the_dispatch_floor, apart_from_models::use_of_the_model},
    rule_apart{rule::tiny_work_runs_faster_on_cpu, apart_from_models::device},
    rule_apart{rule::sums_are_reassociated, apart_from_models::use_of_the_model},
    rule_apart{rule::order_of_operands_decides_bits, apart_from_models::use_of_the_model},
    rule_apart{rule::resize_rounds_by_strategy, apart_from_models::use_of_the_model},
    rule_apart{rule::small_convolution_leaves_the_engine, apart_from_models::another_program}, // the direct route
    rule_apart{rule::surface_is_narrow, apart_from_models::driver},                            // ports are laid out so
};

/// The suggestions of a record that begin so.
int begin_with(const rule_record& r, std::string_view words) {
    int count = 0;
    for (const std::string& suggestion : detail::suggestions_of(r)) {
        count += suggestion.starts_with(words) ? 1 : 0;
    }
    return count;
}

/// What a model breaks on a target beside the rules that it may.
std::string errors_of(const graph_view& g, const target_description& t, const policy& p) {
    std::string text;
    for (const violation& v : violations(g, t, p)) {
        text += v.is_error ? format(v, g, t, "") + "\n" : "";
    }
    return text;
}

bool breaks_it(const graph_view& g, rule wanted, const target_description& t, const policy& p) {
    return one_node::find(g, wanted, t, p).broken;
}

} // namespace

TEST_CASE("each suggestion has a model that follows it, or a reason why there is none") {
    std::map<rule, std::set<std::string>> open;
    for (const rule_record* r : ane::detail::rules_by_id) {
        if (r->check != not_of_a_node) {
            for (const std::string& suggestion : detail::suggestions_of(*r)) {
                open[r->id].insert(suggestion);
            }
        }
    }
    const auto close = [&](rule id, std::string_view words) {
        CAPTURE(std::string(name(id)));
        CAPTURE(std::string(words));
        CHECK(begin_with(record_of(id), words) == 1);
        std::erase_if(open[id], [&](const std::string& s) { return s.starts_with(words); });
    };
    for (const pair_of_models& p : all_pairs()) {
        close(p.rule, p.suggestion);
    }
    for (const twin& t : twins) {
        close(t.rule, t.suggestion);
    }
    for (const not_a_model& n : no_models) {
        CHECK_FALSE(n.reason.empty());
        close(n.rule, n.suggestion);
    }
    for (const auto& rest : open) {
        for (const std::string& suggestion : rest.second) {
            CHECK_MESSAGE(false, std::string(name(rest.first)), ": nothing follows \"", suggestion, "\"");
        }
    }
}

TEST_CASE("a rule without a node that advises something is one of those whose advice is no model") {
    std::set<rule> listed;
    for (const rule_apart& each : rules_apart) {
        CHECK(listed.insert(each.rule).second);
    }
    for (const rule_record* r : ane::detail::rules_by_id) {
        CAPTURE(std::string(name(r->id)));
        const bool advises = r->check == not_of_a_node && !detail::suggestions_of(*r).empty();
        CHECK(advises == (listed.count(r->id) == 1));
    }
}

TEST_CASE("each suggestion can be read by itself") {
    for (const rule_record* r : ane::detail::rules_by_id) {
        for (const std::string& suggestion : detail::suggestions_of(*r)) {
            CAPTURE(std::string(name(r->id)));
            CAPTURE(suggestion);
            for (const std::string_view joins :
                 {"which ", "whose ", "and ", "so ", "that ", "or ", "but ", "the row_l1"}) {
                CHECK_FALSE(suggestion.starts_with(joins));
            }
        }
    }
}

TEST_CASE("the model that follows an advice keeps the rule, and all others that are errors there") {
    for (const pair_of_models& p : all_pairs()) {
        const std::string which = std::string(name(p.rule)) + ": " + std::string(p.suggestion);
        CAPTURE(which);
        const target_description& before = p.device != nullptr ? *p.device : describe(p.on);
        const target_description& after = p.there ? describe(*p.there) : before;
        const policy then = p.taken.value_or(p.under);
        CHECK(breaks_it(p.breaks, p.rule, before, p.under));
        CHECK_FALSE(breaks_it(p.follows, p.rule, after, then));
        CHECK(errors_of(p.follows, after, then) == "");
    }
}

TEST_CASE("the twins of examples that follow an advice break no other rule that is an error") {
    const auto examples = examples_by_rule();
    for (const twin& t : twins) {
        CAPTURE(std::string(name(t.rule)));
        CAPTURE(t.number);
        REQUIRE(examples.count(t.rule) == 1);
        REQUIRE(static_cast<std::size_t>(t.number) < examples.at(t.rule).size());
        const one_node::example& e = examples.at(t.rule)[static_cast<std::size_t>(t.number)];
        CHECK(errors_of(e.keeps, e.target_of(), e.under) == "");
    }
}

TEST_CASE("what follows an advice in fp16 is what the model means in double precision, where it means the same") {
    const backend::any meant = backend::wide{};
    const backend::any cpu = backend::cpu{};
    for (const pair_of_models& p : all_pairs()) {
        if (p.within < 0) {
            continue;
        }
        const std::string which = std::string(name(p.rule)) + ": " + std::string(p.suggestion);
        CAPTURE(which);
        const weight_store weights = random_weights(p.breaks, 1);
        const model_samples samples = random_samples(p.breaks, 3);
        const double difference = relative_error(run_samples(p.breaks, weights, samples, meant),
                                                 run_samples(p.follows, weights, samples, cpu));
        CHECK(difference <= p.within + 0x1p-10);
    }
}

TEST_CASE("a route is advised where it takes the model, and else for the layer alone") {
    const auto advice_on = [](const dynamic_graph& g, rule wanted, compile_route route) {
        const violation v = one_node::find(g, wanted, h17s, on_route(route));
        REQUIRE(v.broken);
        return ane::detail::suggestions_of(v, g, describe(h17s));
    };
    using listed = std::vector<std::string>;
    const auto model = [](bool reverses, const extents& shape) {
        return built([&](dynamic_builder& b) {
            advised::tensor x = b.input("x", shape, bounded(1));
            x = reverses ? b.add(op::reverse, {x}, axes{1}) : x; // which a netplist has no layer for
            return b.add(op::arg_max, {x}, axis{1});             // and which no MIL text has
        });
    };
    CHECK(advice_on(model(false, {4, 8}), rule::arg_reduction_has_no_mil_form, compile_route::mil) ==
          listed{"use the netplist route", "take the index on the host"});
    const std::string alone = "cut the model: this layer in a program of its own on the ";
    CHECK(advice_on(model(true, {4, 8}), rule::arg_reduction_has_no_mil_form, compile_route::mil) ==
          listed{alone + "netplist route, which refuses 1 more", "take the index on the host"});
    CHECK(advice_on(model(true, {4, 8}), rule::operation_has_no_netplist_form, compile_route::netplist) ==
          listed{alone + "MIL route, which refuses 1 more"});
    // Refused there too: 2049 elements and more have no index on either route.
    CHECK(advice_on(model(false, {4, 4096}), rule::arg_reduction_has_no_mil_form, compile_route::mil) ==
          listed{"take the index on the host"});
}
