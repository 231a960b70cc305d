#include "../anemone/rule_names.hpp"
#include "../anemone/target_names.hpp"
#include "../bindings/model.hpp"
#include "../bindings/plans.hpp"
#include "../bindings/session.hpp"
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
#include <tuple>
#include <vector>

/// anemone._native: models and programs as plain functions over strings and dense NumPy arrays. The classes that users see
/// are Python (anemone/*.py). The lock of the interpreter is given up wherever something is computed.
namespace {

namespace py = pybind11;
using bindings::element;
using bindings::model;
using bindings::plan;
using bindings::port;
using bindings::session;
using unlocked = py::call_guard<py::gil_scoped_release>;

py::dtype dtype_of(element type) { return py::dtype(bindings::name(type)); }

/// The element type of an array that anemone/arrays.py prepared.
element element_of(const py::array& a, const std::string& name) {
    const char kind = a.dtype().kind();
    for (const element type : {element::float16, element::int8, element::uint8, element::float32, element::float64}) {
        if (a.dtype().equal(dtype_of(type)) || (kind == 'b' && type == element::uint8)) {
            return type;
        }
    }
    throw ane::error(ane::errc::port, name, "has dtype " + std::string(py::str(a.dtype())));
}

std::vector<std::int64_t> shape_of(const py::array& a) { return {a.shape(), a.shape() + a.ndim()}; }

bindings::input_array input_of(const std::string& name, const py::array& a) {
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
bindings::output_array output_of(const port& p, py::array& a) {
    return {p.name,
            p.type,
            {static_cast<std::byte*>(a.mutable_data()), static_cast<std::size_t>(a.nbytes())},
            std::nullopt};
}

/// Arrays by name, which are kept while they are read.
struct named_arrays {
    std::vector<py::array> kept{};
    std::vector<bindings::input_array> inputs{};

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
    std::vector<bindings::output_array> outputs;
    for (const port& p : s.model().outputs()) {
        py::array made = made_for(p);
        outputs.push_back(output_of(p, made));
        answers[py::str(p.name)] = std::move(made);
    }
    const py::gil_scoped_release others_go_on;
    s.run(arrays.inputs, outputs);
    return answers;
}

py::array read_state(session& s, const std::string& name) {
    const std::vector<port>& all = s.model().states();
    const auto found = std::find_if(all.begin(), all.end(), [&](const port& each) { return each.name == name; });
    if (found == all.end()) {
        s.read_state({name, element::float16, {}, std::nullopt}); // says so
    }
    py::array made = made_for(*found);
    s.read_state(output_of(*found, made));
    return made;
}

py::list ports_of(const std::vector<port>& ports) {
    py::list all;
    for (const port& each : ports) {
        all.append(py::make_tuple(each.name, bindings::name(each.type), py::tuple(py::cast(each.shape))));
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

struct verdicts {
    std::string json;
    std::string text;
};

verdicts check(const model& m, const std::string& targets, const std::vector<std::string>& errors,
               const std::vector<std::string>& waived, const std::string& route) {
    const auto [found, observed] = m.check(targets, command::policy_named(errors, waived, route));
    return {found.json(m.path(), observed), found.str()};
}

struct estimate {
    std::string target, product;
    std::optional<double> seconds;
    std::int64_t flops, bytes;
    std::string bound;
    bool measured;
};

estimate cost(const model& m, const std::string& target) {
    const ane::cost c = m.cost(target);
    return {std::string(c.target),
            std::string(c.product),
            c.seconds,
            c.flops(),
            c.bytes,
            std::string(ane::name(c.limit)),
            c.roof && c.roof->known_by == ane::mark::measured};
}

using shared_model = std::shared_ptr<model>;
using range = std::tuple<std::string, double, double>;

plan optimized(const shared_model& of, const std::string& target, bool bits, bool values, bool errors, bool resident,
               bool prove, const std::vector<range>& ranges) {
    bindings::optimizing how{bits, values, errors, resident, prove, {}};
    for (const auto& [input, low, high] : ranges) {
        how.ranges.push_back({input, low, high});
    }
    return bindings::optimize(of, target, how);
}

plan compressed(const shared_model& of, const std::string& target, const py::dict& data, std::size_t random_runs,
                double most_loss, const std::string& goal, bool plain, const std::string& backend,
                const std::string& to) {
    const named_arrays arrays(data);
    const py::gil_scoped_release others_go_on;
    return bindings::compress(of, target, {most_loss, goal, to, backend, plain, arrays.inputs, random_runs});
}

plan placed(const shared_model& of, const std::string& target, const std::string& goal, std::int64_t batches) {
    return bindings::place(of, target, {goal, batches});
}

plan simulated(const std::vector<shared_model>& of, const std::string& target, int calls, double period, double idle,
               bool warm, const std::vector<int>& batches) {
    if (std::find(of.begin(), of.end(), nullptr) != of.end()) {
        throw py::type_error("a model is None");
    }
    return bindings::simulate({of.begin(), of.end()}, target, {calls, period, idle, warm, batches});
}

std::vector<std::string> targets_in(const std::string& text) {
    std::vector<std::string> names;
    for (const ane::target t : command::targets_named(text)) {
        names.emplace_back(ane::describe(t).runtime);
    }
    return names;
}

std::shared_ptr<model> opened(const py::bytes& path, const std::string& function, std::vector<std::string> shapes,
                              std::uint64_t memory, bool approximates) {
    const std::string name = path;
    const py::gil_scoped_release others_go_on;
    command::reading how;
    how.function = function;
    how.shapes = std::move(shapes);
    how.memory = memory;
    how.approximates = approximates;
    return std::make_shared<model>(name, how);
}

} // namespace

PYBIND11_MODULE(_native, m) {
    m.doc() = "The compiled part of anemone.";
    m.attr("version") = std::string(ane::version);
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            std::rethrow_exception(thrown);
        } catch (const ane::error& e) {
            throw_in_python(e);
        }
    });
    m.def("targets", &targets_in);
    py::class_<model, std::shared_ptr<model>>(m, "Model")
        .def(py::init(&opened))
        .def_property_readonly("inputs", [](const model& of) { return ports_of(of.inputs()); })
        .def_property_readonly("outputs", [](const model& of) { return ports_of(of.outputs()); })
        .def_property_readonly("states", [](const model& of) { return ports_of(of.states()); })
        .def_property_readonly("notes", &model::notes)
        .def("check",
             [](const model& of, const std::string& targets, const std::vector<std::string>& errors,
                const std::vector<std::string>& waived, const std::string& route) {
                 verdicts found;
                 {
                     const py::gil_scoped_release others_go_on;
                     found = check(of, targets, errors, waived, route);
                 }
                 return py::make_tuple(found.json, found.text);
             })
        .def("cost",
             [](const model& of, const std::string& target) {
                 const estimate c = cost(of, target);
                 return py::make_tuple(c.target, c.product, c.seconds, c.flops, c.bytes, c.bound, c.measured);
             })
        .def("draw", &model::drawing, unlocked())
        .def("optimize", &optimized, unlocked())
        .def("compress", &compressed)
        .def("place", &placed, unlocked())
        .def("convert", [](const model& of, const std::string& to, const py::bytes& folder) {
            const std::string name = folder;
            std::string written;
            {
                const py::gil_scoped_release others_go_on;
                written = of.convert(to, name);
            }
            return py::bytes(written);
        });
    m.def("simulate", &simulated, unlocked());
    py::class_<plan>(m, "Plan")
        .def_readonly("text", &plan::text)
        .def_readonly("json", &plan::json)
        .def(
            "draw", [](const plan& of) { return of.draw(); }, unlocked())
        .def("model", [](const plan& of) { return std::const_pointer_cast<model>(of.made); });
    py::class_<session>(m, "Session")
        .def(py::init([](const std::shared_ptr<model>& of, const std::string& backend) {
                 const py::gil_scoped_release others_go_on;
                 return std::make_unique<session>(of, backend);
             }),
             py::arg("model").none(false), py::arg("backend"))
        .def("run", &run)
        .def("read_state", &read_state)
        .def("write_state",
             [](session& s, const std::string& name, const py::array& value) { s.write_state(input_of(name, value)); })
        .def("reset", &session::reset);
}
