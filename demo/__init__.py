"""Demo clusters: an API server that speaks the Kubernetes protocol, and what it serves."""
