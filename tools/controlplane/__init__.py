"""The real Kubernetes control plane: etcd, kube-apiserver, kube-controller-manager and kubectl.

`locate()` finds binaries that are ready to run, `ensure()` builds them from their Go modules when
there are none. Starting them is the business of the environments, not of this package.
"""

from tools.controlplane.build import BuildFailed, ensure
from tools.controlplane.location import ControlPlane, ControlPlaneMissing, locate

__all__ = ["BuildFailed", "ControlPlane", "ControlPlaneMissing", "ensure", "locate"]
