"""The files of a project: strict YAML, the project file, cards and suites."""
