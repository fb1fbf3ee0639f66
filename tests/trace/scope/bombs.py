"""Patterns that take a backtracking matcher longer than anybody waits."""

BOMBS = (r"(\w+)+\$", r"(a+)+$", r"(a|a)*$", r"(.*a){20}$", r"(a*)*b", r"(x+x+)+y", r"^(([a-z])+.)+[A-Z]([a-z])+$")
