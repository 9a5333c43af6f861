"""Which URLs the service calls for whoever names them, and what it shows of them."""

from __future__ import annotations

import pytest

from app.webhooks.target import check_url, redact_url
from trueward.errors import InvalidRequest


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "gopher://127.0.0.1/",
        "//host/path",
        "http:///path",
        "http://host:99999/",
        "http://host:0/",
        "http://user:password@host/",
        "http://ho st/",
        "http://host/\r\nX: y",
        "http://169.254.169.254/latest/meta-data",
        "http://[fe80::1]/",
        "http://[fd00:ec2::254]/",
        "http://[::ffff:a9fe:a9fe]/",
        "http://[64:ff9b::a9fe:a9fe]/",
        "http://[64:ff9b:1::a9fe:a9fe]/",
        "http://[::169.254.169.254]/",
        "http://[::ffff:0:169.254.169.254]/",
        "http://[2002:a9fe:a9fe::]/",
        "http://[2001:0:a00:1::5601:5601]/",
        "http://100.100.100.200/",
        "http://0.0.0.0/",
        "http://224.0.0.1/",
    ],
)
def test_urls_that_are_refused(url: str) -> None:
    with pytest.raises(InvalidRequest, match="the webhook is refused"):
        check_url(url)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "[::1]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]"])
def test_where_keys_are_asked_for_the_services_own_machine_is_refused(host: str) -> None:
    with pytest.raises(InvalidRequest, match="own machine"):
        check_url(f"http://{host}:8421/x", loopback=False)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:9000/x", "http://[::1]/", "https://10.0.0.1/", "https://hooks.example.com/T/B?k=v"]
)
def test_urls_that_are_taken_and_what_is_shown_of_them(url: str) -> None:
    check_url(url)
    assert redact_url(url).endswith("/***")
    assert "T/B" not in redact_url(url)
