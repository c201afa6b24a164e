"""Programs that try the drivers in namespaces of their own and print what they saw as JSON."""
