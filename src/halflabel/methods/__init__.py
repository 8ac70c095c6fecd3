"""Everything with ``fit``: the published methods, their comparison methods, the ensemble and the imputers."""
