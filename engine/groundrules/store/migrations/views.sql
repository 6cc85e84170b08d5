-- The stable interface for analysts: every view and every column says what it is.
-- `--facts` and `--comments` lines are written out from the fact catalogue.

CREATE OR REPLACE VIEW v_runs AS SELECT
    run_id, session_id, pipeline, query, locale, narrow, started_at, finished_at, duration_ms, outcome, stop_reason,
    failure, verdict, groundedness_score, gatekeeper_severity, fallback_type, claims_stated, claims_published,
    tool_calls, model_calls, total_tokens, lock
FROM runs;
COMMENT ON VIEW v_runs IS 'One row per run: what was asked, how it ended, what it cost.';
COMMENT ON COLUMN v_runs.run_id IS 'Id of the run';
COMMENT ON COLUMN v_runs.session_id IS 'Session that the run belongs to';
COMMENT ON COLUMN v_runs.pipeline IS 'Pipeline that ran: evidence or diagnosis';
COMMENT ON COLUMN v_runs.query IS 'The question as it was asked';
COMMENT ON COLUMN v_runs.locale IS 'Language of the answer';
COMMENT ON COLUMN v_runs.narrow IS 'Whether the user asked only to confirm one thing';
COMMENT ON COLUMN v_runs.started_at IS 'Start, UTC';
COMMENT ON COLUMN v_runs.finished_at IS 'End, UTC; of a run whose process died, its last event';
COMMENT ON COLUMN v_runs.duration_ms IS 'Milliseconds from start to end';
COMMENT ON COLUMN v_runs.outcome IS 'SUCCESS, FALLBACK, FAILED or CANCELLED';
COMMENT ON COLUMN v_runs.stop_reason IS 'Why the run stopped; PROCESS_DIED when its process ended first';
COMMENT ON COLUMN v_runs.failure IS 'What broke, for FAILED; empty otherwise';
COMMENT ON COLUMN v_runs.verdict IS 'Verdict of the Verifier under the ceiling: PASS, LOW_CONFID or REJECT; null when it did not speak';
COMMENT ON COLUMN v_runs.groundedness_score IS 'Score of the Verifier, 0 to 1; null when it did not speak';
COMMENT ON COLUMN v_runs.gatekeeper_severity IS 'Severity of the Gatekeeper: none, low_confid or reject; null when it did not run';
COMMENT ON COLUMN v_runs.fallback_type IS 'Kind of the fallback; null when there is none';
COMMENT ON COLUMN v_runs.claims_stated IS 'Claims that the executor stated';
COMMENT ON COLUMN v_runs.claims_published IS 'Claims that were published';
COMMENT ON COLUMN v_runs.tool_calls IS 'Tool calls that ran';
COMMENT ON COLUMN v_runs.model_calls IS 'Model calls';
COMMENT ON COLUMN v_runs.total_tokens IS 'Input and output tokens of all model calls';
COMMENT ON COLUMN v_runs.lock IS 'Versions and hashes that the run was stamped with, JSON';

CREATE OR REPLACE VIEW v_claims AS SELECT
    c.run_id, c.ordinal, c.claim_id, c.claim_type, c.claim_text, c.support_level, c.bindings, c.published,
--facts claim f
    r.outcome, r.started_at
FROM claims c JOIN runs r USING (run_id)
LEFT JOIN claim_facts f ON f.run_id = c.run_id AND f.subject = c.claim_id AND f.occurrence = c.occurrence;
COMMENT ON VIEW v_claims IS 'One row per claim that an executor stated, published or not, with the facts it was judged on.';
COMMENT ON COLUMN v_claims.run_id IS 'Id of the run';
COMMENT ON COLUMN v_claims.ordinal IS 'Place of the claim in the output, from 0';
COMMENT ON COLUMN v_claims.claim_id IS 'Id that the executor gave it; not unique when the executor erred';
COMMENT ON COLUMN v_claims.claim_type IS 'Type that the executor gave it';
COMMENT ON COLUMN v_claims.claim_text IS 'What it says';
COMMENT ON COLUMN v_claims.support_level IS 'direct or indirect, as the executor stated';
COMMENT ON COLUMN v_claims.bindings IS 'Citations of the claim';
COMMENT ON COLUMN v_claims.published IS 'Whether the claim was published';
--comments claim v_claims
COMMENT ON COLUMN v_claims.outcome IS 'Outcome of the run';
COMMENT ON COLUMN v_claims.started_at IS 'Start of the run, UTC';

CREATE OR REPLACE VIEW v_bindings AS SELECT
    b.run_id, b.claim_ordinal, b.ordinal, b.claim_id, b.tool_name, b.source_invocation_id, b.raw_path,
    b.evidence_excerpt, b.status, b.matched_text, b.published,
--facts binding f
    r.outcome, r.started_at
