"""Owns the closed word lists, English and Chinese, that excerpts are read with.

Only words whose loss or gain changes what a sentence says (negations, conditions, units, states), and the few whose
loss changes nothing (articles, copulas), are listed. Invariant: every word is in its folded, caseless form.
"""

from __future__ import annotations


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


DURATIONS_S = {
    "ns": "1e-9", "nanoseconds": "1e-9", "us": "1e-6", "µs": "1e-6", "μs": "1e-6", "微秒": "1e-6",
    "microseconds": "1e-6", "ms": "0.001", "msec": "0.001", "millis": "0.001", "millisecond": "0.001",
    "milliseconds": "0.001", "毫秒": "0.001", "s": "1", "sec": "1", "secs": "1", "second": "1", "seconds": "1",
    "秒": "1", "秒钟": "1", "m": "60", "min": "60", "mins": "60", "minute": "60", "minutes": "60", "分钟": "60",
    "h": "3600", "hr": "3600", "hrs": "3600", "hour": "3600", "hours": "3600", "小时": "3600", "个小时": "3600",
    "d": "86400", "day": "86400", "days": "86400", "天": "86400", "w": "604800", "week": "604800",
    "weeks": "604800", "周": "604800",
}  # fmt: skip
"""Units of time and how many seconds each has."""

MAGNITUDES = {
    "k": "1000", "千": "1000", "万": "10000", "百万": "1000000", "亿": "100000000", "百": "100",
}  # fmt: skip

OTHER_UNITS = {
    "%": "%", "percent": "%", "pct": "%", "‰": "‰", "°c": "°c", "°f": "°f", "x": "x", "倍": "x", "b": "b",
    "byte": "b", "bytes": "b", "字节": "b", "bit": "bit", "bits": "bit", "kb": "kb", "mb": "mb", "gb": "gb",
    "tb": "tb", "pb": "pb", "兆": "mb", "兆字节": "mb", "kib": "kib", "mib": "mib", "gib": "gib", "tib": "tib",
    "ki": "kib", "mi": "mib", "gi": "gib", "ti": "tib", "kbps": "kbps", "mbps": "mbps", "gbps": "gbps",
    "kb/s": "kb/s", "mb/s": "mb/s", "gb/s": "gb/s", "kib/s": "kib/s", "mib/s": "mib/s", "bps": "bps",
    "qps": "qps", "rps": "rps", "tps": "tps", "iops": "iops", "req/s": "rps", "ops/s": "ops/s", "/s": "/s",
    "hz": "hz", "khz": "khz", "mhz": "mhz", "ghz": "ghz", "core": "core", "cores": "core", "vcpu": "core",
    "核": "core", "g": "g", "t": "t", "元": "cny", "美元": "usd", "usd": "usd", "cny": "cny", "rmb": "cny",
    "eur": "eur", "rpm": "rpm",
}  # fmt: skip
"""Other units, each with the name it is compared under."""

DATE_UNITS = {
    "年": "year", "月": "month", "日": "day", "号": "day", "点": "hour", "时": "hour", "分": "minute",
}  # fmt: skip

CASED_UNITS = _words("b gb gbps kb kbps m mb mbps tb")
"""Units that another case makes another unit: milli and mega, bit and byte."""

UNITS = frozenset((*DURATIONS_S, *MAGNITUDES, *OTHER_UNITS, *DATE_UNITS))

SPACED_UNITS = UNITS - _words("m d b w x g t k /s 点 时 分 core usd cny rmb eur")
"""Units that are still read as such after a space; a lone letter there may be anything."""

CJK_UNITS = tuple(sorted((unit for unit in UNITS if unit[0] > "⺀"), key=len, reverse=True))

CURRENCIES = {
    "$": "usd", "¥": "cny", "€": "eur", "£": "gbp",
}  # fmt: skip

CJK_NUMERALS = frozenset("零〇一二两三四五六七八九十百千万亿")

