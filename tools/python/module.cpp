#include "../app/check.hpp"
#include "../app/convert.hpp"
#include "../app/cost.hpp"
#include "../app/draw.hpp"
#include "../app/generate.hpp"
#include "../app/language.hpp"
#include "../app/plan.hpp"
#include "../app/precision.hpp"
#include "../app/session.hpp"
#include "../app/target_names.hpp"
#include "../app/train.hpp"
#include "options.hpp"
#include <anemone/base/cancellation.hpp>
#include <anemone/base/error.hpp>
#include <anemone/readers/unreadable.hpp>
#include <anemone/version.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// anemone._native: models and programs as plain functions over dictionaries of options and dense NumPy arrays. The classes
/// that users see are Python (anemone/*.py). The lock of the interpreter is given up wherever something is computed.
namespace {

namespace py = pybind11;
using ane::element_type;
using app::model;
using app::plan;
using app::port;
using app::session;
using python_module::caller;
using python_module::options_from;

/// What a signal's handler raised while something was computed, which then ends.
class interrupt {
public:
    /// Lets Python handle the signals that came. True where a handler raises, as that of Control-C does.
    static bool came() {
        const py::gil_scoped_acquire mine;
        if (PyErr_CheckSignals() == 0) {
            return false;
        }
        PyErr_Fetch(&type, &value, &trace);
        return true;
    }
    /// Raises it again. False where there is none.
    static bool raised() {
        if (type == nullptr) {
            return false;
        }
        PyErr_Restore(type, value, trace);
        type = value = trace = nullptr;
        return true;
    }
    /// Of a call that ended well all the same.
    static void raise_later() {
        if (raised()) {
            PyErr_Clear();
            PyErr_SetInterrupt();
        }
    }

private:
    // Of one thread, for others handle no signals.
    static inline PyObject* type = nullptr;  // NOLINT
    static inline PyObject* value = nullptr; // NOLINT
    static inline PyObject* trace = nullptr; // NOLINT
};

/// While something is computed: other threads of Python go on, and a signal ends it whose handler raises.
class computing {
public:
    computing() : wish_(PyThread_get_thread_ident() == main_thread() ? &interrupt::came : nullptr) {}
    computing(const computing&) = delete;
    computing& operator=(const computing&) = delete;
    ~computing() {
        others_.reset();
        if (std::uncaught_exceptions() == exceptions_) {
            interrupt::raise_later();
        }
    }

    static unsigned long& main_thread() {
        static unsigned long ident = 0;
        return ident;
    }

private:
    int exceptions_ = std::uncaught_exceptions();
    ane::cancellation wish_;
    ane::cancellable calls_{wish_};
    std::optional<py::gil_scoped_release> others_{std::in_place};
};

using unlocked = py::call_guard<computing>;

py::dtype dtype_of(element_type type) { return py::dtype(app::name(type)); }

/// The element type of an array that anemone/arrays.py prepared.
element_type element_of(const py::array& a, const std::string& name) {
    const char kind = a.dtype().kind();
    for (const element_type type :
         {element_type::f16, element_type::int8, element_type::uint8, element_type::f32, element_type::f64}) {
        if (a.dtype().equal(dtype_of(type)) || (kind == 'b' && type == element_type::uint8)) {
            return type;
        }
    }
    throw ane::error(ane::errc::port, name, "has dtype " + std::string(py::str(a.dtype())));
}

std::vector<std::int64_t> shape_of(const py::array& a) { return {a.shape(), a.shape() + a.ndim()}; }

app::input_array input_of(const std::string& name, const py::array& a) {
    if ((a.flags() & py::array::c_style) == 0) {
        throw ane::error(ane::errc::port, name, "is not in C order");
    }
    return {name,
            element_of(a, name),
            {static_cast<const std::byte*>(a.data()), static_cast<std::size_t>(a.nbytes())},
            shape_of(a)};
}

py::array made_for(const port& p) {
    return {dtype_of(p.type), std::vector<py::ssize_t>(p.shape.begin(), p.shape.end())};
}
app::output_array output_of(const port& p, py::array& a) {
    return {p.name,
            p.type,
            {static_cast<std::byte*>(a.mutable_data()), static_cast<std::size_t>(a.nbytes())},
            std::nullopt};
}

/// Arrays by name, which are kept while they are read.
struct named_arrays {
    std::vector<py::array> kept{};
    std::vector<app::input_array> inputs{};

