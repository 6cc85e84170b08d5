"""Owns the closed word lists, English and Chinese, that excerpts are read with.

Only words whose loss or gain changes what a sentence says (negations, conditions, units, states), and the few whose
loss changes nothing (articles, copulas), are listed. Invariant: every word is in its folded, caseless form.
"""

from __future__ import annotations

DURATIONS_S = {
    "ns": "1e-9", "nanoseconds": "1e-9", "us": "1e-6", "µs": "1e-6", "μs": "1e-6", "微秒": "1e-6", "microseconds": "1e-6",
    "ms": "0.001", "msec": "0.001", "millis": "0.001", "millisecond": "0.001", "milliseconds": "0.001", "毫秒": "0.001",
    "s": "1", "sec": "1", "secs": "1", "second": "1", "seconds": "1", "秒": "1", "秒钟": "1",
    "m": "60", "min": "60", "mins": "60", "minute": "60", "minutes": "60", "分钟": "60",
    "h": "3600", "hr": "3600", "hrs": "3600", "hour": "3600", "hours": "3600", "小时": "3600", "个小时": "3600",
    "d": "86400", "day": "86400", "days": "86400", "天": "86400", "w": "604800", "week": "604800", "weeks": "604800", "周": "604800",
}  # fmt: skip
"""Units of time and how many seconds each has."""

MAGNITUDES = {"k": "1000", "千": "1000", "万": "10000", "百万": "1000000", "亿": "100000000", "百": "100"}

OTHER_UNITS = {
    "%": "%", "percent": "%", "pct": "%", "‰": "‰", "°c": "°c", "°f": "°f", "x": "x", "倍": "x",
    "b": "b", "byte": "b", "bytes": "b", "字节": "b", "bit": "bit", "bits": "bit",
    "kb": "kb", "mb": "mb", "gb": "gb", "tb": "tb", "pb": "pb", "兆": "mb", "兆字节": "mb",
    "kib": "kib", "mib": "mib", "gib": "gib", "tib": "tib", "ki": "kib", "mi": "mib", "gi": "gib", "ti": "tib",
    "kbps": "kbps", "mbps": "mbps", "gbps": "gbps", "kb/s": "kb/s", "mb/s": "mb/s", "gb/s": "gb/s", "kib/s": "kib/s", "mib/s": "mib/s",
    "bps": "bps", "qps": "qps", "rps": "rps", "tps": "tps", "iops": "iops", "req/s": "rps", "ops/s": "ops/s", "/s": "/s",
    "hz": "hz", "khz": "khz", "mhz": "mhz", "ghz": "ghz", "core": "core", "cores": "core", "vcpu": "core", "核": "core",
    "g": "g", "t": "t", "元": "cny", "美元": "usd", "usd": "usd", "cny": "cny", "rmb": "cny", "eur": "eur", "rpm": "rpm",
}  # fmt: skip
"""Other units, each with the name it is compared under."""

DATE_UNITS = {"年": "year", "月": "month", "日": "day", "号": "day", "点": "hour", "时": "hour", "分": "minute"}

CASED_UNITS = frozenset(("m", "b", "kb", "mb", "gb", "tb", "kbps", "mbps", "gbps"))
"""Units that another case makes another unit: milli and mega, bit and byte."""

UNITS = frozenset((*DURATIONS_S, *MAGNITUDES, *OTHER_UNITS, *DATE_UNITS))

SPACED_UNITS = UNITS - {
    "m",
    "d",
    "b",
    "w",
    "x",
    "g",
    "t",
    "k",
    "/s",
    "点",
    "时",
    "分",
    "core",
    "usd",
    "cny",
    "rmb",
    "eur",
}
"""Units that are still read as such after a space; a lone letter there may be anything."""

CJK_UNITS = tuple(sorted((unit for unit in UNITS if not unit.isascii() and unit[0] > "⺀"), key=len, reverse=True))

CURRENCIES = {"$": "usd", "¥": "cny", "€": "eur", "£": "gbp"}

CJK_NUMERALS = frozenset("零〇一二两三四五六七八九十百千万亿")

MONTHS = {
    name: number
    for number, names in enumerate(
        ("jan january", "feb february", "mar march", "apr april", "may", "jun june", "jul july", "aug august",
         "sep sept september", "oct october", "nov november", "dec december"), 1)
    for name in names.split()
}  # fmt: skip

NEGATIONS = frozenset(
    [
        "no",
        "not",
        "non",
        "never",
        "none",
        "neither",
        "nor",
        "without",
        "cannot",
        "cant",
        "lacks",
        "lacking",
        "except",
        "nothing",
        "nobody",
        "nowhere",
        "hardly",
        "barely",
        "!",
        "!=",
        "!~",
        "≠",
        "unless",
    ]
)

NEGATIONS_BEFORE = {
    "to": frozenset(
        [
            "failed",
            "fails",
            "fail",
            "failing",
            "failure",
            "unable",
            "refused",
            "refuses",
            "declined",
            "inability",
            "stopped",
        ]
    ),
    "of": frozenset(["instead", "lack", "absence"]),
    "than": frozenset(["rather", "other"]),
}
"""Words that deny what follows when the key stands after them: failed to, instead of, rather than."""

CJK_NEGATIONS = frozenset("不未没沒无無非否勿莫")

CJK_NOT_NEGATIONS = frozenset(
    ("非常", "不过", "不仅", "不但", "不断", "不久", "未来", "无论", "否则", "无线", "不同", "无比", "不止")
)

CONDITIONS = frozenset(
    [
        "if",
        "whether",
        "may",
        "might",
        "could",
        "possibly",
        "perhaps",
        "maybe",
        "probably",
        "would",
        "should",
        "suspected",
        "potentially",
        "almost",
        "nearly",
    ]
)