FROM bindings b JOIN runs r USING (run_id)
LEFT JOIN binding_facts f ON f.run_id = b.run_id AND f.subject = b.subject AND f.occurrence = b.occurrence;
COMMENT ON VIEW v_bindings IS 'One row per citation, as it was checked, with the facts it was judged on.';
COMMENT ON COLUMN v_bindings.run_id IS 'Id of the run';
COMMENT ON COLUMN v_bindings.claim_ordinal IS 'Place of its claim in the output, from 0';
COMMENT ON COLUMN v_bindings.ordinal IS 'Place of the citation in its claim, from 0';
COMMENT ON COLUMN v_bindings.claim_id IS 'Id of its claim';
COMMENT ON COLUMN v_bindings.tool_name IS 'Tool that it cites';
COMMENT ON COLUMN v_bindings.source_invocation_id IS 'Invocation that it cites, backfilled when it was missing; null when there is none';
COMMENT ON COLUMN v_bindings.raw_path IS 'Item that it cites, backfilled when it was missing';
COMMENT ON COLUMN v_bindings.evidence_excerpt IS 'What it quotes';
COMMENT ON COLUMN v_bindings.status IS 'pass or fail; empty when the Gatekeeper did not see it';
COMMENT ON COLUMN v_bindings.matched_text IS 'Text of the item that the quotation was found in';
COMMENT ON COLUMN v_bindings.published IS 'Whether its claim was published';
--comments binding v_bindings
COMMENT ON COLUMN v_bindings.outcome IS 'Outcome of the run';
COMMENT ON COLUMN v_bindings.started_at IS 'Start of the run, UTC';

CREATE OR REPLACE VIEW v_rule_hits AS SELECT
    h.run_id, h.ordinal, h.policy, h.rule_set_version, h.rule_id, h.severity, h.subject, h.path, h.message, h.fault,
    r.outcome, r.started_at
FROM rule_hits h JOIN runs r USING (run_id);
COMMENT ON VIEW v_rule_hits IS 'One row per rule that fired, or could not be evaluated, on one subject.';
COMMENT ON COLUMN v_rule_hits.run_id IS 'Id of the run';
COMMENT ON COLUMN v_rule_hits.ordinal IS 'Place among the hits of the run, from 0';
COMMENT ON COLUMN v_rule_hits.policy IS 'Policy whose rule it is: gatekeeper, stop, answer or release';
COMMENT ON COLUMN v_rule_hits.rule_set_version IS 'Version of the rule set';
COMMENT ON COLUMN v_rule_hits.rule_id IS 'Id of the rule';
COMMENT ON COLUMN v_rule_hits.severity IS 'Severity that it counted as';
COMMENT ON COLUMN v_rule_hits.subject IS 'What it fired on: output, a claim id, claim-1[0] for a citation';
COMMENT ON COLUMN v_rule_hits.path IS 'JSON path into the judged document';
COMMENT ON COLUMN v_rule_hits.message IS 'What is wrong';
COMMENT ON COLUMN v_rule_hits.fault IS 'Why the rule could not be evaluated; empty when it fired';
COMMENT ON COLUMN v_rule_hits.outcome IS 'Outcome of the run';
COMMENT ON COLUMN v_rule_hits.started_at IS 'Start of the run, UTC';

CREATE OR REPLACE VIEW v_tool_calls AS SELECT
    t.run_id, t.invocation_id, t.tool_call_id, t.tool_name, t.scope, t.evidence_status, t.relevance_level,
    t.source_kind, t.source, t.total_count, t.evidence_refs, t.truncated, t.top_score, t.message, t.started_at,
    t.duration_ms,
    EXISTS (SELECT 1 FROM bindings b WHERE b.run_id = t.run_id AND b.source_invocation_id = t.invocation_id
            AND b.published) AS cited,
    r.outcome
FROM tool_invocations t JOIN runs r USING (run_id);
COMMENT ON VIEW v_tool_calls IS 'One row per tool call that ran, with what came back.';
COMMENT ON COLUMN v_tool_calls.run_id IS 'Id of the run';
COMMENT ON COLUMN v_tool_calls.invocation_id IS 'Id of the invocation, unique in its run; claims cite it';
COMMENT ON COLUMN v_tool_calls.tool_call_id IS 'Id of the call in the conversation with the model';
COMMENT ON COLUMN v_tool_calls.tool_name IS 'Tool';
COMMENT ON COLUMN v_tool_calls.scope IS 'Normalised scope that was asked, JSON';
COMMENT ON COLUMN v_tool_calls.evidence_status IS 'supported, no_evidence, deduped or failed';
COMMENT ON COLUMN v_tool_calls.relevance_level IS 'DIRECT, REFERENCE or NONE';
COMMENT ON COLUMN v_tool_calls.source_kind IS 'environment or reference';
COMMENT ON COLUMN v_tool_calls.source IS 'Where the result came from';
COMMENT ON COLUMN v_tool_calls.total_count IS 'Items that the tool found';
COMMENT ON COLUMN v_tool_calls.evidence_refs IS 'Items that were kept as evidence';
COMMENT ON COLUMN v_tool_calls.truncated IS 'Whether items or text were cut';
COMMENT ON COLUMN v_tool_calls.top_score IS 'Best normalised similarity, 0 to 1';
COMMENT ON COLUMN v_tool_calls.message IS 'Why it failed, or what the tool said when it found nothing';
COMMENT ON COLUMN v_tool_calls.started_at IS 'Start of the call, UTC';
COMMENT ON COLUMN v_tool_calls.duration_ms IS 'Milliseconds that the call took';
COMMENT ON COLUMN v_tool_calls.cited IS 'Whether a published claim cites it';
COMMENT ON COLUMN v_tool_calls.outcome IS 'Outcome of the run';

