import { type JsonService, type ServiceAnswer, type ServiceRequest, startJsonService } from "./json-service";

export type StripeObject = { id: string; object: string; created: number; [field: string]: unknown };
export type StripeStandIn = JsonService & {
  /** By the path of the list below /v1/; in the order of creation. */
  lists: Record<string, StripeObject[]>;
  /** Responds to the next requests with these statuses instead. */
  failNext(...statuses: number[]): void;
  /** Responds to each request from now on with this instead; null restores the normal responses. */
  lieBy(answer: ((turn: number) => ServiceAnswer) | null): void;
};

export const STRIPE_TEST_KEY = "sk_test_s3cr3tMarkerOfTheAccount";
/** A key of the same account without any permission. */
export const STRIPE_BLIND_KEY = "rk_live_s3cr3tMarkerOfTheBlind";

const VERSION = "2024-06-20";
const LIMIT_DEFAULT = 10;
const LIMIT_MAX = 100;

/**
 * Starts a small stand-in for Stripe's API, by its reference: it signs in by the key, lists newest first, supports
 * `limit` (1 to 100), `starting_after` and `created[gte]`, returns `has_more`, and refuses parameters that a list does
 * not have.
 */
export async function startStripeStandIn(): Promise<StripeStandIn> {
  const lists: StripeStandIn["lists"] = {};
  const failures: number[] = [];
  let lie: ((turn: number) => ServiceAnswer) | null = null;
  let turn = 0;
  const service = await startJsonService((request) => {
    const failure = failures.shift();
    if (failure !== undefined) {
      const answer = refuse(failure, "rate_limit", "Too many requests hit the API too quickly.");
      return { ...answer, headers: { ...answer.headers, "retry-after": "0" } };
    }
    if (lie !== null) return lie(turn++);
    return answerOf(request, lists);
  });
  return {
    ...service,
    lists,
    failNext: (...statuses) => void failures.push(...statuses),
    lieBy: (answer) => {
      lie = answer;
      turn = 0;
    },
  };
}

function answerOf({ method, url, headers }: ServiceRequest, lists: StripeStandIn["lists"]): Answer {
  const key = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1];
  const path = url.pathname.replace(/^\/v1\//, "");
  if (key === STRIPE_BLIND_KEY) {
    return refuse(403, "invalid_request_error", `The provided key '${key}' does not have the required permissions.`);
  }
  if (key !== STRIPE_TEST_KEY) return refuse(401, "invalid_request_error", `Invalid API Key provided: ${key}`);
  if (method !== "GET") return refuse(405, "invalid_request_error", "Only reading is known here.");
  if (path === "balance") return tell({ object: "balance", livemode: false, available: [] });
  const list = lists[path];
  if (!list) return refuse(404, "invalid_request_error", `Unrecognized request URL (GET: ${url.pathname}).`);
  const known = ["limit", "starting_after", "created[gte]", ...(path === "subscriptions" ? ["status"] : [])];
  const unknown = [...url.searchParams.keys()].find((name) => !known.includes(name));
  if (unknown) return refuse(400, "invalid_request_error", `Received unknown parameter: ${unknown}`);
  const limit = Number(url.searchParams.get("limit") ?? LIMIT_DEFAULT);
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX) {
    return refuse(400, "invalid_request_error", "This value must be between 1 and 100.");
  }
  const newestFirst = list
    .map((object, index) => ({ object, index }))
    .sort((a, b) => b.object.created - a.object.created || b.index - a.index)
    .map(({ object }) => object)
    .filter(
      ({ status }) => path !== "subscriptions" || status !== "canceled" || url.searchParams.get("status") === "all",
    )
    .filter(({ created }) => created >= Number(url.searchParams.get("created[gte]") ?? 0));
  const after = url.searchParams.get("starting_after");
  const place = after === null ? -1 : newestFirst.findIndex(({ id }) => id === after);
  if (after !== null && place < 0) return refuse(400, "invalid_request_error", `No such object: '${after}'`);
  const data = newestFirst.slice(place + 1, place + 1 + limit);
  return tell({ object: "list", url: url.pathname, has_more: newestFirst.length > place + 1 + limit, data });
}

type Answer = Exclude<ServiceAnswer, (...args: never[]) => unknown>;

function tell(json: unknown): Answer {
  return { json, headers: { "stripe-version": VERSION } };
}

function refuse(status: number, type: string, message: string): Answer {
  return { ...tell({ error: { type, message } }), status };
}
