// The component that reads ONNX files, from outside.
#include <anemone/onnx/onnx.hpp>

int main() {
    try {
        ane::read_onnx({});
    } catch (const ane::unreadable& refused) {
        return refused.faults().size() == 1 ? 0 : 1;
    }
    return 1;
}
