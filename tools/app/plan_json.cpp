#include "plan_json.hpp"

#include <anemone/compress/form_text.hpp>
#include <anemone/io/json.hpp>

#include <cstddef>

namespace app {

namespace {

void write_difference(ane::json_writer& json, const char* key, const ane::output_difference& d, bool holds) {
    json.key(key).object().member("holds", holds).member("values", d.values).member("differing", d.differing);
    json.member("relative", d.relative).member("largest", d.largest).member("mended", d.mended).end();
}

void write_point(ane::json_writer& json, const char* key, const ane::compression_point& p) {
    json.key(key).object().member("bytes", p.bytes).member("output_error", p.output_error).member("loss", p.loss);
    if (p.seconds) {
        json.member("seconds", *p.seconds);
    } else {
        json.key("seconds").null();
    }
    json.end();
}

void write_held_out(ane::json_writer& json, const ane::held_out_loss& held) {
    json.key("held_out");
    if (held.runs == 0) {
        json.null();
        return;
    }
    json.object().member("runs", held.runs).member("loss", held.loss);
    const auto bound = [&json](const char* key, const std::optional<double>& value) {
        json.key(key);
        value ? json.value(*value) : json.null();
    };
    bound("at_least", held.at_least);
    bound("at_most", held.at_most);
    json.end();
}

constexpr ane::compute_device devices[] = {ane::compute_device::engine, ane::compute_device::gpu,
                                           ane::compute_device::cpu};

void write_seconds(ane::json_writer& json, double seconds, double joules) {
    json.member("seconds", seconds);
    if (joules > 0) {
        json.member("joules", joules);
    } else {
        json.key("joules").null(); // not known
    }
}

} // namespace

std::string json_of(const ane::optimized& found, const std::optional<ane::rewrite_proof>& proof, ane::target t) {
    ane::json_writer json;
    json.object();
    json.member("target", ane::describe(t).runtime);
    json.member("apart", found.apart);
    json.member("refuted_before", found.refuted_before);
    json.member("refuted_after", found.refuted_after);
    json.member("error_before", found.error_before);
    json.member("error_after", found.error_after);
    json.member("before", found.before);
    json.member("after", found.after);
    json.key("steps").array();
    for (std::size_t i = 0; i < found.steps.size(); ++i) {
        const ane::rewrite_step& step = found.steps[i];
        json.object();
        json.member("rewrite", step.record().id);
        json.member("places", step.places);
        json.member("keeps", ane::name(step.record().kept));
        json.member("before", step.before);
        json.member("after", step.after);
        if (proof) {
            write_difference(json, "proof", proof->steps[i].difference, proof->steps[i].holds());
        }
        json.end();
    }
    json.end();
    if (proof) {
        write_difference(json, "proof", proof->whole, proof->holds());
    }
    json.end();
    return json.str();
}

std::string json_of(const ane::compression_plan& plan) {
    ane::json_writer json;
    json.object().member("target", plan.target).member("most_loss", plan.most_loss).member("ratio", plan.ratio());
    write_point(json, "before", plan.before);
    write_point(json, "after", plan.after);
    write_held_out(json, plan.held_out);
    json.key("weights").array();
    for (const ane::weight_choice& w : plan.weights) {
        const ane::stored_candidate& c = w.form();
        json.object().member("name", w.name).member("form", c.form ? ane::compress::form_text(*c.form) : "fp16");
        json.member("bytes", c.bytes).member("fp16_bytes", w.candidates.front().bytes);
        json.member("error_feedback", c.fed_back).member("weight_error", c.weight_error);
        json.member("output_error", c.output_error).end();
    }
    json.end().end();
    return json.str();
}

std::string json_of(const ane::device_plan& plan) {
    ane::json_writer json;
    json.object();
    json.member("target", plan.target);
    json.member("known_by", ane::name(plan.known_by));
    write_seconds(json, plan.seconds, plan.joules);
    json.key("segments").array();
    for (const ane::device_segment& s : plan.segments) {
        json.object().member("device", ane::name(s.on)).member("first", s.first + 1).member("last", s.last + 1);
        write_seconds(json, s.seconds, s.joules);
        json.end();
    }
    json.end();
    json.key("whole").object();
    for (const ane::compute_device d : devices) {
        const ane::device_total& whole = plan.on(d);
        json.key(ane::name(d));
        if (whole.possible) {
            json.object();
            write_seconds(json, whole.seconds, whole.joules);
            json.end();
        } else {
            json.null();
        }
    }
    json.end().end();
    return json.str();
}

std::string json_of(const ane::timeline& t, const std::vector<std::string>& names) {
    ane::json_writer json;
    json.object();
    json.member("target", t.target).member("known_by", ane::name(t.known_by)).member("seconds", t.seconds());
    json.member("calls_per_second", t.throughput()).member("utilisation", t.utilisation());
    json.member("mean_latency", t.mean_latency()).member("median_latency", t.latency(50));
    json.member("p99_latency", t.latency(99)).member("joules", t.joules);
    json.key("calls").array();
    for (const ane::served_request& s : t.requests) {
        json.object().member("program", names[static_cast<std::size_t>(s.program)]).member("arrival", s.arrival);
        json.member("start", s.start).member("engine", s.engine).member("engine_end", s.engine_end);
        json.member("end", s.end).member("cause", ane::name(s.cause)).end();
    }
    json.end().end();
    return json.str();
}

} // namespace app