CJK_CONDITIONS = (
    "如果",
    "假如",
    "倘若",
    "可能",
    "也许",
    "或许",
    "疑似",
    "怀疑",
    "是否",
    "应该",
    "应当",
    "即将",
    "险些",
    "若",
)

DENIED_AFTER = frozenset(["false", "failed", "fails", "failure", "failing", "refused", "denied", "aborted", "rejected"])

CJK_DENIED_AFTER = ("失败", "未遂", "被拒")

SCOPE_ENDS = frozenset(
    ["but", "however", "because", "while", "although", "though", "since", "yet", "但", "而", "却", "仍"]
)
"""Words after which a negation before them no longer holds."""

FALSE_VALUES = frozenset(
    [
        "false",
        "no",
        "none",
        "never",
        "null",
        "nil",
        "0",
        "off",
        "disabled",
        "unavailable",
        "absent",
        "否",
        "无",
        "假",
        "关",
    ]
)

OTHER_KEY = frozenset(
    [
        "last",
        "previous",
        "prev",
        "former",
        "old",
        "expected",
        "desired",
        "max",
        "maximum",
        "min",
        "minimum",
        "target",
        "upper",
        "lower",
        "initial",
        "original",
    ]
)
"""Words that make another key of the key they stand before: Last State is not State."""

CJK_OTHER_KEY = ("上次", "上一次", "之前", "此前", "历史", "预期", "期望", "最大", "最小", "原")

ADDABLE = frozenset(["a", "an", "the", "is", "are", "的", "是", "为"])
"""Words that an excerpt may add without saying anything new."""

SKIPPABLE = ADDABLE | frozenset(
    ["be", "been", "has", "have", "of", "at", "that", "which", "了", "于", "已", "该", "其", "在"]
)
"""Words that an excerpt may leave out without saying anything else."""

LEVELS = frozenset(
    [
        "error",
        "warn",
        "warning",
        "info",
        "debug",
        "fatal",
        "critical",
        "crit",
        "trace",
        "notice",
        "alert",
        "emerg",
        "severe",
        "panic",
    ]
)

ALERT_STATES = frozenset(["firing", "resolved", "suppressed", "inactive"])

STATES = (
    LEVELS
    | ALERT_STATES
    | frozenset(
        [
            "pending",
            "running",
            "failed",
            "succeeded",
            "unknown",
            "terminating",
            "terminated",
            "waiting",
            "ready",
            "notready",
            "evicted",
            "completed",
            "active",
            "unhealthy",
            "healthy",
            "up",
            "down",
            "open",
            "closed",
            "success",
            "failure",
            "ok",
            "timeout",
            "degraded",
            "crashloopbackoff",
            "oomkilled",
            "imagepullbackoff",
            "errimagepull",
            "unschedulable",
            "normal",
            "blocked",
            "runnable",
            "idle",
            "stopped",
            "started",
            "enabled",
            "disabled",
            "true",
            "false",
        ]
    )
)

PLAIN_HEADS = frozenset(
    [
        "non",
        "re",
        "pre",
        "post",
        "self",
        "multi",
        "long",
        "short",
        "high",
        "low",
        "real",
        "up",
        "out",
        "read",
        "write",
        "time",
        "follow",
        "root",
        "end",
        "day",
        "well",
        "ill",
        "back",
        "on",
        "off",
        "in",
        "single",
        "double",
        "two",
        "three",
        "four",
        "one",
        "first",
        "second",
        "third",
        "cross",
        "over",
        "under",
        "sub",
        "co",
        "ex",
        "mid",
        "near",
        "so",
        "built",
        "step",
        "point",
        "face",
        "all",
        "ever",
        "far",
        "full",
        "half",
        "hard",
        "soft",
        "open",
        "closed",
        "fail",
        "load",
        "rate",
        "best",
        "worst",
        "case",
        "log",
        "error",
        "rolling",
        "auto",
        "round",
        "top",
        "bottom",
        "left",
        "right",
        "cloud",
        "user",
        "data",
        "state",
        "run",
        "hand",
        "fine",
        "large",
        "small",
        "old",
        "new",
        "slow",
        "fast",
        "per",
        "cost",
        "trade",
        "check",
        "by",
        "must",
        "still",
        "right",
        "work",
    ]
)
"""First parts of ordinary hyphenated English words (read-only, long-running), as opposed to names (payment-service)."""

NAME_TAILS = frozenset(
    [
        "service",
        "svc",
        "api",
        "db",
        "gateway",
        "worker",
        "server",
        "client",
        "proxy",
        "cache",
        "queue",
        "job",
        "pod",
        "node",
        "cluster",
        "prod",
        "staging",
        "stage",
        "dev",
        "test",
        "app",
        "web",
        "backend",
        "frontend",
        "manager",
        "controller",
        "operator",
        "consumer",
        "producer",
        "scheduler",
        "agent",
        "core",
        "center",
        "portal",
        "store",
        "broker",
        "master",
        "replica",
        "primary",
        "canary",
        "system",
        "namespace",
        "ns",
        "router",
        "topic",
        "group",
        "logs",
        "log",
        "metrics",
        "exporter",
        "sync",
        "pool",
    ]
)

ORDINARY = frozenset(["k8s", "ipv4", "ipv6", "utf-8", "utf8", "http/2", "http/1.1", "base64", "x86", "and/or", "i/o", "tcp/ip", "e.g", "i.e", "a.m", "p.m", "vs", "etc", "n/a", "ci/cd", "24/7"])  # fmt: skip
"""Words of the trade that look like names and name nothing."""
