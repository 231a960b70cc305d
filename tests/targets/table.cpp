// The table of targets against the recorded facts (tests/facts/targets.csv), cell by cell.

#include "anemone/targets/table.hpp"

#include "anemone/targets/cost_anchor.hpp"
#include "anemone/targets/sets.hpp"
#include "facts.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

using namespace ane;
using namespace target_facts;

TEST_CASE("targets: 28 lines of facts, in the order of the enumeration") {
    REQUIRE(facts().size() == target_count);
    for (std::size_t i = 0; i < target_count; ++i) {
        D d = target_table[i];
        const row& r = facts()[i];
        CAPTURE(d.name);
        CHECK(ordinal(d.id) == i);
        CHECK(r.at("name") == d.name);
        CHECK(r.at("runtime_arch") == d.runtime);
        CHECK(r.at("tier") == name(d.tier));
        const std::string tier = r.at("family_index.aneforge_generation_tier");
        CHECK(generation_tier(d.tier) == integer(tier).value_or(0));
        if (d.id != h17g) { // TC4: the facts hold both readings; the table takes the resolver's
            CHECK(r.at("product") == d.product);
            CHECK(r.at("soc") == (*d.soc != '\0' ? d.soc : "-"));
        }
    }
}

TEST_CASE("targets: every integer and every gate") {
    for (D d : target_table) {
        const row& r = facts().at(ordinal(d.id));
        for (const column& c : columns()) {
            CAPTURE(d.name);
            CAPTURE(c.name);
            const auto expected = integer(r.at(c.name));
            if (expected) {
                CHECK(c.get(d) == *expected);
            } else if (c.open) {
                CHECK(assumes(d, *c.open));
                CHECK(c.get(d) >= 0);
            } else {
                const bool gate =
                    std::string(c.name).rfind("capability", 0) == 0 || std::string(c.name).rfind("features", 0) == 0;
                CHECK_FALSE(gate); // an open gate must be listed as an assumption
                CHECK(c.get(d) == not_known);
            }
        }
    }
}

TEST_CASE("targets: nothing is marked as assumed that the facts give") {
    for (D d : target_table) {
        const row& r = facts().at(ordinal(d.id));
        std::uint32_t open = 0;
        const auto note = [&](assumption a) { open |= std::uint32_t{1} << static_cast<unsigned>(a); };
        for (const column& c : columns()) {
            if (c.open && r.at(c.name) == "?") {
                note(*c.open);
            }
        }
        if (r.at("capability_bytes.0x814_dynamic_goc") != "1") {
            note(assumption::dynamic_goc);
        }
        if (r.at("features.palette_index_bits") == "?") {
            note(assumption::palette_bits);
        }
        if (r.at("native_weight_streams") == "?") {
            note(assumption::weight_streams);
        }
        CAPTURE(d.name);
        CHECK(d.assumed == open);
    }
}

TEST_CASE("targets: assumed values are careful ones") {
    for (D d : target_table) {
        CAPTURE(d.name);
        // capabilities: absent, but for the bytes of M11 that the guide gives it in one word ("A16-class feature
        // flags")
        for (const column& c : columns()) {
            const bool byte = std::string(c.name).rfind("capability", 0) == 0;
            const bool in_a_word =
                d.id == m11 && c.open != assumption::depth_broadcast && c.open != assumption::winograd;
            if (byte && c.open && assumes(d, *c.open)) {
                CAPTURE(c.name);
                CHECK(c.get(d) == (in_a_word ? c.get(describe(h15)) : 0));
            }
        }
        // limits: never above what any recorded target of the MIL line has
        D base = describe(h13);
        const bool oldest = d.tier == family::older || d.tier == family::reference;
        if (assumes(d, assumption::pool_window)) {
            CHECK(d.limits.pool_window <= base.limits.pool_window);
        }
        if (assumes(d, assumption::kernel_height)) {
            CHECK(d.limits.kernel_height <= base.limits.kernel_height);
        }
        if (assumes(d, assumption::batch)) {
            CHECK(d.limits.tensor_n == (oldest ? 4096 : 65536));
        }
        if (assumes(d, assumption::channels)) {
            CHECK(d.limits.tensor_c == 65536);
        }
        if (assumes(d, assumption::transpose)) {
            CHECK(d.limits.transpose_extent <= d.limits.tensor_w);
        }
        if (assumes(d, assumption::cores)) {
            CHECK(d.cores == 1);
        }
        if (assumes(d, assumption::slice_width_saturates)) {
            CHECK(d.has.slice_width_saturates);
        }
    }
}

