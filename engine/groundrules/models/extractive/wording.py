"""The fixed wording of the extractive model, in Chinese and English, in one table.

Owns frames around quoted material. Invariant: a frame states no fact: take the quotation away and nothing is said.
"""

from __future__ import annotations

from collections.abc import Mapping

_ZH: Mapping[str, str] = {
    "found": "查到{subject}（{quoted}）。",
    "found_text": "查到{subject}：{quoted}。",
    "found_some": "查到{subject}，其中：{quoted}。",
    "written": "手册提到：{quoted}。",
    "not_found": "当前查询未检索到{subject}。",
    "not_found_of": "当前查询未检索到{subject}的匹配证据。",
    "not_found_bare": "本次查询未检索到匹配证据。",
    "noun": "结果",
    "separator": "；",
    "limits": "（{limits}）",
    "gap_nothing_placed": "问题里没有可以查询的对象，例如服务名、告警名、编号、时间或日志关键字",
    "gap_failed": "有一次查询没有成功，未能取得证据",
    "gap_refused": "有一次查询没有执行，未能取得证据",
    "gap_unrelated": "查询返回的内容与问题无关，未能取得证据",
    "gap_unquotable": "查询返回的内容无法摘录，未能取得证据",
    "gap_dropped": "上一轮的部分断言没有通过核对，已经删去",
    "skill_chosen": "问题里的说法与该技能的适用场景相符",
    "skill_none": "没有与问题相符的技能",
    "plan_query": "用问题里的名称和关键字原样查询一次",
    "plan_state": "只陈述查到的内容；查不到时只说明本次查询未检索到",
    "plan_reasoning": "只按问题的字面取词，不推测",
    "check_supported": "断言中的数字、名称和状态都在所引证据里",
    "check_missing": "所引证据里没有：{missing}",
    "check_no_evidence_text": "没有可以核对的证据文本",
    "check_negative": "未检索到的断言只能依据空结果",
    "rationale_all": "断言都能由所引证据逐字推出",
    "rationale_some": "部分断言不能由所引证据逐字推出",
    "rationale_none": "没有断言能由所引证据逐字推出",
    "answer_none": "现有证据不足，无法回答这个问题。",
    "answer_unsure": "以下内容的证据不充分。",
    "answer_missing": "还缺少：{missing}。",
    "answer_action": "建议：{action}（{reason}）。",
    "answer_action_bare": "建议：{action}。",
    "answer_hypothesis": "尚未证实：{hypothesis}",
}
_EN: Mapping[str, str] = {
    "found": "Found {subject} ({quoted}).",
    "found_text": "Found {subject}: {quoted}.",
    "found_some": "Found {subject}, among them: {quoted}.",
    "written": "The runbook says: {quoted}.",
    "not_found": "This query found no match for {subject}.",
    "not_found_of": "This query found no match for {subject}.",
    "not_found_bare": "This query found no match.",
    "noun": "result",
    "separator": "; ",
    "limits": " ({limits})",
    "gap_nothing_placed": "The question names nothing to look up, such as a service, an alert, an id or a time",
    "gap_failed": "One query did not succeed, so it gave no evidence",
    "gap_refused": "One query was not carried out, so it gave no evidence",
    "gap_unrelated": "What the query returned is not about the question, so it gave no evidence",
    "gap_unquotable": "What the query returned cannot be quoted, so it gave no evidence",
    "gap_dropped": "Some claims of the last round did not pass the check and were removed",
    "skill_chosen": "The wording of the question fits when this skill is used",
    "skill_none": "No skill fits the question",
    "plan_query": "Query once with the names and keywords of the question as given",
    "plan_state": "State only what was found; if nothing was, say only that this query found no match",
    "plan_reasoning": "Takes the words of the question literally and guesses nothing",
    "check_supported": "Every number, name and state of the claim stands in the evidence that it cites",
    "check_missing": "The cited evidence does not hold: {missing}",
    "check_no_evidence_text": "There is no evidence text to check against",
    "check_negative": "A claim that nothing was found needs an empty result",
    "rationale_all": "Every claim follows word for word from the evidence that it cites",
    "rationale_some": "Some claims do not follow word for word from the evidence that they cite",
    "rationale_none": "No claim follows word for word from the evidence that it cites",
    "answer_none": "The evidence is not enough to answer this question.",
    "answer_unsure": "The evidence for the following is not sufficient.",
    "answer_missing": "Still missing: {missing}.",
    "answer_action": "Suggested: {action} ({reason}).",
    "answer_action_bare": "Suggested: {action}.",
    "answer_hypothesis": "Not confirmed: {hypothesis}",
}


def say(key: str, locale: str, /, **parts: str) -> str:
    """A frame of the locale, filled; any locale but English is answered in Chinese, the default."""
    return (_EN if locale == "en" else _ZH)[key].format_map(parts)


def frames() -> tuple[str, ...]:
    """Every frame of both languages: fixed wording that states nothing, for checks that must know it."""
    return (*_ZH.values(), *_EN.values())
