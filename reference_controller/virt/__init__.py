"""Stands in for KubeVirt's control plane: internal VM -> instance + launcher pod (seam)."""
