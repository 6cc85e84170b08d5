"""Configuration into runnable objects: the only place that names concrete adapters."""
