/** A plan as it was shown, for looking back: what it was of, when, and what it said. */
export type KeptPlan = {
  connectionId: string;
  statement: string;
  isMeasured: boolean;
  /** Epoch milliseconds. */
  at: number;
  text: string;
  steps: number;
  /** Null where nothing was measured. */
  totalMs: number | null;
};

/** The plans of some days' work; with the limit below they are a tenth of what a browser keeps for a page. */
const PLANS_MAX = 25;
/** A plan of hundreds of steps; nobody compares longer ones line by line. */
const TEXT_CHARS_MAX = 20_000;

/** What lies in the browser's store; nothing where it cannot be read. */
export function parseKeptPlans(text: string | null): KeptPlan[] {
  let list: unknown;
  try {
    list = JSON.parse(text ?? "[]");
  } catch {
    return [];
  }
  return Array.isArray(list) ? list.filter(isKeptPlan) : [];
}

function isKeptPlan(value: unknown): value is KeptPlan {
  if (typeof value !== "object" || value === null) return false;
  const { connectionId, statement, isMeasured, at, text, steps, totalMs } = value as Record<string, unknown>;
  return (
    [connectionId, statement, text].every((each) => typeof each === "string") &&
    [at, steps, totalMs ?? 0].every((each) => typeof each === "number") &&
    typeof isMeasured === "boolean"
  );
}

/** The plans with this one, the latest last; the oldest make room. One that is too long to compare is left out. */
export function keepPlan(kept: readonly KeptPlan[], plan: KeptPlan): KeptPlan[] {
  if (plan.text.length > TEXT_CHARS_MAX) return [...kept];
  return [...kept.filter(({ at }) => at !== plan.at), plan].slice(-PLANS_MAX);
}

/** The latest earlier plan of the same statement on the same connection that tells the same; null without one. */
export function findEarlier(kept: readonly KeptPlan[], plan: Omit<KeptPlan, "text" | "steps" | "totalMs">) {
  return (
    kept.findLast(
      ({ connectionId, statement, isMeasured, at }) =>
        connectionId === plan.connectionId &&
        isMeasured === plan.isMeasured &&
        at < plan.at &&
        toWords(statement) === toWords(plan.statement),
    ) ?? null
  );
}

/** Laid out otherwise it is the same statement. */
function toWords(statement: string): string {
  return statement.replace(/\s+/g, " ").trim();
}