    explicit named_arrays(const py::dict& given) {
        for (const auto& [name, value] : given) {
            kept.push_back(py::cast<py::array>(value));
            inputs.push_back(input_of(py::cast<std::string>(name), kept.back()));
        }
    }
};

py::dict run(session& s, const py::dict& given) {
    const named_arrays arrays(given);
    py::dict answers;
    std::vector<app::output_array> outputs;
    for (const port& p : s.ports().outputs) {
        py::array made = made_for(p);
        outputs.push_back(output_of(p, made));
        answers[py::str(p.name)] = std::move(made);
    }
    const computing others_go_on;
    s.run(arrays.inputs, outputs);
    return answers;
}

py::array read_state(session& s, const std::string& name) {
    const std::vector<port>& all = s.ports().states;
    const auto found = std::find_if(all.begin(), all.end(), [&](const port& each) { return each.name == name; });
    if (found == all.end()) {
        s.read_state({name, element_type::f16, {}, std::nullopt}); // says so
    }
    py::array made = made_for(*found);
    s.read_state(output_of(*found, made));
    return made;
}

py::list ports_of(const std::vector<port>& ports) {
    py::list all;
    for (const port& each : ports) {
        all.append(py::make_tuple(each.name, app::name(each.type), py::tuple(py::cast(each.shape))));
    }
    return all;
}

/// What anemone.Error is made of: kind, subject, the whole sentence, and the faults of a file.
void throw_in_python(const ane::error& e) {
    py::list faults;
    if (const auto* const refused = dynamic_cast<const ane::unreadable*>(&e)) {
        for (const ane::read_fault& each : refused->faults()) {
            faults.append(py::make_tuple(each.where, each.line, each.column, each.operation, each.reason));
        }
    }
    const py::object type = py::module_::import("anemone.errors").attr("Error");
    const auto text = [](const std::string& of) { // of a file: it may be anything
        return py::reinterpret_steal<py::object>(
            PyUnicode_DecodeUTF8(of.data(), static_cast<Py_ssize_t>(of.size()), "backslashreplace"));
    };
    PyErr_SetObject(type.ptr(), type(ane::name(e.code()), text(e.subject()), text(e.what()), faults).ptr());
}

py::tuple check(const model& of, const py::dict& given) {
    const auto options = options_from<app::check_options>(given);
    std::string json;
    std::string text;
    {
        const computing others_go_on;
        const app::judgement found = app::check(of, options, caller);
        json = found.verdicts.json(of.path(), found.observed);
        text = found.verdicts.str();
    }
    return py::make_tuple(json, text);
}

py::list cost(const model& of, const py::dict& given) {
    const auto options = options_from<app::cost_options>(given);
    const app::estimates found = [&] {
        const computing others_go_on;
        return app::cost(of, options, caller);
    }();
    py::list rows;
    for (const auto& [target, c] : found.rows) {
        rows.append(py::make_tuple(std::string(c.target), std::string(c.product), c.seconds, c.flops(), c.bytes,
                                   std::string(ane::name(c.limit)), c.roof && c.roof->known_by == ane::mark::measured,
                                   c.seconds ? py::cast(c.joules) : py::none(),
                                   c.seconds ? py::cast(c.engine_joules) : py::none()));
    }
    return rows;
}

std::string draw(const model& of, const std::string& title, const py::dict& given) {
    const auto options = options_from<app::draw_options>(given);
    const computing others_go_on;
    return app::draw(of, title, options, caller);
}

plan optimize(const model& of, const py::dict& given) {
    const auto options = options_from<app::optimize_options>(given);
    const computing others_go_on;
    return app::plan_of(app::optimize(of, options, caller));
}

plan compress(const model& of, const py::dict& given, const py::dict& data) {
    const auto options = options_from<app::compress_options>(given);
    const named_arrays arrays(data);
    const computing others_go_on;
    ane::model_samples samples;
    app::add_runs(samples, of.ports().inputs, arrays.inputs, "data");
    return app::plan_of(app::compress(of, options, std::move(samples), caller));
}

app::trained train(const model& of, const py::dict& given, const py::dict& data, const py::dict& validation) {
    const auto options = options_from<app::train_options>(given);
    const named_arrays arrays(data);
    const named_arrays held_out(validation);
    const computing others_go_on;
    return app::train(of, options, arrays.inputs, held_out.inputs, caller);
}

plan diff(const model& of, const py::dict& given, const py::dict& data) {
    const auto options = options_from<app::layer_error_options>(given);
    const named_arrays arrays(data);
    const computing others_go_on;
    ane::model_samples samples;
    app::add_runs(samples, of.ports().inputs, arrays.inputs, "data");
    return app::plan_of(app::compare_layers(of, options, std::move(samples), 0, caller));
}

plan place(const model& of, const py::dict& given) {
    const auto options = options_from<app::placement_options>(given);
    const computing others_go_on;
    return app::plan_of(of, options, caller);
}

plan simulate(const std::vector<std::shared_ptr<model>>& of, const py::dict& given) {
    if (std::find(of.begin(), of.end(), nullptr) != of.end()) {
        throw py::type_error("a model is None");
    }
    const auto options = options_from<app::timeline_options>(given);
    const computing others_go_on;
    return app::plan_of({of.begin(), of.end()}, options, caller);
}

std::string convert(const model& of, const std::string& folder, const py::dict& given) {
    const auto options = options_from<app::convert_options>(given);
    const computing others_go_on;
    return app::convert(of, options, folder, caller);
}

std::shared_ptr<model> opened(const py::bytes& path, const py::dict& given) {
    const std::string name = path;
    const auto options = options_from<app::reading_options>(given);
    const computing others_go_on;
    return std::make_shared<model>(name, options, caller);
}

std::unique_ptr<session> compiled(const model& of, const py::dict& given) {
    const auto options = options_from<app::compile_options>(given);
    const computing others_go_on;
    return std::make_unique<session>(of, options, caller);
}

std::shared_ptr<app::language_model> opened_to_decode(const py::bytes& path, const py::dict& given) {
    const std::string name = path;
    const auto options = options_from<app::decoding_options>(given);
    const computing others_go_on;
    return std::make_shared<app::language_model>(name, options, caller);
}

std::unique_ptr<app::generating> generate(const std::shared_ptr<app::language_model>& by,
                                          const std::vector<ane::token_id>& prompt, const py::dict& given) {
    const auto options = options_from<app::generate_options>(given);
    return std::make_unique<app::generating>(by, prompt, options, caller);
}

py::tuple measured(const py::bytes& path, const std::vector<std::vector<ane::token_id>>& texts, const py::dict& given) {
    const std::string name = path;
    const auto options = options_from<app::precision_options>(given);
    std::string text;
    std::string json;
    {
        const computing others_go_on;
        const app::measured_precision found = app::measure_precision(name, texts, options, caller);
        text = app::text(found);
        json = app::json(found);
    }
    return py::make_tuple(text, json);
}

std::string decoding_cost(const py::bytes& path, const py::dict& costing, const py::dict& read) {
    const std::string name = path;
    const auto how = options_from<app::cost_options>(costing);
    const auto reading = options_from<app::reading_options>(read);
    const computing others_go_on;
    return app::json(app::cost_of_decoding(name, reading, how, caller));
}

std::vector<std::string> targets_in(const std::string& text) {
    std::vector<std::string> names;
    for (const ane::target t : app::targets_named(text)) {
        names.emplace_back(ane::describe(t).runtime);
    }
    return names;
}

} // namespace

