#include "journal.hpp"

#include <algorithm>
#include <mutex>
#include <unistd.h>

namespace kit {

journal& journal::instance() {
    static journal only;
    return only;
}

void journal::say(line kind, std::string_view text) const {
    static std::mutex one_at_a_time; // runs may be made by a thread of the driver
    if (descriptor_ < 0) {
        return;
    }
    std::string whole(1, static_cast<char>(kind));
    whole.append(text);
    std::replace(whole.begin() + 1, whole.end(), '\n', ' ');
    whole += '\n';
    const std::lock_guard lock(one_at_a_time);
    for (std::size_t done = 0; done < whole.size();) {
        const ssize_t written = ::write(descriptor_, whole.data() + done, whole.size() - done);
        if (written <= 0) {
            ::_exit(3); // nobody listens any more
        }
        done += static_cast<std::size_t>(written);
    }
}

void journal::call(std::string_view name) const {
    if (!timing) {
        say(line::call, name);
    }
}
void journal::answer(std::int64_t status) const {
    if (!timing) {
        say(line::answer, std::to_string(status));
    }
}
void journal::refusal(std::string_view name, std::int64_t status) const {
    if (timing) {
        say(line::call, name);
    }
    say(line::answer, std::to_string(status));
}

} // namespace kit
