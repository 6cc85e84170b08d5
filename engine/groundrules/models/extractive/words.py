"""The words of questions, in Chinese and English: asked with, asked about, and the kinds of things that tools return.

Owns closed word lists, no product's or service's name among them. Invariant: these words never become search terms;
what is left of a question when they are taken away is what it asks about.
"""

from __future__ import annotations


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(" ".join(phrase.split()) for phrase in text.split("|"))


ASKING_ZH = _listed("""
    最近 现在 目前 当前 今天 昨天 前天 明天 今晚 昨晚 刚才 刚刚 近期 这几天 有没有 有无 是否 是不是 还有 还在
    仍在 还 仍然 依然 一直 触发 恢复 出现 发生 存在 出了 什么样 什么时候 什么 哪些 哪个 哪里 哪儿 哪条 怎么样
    怎么 怎样 怎么办 如何 为什么 为何 为啥 多少 几个 几条 请问 请 帮我 帮忙 看看 看一下 看下 查一下 查下 查询
    查看 查找 检查一下 检查下 确认一下 确认 告诉我 告诉 一下 麻烦 吗 呢 呀 吧 啊 了 的 过 没有 状态 情况 处理
    解决 应对 写了 写着 写 诊断 分析 问题 原因 根因 相关 关于 那个 这个 这条 那条 某个 可以 能不能 能否 应该
    需要 任何 所有 全部 正常 健康 运行 好了 是多少 是什么 说了 说 我们 我 你 它 他 因为 导致
""")
IMPERATIVES_ZH = ("检查", "列出", "找出", "看", "查", "找")
"""Verbs that a request begins with; elsewhere they may be what is asked about."""
EDGES_ZH = frozenset("是在有里中上和与或及把被从")
"""Single characters that only join words; cut from the end of a piece, and dropped when they stand alone."""
LEADING_ZH = frozenset("是有里和与或及把被")

ASKING_EN = _listed("""
    a an the this that these those it its there here what which who whom when where why how is are was were be
    been being am do does did done has have had having any some all every each of in on at to for from by with
    about into over under and or not no nor if so than then as still now currently current recently recent
    latest lately today yesterday tomorrow tonight ever yet already just again only also too very much many more
    most please show me tell us we you they he she i my our your their check checking find finding see look
    looking list give get got getting confirm verify know say says said can could should would shall may might
    must will whether up down out off ok okay well fine happen happening happened happens going go wrong firing
    fire fired fires triggered triggering trigger resolved resolve recovered recover active inactive pending
    running run runs healthy health state status situation need between before after since until during while
    really exist exists existing diagnose diagnosis analyse analyze cause causes caused reason because contain
    contains containing seen problem problems issue issues handle handling doing
""")

KINDS_ZH = _listed("""
    日志 告警 报警 警报 警告 报错 错误日志 异常日志 记录 消息 事件 指标 监控 监控项 订单 工单 服务 手册 处理手册
    运行手册 文档 知识库 预案 容器 实例 步骤 条目 信息 内容 列表
""")
KINDS_EN = _listed("""
    log alert alarm entry entries message line record event metric pod container instance order service runbook
    playbook guide handbook manual doc documentation error warning incident ticket
""")

HOW_TO = _phrases("""
    怎么处理 | 怎么办 | 怎么解决 | 怎么排查 | 怎么修 | 怎么恢复 | 如何 | 怎样处理 | 怎样解决 | 应该怎么 |
    处理步骤 | 排查步骤 | 手册 | 预案 | 知识库 | how do | how to | how can | how should | what should |
    what to do | steps to | steps for | runbook | playbook | best practice | recommended way
""")
"""A question with one of these asks what is written down, not what is the case."""
DOING = _phrases("处理 | 步骤 | 缓解 | steps | mitigation | remedy | resolution | what to do")
LOOKING = _phrases("检查 | 排查 | check | symptom | 症状 | 恢复标准")
"""Words that head the parts of a runbook: what to do, and what to look at."""
CONFIRMING = _phrases("""
    有没有 | 是否 | 是不是 | 有无 | 还在 | 吗 | 恢复了 | 状态 | is there | are there | is the | are the |
    has | have | is it | any | still | status | does | did
""")
"""A question with one of these asks to confirm something."""
REFERENCE_SOURCES = _phrases("""
    手册 | 知识库 | 预案 | runbook | playbook | knowledge | documentation | 文档 | handbook
""")
"""A tool whose description has one of these looks at what is written down, not at the environment (S0-2.5)."""

LEVELS = {"报错": "error", "错误日志": "error", "异常日志": "error", "警告": "warn", "warning": "warn"}
"""Words for log levels, for parameters that list their values."""
UNTIL_NAMES = frozenset({"until", "to", "end", "before", "end_time", "to_time", "finish"})
SINCE_CUES = ("since", "after", "from", "自", "从")
UNTIL_CUES = ("until", "before", "to", "到", "至")
STATE_WORDS = _listed("firing fired resolved pending running active inactive healthy triggered")
"""Words that a question asks about; they narrow a search only when nothing else does."""

JUDGEMENTS = _listed("""
    healthy normal recovered resolved caused because root safe fixed ruled impossible always never all none
""")
JUDGEMENTS_ZH = _phrases("""
    健康 | 正常 | 恢复 | 导致 | 引起 | 根因 | 原因 | 排除 | 不存在 | 确认没有 | 修复 | 风险 | 所有 | 全部 |
    一定
""")
"""Words that judge. A statement may hold one only when its evidence does."""
SAME_AS: dict[str, tuple[str, ...]] = {
    "恢复": ("resolved", "recovered"),
    "正常": ("normal",),
    "健康": ("healthy",),
    "修复": ("fixed",),
}
