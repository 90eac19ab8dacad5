import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AppError } from "@/lib/platform/http/errors";
import { openSource, readSource } from "@/test/fixtures/connections/drivers/shared/read-source";
import {
  STRIPE_BLIND_KEY, STRIPE_TEST_KEY, type StripeObject, type StripeStandIn, startStripeStandIn,
} from "@/test/servers/stripe-stand-in"; // biome-ignore format: one look at the whole list
import type { DataSource } from "../../data-source";
import { stripe } from ".";
import { STRIPE_RESOURCES } from "./resources";

process.env.ALLOW_PRIVATE_NETWORK = "all";

const BEGIN = Date.UTC(2026, 0, 1) / 1000;
const OPTIONS = { cursorField: "created", primaryKey: ["id"] };
const signal = new AbortController().signal;

let standIn: StripeStandIn;
let source: DataSource;

beforeAll(async () => {
  standIn = await startStripeStandIn();
  process.env.STRIPE_API_URL = standIn.address;
});
afterAll(() => standIn.stop());

beforeEach(async () => {
  standIn.requests.length = 0;
  standIn.lieBy(null);
  for (const { path } of STRIPE_RESOURCES) standIn.lists[path] = [];
  source = await openSource(stripe, { apiKey: STRIPE_TEST_KEY });
});
afterEach(() => source.close());

const charge = (number: number, created = BEGIN + number): StripeObject => ({
  id: `ch_${number}`,
  object: "charge",
  created,
  amount: number * 100,
  livemode: false,
  metadata: { order: String(number) },
  description: number % 2 ? `Order ${number}` : null,
});
const charges = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => charge(from + index));
const put = (...objects: StripeObject[]) => standIn.lists.charges?.push(...objects);
const numbers = ({ rows }: { rows: Record<string, unknown>[] }) => rows.map(({ id }) => Number(String(id).slice(3)));
const upTo = (last: number) => charges(1, last).map(({ id }) => Number(id.slice(3)));
const sorted = (list: number[]) => list.toSorted((a, b) => a - b);

async function failureOf(run: Promise<unknown>): Promise<AppError> {
  const error = await run.then(
    () => new Error("It did not fail."),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AppError)) throw error;
  return error;
}

test("reads a list in pages of 100, with types from its values", async () => {
  put(...charges(1, 250));
  const { rows, fields } = await readSource(source, "charges");
  expect(numbers({ rows })).toEqual(upTo(250).toReversed());
  expect(fields.map(({ name, type }) => `${name} ${type}`)).toEqual([
    "id string", "object string", "created int64", "amount int64", "livemode boolean", "metadata json", "description string",
  ]); // biome-ignore format: one look at the whole list
  expect(standIn.requests.map(({ url }) => `${url.pathname}${url.search}`)).toEqual([
    "/v1/charges?limit=100",
    "/v1/charges?limit=100&starting_after=ch_151",
    "/v1/charges?limit=100&starting_after=ch_51",
  ]);
});

test("reads each resource as a Stripe list, including ended subscriptions", async () => {
  standIn.lists.subscriptions?.push({ ...charge(1), id: "su_1", status: "canceled" });
  for (const { name, path } of STRIPE_RESOURCES) {
    const { rows } = await readSource(source, name, OPTIONS);
    expect([name, rows.length]).toEqual([name, name === "subscriptions" ? 1 : 0]);
    expect(standIn.requests.at(-1)?.url.pathname).toBe(`/v1/${path}`);
  }
});

describe("incremental sync", () => {
  test("requests records by created, without losing or repeating those of the same second", async () => {
    put(...charges(1, 120));
    const first = await readSource(source, "charges", OPTIONS);
    const from = first.checkpoints.at(-1) ?? null;
    expect(from).toMatchObject({ since: BEGIN + 120 });
    expect((await readSource(source, "charges", { ...OPTIONS, from })).rows).toEqual([]);
    put(charge(121, BEGIN + 120), charge(122));
    const second = await readSource(source, "charges", { ...OPTIONS, from });
    expect(sorted(numbers(second))).toEqual([121, 122]);
    expect(standIn.requests.at(-1)?.url.searchParams.get("created[gte]")).toBe(String(BEGIN + 120));
  });

  test("loses and repeats no record when it is killed at any batch while new ones are created", async () => {
    for (let cut = 1; cut <= 7; cut += 1) {
      standIn.lists.charges = charges(1, 320);
      const options = { ...OPTIONS, batchRows: 50 };
      const killed = await readSource(source, "charges", { ...options, batchesMax: cut });
      put(...charges(321, 400));
      const resumed = await readSource(source, "charges", { ...options, from: killed.checkpoints.at(-1) ?? null });
      put(charge(401, BEGIN + 400));
      const next = await readSource(source, "charges", { ...options, from: resumed.checkpoints.at(-1) ?? null });
      const seen = [killed, resumed, next].flatMap(numbers);
      expect([cut, sorted(seen)]).toEqual([cut, upTo(401)]);
    }
  });

  test("starts from the last complete read; an interrupted one moves nothing", async () => {
    put(...charges(1, 250));
    const killed = await readSource(source, "charges", { ...OPTIONS, batchesMax: 1 });
    expect(killed.checkpoints).toEqual([expect.objectContaining({ top: BEGIN + 250, next: "ch_151" })]);
    expect(killed.checkpoints[0]).not.toHaveProperty("since");
  });

  test("rejects another cursor field and an unknown list", async () => {
    await expect(readSource(source, "charges", { cursorField: "amount" })).rejects.toMatchObject({
      kind: "invalid_request",
    });
    await expect(readSource(source, "secrets")).rejects.toMatchObject({ kind: "invalid_request" });
  });
});

