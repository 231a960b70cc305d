#include "requests.hpp"

namespace command {

std::vector<ane::request> requests_of(int programs, int calls, double period) {
    std::vector<ane::request> list;
    for (int call = 0; call < calls; ++call) {
        for (int program = 0; program < programs; ++program) {
            if (period > 0) {
                list.push_back({program, call * period});
            } else {
                list.push_back({program, 0, call > 0 ? static_cast<int>(list.size()) - programs : -1});
            }
        }
    }
    return list;
}

} // namespace command
