"""The process around virt's plan: what it watches, and how it gathers a world."""
