// Binding of the blocking that resource protocols cause.
#include "python/analysis/module.hpp"

void bind_blocking(nb::module_ &m) { (void)m; }
