"""The house's own words in Chinese and English: the plain rendering of claims and the text of a fallback.

Owns every sentence that reaches a user without a model. Invariant: these sentences state nothing about the
environment by themselves; they frame claims, or say what was checked and what the run could not do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from groundrules.records.claims import NEGATIVE
from groundrules.records.run import ObservedFact

FRAMES: Mapping[str, Mapping[str, str]] = {
    "zh": {
        "claim": "{text}",
        "bounded": "本次查询未检索到匹配的证据",
        "missing": "尚缺信息：{text}",
        "action": "建议：{text}",
        "join": "\n",
        "checked": "已查询 {tool}（{scope}）：{result}",
        "supported": "找到 {count} 条",
        "no_evidence": "本次查询未检索到匹配的证据",
        "failed": "查询失败，结果未知（{reason}）",
        "deduped": "重复的查询",
        "no_scope": "无条件",
        "nothing_checked": "没有执行任何查询",
        "insufficient": "证据不足，无法给出结论。",
        "missing_context": "问题缺少查询所需的信息。",
        "refused_claims": "有陈述的引用没有通过核验，因此没有发布",
        "not_passed": "已核验的证据不足以推出所陈述的内容",
        "answer_refused": "答复的措辞超出了已核验的陈述，因此没有发布",
        "unreadable": "执行阶段的输出无法读取",
        "stopped": "查询因达到上限而停止（{reason}）",
        "next_context": "请补充服务、告警、时间范围或错误信息后再问",
        "next_mend": "请先修复失败的工具（groundrules tools try 可以看到原因），再问一次",
        "next_look": "请人工查看上述范围，或补充更精确的条件后再问",
    },
    "en": {
        "claim": "{text}",
        "bounded": "This query found no matching evidence",
        "missing": "Still missing: {text}",
        "action": "Suggested: {text}",
        "join": "\n",
        "checked": "Asked {tool} ({scope}): {result}",
        "supported": "{count} found",
        "no_evidence": "this query found no matching evidence",
        "failed": "the query failed, the result is unknown ({reason})",
        "deduped": "asked before",
        "no_scope": "no condition",
        "nothing_checked": "No query was made",
        "insufficient": "Not enough evidence for an answer.",
        "missing_context": "The question lacks what a query needs.",
        "refused_claims": "Citations of some statements did not pass the check, so they are not published",
        "not_passed": "The checked evidence does not carry what was stated",
        "answer_refused": "The wording went beyond the checked statements, so it is not published",
        "unreadable": "The executor's output could not be read",
        "stopped": "The search was stopped at a limit ({reason})",
        "next_context": "Ask again with the service, the alert, the time range or the error text",
        "next_mend": "Mend the tool that failed (groundrules tools try shows why), then ask again",
        "next_look": "Look at the scopes above by hand, or ask again with a more exact condition",
    },
}


def plain_answer(document: Mapping[str, Any], locale: str) -> dict[str, Any]:
    """A composer output made of the allowed claims and nothing else, from a composer input."""
    words = FRAMES[locale]
    claims = [claim["claim_text"] for claim in document["allowed_claims"]]
    negative = any(claim["claim_type"] == NEGATIVE for claim in document["allowed_claims"])
    lines = [words["claim"].format(text=text) for text in claims]
    if negative:
        lines.append(words["bounded"])
    lines += [words["missing"].format(text=text) for text in document["missing_info"]]
    return {
        "answer_summary": claims[0] if claims else "",
        "recommended_actions": list(document["recommended_actions"]),
        "user_facing_answer": words["join"].join(lines),
    }


def frames(locale: str) -> tuple[str, ...]:
    """The fixed wording, for the answer gate's overlap of words."""
    return tuple(FRAMES[locale].values())


def checked_line(fact: ObservedFact, locale: str) -> str:
    """What was asked of a tool and what came back, as one line."""
    words = FRAMES[locale]
    scope = ", ".join(f"{name}={value}" for name, value in fact.scope.items()) or words["no_scope"]
    result = words[fact.evidence_status].format(count=fact.total_count, reason=fact.message)
    return words["checked"].format(tool=fact.tool_name, scope=scope, result=result)


def fallback_headline(fallback_type: str, locale: str) -> str:
    """The sentence that tells a user why there is no answer (S1-6.4)."""
    key = "missing_context" if fallback_type == "MISSING_REQUIRED_CONTEXT" else "insufficient"
    return FRAMES[locale][key]


def reasons(keys: Sequence[str], locale: str, *, stop_reason: str) -> tuple[str, ...]:
    """Each reason in the locale's words."""
    return tuple(FRAMES[locale][key].format(reason=stop_reason) for key in keys)
