/** A plan as shown, for later comparison: its statement, time and content. */
export type KeptPlan = {
  connectionId: string;
  statement: string;
  isMeasured: boolean;
  /** Epoch milliseconds. */
  at: number;
  text: string;
  steps: number;
  /** Null for a plan without measured times. */
  totalMs: number | null;
};

/** Maximum number of plans: some days of work. With the limit below they take a tenth of a page's browser storage. */
const PLANS_MAX = 25;
/** Maximum length of a plan's text: hundreds of steps. No one compares longer ones line by line. */
const TEXT_CHARS_MAX = 20_000;

/** Parses the plans in the browser's storage; empty when it is unreadable. */
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

/** Appends a plan and drops the oldest ones. A plan that is too long to compare is omitted. */
export function keepPlan(kept: readonly KeptPlan[], plan: KeptPlan): KeptPlan[] {
  if (plan.text.length > TEXT_CHARS_MAX) return [...kept];
  return [...kept.filter(({ at }) => at !== plan.at), plan].slice(-PLANS_MAX);
}

/** Returns the latest earlier plan of the same statement, connection and kind; null without one. */
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

/** Normalises white space: a reformatted statement is the same statement. */
function toWords(statement: string): string {
  return statement.replace(/\s+/g, " ").trim();
}
