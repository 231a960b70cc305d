#pragma once

#include <cstdio>
#include <exception>
#include <filesystem>

/// The main function of a tool that writes files into the folder that is its one argument.
template <class Write> int into_folder(int count, char** arguments, const Write& write) {
    if (count != 2) {
        std::fprintf(stderr, "usage: %s <folder>\n", arguments[0]);
        return 2;
    }
    try {
        write(std::filesystem::path(arguments[1]));
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    return 0;
}
