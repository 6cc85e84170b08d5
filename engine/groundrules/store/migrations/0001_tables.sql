-- One row per run; `document` is the whole diagnosis_run as it was written.
CREATE TABLE runs (
    run_id VARCHAR PRIMARY KEY,
    session_id VARCHAR NOT NULL,
    pipeline VARCHAR NOT NULL,
    query VARCHAR NOT NULL,
    locale VARCHAR NOT NULL,
    narrow BOOLEAN NOT NULL,
    started_at TIMESTAMP NOT NULL,
    finished_at TIMESTAMP NOT NULL,
    duration_ms DOUBLE NOT NULL,
    outcome VARCHAR NOT NULL,
    stop_reason VARCHAR NOT NULL,
    failure VARCHAR NOT NULL,
    verdict VARCHAR,
    groundedness_score DOUBLE,
    gatekeeper_severity VARCHAR,
    fallback_type VARCHAR,
    claims_stated INTEGER NOT NULL,
    claims_published INTEGER NOT NULL,
    tool_calls INTEGER NOT NULL,
    model_calls INTEGER NOT NULL,
    total_tokens BIGINT NOT NULL,
    lock JSON NOT NULL,
    journal_hash VARCHAR NOT NULL,
    document VARCHAR NOT NULL
);

CREATE TABLE tool_invocations (
    run_id VARCHAR NOT NULL,
    invocation_id BIGINT NOT NULL,
    tool_call_id VARCHAR NOT NULL,
    tool_name VARCHAR NOT NULL,
    scope JSON NOT NULL,
    evidence_status VARCHAR NOT NULL,
    relevance_level VARCHAR NOT NULL,
    source_kind VARCHAR NOT NULL,
    source VARCHAR NOT NULL,
    total_count BIGINT NOT NULL,
    evidence_refs INTEGER NOT NULL,
    truncated BOOLEAN NOT NULL,
    top_score DOUBLE NOT NULL,
    message VARCHAR NOT NULL,
    started_at TIMESTAMP NOT NULL,
    duration_ms DOUBLE NOT NULL
);

CREATE TABLE evidence_refs (
    run_id VARCHAR NOT NULL,
    invocation_id BIGINT NOT NULL,
    ordinal INTEGER NOT NULL,
    raw_path VARCHAR NOT NULL,
    text VARCHAR NOT NULL
);

-- What the executor stated, published or not. Claim ids come from a model: they are not unique.
CREATE TABLE claims (
    run_id VARCHAR NOT NULL,
    ordinal INTEGER NOT NULL,
    claim_id VARCHAR NOT NULL,
    occurrence INTEGER NOT NULL,
    claim_type VARCHAR NOT NULL,
    claim_text VARCHAR NOT NULL,
    support_level VARCHAR NOT NULL,
    bindings INTEGER NOT NULL,
    published BOOLEAN NOT NULL
);

CREATE TABLE bindings (
    run_id VARCHAR NOT NULL,
    claim_ordinal INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    claim_id VARCHAR NOT NULL,
    subject VARCHAR NOT NULL,
    occurrence INTEGER NOT NULL,
    tool_name VARCHAR NOT NULL,
    source_invocation_id BIGINT,
    raw_path VARCHAR NOT NULL,
    evidence_excerpt VARCHAR NOT NULL,
    status VARCHAR NOT NULL,
    matched_text VARCHAR NOT NULL,
    published BOOLEAN NOT NULL
);

