#pragma once

#include "../app/option_faults.hpp"
#include "../app/promises.hpp"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// Python's keywords as options of use cases: by their tables.
namespace python_module {

namespace py = pybind11;

constexpr app::caller caller{app::front_end::python, nullptr};

namespace detail {

/// A number of Python, which may be larger than any of ours. Throws `TypeError` for anything else.
template <class Of, class Value>
typename app::limits<Value>::number number_in(const app::option<Of, Value>& row, const py::handle& given) {
    using number = typename app::limits<Value>::number;
    if constexpr (std::is_integral_v<number>) {
        const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(given.ptr()));
        if (!index) {
            throw py::error_already_set();
        }
        try {
            return py::cast<number>(index);
        } catch (const py::cast_error&) {
            app::refuse_number(row.is, app::front_end::python, py::cast<std::string>(py::str(index)),
                               app::allowed_in(row, app::front_end::python));
        }
    } else {
        const double value = PyFloat_AsDouble(given.ptr());
        if (PyErr_Occurred() != nullptr) {
            throw py::error_already_set();
        }
        return value;
    }
}

template <class Value> Value as(const app::description& option, const py::handle& given) {
    try {
        return py::cast<Value>(given);
    } catch (const py::cast_error&) {
        throw py::type_error(std::string(option.name) + " cannot be " + py::cast<std::string>(py::repr(given)));
    }
}

inline std::vector<app::input_range> ranges_in(const app::description& option, const py::handle& given) {
    std::vector<app::input_range> ranges;
    if (!given.is_none()) {
        for (const auto& [input, range] : as<py::dict>(option, given)) {
            const auto [low, high] = as<std::pair<double, double>>(option, range);
            ranges.push_back({as<std::string>(option, input), ane::within(low, high)});
        }
    }
    return ranges;
}

template <class Of, class Value> void take(const app::option<Of, Value>& row, const py::handle& given, Of& options) {
    Value& to = options.*row.member;
    if constexpr (app::is_number<Value>) {
        const auto value = number_in(row, given);
        if (std::is_same_v<Value, typename app::limits<Value>::number> || value != 0) {
            to = value;
        }
    } else if constexpr (std::is_enum_v<Value>) {
        to = app::value_named(row, as<std::string>(row.is, given), app::front_end::python);
    } else if constexpr (std::is_same_v<Value, bool>) {
        const int truth = PyObject_IsTrue(given.ptr());
        if (truth < 0) {
            throw py::error_already_set();
        }
        to = truth != 0;
    } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
        to = py::isinstance<py::str>(given) ? Value{as<std::string>(row.is, given)} : as<Value>(row.is, given);
    } else if constexpr (std::is_same_v<Value, std::vector<app::input_range>>) {
        to = ranges_in(row.is, given);
    } else {
        to = as<Value>(row.is, given);
    }
}

} // namespace detail

/// The options of a dictionary; the defaults for those that are not in it. Throws `ane::error` (errc::argument) for words
/// and numbers that are none, `TypeError` for values of another kind and for names that are no options.
template <class Options> Options options_from(const py::dict& given) {
    Options options;
    std::size_t known = 0;
    app::each_option<Options>([&](const auto& row) {
        if constexpr (requires { row.member; }) {
            const py::str name{row.is.name_in(app::front_end::python).data(),
                               row.is.name_in(app::front_end::python).size()};
            if (row.is.is_in(app::front_end::python) && given.contains(name)) {
                ++known;
                detail::take(row, given[name], options);
            }
        }
    });
    if (known != given.size()) {
        throw py::type_error(std::string(Options::table().place.python) +
                             " has no such options: " + py::cast<std::string>(py::repr(given)));
    }
    return options;
}

} // namespace python_module
