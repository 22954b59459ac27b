// Binding of what servers supply, of tests inside and among them, of the choice of their budgets.
#include "python/analysis/module.hpp"

void bind_servers(nb::module_ &m) { (void)m; }
