import "server-only";
import { z } from "zod";
import { VALUE_CHARS_MAX } from "./config";
import { groupOf } from "./config-fields";
import type { Driver } from "./data-source";
import { drivers } from "./drivers/registry";
import type { ConfigField } from "./schema";
import { createConnectionBody, testConnectionBody, updateConnectionBody } from "./schema";

/** Fields that a connection string replaces; the SSL mode may be given beside it. */
const SAID_BY_STRING: ReadonlySet<string> = new Set(["host", "port", "database", "user", "password"]);

type JsonSchema = Record<string, unknown>;

/** Values of an empty input (`isAbsent` in config.ts). */
const ABSENT = [null, ""];

/** Further reasons to reject the fields of the types. */
export const CONFIG_REFUSALS: Readonly<Record<string, string>> = Object.fromEntries(
  drivers.flatMap(({ refusals = {} }) => Object.entries(refusals).map(([name, why]) => [`config.${name}`, why])),
);

/** A change is validated together with the stored config: see the description. */
export const UPDATE_REFUSALS = {
  config: "An unknown or missing setting, or a secret that must be resent",
  type: "A type that does not match the saved settings",
};

/** The service decides which types exist: its refusal names them. */
const typeName = z.string().meta({ enum: drivers.map(({ type }) => type) });

/**
 * The request bodies with the settings of each type in the reference, from the same declarations that `parseConfig`
 * validates. They exist only on the server, the schemas in the browser too.
 */
export const createConnectionRequest = withTypes(createConnectionBody.extend({ type: typeName }), "whole");
/** A refusal by the driver is an outcome of the test, not an error of the request. */
export const testConnectionRequest = withTypes(testConnectionBody.extend({ type: typeName }), "field by field");
export const updateConnectionRequest = updateConnectionBody.extend({ type: typeName.optional() });

type Judged = "whole" | "field by field";

function withTypes<T extends z.ZodType>(body: T, judged: Judged): T {
  const variants = drivers.map((driver) => {
    const config = configSchemaOf(driver, judged);
    const required = judged === "whole" || config.required.length > 0 ? ["type", "config"] : ["type"];
    return { title: driver.label, properties: { type: { const: driver.type }, config }, required };
  });
  return body.meta({ oneOf: variants });
}

function configSchemaOf({ fields }: Driver, judged: Judged): JsonSchema & { required: string[] } {
  const names = fields.map(({ name }) => name);
  const groups = [...new Set(fields.flatMap(({ name }) => groupOf(name) ?? []))].map((group) => {
    const inner = fields.filter(({ name }) => groupOf(name) === group);
    const parts = inner.map((field) => ({ ...field, name: field.name.slice(group.length + 1) }));
    return [group, { anyOf: [objectSchemaOf(parts, judged), { enum: ABSENT }] }] as const;
  });
  const schema = objectSchemaOf(
    fields.filter(({ name }) => groupOf(name) === null),
    judged,
    Object.fromEntries(groups),
  );
  if (judged !== "whole" || !names.includes("connectionString") || !names.includes("host")) return schema;
  // Either the string or the fields, as in `parseNetworkConfig`.
  const apart = names.filter((name) => SAID_BY_STRING.has(name));
  const given = (name: string) => ({ required: [name], properties: { [name]: { type: "string", minLength: 1 } } });
  const absent = (others: string[]) => ({
    properties: Object.fromEntries(others.map((name) => [name, { enum: [...ABSENT] }])),
  });
  return {
    ...schema,
    oneOf: [
      { title: "With fields", allOf: [given("host"), absent(["connectionString"])] },
      { title: "With a connection string", allOf: [given("connectionString"), absent(apart)] },
    ],
  };
}

/** Returns the schema of fields. Only the driver knows which fields a choice requires (`showWhen`). */
function objectSchemaOf(fields: readonly ConfigField[], judged: Judged, groups: Record<string, JsonSchema> = {}) {
  const isNeeded = ({ required, showWhen, ...field }: ConfigField) =>
    required && !showWhen && field.default === undefined;
  return {
    type: "object",
    properties: { ...Object.fromEntries(fields.map((field) => [field.name, fieldSchemaOf(field, judged)])), ...groups },
    required: fields.filter(isNeeded).map(({ name }) => name),
    additionalProperties: false,
  };
}

function fieldSchemaOf(field: ConfigField, judged: Judged): JsonSchema {
  const { kind, options, required, help, integer } = field;
  const whole = judged === "whole";
  const value: Record<ConfigField["kind"], () => JsonSchema> = {
    number: () =>
      whole && integer ? { type: "integer", minimum: integer.min, maximum: integer.max } : { type: "number" },
    boolean: () => ({ type: "boolean" }),
    select: () => ({ enum: options?.map((option) => option.value) ?? [] }),
    json: () =>
      field.names
        ? namesSchemaOf(field.names, whole)
        : field.namesShown
          ? { type: "object", additionalProperties: { type: "string", minLength: 1, maxLength: VALUE_CHARS_MAX } }
          : {},
    text: () => textSchemaOf(field, whole),
    password: () => textSchemaOf(field, whole),
    textarea: () => textSchemaOf(field, whole),
    file: () => textSchemaOf(field, whole),
  };
  const schema = value[kind]();
  const description = help === undefined ? {} : { description: help };
  return required || (kind === "json" && !field.namesShown)
    ? { ...schema, ...description }
    : { anyOf: [schema, { enum: ABSENT }], ...description };
}

function namesSchemaOf({ max, maxLength }: NonNullable<ConfigField["names"]>, whole: boolean): JsonSchema {
  if (!whole) return {};
  // No control characters, which no name in a database contains.
  const name = { type: "string", minLength: 1, maxLength, pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]*$" };
  return { type: "array", maxItems: max, uniqueItems: true, items: name };
}

function textSchemaOf({ maxLength }: ConfigField, whole: boolean): JsonSchema {
  return { type: "string", minLength: 1, maxLength: whole && maxLength ? maxLength : VALUE_CHARS_MAX };
}
