import type { Measure, Plan, Predicate, Ref } from "../plan";
import { toSql } from "../render-sql";
import type { Step } from "../schema";

/**
 * Returns a text that is the same for plans with the same rows: the key of a row above is the column that references it,
 * so a join for that key alone changes nothing.
 */
export function planText(plan: Plan): string {
  let short = plan;
  for (const step of plan.joins.toReversed()) if (isForKey(short, step)) short = withoutJoin(short, step);
  return toSql(short, "standard");
}

/** Whether only the referenced columns of a joined table are used, neither by figures nor by other joins. */
function isForKey({ joins, outputs, hiddenKeys, measures, where }: Plan, { edge, isUp, table }: Step): boolean {
  const isKey = (ref: Ref) => ref.table !== table || edge.toColumns.includes(ref.column.name);
  const refs = [...outputs.map(({ ref }) => ref), ...hiddenKeys];
  return (
    isUp &&
    joins.every((other) => other.edge.from !== table) &&
    where.every((one) => one.kind !== "exists" && isKey(one.ref)) &&
    measures.every((measure) => measureRefs(measure).every((ref) => ref.table !== table)) &&
    refs.every(isKey)
  );
}

function measureRefs(measure: Measure): Ref[] {
  switch (measure.fn) {
    case "count":
      return [];
    case "ratio":
      return [measure.of];
    case "share": {
      const where = (measure.where ?? []).flatMap((one) => (one.kind === "exists" ? [] : [one.ref]));
      return [...where, ...(measure.of ? [measure.of.ref] : [])];
    }
    default:
      return "times" in measure && measure.times ? [measure.ref, measure.times] : [measure.ref];
  }
}

function withoutJoin(plan: Plan, step: Step): Plan {
  const { edge, table } = step;
  const toLower = (ref: Ref): Ref => {
    const name = edge.fromColumns[edge.toColumns.indexOf(ref.column.name)];
    const column = edge.from.columns.find((each) => each.name === name);
    return ref.table === table && column ? { table: edge.from, column } : ref;
  };
  return {
    ...plan,
    joins: plan.joins.filter((other) => other !== step),
    outputs: plan.outputs.map((output) => ({ ...output, ref: toLower(output.ref) })),
    hiddenKeys: plan.hiddenKeys.map(toLower),
    where: plan.where.map((one): Predicate => (one.kind === "exists" ? one : { ...one, ref: toLower(one.ref) })),
  };
}
