#pragma once

// The messages of ONNX as it is packaged: with -DONNX_ML=1, which the target anemone::onnx_proto brings along.
#include <onnx/onnx_pb.h>