CREATE OR REPLACE VIEW v_model_calls AS SELECT
    m.run_id, m.ordinal, m.component, m.round, m.prompt_id, m.prompt_version, m.prompt_locale, m.prompt_hash, m.model,
    m.input_tokens, m.output_tokens, m.input_tokens + m.output_tokens AS total_tokens, m.tokens_estimated,
    m.latency_ms, m.outcome AS call_outcome, m.error, r.outcome, r.started_at
FROM model_calls m JOIN runs r USING (run_id);
COMMENT ON VIEW v_model_calls IS 'One row per model call: which prompt, which model, what it cost.';
COMMENT ON COLUMN v_model_calls.run_id IS 'Id of the run';
COMMENT ON COLUMN v_model_calls.ordinal IS 'Place among the model calls of the run, from 0';
COMMENT ON COLUMN v_model_calls.component IS 'planner, executor, verifier or composer';
COMMENT ON COLUMN v_model_calls.round IS 'Round of the component';
COMMENT ON COLUMN v_model_calls.prompt_id IS 'Id of the prompt';
COMMENT ON COLUMN v_model_calls.prompt_version IS 'Version of the prompt';
COMMENT ON COLUMN v_model_calls.prompt_locale IS 'Language of the prompt';
COMMENT ON COLUMN v_model_calls.prompt_hash IS 'Hash of the content of the prompt';
COMMENT ON COLUMN v_model_calls.model IS 'Model that answered';
COMMENT ON COLUMN v_model_calls.input_tokens IS 'Tokens that went in';
COMMENT ON COLUMN v_model_calls.output_tokens IS 'Tokens that came out';
COMMENT ON COLUMN v_model_calls.total_tokens IS 'Both together';
COMMENT ON COLUMN v_model_calls.tokens_estimated IS 'Whether the server sent no usage and tokens were estimated';
COMMENT ON COLUMN v_model_calls.latency_ms IS 'Milliseconds until the reply';
COMMENT ON COLUMN v_model_calls.call_outcome IS 'ok or failed';
COMMENT ON COLUMN v_model_calls.error IS 'Why it failed; no payload';
COMMENT ON COLUMN v_model_calls.outcome IS 'Outcome of the run';
COMMENT ON COLUMN v_model_calls.started_at IS 'Start of the run, UTC';

CREATE OR REPLACE VIEW v_releases AS SELECT
    p.run_id, p.outcome, p.stop_reason, p.rule_id, p.fallback_type, p.answer_summary, p.user_facing_answer,
    p.recommended_actions, p.observed_facts, p.limitations, p.next_steps, r.verdict, r.gatekeeper_severity,
    r.claims_published, r.started_at
FROM releases p JOIN runs r USING (run_id);
COMMENT ON VIEW v_releases IS 'One row per run: what was published and why.';
COMMENT ON COLUMN v_releases.run_id IS 'Id of the run';
COMMENT ON COLUMN v_releases.outcome IS 'SUCCESS, FALLBACK, FAILED or CANCELLED';
COMMENT ON COLUMN v_releases.stop_reason IS 'Why the run stopped';
COMMENT ON COLUMN v_releases.rule_id IS 'Release rule that decided; empty when none was recorded';
COMMENT ON COLUMN v_releases.fallback_type IS 'Kind of the fallback; null when there is none';
COMMENT ON COLUMN v_releases.answer_summary IS 'Summary of the published answer; empty when there is none';
COMMENT ON COLUMN v_releases.user_facing_answer IS 'The published answer; empty when there is none';
COMMENT ON COLUMN v_releases.recommended_actions IS 'Recommended actions in the published answer';
COMMENT ON COLUMN v_releases.observed_facts IS 'Facts that a fallback shows: what was checked';
COMMENT ON COLUMN v_releases.limitations IS 'Limitations that a fallback names';
COMMENT ON COLUMN v_releases.next_steps IS 'Next steps that a fallback names';
COMMENT ON COLUMN v_releases.verdict IS 'Verdict of the Verifier; null when it did not speak';
COMMENT ON COLUMN v_releases.gatekeeper_severity IS 'Severity of the Gatekeeper; null when it did not run';
COMMENT ON COLUMN v_releases.claims_published IS 'Claims that were published';
COMMENT ON COLUMN v_releases.started_at IS 'Start of the run, UTC';

