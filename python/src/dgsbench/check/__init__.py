"""A conformance suite for processes that speak the protocol: python -m dgsbench.check."""
