import { collectionText, quotedPattern, ShellText, toShell } from "@/lib/base/mongo-shell/write";
import type { Grain } from "./dates";
import type { Measure, Plan, Predicate, Ref } from "./plan";
import type { Step, Table } from "./schema";

/** Renders a plan as one aggregation, in the shell's language. */
export function toPipeline(plan: Plan): string {
  return `${collectionText(plan.from)}.aggregate(${toShell(new Writer(plan).stages())})`;
}

type Stage = Record<string, unknown>;

class Writer {
  readonly #plan: Plan;
  /** Path to the fields of each table. Fields of the collection itself have no prefix. */
  readonly #paths = new Map<Table, string>();

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#paths.set(plan.from, "");
  }

  stages(): Stage[] {
    const { joins, where, outputs, measures, isDistinct, having, order, limit, from } = this.#plan;
    const isOwn = (predicate: Predicate) => predicate.kind !== "exists" && predicate.ref.table === from;
    const stages: Stage[] = [];
    const match = (predicates: readonly Predicate[]) => {
      const conditions = predicates.map((each) => this.#condition(each));
      if (conditions.length === 1 && conditions[0]) stages.push({ $match: conditions[0] });
      else if (conditions.length > 1) stages.push({ $match: { $and: conditions } });
    };
    match(where.filter(isOwn));
    for (const step of joins) {
      stages.push(this.#lookup(step), { $unwind: `$${this.#paths.get(step.table)}` });
    }
    for (const [i, predicate] of where.filter((each) => each.kind === "exists").entries()) {
      stages.push(...this.#exists(predicate, `_found${i}`));
    }
    match(where.filter((each) => each.kind !== "exists" && !isOwn(each)));
    if (measures.length > 0 || isDistinct) stages.push(...this.#group());
    else
      stages.push({
        $project: {
          ...this.#withoutId(),
          ...Object.fromEntries(outputs.map((output) => [alias(output.alias), this.#shown(output.ref)])),
        },
      });
    if (having.length > 0) {
      const operators = { "<": "$lt", "<=": "$lte", ">": "$gt", ">=": "$gte", "=": "$eq" } as const;
      stages.push({
        $match: {
          $and: having.map(({ measure, op, value }) => ({
            [alias(measures[measure]?.alias ?? "")]: { [operators[op]]: value },
          })),
        },
      });
    }
    if (this.#plan.countedAs !== null) return [...stages, { $count: alias(this.#plan.countedAs) }];
    if (order.length > 0)
      stages.push({ $sort: Object.fromEntries(order.map((each) => [alias(each.alias), each.isDescending ? -1 : 1])) });
    if (limit !== null) stages.push({ $limit: limit });
    return stages;
  }

  #withoutId(): Stage {
    return this.#plan.outputs.some((output) => output.alias === "_id") ? {} : { _id: 0 };
  }

  #lookup({ edge, isUp, table }: Step): Stage {
    const path = alias(table.name);
    this.#paths.set(table, path);
    const [own, foreign] = isUp ? [edge.fromColumns[0], edge.toColumns[0]] : [edge.toColumns[0], edge.fromColumns[0]];
    const near = isUp ? edge.from : edge.to;
    return {
      $lookup: {
        from: table.name,
        localField: this.#path(near, own ?? "_id"),
        foreignField: foreign ?? "_id",
        as: path,
      },
    };
  }

  #exists(predicate: Predicate & { kind: "exists" }, as: string): Stage[] {
    const [first, ...rest] = predicate.steps;
    if (!first) return [];
    const { edge, isUp, table } = first;
    const [own, foreign] = isUp ? [edge.fromColumns[0], edge.toColumns[0]] : [edge.toColumns[0], edge.fromColumns[0]];
    const inner = new Writer({ ...this.#plan, from: table });
    const pipeline: Stage[] = [];
    for (const step of rest) pipeline.push(inner.#lookup(step), { $unwind: `$${inner.#paths.get(step.table)}` });
    if (predicate.where.length > 0)
      pipeline.push({ $match: { $and: predicate.where.map((each) => inner.#condition(each)) } });
    pipeline.push({ $limit: 1 });
    const localField = this.#path(isUp ? edge.from : edge.to, own ?? "_id");
    return [
      { $lookup: { from: table.name, localField, foreignField: foreign ?? "_id", pipeline, as } },
      { $match: { [as]: predicate.isNegated ? { $size: 0 } : { $not: { $size: 0 } } } },
      { $project: { [as]: 0 } },
    ];
  }

  #group(): Stage[] {
    const { outputs, hiddenKeys, measures } = this.#plan;
    const keys = [
      ...outputs.map((output, i) => [
        `k${i}`,
        output.kind === "time" ? this.#truncated(output.ref, output.grain) : this.#shown(output.ref),
      ]),
      ...(measures.length > 0 ? hiddenKeys.map((ref, i) => [`h${i}`, this.#value(ref)]) : []),
    ];
    const stages: Stage[] = [
      {
        $group: {
          _id: keys.length === 0 ? null : Object.fromEntries(keys),
          ...Object.fromEntries(measures.flatMap((measure, i) => this.#accumulators(measure, i))),
        },
      },
    ];
    const shares = measures.flatMap((measure, i) => (measure.fn === "share" && measure.where === null ? [i] : []));
    if (shares.length > 0) {
      // $setWindowFields is shorter, but many servers with this protocol do not support it.
      const totals = shares.map((i) => [`t${i}`, { $sum: `$m${i}` }]);
      stages.push(
        { $group: { _id: null, groups: { $push: "$$ROOT" }, ...Object.fromEntries(totals) } },
        { $unwind: "$groups" },
        {
          $replaceRoot: {
            newRoot: { $mergeObjects: ["$groups", Object.fromEntries(shares.map((i) => [`t${i}`, `$t${i}`]))] },
          },
        },
      );
    }
    stages.push({
      $project: {
        _id: 0,
        ...Object.fromEntries(outputs.map((output, i) => [alias(output.alias), `$_id.k${i}`])),
        ...Object.fromEntries(measures.map((measure, i) => [alias(measure.alias), this.#result(measure, i)])),
      },
    });
    return stages;
  }

  #accumulators(measure: Measure, i: number): [string, unknown][] {
    switch (measure.fn) {
      case "count":
        return [[`m${i}`, { $sum: 1 }]];
      case "countDistinct":
        return [[`m${i}`, { $addToSet: this.#value(measure.ref) }]];
      case "ratio":
        return [[`m${i}`, { $sum: 1 }], [`d${i}`, { $addToSet: this.#value(measure.of) }]]; // biome-ignore format: short
      case "share": {
        const amount = measure.of ? this.#product(measure.of) : 1;
        if (measure.where === null) return [[`m${i}`, { $sum: amount }]];
        const condition = { $and: measure.where.map((each) => this.#expression(each)) };
        return [[`m${i}`, { $sum: { $cond: [condition, amount, 0] } }], [`t${i}`, { $sum: amount }]]; // biome-ignore format: short
      }
      default:
        return [[`m${i}`, { [`$${measure.fn}`]: this.#product(measure) }]];
    }
  }

  #result(measure: Measure, i: number): unknown {
    switch (measure.fn) {
      case "count":
        return `$m${i}`;
      case "countDistinct":
        return { $size: { $setDifference: [`$m${i}`, [null]] } };
      case "ratio":
        return { $divide: [`$m${i}`, { $size: `$d${i}` }] };
      case "share":
        return { $cond: [{ $eq: [`$t${i}`, 0] }, null, { $multiply: [100, { $divide: [`$m${i}`, `$t${i}`] }] }] };
      default: {
        const unit = measure.ref.column.unit * (measure.times?.column.unit ?? 1);
        return unit === 1 ? `$m${i}` : { $divide: [`$m${i}`, unit] };
      }
    }
  }

  #path(table: Table, name: string): string {
    const at = this.#paths.get(table) ?? "";
    return at === "" ? name : `${at}.${name}`;
  }

  #value({ table, column }: Ref): string {
    return `$${this.#path(table, column.name)}`;
  }

  #product({ ref, times }: { ref: Ref; times?: Ref | undefined }): unknown {
    return times ? { $multiply: [this.#value(ref), this.#value(times)] } : this.#value(ref);
  }

  #shown(ref: Ref): unknown {
    return ref.column.unit === 1 ? this.#value(ref) : { $divide: [this.#value(ref), ref.column.unit] };
  }

  #truncated(ref: Ref, grain: Grain): unknown {
    const date = /date|timestamp/i.test(ref.column.type) ? this.#value(ref) : { $toDate: this.#value(ref) };
    if (ref.column.isYear) return this.#value(ref);
    const truncated = { $dateTrunc: { date, unit: grain, ...(grain === "week" && { startOfWeek: "monday" }) } };
    const format = grain === "year" ? "%Y" : grain === "month" ? "%Y-%m" : "%Y-%m-%d";
    return { $dateToString: { date: truncated, format } };
  }

  #literal({ column }: Ref, value: string | number | boolean): unknown {
    return typeof value === "number" ? value * column.unit : value;
  }

  #day({ column }: Ref, day: string): unknown {
    if (column.isYear) return Number(day.slice(0, 4));
    return /date|timestamp/i.test(column.type) ? new ShellText(`ISODate(${JSON.stringify(`${day}T00:00:00Z`)})`) : day;
  }

  #condition(predicate: Predicate): Stage {
    if (predicate.kind === "exists") return {};
    const field = this.#path(predicate.ref.table, predicate.ref.column.name);
    switch (predicate.kind) {
      case "compare": {
        const operators = { "=": "$eq", "<>": "$ne", "<": "$lt", "<=": "$lte", ">": "$gt", ">=": "$gte" } as const;
        return { [field]: { [operators[predicate.op]]: this.#literal(predicate.ref, predicate.value) } };
      }
      case "in":
        return {
          [field]: {
            [predicate.isNegated ? "$nin" : "$in"]: predicate.values.map((value) =>
              this.#literal(predicate.ref, value),
            ),
          },
        };
      case "null":
        return { [field]: predicate.isNegated ? { $ne: null } : null };
      case "contains": {
        const pattern = quotedPattern(predicate.text);
        const regex = { start: `^${pattern}`, end: `${pattern}$`, anywhere: pattern }[predicate.where];
        const match = { $regex: regex, $options: "i" };
        return { [field]: predicate.isNegated ? { $not: match } : match };
      }
      case "span": {
        const { start, end, ref, isNegated } = predicate;
        const bounds = { ...(start && { $gte: this.#day(ref, start) }), ...(end && { $lt: this.#day(ref, end) }) };
        return { [field]: isNegated ? { $not: bounds } : bounds };
      }
    }
  }

  /** Returns the same condition as a boolean expression. */
  #expression(predicate: Predicate): unknown {
    if (predicate.kind === "exists") return true;
    const value = this.#value(predicate.ref);
    switch (predicate.kind) {
      case "compare": {
        const operators = { "=": "$eq", "<>": "$ne", "<": "$lt", "<=": "$lte", ">": "$gt", ">=": "$gte" } as const;
        return { [operators[predicate.op]]: [value, { $literal: this.#literal(predicate.ref, predicate.value) }] };
      }
      case "in": {
        const within = {
          $in: [value, { $literal: predicate.values.map((each) => this.#literal(predicate.ref, each)) }],
        };
        return predicate.isNegated ? { $not: [within] } : within;
      }
      case "null":
        return { [predicate.isNegated ? "$ne" : "$eq"]: [{ $ifNull: [value, null] }, null] };
      case "contains": {
        const pattern = quotedPattern(predicate.text);
        const regex = { start: `^${pattern}`, end: `${pattern}$`, anywhere: pattern }[predicate.where];
        const match = { $regexMatch: { input: { $ifNull: [value, ""] }, regex, options: "i" } };
        return predicate.isNegated ? { $not: [match] } : match;
      }
      case "span": {
        const { start, end, ref, isNegated } = predicate;
        const bounds = {
          $and: [
            ...(start ? [{ $gte: [value, this.#day(ref, start)] }] : []),
            ...(end ? [{ $lt: [value, this.#day(ref, end)] }] : []),
          ],
        };
        return isNegated ? { $not: [bounds] } : bounds;
      }
    }
  }
}

/** Returns a valid name for a result field: dots and dollars are special to the server. */
function alias(name: string): string {
  return name.replaceAll(/[.$]/g, "_");
}