TEST_CASE("targets: the fp16 kernel width that decides is the measured one (TC5)") {
    for (D d : target_table) {
        const row& r = facts().at(ordinal(d.id));
        const auto measured = integer(r.at("limits.kernel_w_fp16_measured_max"));
        const auto hal = integer(r.at("limits.kernel_w_fp16_large_max"));
        CAPTURE(d.name);
        CHECK(d.limits.kernel_width_fp16 == measured.value_or(hal.value()));
        CHECK(d.limits.kernel_width_fp16 <= d.limits.kernel_width_fp16_hal);
    }
}

TEST_CASE("targets: working set, factors, streams, palettes, formats") {
    for (D d : target_table) {
        const row& r = facts().at(ordinal(d.id));
        CAPTURE(d.name);
        const std::string& ws = r.at("limits.working_set_measured");
        CHECK(d.memory.working_set_measured / 1e6 == doctest::Approx(ws == "?" ? 0 : std::stod(ws)));

        std::string strides, interleaves;
        for (const int f : d.limits.stride_factors) {
            strides += (strides.empty() ? "" : " ") + std::to_string(f);
        }
        for (const int f : d.limits.interleave_factors) {
            interleaves += (interleaves.empty() ? "" : " ") + std::to_string(f);
        }
        CHECK(strides == r.at("limits.stride_factor_list"));
        CHECK(interleaves == r.at("limits.interleave_values"));

        const std::string& streams = r.at("native_weight_streams");
        CHECK(d.has.stream_int4_palette == has_item(streams, "int4_lut"));
        CHECK(d.has.stream_sparse == has_item(streams, "sparse"));
        CHECK(d.has.stream_int8 == has_item(streams, "int8_affine"));
        CHECK(d.has.stream_blockwise == has_item(streams, "blockwise"));
        // the bytes of the streams agree wherever they were read
        const auto int8 = integer(r.at("capability_bytes.0x528_0x532_0x537_int8_affine_cluster"));
        const auto blockwise = integer(r.at("capability_bytes.0x520_0x523_0x533_0x539_blockwise_cluster"));
        CHECK(int8.value_or(d.has.stream_int8) == d.has.stream_int8);
        CHECK(blockwise.value_or(d.has.stream_blockwise) == d.has.stream_blockwise);

        const std::string& bits = r.at("features.palette_index_bits");
        for (int b = 1; b <= 8; ++b) {
            const bool open = bits == "?";
            CHECK(d.has.palette_bits(b) ==
                  (open ? d.id == m11 && (b == 4 || b == 8) : has_item(bits, std::to_string(b))));
        }
        CHECK(d.has.image_yuv420 == (d.has.interchange_formats == 16)); // guide chapter 34: A15 and M11 only

        const std::string& goc = r.at("capability_bytes.0x814_dynamic_goc");
        if (goc == "1") {
            CHECK(d.has.dynamic_goc);
        } else if (d.tier == family::older) { // "1 except smallest legacy parts"
            CHECK(d.has.dynamic_goc == (d.id == h11 || d.id == h12));
        }
    }
}

