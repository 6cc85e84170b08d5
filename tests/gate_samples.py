"""Small documents that several test modules judge: a run's invocations and outputs that cite them."""

from __future__ import annotations

from typing import Any

ALERT = "alert_name=HighCPUUsage, service=payment-service, state=firing, current=92%, threshold=80%, duration=25m"
OTHER_ALERT = "alert_name=SlowQueries, service=mysql-primary, state=resolved, current=3, threshold=20, duration=12m"
NO_LOGS = (
    "query_logs returned no evidence; evidence_status=no_evidence; query=HikariCP; "
    "service=inventory-service; total=0; message=未找到匹配的日志"
)


def invocation(number: int, tool: str, refs: dict[str, str], status: str = "supported", **scope: str) -> dict[str, Any]:
    """A tool_invocation document of run `run-1`."""
    return {
        "id": number,
        "run_id": "run-1",
        "tool_name": tool,
        "scope": scope,
        "retrieval_details": {
            "evidence_status": status,
            "evidence_refs": [{"raw_path": path, "text": text} for path, text in refs.items()],
        },
    }


def alerts(number: int = 517) -> dict[str, Any]:
    """query_metrics found two alerts."""
    refs = {"$.alerts[0]": ALERT, "$.alerts[1]": OTHER_ALERT}
    return invocation(number, "query_metrics", refs, service="payment-service")


def no_logs(number: int = 518) -> dict[str, Any]:
    """query_logs found nothing about HikariCP on inventory-service."""
    return invocation(
        number,
        "query_logs",
        {"$.no_evidence": NO_LOGS},
        "no_evidence",
        service="inventory-service",
        query="HikariCP",
    )


def binding(**changed: Any) -> dict[str, Any]:
    """A true binding to the first alert, with fields changed; a field set to `...` is left out."""
    document = {
        "source_type": "tool_trace",
        "source_id": "",
        "tool_name": "query_metrics",
        "source_invocation_id": 517,
        "raw_path": "$.alerts[0]",
        "evidence_excerpt": "HighCPUUsage, service=payment-service, state=firing, current=92%",
    } | changed
    return {key: value for key, value in document.items() if value is not ...}


def no_evidence_binding(**changed: Any) -> dict[str, Any]:
    """A true binding to the empty log query."""
    return binding(
        **{
            "tool_name": "query_logs",
            "source_invocation_id": 518,
            "raw_path": "$.no_evidence",
            "evidence_excerpt": "query_logs returned no evidence; query=HikariCP; total=0",
        }
        | changed
    )


def claim(*bindings: dict[str, Any], **changed: Any) -> dict[str, Any]:
    """A true observation of the first alert, with fields changed."""
    return {
        "claim_id": "claim-1",
        "claim_type": "observation",
        "claim_text": "payment-service 当前存在 HighCPUUsage 告警，CPU 使用率为 92%。",
        "support_level": "direct",
        "evidence_bindings": list(bindings) or [binding()],
    } | changed


def negative_claim(*bindings: dict[str, Any], **changed: Any) -> dict[str, Any]:
    """A true claim of absence."""
    return claim(
        *(bindings or (no_evidence_binding(),)),
        **{
            "claim_type": "negative_observation",
            "claim_text": "当前查询未检索到 inventory-service 的 HikariCP 日志。",
        }
        | changed,
    )


def output(*claims: dict[str, Any], **changed: Any) -> dict[str, Any]:
    """An executor_evidence_v2 document."""
    return {
        "answer_version": "executor_evidence_v2",
        "claims": list(claims) or [claim()],
        "hypotheses": [],
        "recommended_actions": [],
        "missing_info": [],
    } | changed
