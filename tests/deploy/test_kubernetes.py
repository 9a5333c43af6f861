"""The manifests of deploy/kubernetes: valid, hardened, and in the service's own words. Nothing is run in a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from app.settings import Settings
from tests.openapi import paths

ROOT = Path(__file__).parents[2] / "deploy/kubernetes"
VERSION = "1.31"
FOREIGN = {"kustomize.config.k8s.io/v1beta1", "monitoring.coreos.com/v1"}
"""Kinds of other tools, whose schemas Kubernetes does not have."""
SETTINGS = {f"TRUEWARD_{name.upper()}" for name in Settings.model_fields}
FILES = sorted(ROOT.rglob("*.yaml"))
Manifest = dict[str, Any]


def manifests() -> list[tuple[Path, Manifest]]:
    return [(path, document) for path in FILES for document in yaml.safe_load_all(path.read_text(encoding="utf-8"))]


def of_kind(kind: str) -> list[Manifest]:
    found = [document for _, document in manifests() if document["kind"] == kind]
    assert found
    return found


def containers() -> list[tuple[Manifest, Manifest]]:
    """Each container with the specification of its pod."""
    pods = [deployment["spec"]["template"]["spec"] for deployment in of_kind("Deployment")]
    return [(pod, container) for pod in pods for container in pod["containers"]]


def variables(pod: Manifest, container: Manifest) -> dict[str, str | None]:
    """The environment of a container; None for what a Secret holds."""
    found: dict[str, str | None] = {entry["name"]: entry.get("value") for entry in container.get("env", [])}
    maps = {settings["metadata"]["name"]: settings["data"] for settings in of_kind("ConfigMap")}
    for source in container.get("envFrom", []):
        found |= maps[source["configMapRef"]["name"]]
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_each_manifest_is_valid(path: Path) -> None:
    for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
        if document["apiVersion"] not in FOREIGN:
            kubernetes_validate.validate(document, VERSION, strict=True)


@pytest.mark.parametrize("folder", ["base", "sandbox"])
def test_kustomize_finds_what_it_names_and_names_what_is_there(folder: str) -> None:
    kustomization = yaml.safe_load((ROOT / folder / "kustomization.yaml").read_text(encoding="utf-8"))
    there = {path.name for path in (ROOT / folder).glob("*.yaml")} - {"kustomization.yaml"}
    assert set(kustomization["resources"]) == there
    used = {container["image"].partition(":")[0] for _, container in containers()}
    assert {image["name"] for image in kustomization["images"]} <= used
    assert all(image["newTag"] != "latest" for image in kustomization["images"])


def test_images_have_a_version() -> None:
    for _, container in containers():
        name, colon, tag = container["image"].rpartition(":")
        assert name
        assert colon
        assert tag != "latest"


def test_every_variable_is_a_setting_of_the_service() -> None:
    for pod, container in containers():
        named = variables(pod, container)
        assert named.keys() <= SETTINGS
        plain = {name.removeprefix("TRUEWARD_").lower(): value for name, value in named.items() if value is not None}
        Settings.model_validate({"secret": "0123456789abcdef", **plain})


def test_every_probe_asks_what_the_service_answers() -> None:
    for _, container in containers():
        ports = {port["name"]: port["containerPort"] for port in container["ports"]}
        for name in ("startupProbe", "livenessProbe", "readinessProbe"):
            asked = container[name]["httpGet"]
            assert asked["path"] in paths()
            assert ports[asked["port"]] == Settings().port
        assert container["livenessProbe"]["httpGet"]["path"] == "/health/live"
        assert container["readinessProbe"]["httpGet"]["path"] == "/health/ready"


def test_a_pod_is_not_killed_before_it_has_drained() -> None:
    for pod, container in containers():
        named = variables(pod, container)
        given = {name: float(named.get(f"TRUEWARD_{name.upper()}") or 0) for name in ("lame_duck_s", "drain_s")}
        drains = given["lame_duck_s"] + (given["drain_s"] or Settings().drain_s)
        assert pod["terminationGracePeriodSeconds"] >= drains + 15


def test_every_container_has_no_more_rights_than_it_needs() -> None:
    for pod, container in containers():
        own = container["securityContext"]
        assert own["allowPrivilegeEscalation"] is False
        assert own["readOnlyRootFilesystem"] is True
        assert own["capabilities"] == {"drop": ["ALL"]}
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["runAsUser"] > 0
        assert pod["automountServiceAccountToken"] is False
        assert {mount["mountPath"] for mount in container["volumeMounts"]} == {"/data", "/tmp"}
        assert not any("hostPath" in volume for volume in pod["volumes"])
        assert container["resources"]["limits"].keys() == {"memory"}
        assert container["resources"]["requests"].keys() == {"cpu", "memory"}


def test_only_the_sandbox_is_outside_of_the_restricted_profile() -> None:
    filters = {
        deployment["metadata"]["name"]: deployment["spec"]["template"]["spec"]["securityContext"]["seccompProfile"][
            "type"
        ]
        for deployment in of_kind("Deployment")
    }
    assert filters == {"trueward": "RuntimeDefault", "trueward-sandbox": "Unconfined"}


def test_the_sandbox_holds_no_secret_and_reaches_nothing() -> None:
    [(pod, container)] = [pair for pair in containers() if pair[1]["image"].startswith("trueward-sandbox:")]
    assert None not in variables(pod, container).values()
    [policy] = [policy for policy in of_kind("NetworkPolicy") if policy["metadata"]["name"] == "trueward-sandbox"]
    assert policy["spec"]["egress"] == []
    assert policy["spec"]["policyTypes"] == ["Ingress", "Egress"]


def test_what_selects_pods_selects_some() -> None:
    labels = [deployment["spec"]["template"]["metadata"]["labels"] for deployment in of_kind("Deployment")]
    selectors = [service["spec"]["selector"] for service in of_kind("Service")]
    for kind in ("PodDisruptionBudget", "NetworkPolicy"):
        selectors += [
            (one["spec"].get("selector") or one["spec"]["podSelector"])["matchLabels"] for one in of_kind(kind)
        ]
    for selector in selectors:
        assert any(selector.items() <= pod.items() for pod in labels)


def test_no_manifest_holds_a_secret() -> None:
    for secret in of_kind("Secret"):
        assert secret["stringData"]["secret"] == ""
    assert {path.parent.name for path, document in manifests() if document["kind"] == "Secret"} == {"examples"}


def test_the_ingress_lets_through_what_the_service_takes() -> None:
    [ingress] = of_kind("Ingress")
    notes = ingress["metadata"]["annotations"]
    size = int(notes["nginx.ingress.kubernetes.io/proxy-body-size"].removesuffix("m")) * 2**20
    assert size >= Settings().max_body_bytes
    assert float(notes["nginx.ingress.kubernetes.io/proxy-read-timeout"]) > Settings().max_deadline_s
