import { AppError } from "@/lib/platform/http/errors";
import type { Dataset, Model, Relationship } from "./file";

/** The tables of one aggregation: `root` has one row per row of the statement, before grouping. */
export type Joins = {
  root: Dataset;
  /** Each leads from a dataset that is joined to one that is not yet. */
  steps: readonly Relationship[];
  /** Whether rows of the aggregated dataset repeat and must be reduced to one. */
  repeats: boolean;
};

/**
 * Returns the joins that add `needed` to a dataset. Joins from the many side to the one side repeat no row. If a needed
 * dataset is on the many side of `home`, the statement starts there, and `repeats` is true.
 * @throws AppError invalid_request where datasets are unrelated, related many-to-many, or in several ways
 */
export function joinsOf(model: Model, home: Dataset, needed: readonly Dataset[]): Joins {
  const all = [...new Set([home, ...needed])];
  const direct = treeOf(model, home, all);
  if (direct) return { root: home, steps: direct, repeats: false };
  const roots = model.datasets.filter((each) => each !== home && all.every((to) => pathsTo(model, each, to) > 0));
  // The nearest ones: a dataset from which another root can be reached would repeat more rows.
  const nearest = roots.filter((each) => !roots.some((other) => other !== each && pathsTo(model, each, other) > 0));
  const [root, another] = nearest;
  const names = all.map(({ name }) => name).join(", ");
  if (!root) throw bad(`${names} are not related, or only many-to-many. Query them separately.`);
  if (another) {
    throw bad(
      `${names} are related many-to-many, through ${nearest.map(({ name }) => name).join(" and ")}. Query them separately.`,
    );
  }
  const steps = treeOf(model, root, all) ?? [];
  if (home.keys.length === 0) {
    throw bad(`${root.name} has several rows for each of ${home.name}. Add the primary_key of ${home.name}.`);
  }
  return { root, steps, repeats: true };
}

/** Returns the relationships that lead from a dataset to others; null if one cannot be reached. */
function treeOf(model: Model, from: Dataset, targets: readonly Dataset[]): Relationship[] | null {
  const steps = new Set<Relationship>();
  for (const target of targets) {
    const count = pathsTo(model, from, target);
    if (count === 0) return null;
    if (count > 1) {
      throw bad(`${from.name} is related to ${target.name} in several ways. Define a second dataset for one of them.`);
    }
    for (const step of pathTo(model, from, target)) {
      requireKey(step);
      steps.add(step);
    }
  }
  // A parent comes before its children, since each path was added in its order.
  return [...steps];
}

/** Returns the number of paths to a dataset, as far as 2; relationships have no cycles. */
function pathsTo(model: Model, from: Dataset, to: Dataset, known = new Map<Dataset, number>()): number {
  if (from === to) return 1;
  const counted = known.get(from);
  if (counted !== undefined) return counted;
  let count = 0;
  for (const each of model.relationships) {
    if (each.from === from && count < 2) count += pathsTo(model, each.to, to, known);
  }
  known.set(from, Math.min(count, 2));
  return Math.min(count, 2);
}

function pathTo(model: Model, from: Dataset, to: Dataset): Relationship[] {
  if (from === to) return [];
  const step = model.relationships.find((each) => each.from === from && pathsTo(model, each.to, to) > 0);
  return step ? [step, ...pathTo(model, step.to, to)] : [];
}

/** Refuses a relationship whose one side may have several rows. */
function requireKey({ name, to, columns }: Relationship): void {
  const joined = new Set(columns.map((each) => each.to));
  if (to.keys.some((key) => key.every((column) => joined.has(column)))) return;
  throw bad(
    `The relationship “${name}” may be many-to-many: ${[...joined].join(", ")} is no key of ${to.name}. Add it to primary_key or unique_keys.`,
  );
}

function bad(message: string): AppError {
  return new AppError("invalid_request", message);
}
