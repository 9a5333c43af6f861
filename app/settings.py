"""Every setting of the service, typed and documented; read from ``TRUEWARD_`` environment variables."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import DirectoryPath, Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from app.kit.db import engine_url

_DEFAULT_SECRETS = frozenset({"", "changeme", "change-me", "secret", "password", "postgres", "trueward", "example"})
_OF_OTHERS = frozenset(
    f"TRUEWARD_{name}"
    for name in ("URL", "API_KEY", "API_KEY_FILE", "ROLLOUT_API_KEY", "WEBHOOK_SECRET", "PYTHON", "RECIPE", "RUN")
)
"""What the client, the command line and the trainer read."""
_LINKS = re.compile(r"TRUEWARD_(SECRET_.*|SERVICE_(HOST|PORT.*)|PORT_\d+_.*)")
"""Keys of model servers, under names of the operator's own, and what Kubernetes adds."""


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="TRUEWARD_", extra="ignore", frozen=True)

    environment: Literal["development", "production"] = Field(
        "development", description="`production` refuses to start on default or missing secrets"
    )
    host: str = Field("127.0.0.1", description="address to listen on")
    port: int = Field(8421, ge=0, le=65535, description="port to listen on")
    data_dir: Path = Field(Path("data"), description="directory of the SQLite file and the generated secret")
    database_url: str | None = Field(
        None, description="PostgreSQL URL; without it a SQLite file in the data directory is used"
    )
    redis_url: str | None = Field(
        None, description="Redis URL, for what several servers of one database share; needs `secret`"
    )
    auth: Literal["auto", "keys", "none"] = Field(
        "auto",
        description="`auto` asks for keys unless the service listens on loopback only; `none` off loopback is refused "
        "in production",
    )
    allowed_hosts: tuple[str, ...] = Field(
        (),
        description="names that a keyless service on loopback may be called by, besides addresses, localhost and this "
        'machine\'s own name: ["host.docker.internal"]',
    )
    tls_certificate: Path | None = Field(
        None, description="PEM file with the certificate, and those between it and its root; with it HTTPS is spoken"
    )
    tls_key: Path | None = Field(None, description="PEM file with the certificate's private key, not encrypted")
    secret: SecretStr | None = Field(
        None, description="secret that hashes API keys; generated into the data directory when missing"
    )
    session_s: float = Field(12 * 3600.0, gt=0, description="seconds that a sign-in to the pages lasts")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="least level that is logged")
    log_format: Literal["auto", "text", "json"] = Field(
        "auto", description="how logs are written; `auto`: text on a terminal, else JSON, an object a line"
    )
    log_samples: bool = Field(
        False, description="log the messages of all exceptions, though they may quote the text of a sample"
    )
    watch_by_default: bool = Field(
        True, description="watch every run that no stored watch covers, with the default signals"
    )
    traces: float = Field(0.0, ge=0, le=1, description="share of requests that are traced; needs the extra `otel`")

    max_samples: int = Field(4096, ge=1, description="samples in one request")
    max_characters: int = Field(
        1_000_000, ge=1, description="characters in one text field of a sample, and in one question to a model"
    )
    max_body_bytes: int = Field(64 * 2**20, ge=1, description="bytes of one JSON body")
    max_job_samples: int = Field(2_000_000, ge=1, description="samples in one job")
    max_waiting_samples: int = Field(
        20_000,
        ge=1,
        description="samples admitted and not yet answered; beyond it requests are told to retry",
    )
    max_connections: int = Field(
        8192, ge=1, description="connections that are read from; beyond it the next ones wait for others to end"
    )
    read_s: float = Field(
        30.0,
        gt=0,
        description="seconds for the head of a request, and for 500 bytes a second of a body, or of an answer",
    )
    lame_duck_s: float = Field(
        0.0, ge=0, description="seconds, once told to stop, of service that is not ready, for a balancer to notice"
    )
    drain_s: float = Field(
        30.0, ge=0, description="seconds, after these, to finish what was admitted; what is left ends as `shutdown`"
    )
    deadline_s: float = Field(
        30.0, gt=0, description="seconds a request has when it states none; programs add their limits"
    )
    max_deadline_s: float = Field(600.0, gt=0, description="most seconds a request may ask for")

    workers: int = Field(2, ge=1, description="processes of the cpu lane")
    cpu_limit_s: float = Field(1.0, gt=0, description="CPU seconds one check may use in a worker")
    wall_limit_s: float = Field(6.0, gt=0, description="seconds by the clock one check may take in a worker")
    worker_memory_bytes: int = Field(2 * 2**30, ge=2**28, description="address space of one worker")
    worker_recycle_after: int = Field(5000, ge=1, description="checks after which a worker is replaced")
    worker_capacity: int = Field(20_000, ge=1, description="checks that may wait for a worker")

    ray_address: str | None = Field(
        None,
        description="Ray cluster whose Serve deployments are the lanes: `auto` or host:port; needs the extra `ray`",
    )
    ray_lanes: tuple[Literal["cpu", "sandbox", "models"], ...] = Field(
        ("cpu", "sandbox", "models"), min_length=1, description="the lanes that are there; the others stay here"
    )

    sandbox: str = Field(
        "local",
        description="where programs are run: `local` in jails of this machine, `docker` in containers, `remote` by "
        "another server, `off` nowhere; or the name of a plug-in",
    )
    sandbox_workers: int = Field(2, ge=1, description="samples whose programs are run at once")
    sandbox_url: str | None = Field(None, description="base URL of a SandboxFusion server, for `remote`")
    sandbox_floor: tuple[str, ...] = Field(
        (), description='isolation to insist on besides what is always asked for, for `local`: ["memory groups"]'
    )
    sandbox_image: str = Field("trueward/sandbox", description="image of the containers, for `docker`")
    sandbox_reuse: bool = Field(
        False, description="for `docker`: use a container again after a proven reset, else each sample gets a fresh one"
    )
    sandbox_runtime: str | None = Field(None, description="container runtime such as runsc, for `docker`")

    model_device: str = Field(
        "auto", pattern=r"^(auto|cpu|cuda(:\d+)?)$", description="where models run whose entry names no device"
    )
    model_memory_bytes: int | None = Field(
        None, ge=2**20, description="bytes of one device for weights; default: half of the memory, or all of a GPU's"
    )
    model_batch_tokens: int | None = Field(
        None, ge=16, description="tokens of one batch; default: 2,048 on a CPU, 16,384 on a GPU"
    )
    model_queue_tokens: int = Field(4_000_000, ge=16, description="tokens that may wait for one device")
    model_hang_s: float = Field(120.0, gt=0, description="seconds after which a batch counts as hung")
    model_roots: tuple[Path, ...] = Field(
        (), description='directories that models and weights may lie in: ["/models"]; keyless and without any: anywhere'
    )
    model_upload_bytes: int = Field(64 * 2**30, ge=1, description="bytes of one upload of weights")
    model_server_requests: int = Field(
        64, ge=1, description="questions that one model of another server is asked at once"
    )
    probe_share: float = Field(
        0.0, ge=0, le=1, description="share of judged samples in training that a probe accompanies; each costs a call"
    )
    model_cache: int = Field(2000, ge=0, description="answers of models kept in memory for questions that come again")

    verdict_cache: int = Field(50_000, ge=0, description="verdicts kept in memory for samples that come again")
    check_cache: int = Field(50_000, ge=0, description="worker results kept in memory for answers that come again")
    ledger_capacity: int = Field(20_000, ge=1, description="rows that may wait for the ledger's writer")
    recipes_dir: DirectoryPath | None = Field(
        None, description="directory with further recipes (*.yaml), loaded at start"
    )

    presets: tuple[Path, ...] = Field((), description='directories with presets of judges, a folder each: ["/presets"]')

    @field_validator("database_url")
    @classmethod
    def _database_is_of_a_kind_that_we_know(cls, url: str | None) -> str | None:
        if url:
            try:
                engine_url(url)
            except ArgumentError as unreadable:
                raise ValueError("this is no URL of a database, such as postgresql://user@host/name") from unreadable
        return url

    @field_validator("redis_url")
    @classmethod
    def _redis_is_named_by_a_url(cls, url: str | None) -> str | None:
        if url is not None and not re.match(r"(redis|rediss|unix)://", url):
            raise ValueError("this is no URL of Redis, such as redis://:password@host:6379/0 (rediss:// with TLS)")
        return url

    @field_validator("recipes_dir")
    @classmethod
    def _folder_can_be_read(cls, folder: Path | None) -> Path | None:
        if folder is not None and not os.access(folder, os.R_OK | os.X_OK):
            raise ValueError(f"{folder}: Permission denied; user {os.geteuid()} has to be able to read it")
        return folder

    @field_validator("allowed_hosts")
    @classmethod
    def _hosts_are_names(cls, hosts: tuple[str, ...]) -> tuple[str, ...]:
        for host in hosts:
            if not re.fullmatch(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*", host):
                raise ValueError(f"{host!r} is no host name: give each as in reward.example, without scheme and port")
        return hosts

    @model_validator(mode="after")
    def _certificate_has_a_key(self) -> Settings:
        if (self.tls_certificate is None) != (self.tls_key is None):
            raise ValueError("TRUEWARD_TLS_CERTIFICATE and TRUEWARD_TLS_KEY go together: set both, or neither")
        return self

    @field_validator("sandbox")
    @classmethod
    def _is_a_sandbox(cls, name: str) -> str:
        from app.lanes.sandboxes import SANDBOXES  # it reads settings itself

        SANDBOXES.get(name)
        return name

    @model_validator(mode="after")
    def _remote_sandbox_has_a_url(self) -> Settings:
        if self.sandbox == "remote" and not self.sandbox_url:
            raise ValueError("TRUEWARD_SANDBOX=remote needs TRUEWARD_SANDBOX_URL, the server that runs programs")
        return self

    @model_validator(mode="after")
    def _replicas_have_one_secret(self) -> Settings:
        if self.redis_url is not None and self.secret is None:
            raise ValueError(
                "TRUEWARD_REDIS_URL is for servers that share keys and verdicts: give all of them one TRUEWARD_SECRET "
                "(python3 -c 'import secrets; print(secrets.token_hex(32))')"
            )
        return self

    @model_validator(mode="after")
    def _production_has_secrets(self) -> Settings:
        if self.environment == "production":
            secret = self.secret.get_secret_value() if self.secret else ""
            if secret.lower() in _DEFAULT_SECRETS or len(secret) < 16:
                raise ValueError(
                    "TRUEWARD_SECRET must be set to at least 16 characters of your own in production "
                    "(python3 -c 'import secrets; print(secrets.token_hex(32))')"
                )
            password = make_url(self.database_url).password if self.database_url else None
            if password is not None and str(password).lower() in _DEFAULT_SECRETS:
                raise ValueError("TRUEWARD_DATABASE_URL has a well-known password: set one of your own in production")
        return self

    @model_validator(mode="after")
    def _production_asks_for_keys(self) -> Settings:
        if self.environment == "production" and self.open_to_all:
            raise ValueError(
                f"TRUEWARD_AUTH=none would let in whoever reaches {self.host}: leave it out, or listen on loopback "
                "(TRUEWARD_HOST=127.0.0.1) behind a proxy that asks for credentials"
            )
        return self

    @cached_property
    def url(self) -> str:
        """The database that is used."""
        return self.database_url or f"sqlite:///{self.data_dir.resolve() / 'trueward.db'}"

    @cached_property
    def on_loopback(self) -> bool:
        return is_loopback(self.host)

    @cached_property
    def open_to_all(self) -> bool:
        """Whether whoever reaches the service may do everything."""
        return self.auth == "none" and not self.on_loopback

    @cached_property
    def needs_keys(self) -> bool:
        return self.auth == "keys" or (self.auth == "auto" and not self.on_loopback)


def find_unknown_settings(environment: Iterable[str]) -> dict[str, str | None]:
    """Names that begin as ours do and are nobody's, each with the setting that may be meant: they do nothing.

    Kubernetes gives each pod variables that name the services beside it: those of one called ``trueward`` are left out.
    """
    settings = [f"TRUEWARD_{name.upper()}" for name in Settings.model_fields]
    ours = {*settings, *_OF_OTHERS}
    unknown = [name for name in environment if name.startswith("TRUEWARD_") and name not in ours]
    near = {name: get_close_matches(name, settings, n=1, cutoff=0.8) for name in sorted(unknown)}
    return {name: next(iter(found), None) for name, found in near.items() if not _LINKS.match(name)}


def is_loopback(host: str) -> bool:
    """Whether a name or address stands for this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
