"""The page at /docs works without the internet: every asset that it names is served here."""

from __future__ import annotations

import re

from tests.app.conftest import Api


def test_the_page_and_all_its_assets_are_served_by_the_service(api: Api) -> None:
    page = api.get("/docs")
    assert page.status_code == 200
    assets = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert len(assets) >= 3
    for asset in assets:
        assert asset.startswith("/docs/assets/"), asset
        assert api.get(asset).status_code == 200, asset
    assert api.get("/openapi.json").json()["info"]["title"] == "Trueward"