describe("the account", () => {
  test("is shown by its API version and mode", async () => {
    expect(await source.test(signal)).toEqual({ serverVersion: "API 2024-06-20, test mode" });
    const blind = await openSource(stripe, { apiKey: STRIPE_BLIND_KEY });
    expect(await blind.test(signal)).toEqual({ serverVersion: "live mode" });
    await blind.close();
  });

  test("of a platform and the version are sent as headers", async () => {
    const other = await openSource(stripe, { apiKey: STRIPE_TEST_KEY, account: "acct_1A", apiVersion: "2023-10-16" });
    await readSource(other, "charges");
    expect(standIn.requests.at(-1)?.headers).toMatchObject({
      authorization: `Bearer ${STRIPE_TEST_KEY}`,
      "stripe-account": "acct_1A",
      "stripe-version": "2023-10-16",
    });
    await other.close();
  });

  test("shows its lists with the columns of one page each", async () => {
    put(...charges(1, 30));
    const entities = await source.entities(signal);
    expect(entities.map(({ name }) => name)).toEqual(STRIPE_RESOURCES.map(({ name }) => name));
    expect(entities.find(({ name }) => name === "charges")?.columns?.[0]).toEqual({
      name: "id", type: "string", nullable: false, primaryKey: true,
    }); // biome-ignore format: one column
    expect(standIn.requests).toHaveLength(STRIPE_RESOURCES.length);
  });

  test("T47 reports the status of a rejected key, and never the key", async () => {
    const key = "sk_test_s3cr3tMarkerOfNobody";
    for (const [apiKey, status] of [[key, 401], [STRIPE_BLIND_KEY, 403]] as const) {
      const wrong = await openSource(stripe, { apiKey });
      for (const run of [() => readSource(wrong, "charges"), () => wrong.entities(signal)]) {
        const error = await failureOf(run());
        expect(error).toMatchObject({ kind: "source_unreachable", details: { status } });
        expect(`${error.message} ${error.stack}`).not.toContain("s3cr3t");
      }
      await wrong.close();
    }
  }); // biome-ignore format: two keys
});

describe("a busy Stripe", () => {
  test("is retried without losing a record", async () => {
    put(...charges(1, 150));
    standIn.failNext(429, 503);
    expect(numbers(await readSource(source, "charges"))).toHaveLength(150);
    expect(standIn.requests).toHaveLength(4);
  });

  test("fails with the status after the retries", async () => {
    standIn.failNext(429, 429, 429);
    const error = await failureOf(readSource(source, "charges"));
    expect(error.message).toMatch(/^The source returned HTTP 429: Too many requests.*Failed after 3 attempts\.$/);
  });
});

describe("a lying Stripe", () => {
  const list = (data: unknown, hasMore: unknown = true) => ({ json: { object: "list", data, has_more: hasMore } });
  const lies: [string, (turn: number) => { json: unknown }, RegExp][] = [
    ["gives the same page for ever", () => list(charges(1, 3)), /^Page 2 of charges repeats an earlier page/],
    ["ends each page with the same charge", (turn) => list([charge(turn + 10), charge(1)]), /next page of charges was already read/],
    ["goes round in a circle", (turn) => list([charge(turn), charge(1 + (turn % 3))]), /next page of charges was already read/],
    ["has more behind nothing", () => list([]), /reports more charges but returned no cursor/],
    ["has more behind a charge without an id", () => list([{ object: "charge", created: BEGIN }]), /returned no cursor/],
    ["has more behind an empty id", () => list([{ ...charge(1), id: "" }]), /returned no cursor/],
    ["has more behind what is no charge", () => list([charge(1), null]), /returned no cursor/],
    ["does not say whether there is more", () => ({ json: { object: "list", data: charges(1, 3) } }), /is not a Stripe list/],
    ["says it in words", () => list(charges(1, 3), "false"), /is not a Stripe list/],
    ["has an object for its list", () => list({ 0: charge(1) }, false), /is not a Stripe list/],
  ]; // biome-ignore format: one kind after the other

  test.each(lies)("that %s is detected within a few pages", async (_, answer, message) => {
    for (const options of [{}, OPTIONS]) {
      standIn.lieBy(answer);
      const error = await failureOf(readSource(source, "charges", options));
      expect([error.kind, error.message]).toEqual(["source_unreachable", expect.stringMatching(message)]);
    }
    expect(standIn.requests.length).toBeLessThan(20);
  });
});

test("reports a deleted page position", async () => {
  put(...charges(1, 150));
  const from = (await readSource(source, "charges", { ...OPTIONS, batchesMax: 1 })).checkpoints[0] ?? null;
  standIn.lists.charges = charges(1, 10);
  const error = await failureOf(readSource(source, "charges", { ...OPTIONS, from }));
  expect(error.message).toMatch(/HTTP 400: No such object: 'ch_51'.*backfill/);
});

test.each([
  [{ apiKey: "pk_live_1" }, "config.apiKey"],
  [{ apiKey: "sk test" }, "config.apiKey"],
  [{ apiKey: "sk_1", account: "other" }, "config.account"],
  [{ apiKey: "sk_1", apiVersion: "latest" }, "config.apiVersion"],
  [{ apiKey: "sk_1", baseUrl: "https://evil.example" }, "config.baseUrl"],
])("%j is rejected: the key is sent to Stripe only", async (config, path) => {
  const error = await failureOf(
    Promise.resolve(stripe.check?.({ workspaceId: "a".repeat(24), readOnly: true, config })),
  );
  expect((error.details as { path: string }[]).map((each) => each.path)).toEqual([path]);
});