TEST_CASE("targets: marks") {
    for (D d : target_table) {
        const row& r = facts().at(ordinal(d.id));
        CAPTURE(d.name);
        const bool silicon = r.at("silicon_measured") == "1";
        CHECK((d.marks.limits == mark::measured) == silicon);
        CHECK((d.marks.capabilities == mark::measured) == silicon);
        CHECK((d.marks.weight_streams == mark::measured) == silicon);
        CHECK((d.marks.slice == mark::measured) == (r.at("features.slice_saturation_mark").rfind("measured", 0) == 0));
        CHECK((d.marks.cost == mark::measured) == (r.at("cost_model.mark").rfind("measured", 0) == 0));
    }
    // R030 was measured on M1, R031 on M5; R032 (A14, A15) is predicted
    CHECK(describe(h13).marks.kernel_width == mark::measured);
    CHECK(describe(h14g).marks.kernel_width == mark::predicted);
    CHECK(describe(h15).marks.kernel_width == mark::predicted);
    CHECK(describe(h16).marks.kernel_width == mark::predicted);
    CHECK(describe(h16g).marks.kernel_width == mark::measured); // L004
    CHECK(describe(h18).marks.kernel_width == mark::measured);
    CHECK(describe(h17s).marks.kernel_width == mark::measured);
    CHECK(describe(h11).marks.kernel_width == mark::decompiled);
    CHECK(describe(m11).marks.kernel_width == mark::decompiled);
}

TEST_CASE("targets: the limits that were found by compiling, from A16 on (L001, L003, L006)") {
    for (D d : target_table) {
        CAPTURE(d.name);
        const bool late = at_least(d.tier, family::a16);
        CHECK(d.limits.kernel_height == (late ? 31 : d.limits.kernel_height_hal));
        CHECK(d.limits.max_pool_width == (late ? 8 : no_limit));
        CHECK(d.limits.contraction == (late ? 32768 : no_limit));
        CHECK(d.has.channel_padding == late);
        CHECK(d.has.batch_channel_transpose == late);
        const bool compiled = d.id == h16g || d.id == h18; // M4 and M6; the rest carried over
        const mark carried = late ? mark::predicted : mark::decompiled;
        CHECK(d.marks.compiled_limits == (compiled ? mark::measured : carried));
        const bool height_measured = compiled || d.id == h13 || d.id == h13g; // R033: M1
        CHECK(d.marks.kernel_height == (height_measured ? mark::measured : carried));
    }
}

TEST_CASE("targets: h18 is the M6 (TC17), without an anchor of its own") {
    CHECK(std::string(describe(h18).product) == "M6 base");
    CHECK(macs.contains(h18));
    CHECK(nearest_anchor(family::a18).reference == h17s);
    CHECK(describe(h18).marks.cost == mark::predicted);
    // M6, ANEForge's community rows: 8.1 TFLOP/s in a product of 2048, 23 in a convolution of 512 channels. The figure of
    // the base chip, scaled by cores, does not reach either, which the page of costs says.
    CHECK(peak_flops(h18) < 8.105e12);
}

TEST_CASE("targets: clocks and curves") {
    for (D d : target_table) {
        const row& r = facts().at(ordinal(d.id));
        CAPTURE(d.name);
        CHECK(d.own_clock == (r.at("cost_model.curve_is_own") == "1"));
        const std::string& used = r.at("cost_model.curve_used");
        if (used == "?") {
            CHECK(d.clock.count == 0);
            CHECK_FALSE(has_cost_model(d));
            continue;
        }
        // the curve that was used is recorded with the target that owns it
        const row* owner = nullptr;
        for (const row& o : facts()) {
            if (o.at("name") == used) {
                owner = &o;
            }
        }
        REQUIRE(owner != nullptr);
        CHECK(d.clock.fmin_mhz == integer(owner->at("clock.fmin_mhz")));
        CHECK(d.clock.fmax_mhz == integer(owner->at("clock.fmax_mhz")));
        CHECK(d.clock.cycle_divisor == integer(owner->at("clock.cycle_divisor")));
        CHECK(d.clock.perf_multiplier == integer(owner->at("clock.perf_multiplier")));
        CHECK(model_clock_mhz(d.clock) == doctest::Approx(std::stod(owner->at("clock.model_clock_mhz"))));
        std::string curve;
        for (int i = 0; i < d.clock.count; ++i) {
            curve += (i == 0 ? "" : " ") + std::to_string(d.clock.points[i].mhz) + ":" +
                     std::to_string(d.clock.points[i].effective_mhz);
        }
        CHECK(curve == owner->at("clock.freq_to_effective_mhz"));
    }
    CHECK(describe(m9).clock.cycle_divisor == 16); // HAL 0x228
}

