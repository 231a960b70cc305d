#include "model.hpp"

#if defined(ANEMONE_COMPILED)
#error "this file is compiled without ANEMONE_COMPILED"
#endif

outcome run_header_only() { return run_shared_model(); }
