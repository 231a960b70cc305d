#include "written_model.hpp"

#include "output_path.hpp"
#include "progress.hpp"
#include "terminal_text.hpp"

#include <utility>

namespace command {

void add_written(CLI::App& sub, written_form& written, const std::string& text) {
    sub.add_option("-o,--output", written.path, text);
    auto to = app::row_of(&app::convert_options::to);
    to.is.is_required = false;
    const detail::option_adder<app::convert_options> add(sub, written.how, {});
    add(to);
    add(app::row_of(&app::convert_options::force));
}

void require_apart(const written_form& written, const std::string& model) {
    if (written.path.empty()) {
        return;
    }
    if (written.how.to == app::model_format::cpp) {
        require_output(written.path, std::span(&model, 1));
        require_output(app::weights_beside(written.path), std::span(&model, 1));
        return;
    }
    require_writable_folder(written.path);
    require_apart(written.path, model, written.how.to == app::model_format::mlpackage);
    for (const char* const inside : {"model.mil", "net.plist"}) {
        require_other_file(written.path + "/" + inside, std::span(&model, 1));
    }
}

void require_apart(const written_form& written, const app::model& model) {
    if (!written.path.empty()) {
        app::require_unread(model, written.how, written.path, user());
    }
}

std::string write(app::model of, const written_form& written) {
    if (written.path.empty()) {
        return "";
    }
    const std::string path = app::convert(std::move(of), written.how, written.path, user());
    return one_line(path) + "\n" +
           (written.how.to == app::model_format::cpp ? one_line(app::weights_beside(path)) + "\n" : "");
}

} // namespace command
