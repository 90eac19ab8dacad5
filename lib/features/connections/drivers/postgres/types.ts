import type { FieldType } from "@/lib/base/values/fields";

/** A type, by its number (pg_type.oid). */
export type KnownType = {
  name: string;
  type: FieldType;
  /** The element type of an array. */
  element?: number;
  /** The base type of a domain. */
  base?: number;
};

/** Built-in types, whose numbers are the same in every PostgreSQL (its catalog file pg_type.dat). */
const SCALARS: [oid: number, arrayOid: number, name: string, type: FieldType][] = [
  [16, 1000, "boolean", "boolean"],
  [17, 1001, "bytea", "binary"],
  [18, 1002, '"char"', "string"],
  [19, 1003, "name", "string"],
  [20, 1016, "bigint", "int64"],
  [21, 1005, "smallint", "int32"],
  [23, 1007, "integer", "int32"],
  [24, 1008, "regproc", "string"],
  [25, 1009, "text", "string"],
  [26, 1028, "oid", "int64"],
  [27, 1010, "tid", "string"],
  [28, 1011, "xid", "int64"],
  [29, 1012, "cid", "int64"],
  [114, 199, "json", "json"],
  [142, 143, "xml", "string"],
  [600, 1017, "point", "other"],
  [601, 1018, "lseg", "other"],
  [602, 1019, "path", "other"],
  [603, 1020, "box", "other"],
  [604, 1027, "polygon", "other"],
  [628, 629, "line", "other"],
  [650, 651, "cidr", "string"],
  [700, 1021, "real", "float64"],
  [701, 1022, "double precision", "float64"],
  [705, 0, "unknown", "string"],
  [718, 719, "circle", "other"],
  [774, 775, "macaddr8", "string"],
  [790, 791, "money", "other"],
  [829, 1040, "macaddr", "string"],
  [869, 1041, "inet", "string"],
  [1033, 1034, "aclitem", "string"],
  [1042, 1014, "character", "string"],
  [1043, 1015, "character varying", "string"],
  [1082, 1182, "date", "date"],
  [1083, 1183, "time without time zone", "time"],
  [1114, 1115, "timestamp without time zone", "timestamp"],
  [1184, 1185, "timestamp with time zone", "timestamptz"],
  [1186, 1187, "interval", "interval"],
  [1266, 1270, "time with time zone", "time"],
  [1560, 1561, "bit", "string"],
  [1562, 1563, "bit varying", "string"],
  [1700, 1231, "numeric", "decimal"],
  [2205, 2210, "regclass", "string"],
  [2206, 2211, "regtype", "string"],
  [2249, 2287, "record", "other"],
  [2275, 1263, "cstring", "string"],
  [2278, 0, "void", "string"],
  [2950, 2951, "uuid", "string"],
  [3220, 3221, "pg_lsn", "string"],
  [3614, 3643, "tsvector", "string"],
  [3615, 3645, "tsquery", "string"],
  [3802, 3807, "jsonb", "json"],
  [3904, 3905, "int4range", "other"],
  [3906, 3907, "numrange", "other"],
  [3908, 3909, "tsrange", "other"],
  [3910, 3911, "tstzrange", "other"],
  [3912, 3913, "daterange", "other"],
  [3926, 3927, "int8range", "other"],
  [4072, 4073, "jsonpath", "string"],
  [4089, 4090, "regnamespace", "string"],
  [4451, 6150, "int4multirange", "other"],
  [4532, 6151, "nummultirange", "other"],
  [4533, 6152, "tsmultirange", "other"],
  [4534, 6153, "tstzmultirange", "other"],
  [4535, 6155, "datemultirange", "other"],
  [4536, 6157, "int8multirange", "other"],
  [5069, 271, "xid8", "int64"],
];

export const BUILT_IN_TYPES: ReadonlyMap<number, KnownType> = new Map(
  SCALARS.flatMap(([oid, arrayOid, name, type]): [number, KnownType][] => {
    const scalar: [number, KnownType] = [oid, { name, type }];
    return arrayOid === 0 ? [scalar] : [scalar, [arrayOid, { name: `${name}[]`, type: "array", element: oid }]];
  }),
);

/** Returns a type's name with the column's modifier: `numeric(10,2)`, `character varying(20)`. */
export function nameWithModifier(oid: number, name: string, modifier: number): string {
  if (modifier < 0) return name;
  if (oid === 1700) return `${name}(${((modifier - 4) >> 16) & 0xffff},${(modifier - 4) & 0x7ff})`;
  if (oid === 1042 || oid === 1043) return `${name}(${modifier - 4})`;
  if (oid === 1560 || oid === 1562) return `${name}(${modifier})`;
  return name;
}
