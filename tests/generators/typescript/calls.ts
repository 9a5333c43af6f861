// What a TypeScript client that was generated out of the OpenAPI document does with a service: one line of JSON.
// Arguments: the service's URL and a key.
import createClient from "openapi-fetch";
import type { components, paths } from "./api";

const [url, key] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${key}` } });
const samples: components["schemas"]["Sample"][] = [
  { response: "\\boxed{5/6}", reference: "\\frac56" },
  { response: "\\boxed{2/5}", reference: "\\frac56" },
];

function pause(): Promise<void> {
  return new Promise((done) => setTimeout(done, 50));
}

async function finishJob(): Promise<Record<string, number>> {
  const submitted = await client.POST("/v1/jobs", { body: { verifier: "math", samples } });
  if (submitted.error) throw new Error(submitted.error.detail);
  for (;;) {
    const looked = await client.GET("/v1/jobs/{job}", { params: { path: { job: submitted.data.id } } });
    if (looked.error) throw new Error(looked.error.detail);
    if (looked.data.state === "completed") return looked.data.counts;
    await pause();
  }
}

async function finishAudit(): Promise<{ name: string; state: string; listed: boolean }> {
  const begun = await client.POST("/v1/audits", {
    body: { name: "generated", audit: { kind: "metamorphic", subject: { verifier: "math" }, given: { samples } } },
  });
  if (begun.error) throw new Error(begun.error.detail);
  const path = { audit: begun.data.id };
  for (;;) {
    const looked = await client.GET("/v1/audits/{audit}", { params: { path } });
    if (looked.error) throw new Error(looked.error.detail);
    if (looked.data.state === "completed" || looked.data.state === "failed") {
      const listed = await client.GET("/v1/audits", { params: { query: { limit: 1, since: "2026-01-01T00:00:00Z" } } });
      if (listed.error) throw new Error(listed.error.detail);
      return { name: looked.data.name, state: looked.data.state, listed: listed.data.audits[0]?.id === path.audit };
    }
    await pause();
  }
}

async function main(): Promise<void> {
  const verified = await client.POST("/v1/verify", {
    body: { verifier: "math", samples },
    params: { header: { "Idempotency-Key": `${key}-once` } },
  });
  if (verified.error) throw new Error(verified.error.detail);
  const rewarded = await client.POST("/v1/rewards", { body: { recipe: "math", samples } });
  if (rewarded.error) throw new Error(rewarded.error.detail);
  const refused = await client.POST("/v1/verify", { body: { verifier: "nothing", samples } });
  if (!refused.error) throw new Error("an unknown verifier judged");
  const told = {
    outcomes: verified.data.verdicts.map((verdict) => verdict.outcome),
    rewards: rewarded.data.rewards.map((reward) => reward.reward),
    refused: refused.error.code,
    job: await finishJob(),
    audit: await finishAudit(),
  };
  console.log(JSON.stringify(told));
}

void main();
