// Reads the property list of the first argument and writes it to the third, as xml or binary by the second: for
// tests/python/plist.py. A refusal goes to stderr.

#include <anemone/io/file.hpp>
#include <anemone/readers/plist.hpp>

#include <cstdio>
#include <string_view>

using namespace ane;

int main(int count, char** arguments) {
    if (count != 4) {
        return 2;
    }
    try {
        const formats::plist_value value = readers::load_plist(arguments[1]);
        const bool binary = std::string_view(arguments[2]) == "binary";
        write_file(arguments[3], binary ? formats::to_binary(value) : formats::to_xml(value));
    } catch (const error& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    return 0;
}