MONTHS = {
    name: number
    for number, names in enumerate(
        ("jan january", "feb february", "mar march", "apr april", "may", "jun june", "jul july", "aug august",
         "sep sept september", "oct october", "nov november", "dec december"), 1)
    for name in names.split()
}  # fmt: skip

NEGATIONS = _words(
    "no not non never none neither nor without cannot cant lacks lacking except nothing nobody nowhere"
    " hardly barely unless ! != !~ ≠"
)

NEGATIONS_BEFORE = {
    "to": _words("failed fails fail failing failure unable refused refuses declined inability stopped"),
    "of": _words("instead lack absence"),
    "than": _words("rather other"),
}
"""Words that deny what follows when the key stands after them: failed to, instead of, rather than."""

CJK_NEGATIONS = frozenset("不未没沒无無非否勿莫")

CJK_NOT_NEGATIONS = _words("非常 不过 不仅 不但 不断 不久 未来 无论 否则 无线 不同 无比 不止")
"""Words that begin like a negation and are none."""

CONDITIONS = _words(
    "if whether may might could possibly perhaps maybe probably would should suspected potentially almost nearly"
)

CJK_CONDITIONS = tuple(_words("如果 假如 倘若 可能 也许 或许 疑似 怀疑 是否 应该 应当 即将 险些 若"))

DENIED_AFTER = _words("aborted denied failed failing fails failure false refused rejected")

CJK_DENIED_AFTER = ("失败", "未遂", "被拒")

SCOPE_ENDS = _words("but however because while although though since yet 但 而 却 仍")
"""Words after which a negation before them no longer holds."""

FALSE_VALUES = _words("0 absent disabled false never nil no none null off unavailable 假 关 否 无")

OTHER_KEY = _words(
    "desired expected former initial last lower max maximum min minimum old original prev previous target upper"
)
"""Words that make another key of the key they stand before: Last State is not State."""

CJK_OTHER_KEY = tuple(_words("上次 上一次 之前 此前 历史 预期 期望 最大 最小 原"))

ADDABLE = _words("a an the is are 的 是 为")
"""Words that an excerpt may add without saying anything new."""

SKIPPABLE = ADDABLE | _words("be been has have of at that which 了 于 已 该 其 在")
"""Words that an excerpt may leave out without saying anything else."""

LEVELS = _words("alert crit critical debug emerg error fatal info notice panic severe trace warn warning")

ALERT_STATES = _words("firing inactive resolved suppressed")

STATES = (
    LEVELS
    | ALERT_STATES
    | _words(
        "active blocked closed completed crashloopbackoff degraded disabled down enabled errimagepull evicted"
        " failed failure false healthy idle imagepullbackoff normal notready ok oomkilled open pending ready"
        " runnable running started stopped succeeded success terminated terminating timeout true unhealthy"
        " unknown unschedulable up waiting"
    )
)

PLAIN_HEADS = _words(
    "all auto back best bottom built by case check closed cloud co cost cross data day double end error"
    " ever ex face fail far fast fine first follow four full half hand hard high ill in large left load"
    " log long low mid multi must near new non off old on one open out over per point post pre rate re"
    " read real right rolling root round run second self short single slow small so soft state step still"
    " sub third three time top trade two under up user well work worst write"
)
"""First parts of ordinary hyphenated English words (read-only, long-running), as opposed to names (payment-service)."""

NAME_TAILS = _words(
    "agent api app backend broker cache canary center client cluster consumer controller core db dev"
    " exporter frontend gateway group job log logs manager master metrics namespace node ns operator pod"
    " pool portal primary prod producer proxy queue replica router scheduler server service stage staging"
    " store svc sync system test topic web worker"
)
"""Last parts that make a name of a hyphenated word all the same (user-service)."""

ORDINARY = _words(
    "24/7 a.m and/or base64 ci/cd e.g etc http/1.1 http/2 i.e i/o ipv4 ipv6 k8s n/a p.m tcp/ip utf-8 utf8 vs x86"
)
"""Words of the trade that look like names and name nothing."""
