"""The Helm chart: linted and rendered by Helm 4 as a library, valid for Kubernetes, and the same as the manifests.

Not covered: an installation in a cluster.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from app.settings import Settings
from app.version import VERSION

pytestmark = pytest.mark.chart

ROOT = Path(__file__).parents[2]
CHART = ROOT / "deploy/helm/trueward"
KUBERNETES = ROOT / "deploy/kubernetes"
PYTHON = ROOT / ".venv-charts/bin/python"
EVERYTHING: dict[str, Any] = {
    "image": {"pullSecrets": ["registry"], "tag": "0.2.0-models"},
    "data": {"claim": "weights"},
    "podAnnotations": {"team": "rl"},
    "nodeSelector": {"pool": "service"},
    "monitor": {"enabled": True},
    "ingress": {"enabled": True},
    "sandbox": {"enabled": True},
}
LITTLE: dict[str, Any] = {
    "replicas": 1,
    "autoscaling": {"enabled": False},
    "disruption": {"enabled": False},
    "network": {"enabled": False},
}
Manifest = dict[str, Any]


def helm(values: Manifest, name: str = "trueward") -> Manifest:
    assert PYTHON.exists(), "make charts"
    asked = json.dumps({"chart": str(CHART), "values": values, "name": name, "namespace": "rl"})
    ran = subprocess.run([PYTHON, Path(__file__).with_name("helm.py")], input=asked, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    answer: Manifest = json.loads(ran.stdout)
    return answer


def rendered(values: Manifest, name: str = "trueward") -> list[Manifest]:
    answer = helm(values, name)
    assert "refused" not in answer, answer
    texts = [text for template, text in answer["documents"].items() if template.endswith(".yaml")]
    return [document for text in texts for document in yaml.safe_load_all(text) if document]


def of_kind(documents: list[Manifest], kind: str) -> dict[str, Manifest]:
    return {one["metadata"]["name"]: one for one in documents if one["kind"] == kind}


@pytest.mark.parametrize("values", [{}, EVERYTHING, LITTLE], ids=["defaults", "everything", "little"])
def test_helm_finds_nothing_to_say_and_kubernetes_takes_what_it_renders(values: Manifest) -> None:
    report = helm(values)["lint"]
    assert report["errors"] == []
    assert [one for one in report["messages"] if one["severity"] > 1] == []
    documents = rendered(values)
    assert documents
    for document in documents:
        if document["kind"] != "ServiceMonitor":
            kubernetes_validate.validate(document, "1.31", strict=True)


def test_what_is_off_is_not_rendered() -> None:
    kinds = sorted(one["kind"] for one in rendered(LITTLE))
    assert kinds == ["ConfigMap", "Deployment", "Service", "ServiceAccount"]
    [deployment] = of_kind(rendered(LITTLE), "Deployment").values()
    assert deployment["spec"]["replicas"] == 1


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"replica": 3}, "replica"),
        ({"replicas": 0}, "replicas"),
        ({"settings": {"TRUEWARD_SECRET": "in the clear"}}, "TRUEWARD_SECRET"),
        ({"settings": {"WORKERS": "2"}}, "WORKERS"),
        ({"settings": {"TRUEWARD_WORKERS": 2}}, "TRUEWARD_WORKERS"),
        ({"network": {"stores": {"cidrs": ["10.0.0.0"], "ports": [5432]}}}, "cidrs"),
    ],
)
def test_wrong_values_are_refused_by_name(values: Manifest, told: str) -> None:
    assert told in helm(values)["refused"]


def test_the_schema_knows_every_value_and_no_other() -> None:
    def compare(schema: Manifest, values: Manifest, path: str) -> list[str]:
        known = schema.get("properties")
        if known is None:
            return []
        wrong = [f"{path}{name}" for name in known.keys() ^ values.keys() if name != "global"]
        for name, value in values.items():
            wrong += compare(known.get(name, {}), value, f"{path}{name}.") if isinstance(value, dict) else []
        return wrong

    schema = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))
    values = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
    optional = {"resources.claims", "sandbox.resources.claims"}
    assert set(compare(schema, values, "")) - optional == set()


def test_two_releases_in_a_namespace_share_no_name_and_no_pod() -> None:
    one, other = rendered({"sandbox": {"enabled": True}}, "one"), rendered({"sandbox": {"enabled": True}}, "other")
    names = [{(document["kind"], document["metadata"]["name"]) for document in documents} for documents in (one, other)]
    assert names[0].isdisjoint(names[1])
    selectors = [service["spec"]["selector"] for service in of_kind(one, "Service").values()]
    pods = [
        deployment["spec"]["template"]["metadata"]["labels"] for deployment in of_kind(other, "Deployment").values()
    ]
    assert not any(selector.items() <= pod.items() for selector in selectors for pod in pods)


def test_every_selector_finds_its_pods_and_every_name_that_is_referred_to_is_there() -> None:
    documents = rendered(EVERYTHING, "rl")
    pods = [one["spec"]["template"] for one in of_kind(documents, "Deployment").values()]
    for kind in ("Service", "PodDisruptionBudget", "NetworkPolicy"):
        for one in of_kind(documents, kind).values():
            selector = one["spec"].get("selector") or one["spec"]["podSelector"]
            selector = selector.get("matchLabels", selector)
            assert any(selector.items() <= pod["metadata"]["labels"].items() for pod in pods)
    [scaler] = of_kind(documents, "HorizontalPodAutoscaler").values()
    assert scaler["spec"]["scaleTargetRef"]["name"] in of_kind(documents, "Deployment")
    [settings] = of_kind(documents, "ConfigMap").values()
    sandbox_url = settings["data"]["TRUEWARD_SANDBOX_URL"]
    assert sandbox_url.removeprefix("http://").removesuffix(":8421") in of_kind(documents, "Service")


@pytest.mark.parametrize("sandbox", [False, True])
def test_the_settings_are_the_service_s_and_follow_the_sandbox(sandbox: bool) -> None:
    [settings] = of_kind(rendered({"sandbox": {"enabled": sandbox}}), "ConfigMap").values()
    given = {name.removeprefix("TRUEWARD_").lower(): value for name, value in settings["data"].items()}
    read = Settings.model_validate({"secret": "0123456789abcdef", **given})
    assert read.sandbox == ("remote" if sandbox else "off")


def test_the_chart_is_what_the_plain_manifests_are() -> None:
    """Of a release by their name, but for labels, the version of the image and who counts the replicas."""
    files = [path for folder in ("base", "sandbox") for path in (KUBERNETES / folder).glob("*.yaml")]
    plain = [one for path in files for one in yaml.safe_load_all(path.read_text(encoding="utf-8"))]
    plain = [one for one in plain if one["kind"] != "Kustomization"]
    chart = rendered({"sandbox": {"enabled": True}})
    keyed = {(one["kind"], one["metadata"]["name"]): bare(one) for one in chart}
    assert keyed == {(one["kind"], one["metadata"]["name"]): bare(one) for one in plain}


def bare(manifest: Manifest) -> Manifest:
    """Without what tools add: labels, annotations, the part of a selector that names the release, the image's place."""
    found: Manifest = json.loads(json.dumps(manifest))
    found["metadata"].pop("labels", None)
    if found["kind"] == "Deployment":
        found["spec"].pop("replicas", None)
        found["spec"]["template"].pop("metadata")
        for container in found["spec"]["template"]["spec"]["containers"]:
            container["image"] = container["image"].rpartition("/")[2].partition(":")[0]
    bared: Manifest = without_release(found)
    return bared


def without_release(node: Any) -> Any:  # Any: a manifest has no type of its own
    if isinstance(node, dict):
        return {key: without_release(value) for key, value in node.items() if key != "app.kubernetes.io/instance"}
    return [without_release(one) for one in node] if isinstance(node, list) else node


def test_the_chart_has_the_version_of_the_service() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))
    assert (chart["version"], chart["appVersion"]) == (VERSION, VERSION)
