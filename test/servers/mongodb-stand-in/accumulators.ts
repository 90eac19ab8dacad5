import { type State, Sum } from "../../../lib/platform/embedded/mongo/aggregate/accumulators.ts";
import { compareValues } from "../../../lib/platform/embedded/mongo/bson/compare.ts";
import { double, isNumber, toDouble, type Value } from "../../../lib/platform/embedded/mongo/bson/values.ts";
import { isNullish } from "../../../lib/platform/embedded/mongo/expressions/truth.ts";

function average(): State {
  const sum = new Sum();
  let count = 0;
  return {
    add: (value) => {
      if (!isNumber(value)) return;
      sum.add(value);
      count++;
    },
    value: () => (count === 0 ? null : double(toDouble(sum.value()) / count)),
  };
}

function extreme(direction: 1 | -1): State {
  let chosen: Value | undefined;
  return {
    add: (value) => {
      if (value === undefined || isNullish(value)) return;
      if (chosen === undefined || compareValues(value, chosen) * direction > 0) chosen = value;
    },
    value: () => chosen ?? null,
  };
}

/** Accumulators that statements for users' databases need. */
export const accumulators: [string, () => State][] = [
  ["$avg", average],
  ["$min", () => extreme(-1)],
  ["$max", () => extreme(1)],
];
