"""Stands in for the SDN module's control plane: readiness of networks, pools, addresses, leases."""
