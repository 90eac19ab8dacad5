import type { Entity } from "@/lib/base/values/fields";
import type { ValueSubject } from "./subjects";
import type { TypeCase } from "./types";
import type { Depth, ValueTable } from "./ways";

const SIZES = {
  sample: { values: 2, copies: 2, nulls: 1 },
  whole: { values: Number.POSITIVE_INFINITY, copies: 3, nulls: 2 },
} as const;
const ANY = new AbortController().signal;

export type MadeTable = {
  type: TypeCase;
  keyed: string;
  keyless: string;
  values: TypeCase["values"];
  rowCount: number;
  /** Statements that create both tables and fill them. */
  statements: string[];
};

const literalOf = (value: TypeCase["values"][number]) => (typeof value === "string" ? value : value[0]);

/** Describes a table with a primary key and one without. Every value appears several times. */
export function planTables(subject: ValueSubject, index: number, depth: Depth): MadeTable {
  const type = subject.types[index] as TypeCase;
  const { values: count, copies, nulls } = SIZES[depth];
  const values = type.values.slice(0, count);
  const column = subject.nullable(type.type);
  const hasNulls = subject.name !== "clickhouse" || column.startsWith("Nullable");
  const literals = Array.from({ length: copies }, () => values.map(literalOf)).flat();
  const all = [...literals, ...Array.from({ length: hasNulls ? nulls : 0 }, () => "null")];
  const rows = all.map((sql, at) => `(${at + 1}, ${sql})`).join(", ");
  const ignore = subject.name === "mariadb" ? "ignore " : "";
  const [keyed, keyless] = [`${depth}_t${index}`, `${depth}_k${index}`];
  const statements = [...(type.before ?? [])];
  for (const [name, id, suffix] of [
    [keyed, subject.id, subject.suffix],
    [keyless, subject.id.split(" ")[0], subject.suffix.replace("order by id", "order by tuple()")],
  ]) {
    statements.push(`create table ${name} (id ${id}, v ${column})${suffix}`);
    statements.push(`insert ${ignore}into ${name} values ${rows}`);
  }
  return { type, keyed, keyless, values, rowCount: all.length, statements };
}

/** Queries all tables at once through the database's own client. */
export async function askClient(subject: ValueSubject, made: readonly MadeTable[]): Promise<ValueTable[]> {
  const statements = made.flatMap(({ type, keyed }, at) => {
    const order = (direction: string) => `order by case when v is null then 1 else 0 end, v ${direction}, id`;
    return [
      `select ${at}, 'text', id, ${subject.hex(type.text ?? subject.text)} from ${keyed} where v is not null`,
      ...(type.isUnordered
        ? []
        : ["asc", "desc"].map((direction) => `select ${at}, '${direction}', id, '' from ${keyed} ${order(direction)}`)),
    ];
  });
  const answers = new Map<string, string[][]>();
  for (const [at, kind, id = "", hex = ""] of await subject.client(...statements)) {
    const key = `${at} ${kind}`;
    answers.set(key, [...(answers.get(key) ?? []), [id, hex]]);
  }
  const entities = new Map((await subject.source.entities(ANY)).map((entity) => [entity.name, entity]));
  return made.map(({ type, keyed, keyless, values, rowCount }, at) => {
    const idsOf = (kind: string) => (answers.get(`${at} ${kind}`) ?? []).map(([id]) => Number(id));
    const printed = new Map(
      (answers.get(`${at} text`) ?? []).map(([id, hex]) => [Number(id), Buffer.from(hex ?? "", "hex").toString()]),
    );
    const shown = new Map<number, string | null>();
    for (let id = 1; id <= rowCount; id += 1) {
      const given = values[(id - 1) % values.length];
      const text = printed.get(id) ?? null;
      shown.set(id, text === null || typeof given === "string" ? text : (given?.[1] ?? null));
    }
    return {
      type,
      shown,
      keyed: entities.get(keyed) as Entity,
      keyless: entities.get(keyless) as Entity,
      ascending: idsOf("asc"),
      descending: idsOf("desc"),
    };
  });
}