PYBIND11_MODULE(_native, m) {
    m.doc() = "The compiled part of anemone.";
    computing::main_thread() =
        py::cast<unsigned long>(py::module_::import("threading").attr("main_thread")().attr("ident"));
    m.attr("version") = std::string(ane::version);
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            std::rethrow_exception(thrown);
        } catch (const ane::cancelled&) {
            if (!interrupt::raised()) {
                PyErr_SetNone(PyExc_KeyboardInterrupt);
            }
        } catch (const ane::error& e) {
            if (!interrupt::raised()) {
                throw_in_python(e);
            }
        }
    });
    m.def("targets", &targets_in);
    m.def("precision", &measured);
    m.def("decoding_cost", &decoding_cost);
    py::class_<model, std::shared_ptr<model>>(m, "Model")
        .def(py::init(&opened))
        .def_property_readonly("inputs", [](const model& of) { return ports_of(of.ports().inputs); })
        .def_property_readonly("outputs", [](const model& of) { return ports_of(of.ports().outputs); })
        .def_property_readonly("states", [](const model& of) { return ports_of(of.ports().states); })
        .def_property_readonly("notes", &model::notes)
        .def("check", &check)
        .def("cost", &cost)
        .def("draw", &draw)
        .def("optimize", &optimize)
        .def("compress", &compress)
        .def("diff", &diff)
        .def("train", &train)
        .def("place", &place)
        .def("convert", [](const model& of, const py::bytes& folder, const py::dict& options) {
            return py::bytes(convert(of, folder, options));
        });
    m.def("simulate", &simulate);
    py::class_<plan>(m, "Plan")
        .def_readonly("text", &plan::text)
        .def_readonly("json", &plan::json)
        .def(
            "draw", [](const plan& of) { return app::drawing(of); }, unlocked())
        .def("model", [](const plan& of) {
            const model* const made = app::made(of);
            return made == nullptr ? nullptr : std::make_shared<model>(*made);
        });
    py::class_<app::trained>(m, "Trained")
        .def_property_readonly("text", [](const app::trained& t) { return app::text(t); })
        .def_property_readonly("json", [](const app::trained& t) { return app::json(t); })
        .def_property_readonly("csv", [](const app::trained& t) { return app::csv(t); })
        .def(
            "draw", [](const app::trained& t) { return app::drawing(t); }, unlocked())
        .def("model", [](const app::trained& t) { return std::make_shared<model>(t.made); });
    py::class_<app::language_model, std::shared_ptr<app::language_model>>(m, "LanguageModel")
        .def(py::init(&opened_to_decode))
        .def_property_readonly("vocabulary", &app::language_model::vocabulary)
        .def_property_readonly("notes", &app::language_model::notes)
        .def("tokens_of",
             [](const app::language_model& of, const std::string& text) { return of.texts().tokens_of(text); })
        .def("text_of",
             [](const app::language_model& of, const std::vector<ane::token_id>& tokens) {
                 return py::reinterpret_steal<py::object>([&] {
                     const std::string text = of.texts().text_of(tokens);
                     return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
                 }());
             })
        .def("generate", &generate);
    py::class_<app::generating>(m, "Generating")
        .def("next", &app::generating::next, unlocked())
        .def_property_readonly("json", [](const app::generating& g) { return app::json(g); });
    py::class_<session>(m, "Session")
        .def(py::init(&compiled), py::arg("model").none(false), py::arg("options"))
        .def("run", &run)
        .def("read_state", &read_state)
        .def("write_state",
             [](session& s, const std::string& name, const py::array& value) { s.write_state(input_of(name, value)); })
        .def("reset", &session::reset);
}
