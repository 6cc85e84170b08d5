"""Secrets never leave a tool's answer (S1-8.1)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundrules.projection import redact

# The values are made up; a key's head is written apart from its body so that no scanner takes this file for a leak.
AWS = "AKIA" + "ABCDEFGHIJKLMNOP"
PEM = "-----BEGIN RSA PRIVATE " + "KEY-----\nMIIEabc\n-----END RSA PRIVATE " + "KEY-----"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("user=report_ro password=hunter2, ok", "user=report_ro password=***, ok"),
        ('{"password":"hun ter2","user":"a"}', '{"password":***,"user":"a"}'),
        (r"{\"db_password\": \"hunter2\"}", r"{\"db_password\": ***}"),
        ("Authorization: Bearer abc.def.ghi", "Authorization: ***"),
        ("sent bearer abcdef123456 to it", "sent bearer *** to it"),
        ("jdbc:mysql://root:p@ss@db:3306/x", "jdbc:mysql://***@db:3306/x"),
        (f"key {AWS} used", "key *** used"),
        (f"before {PEM} after", "before *** after"),
        (PEM[:40], "***"),
        ("api_key=abc123 apikey: xyz", "api_key=*** apikey: ***"),
        ("AWS_SECRET_ACCESS_KEY=abc/def+1", "AWS_SECRET_ACCESS_KEY=***"),
        ("mysql --password hunter2 -h db", "mysql --password *** -h db"),
        ("密码：hunter2，请保管", "密码：***，请保管"),
        ("密码是hunter2", "密码是***"),
        ("Cookie: sid=1; x=2", "Cookie: ***"),
    ],
)
def test_a_secret_is_masked_and_what_stands_around_it_stays(text: str, masked: str) -> None:
    assert redact(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "payment-service HighCPUUsage current=92% threshold=80%",
        "Password authentication failed for user report_ro",
        "basic authentication failed, bearer authentication required",
        "total_tokens=500 tokens: 12",
        "密码是否正确",
        "http://gateway:8080/api/orders?id=4821",
        "trace_id=ee1ba04f0e85af84 commit d8140101fdb4e7dfb60d3ef9f64706f382b68470",
        "secretName is shop-tls",
        "TimestampZ 2026-07-08T23:05:28.114Z",
    ],
)
def test_what_is_no_secret_stays_word_for_word(text: str) -> None:
    assert redact(text) == text


@given(st.text(max_size=200) | st.from_regex(r"(password|token|密码)[=:：] ?[\"']?[a-z0-9 ,;]{0,20}", fullmatch=True))
def test_masking_twice_changes_nothing(text: str) -> None:
    once = redact(text)
    assert redact(once) == once
