"""The node agent: what kubelet, virt-handler, virt-launcher and SDN's node part do for one node."""