TEST_CASE("targets: every column of the facts is read by a test") {
    const std::set<std::string> read_elsewhere = {"name",
                                                  "runtime_arch",
                                                  "product",
                                                  "soc",
                                                  "tier",
                                                  "family_index.aneforge_generation_tier",
                                                  "limits.kernel_w_fp16_measured_max",
                                                  "limits.stride_factor_list",
                                                  "limits.interleave_values",
                                                  "limits.working_set_measured",
                                                  "capability_bytes.0x528_0x532_0x537_int8_affine_cluster",
                                                  "capability_bytes.0x520_0x523_0x533_0x539_blockwise_cluster",
                                                  "capability_bytes.0x814_dynamic_goc",
                                                  "features.slice_saturation_mark",
                                                  "features.palette_index_bits",
                                                  "native_weight_streams",
                                                  "image_formats",
                                                  "clock.fmin_mhz",
                                                  "clock.fmax_mhz",
                                                  "clock.model_clock_mhz",
                                                  "clock.cycle_divisor",
                                                  "clock.perf_multiplier",
                                                  "clock.freq_to_effective_mhz",
                                                  "cost_model.curve_used",
                                                  "cost_model.curve_is_own",
                                                  "cost_model.anchor",
                                                  "cost_model.bandwidth_bytes_s",
                                                  "cost_model.floor_us",
                                                  "cost_model.peak_flop_s",
                                                  "cost_model.project_peak_vs_H13_x",
                                                  "cost_model.mark",
                                                  "cost_model.util_ramp.F",
                                                  "cost_model.util_ramp.q"};
    std::set<std::string> known = read_elsewhere;
    for (const column& c : columns()) {
        known.insert(c.name);
    }
    for (const auto& cell : facts().front()) {
        CHECK_MESSAGE(known.count(cell.first) == 1, "no test reads " << cell.first);
    }
    CHECK(known.size() == facts().front().size());
}

TEST_CASE("targets: the cost model reproduces the recorded figures") {
    for (D d : target_table) {
        const row& r = facts().at(ordinal(d.id));
        CAPTURE(d.name);
        const std::string reference = describe(nearest_anchor(d.tier).reference).runtime;
        CHECK(reference == r.at("cost_model.anchor"));
        if (r.at("cost_model.peak_flop_s").empty()) {
            CHECK_FALSE(has_cost_model(d));
            CHECK(peak_flops(d) == 0);
            CHECK(bandwidth(d) == 0);
            CHECK(dispatch_floor_seconds(d) == 0);
            continue;
        }
        // the recorded figures are rounded to four digits or so
        CHECK(relative_error(peak_flops(d), std::stod(r.at("cost_model.peak_flop_s"))) < 0.001);
        CHECK(relative_error(bandwidth(d), std::stod(r.at("cost_model.bandwidth_bytes_s"))) < 1e-12);
        CHECK(relative_error(dispatch_floor_seconds(d), 1e-6 * std::stod(r.at("cost_model.floor_us"))) < 0.001);
        const double against_h13 = effective_core_mhz(d) / effective_core_mhz(h13);
        CHECK(std::abs(against_h13 - std::stod(r.at("cost_model.project_peak_vs_H13_x"))) < 0.0051); // two decimals
        const std::string& ramp = r.at("cost_model.util_ramp.F");
        CHECK(nearest_anchor(d.tier).ramp_flops == (ramp.empty() ? 0.0 : std::stod(ramp)));
        const std::string& exponent = r.at("cost_model.util_ramp.q");
        CHECK(nearest_anchor(d.tier).ramp_exponent == (exponent.empty() ? 0.0 : std::stod(exponent)));
    }
}