CREATE OR REPLACE VIEW v_prompt_versions AS SELECT
    p.prompt_id, p.version, p.locale, p.hash, p.first_used_at,
    count(m.run_id) AS model_calls,
    count(DISTINCT m.run_id) AS runs,
    coalesce(sum(m.input_tokens + m.output_tokens), 0)::BIGINT AS total_tokens,
    avg(m.latency_ms) AS mean_latency_ms
FROM prompt_versions p LEFT JOIN model_calls m
    ON m.prompt_id = p.prompt_id AND m.prompt_version = p.version AND m.prompt_locale = p.locale
    AND m.prompt_hash = p.hash
GROUP BY ALL;
COMMENT ON VIEW v_prompt_versions IS 'One row per version of a prompt that a stored run used.';
COMMENT ON COLUMN v_prompt_versions.prompt_id IS 'Id of the prompt';
COMMENT ON COLUMN v_prompt_versions.version IS 'Version of the prompt';
COMMENT ON COLUMN v_prompt_versions.locale IS 'Language of the prompt';
COMMENT ON COLUMN v_prompt_versions.hash IS 'Hash of its content: two hashes under one version mean that it was edited';
COMMENT ON COLUMN v_prompt_versions.first_used_at IS 'Start of the first stored run that used it, UTC';
COMMENT ON COLUMN v_prompt_versions.model_calls IS 'Model calls made with it';
COMMENT ON COLUMN v_prompt_versions.runs IS 'Runs that used it';
COMMENT ON COLUMN v_prompt_versions.total_tokens IS 'Tokens of those calls';
COMMENT ON COLUMN v_prompt_versions.mean_latency_ms IS 'Mean latency of those calls; null when there is none';

CREATE OR REPLACE VIEW v_rule_sets AS SELECT policy, version, hash, first_used_at FROM rule_sets;
COMMENT ON VIEW v_rule_sets IS 'One row per rule set that a stored run was stamped with.';
COMMENT ON COLUMN v_rule_sets.policy IS 'Policy of the rule set';
COMMENT ON COLUMN v_rule_sets.version IS 'Version of the rule set';
COMMENT ON COLUMN v_rule_sets.hash IS 'Semantic hash of the rule set';
COMMENT ON COLUMN v_rule_sets.first_used_at IS 'Start of the first stored run that used it, UTC';

CREATE OR REPLACE VIEW v_trace_events AS SELECT e.run_id, e.sequence, e.type, e.happened_at, e.data, r.outcome
FROM trace_events e JOIN runs r USING (run_id);
COMMENT ON VIEW v_trace_events IS 'One row per trace event.';
COMMENT ON COLUMN v_trace_events.run_id IS 'Id of the run';
COMMENT ON COLUMN v_trace_events.sequence IS 'Number of the event in its run, from 1 without a gap';
COMMENT ON COLUMN v_trace_events.type IS 'What happened';
COMMENT ON COLUMN v_trace_events.happened_at IS 'When, UTC';
COMMENT ON COLUMN v_trace_events.data IS 'What the event carries, JSON';
COMMENT ON COLUMN v_trace_events.outcome IS 'Outcome of the run';

CREATE OR REPLACE VIEW v_stop_steps AS SELECT
    s.run_id, s.ordinal, s.subject, s.decision, s.reason,
--facts request s
    r.outcome, r.stop_reason, r.started_at
FROM stop_steps s JOIN runs r USING (run_id);
COMMENT ON VIEW v_stop_steps IS 'One row per moment that the stop policy decided, with the facts it was judged on.';
COMMENT ON COLUMN v_stop_steps.run_id IS 'Id of the run';
COMMENT ON COLUMN v_stop_steps.ordinal IS 'Place among the moments of the run, from 0';
COMMENT ON COLUMN v_stop_steps.subject IS 'Tool that was asked for; unknown when there is no such tool';
COMMENT ON COLUMN v_stop_steps.decision IS 'allow or reject; empty when the run ended before it was carried out';
COMMENT ON COLUMN v_stop_steps.reason IS 'Why it was rejected; empty when it was allowed';
--comments request v_stop_steps
COMMENT ON COLUMN v_stop_steps.outcome IS 'Outcome of the run';
COMMENT ON COLUMN v_stop_steps.stop_reason IS 'Why the run stopped';
COMMENT ON COLUMN v_stop_steps.started_at IS 'Start of the run, UTC';