-- The columns of facts are added from the fact catalogue when the store is opened for writing.
CREATE TABLE output_facts (run_id VARCHAR NOT NULL, ordinal INTEGER NOT NULL, subject VARCHAR NOT NULL, occurrence INTEGER NOT NULL);
CREATE TABLE claim_facts (run_id VARCHAR NOT NULL, ordinal INTEGER NOT NULL, subject VARCHAR NOT NULL, occurrence INTEGER NOT NULL);
CREATE TABLE binding_facts (run_id VARCHAR NOT NULL, ordinal INTEGER NOT NULL, subject VARCHAR NOT NULL, occurrence INTEGER NOT NULL);
CREATE TABLE answer_facts (run_id VARCHAR NOT NULL, ordinal INTEGER NOT NULL, subject VARCHAR NOT NULL, occurrence INTEGER NOT NULL);
CREATE TABLE release_facts (run_id VARCHAR NOT NULL, ordinal INTEGER NOT NULL, subject VARCHAR NOT NULL, occurrence INTEGER NOT NULL);
CREATE TABLE stop_steps (
    run_id VARCHAR NOT NULL,
    ordinal INTEGER NOT NULL,
    subject VARCHAR NOT NULL,
    occurrence INTEGER NOT NULL,
    decision VARCHAR NOT NULL,
    reason VARCHAR NOT NULL
);

CREATE TABLE gate_results (
    run_id VARCHAR NOT NULL,
    rule_set_version VARCHAR NOT NULL,
    status VARCHAR NOT NULL,
    severity VARCHAR NOT NULL,
    checked_bindings INTEGER NOT NULL,
    failed_bindings INTEGER NOT NULL,
    failed_rules VARCHAR[] NOT NULL,
    warnings VARCHAR[] NOT NULL
);

CREATE TABLE rule_hits (
    run_id VARCHAR NOT NULL,
    ordinal INTEGER NOT NULL,
    policy VARCHAR NOT NULL,
    rule_set_version VARCHAR NOT NULL,
    rule_id VARCHAR NOT NULL,
    severity VARCHAR NOT NULL,
    subject VARCHAR NOT NULL,
    path VARCHAR NOT NULL,
    message VARCHAR NOT NULL,
    fault VARCHAR NOT NULL
);

CREATE TABLE releases (
    run_id VARCHAR NOT NULL,
    outcome VARCHAR NOT NULL,
    stop_reason VARCHAR NOT NULL,
    rule_id VARCHAR NOT NULL,
    fallback_type VARCHAR,
    answer_summary VARCHAR NOT NULL,
    user_facing_answer VARCHAR NOT NULL,
    recommended_actions INTEGER NOT NULL,
    observed_facts INTEGER NOT NULL,
    limitations VARCHAR[] NOT NULL,
    next_steps VARCHAR[] NOT NULL
);

CREATE TABLE model_calls (
    run_id VARCHAR NOT NULL,
    ordinal INTEGER NOT NULL,
    component VARCHAR NOT NULL,
    round INTEGER NOT NULL,
    prompt_id VARCHAR NOT NULL,
    prompt_version VARCHAR NOT NULL,
    prompt_locale VARCHAR NOT NULL,
    prompt_hash VARCHAR NOT NULL,
    model VARCHAR NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    tokens_estimated BOOLEAN NOT NULL,
    latency_ms DOUBLE NOT NULL,
    outcome VARCHAR NOT NULL,
    error VARCHAR NOT NULL
);

CREATE TABLE trace_events (
    run_id VARCHAR NOT NULL,
    sequence INTEGER NOT NULL,
    type VARCHAR NOT NULL,
    happened_at TIMESTAMP NOT NULL,
    data JSON NOT NULL
);

-- Each rule set and prompt that a stored run was stamped with; filled from the runs.
CREATE TABLE rule_sets (
    policy VARCHAR NOT NULL,
    version VARCHAR NOT NULL,
    hash VARCHAR NOT NULL,
    first_used_at TIMESTAMP NOT NULL,
    PRIMARY KEY (policy, version, hash)
);

CREATE TABLE prompt_versions (
    prompt_id VARCHAR NOT NULL,
    version VARCHAR NOT NULL,
    locale VARCHAR NOT NULL,
    hash VARCHAR NOT NULL,
    first_used_at TIMESTAMP NOT NULL,
    PRIMARY KEY (prompt_id, version, locale, hash)
);
