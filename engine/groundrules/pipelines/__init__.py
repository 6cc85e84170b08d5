"""The runs themselves: the only asynchronous code of the core. Effects go through ports; decisions are made below."""
