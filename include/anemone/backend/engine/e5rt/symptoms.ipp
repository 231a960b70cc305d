#pragma once

#include "symptoms.hpp"

namespace ane::e5rt::inline ANEMONE_WAY {

ANEMONE_BODY std::string hint_for(std::string_view step) {
    std::string text;
    for (const symptom& known : symptoms) {
        if (known.step != step)
            continue;
        text += "\n  ";
        if (!known.text.empty())
            text.append("if the log says '").append(known.text).append("': ");
        text.append(known.cause).append(" -> ").append(known.action);
    }
    return text;
}

} // namespace ane::e5rt::inline ANEMONE_WAY
