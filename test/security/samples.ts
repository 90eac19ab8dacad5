import { z } from "zod";

type Json = Record<string, unknown>;

/**
 * Returns a value that matches a schema's JSON Schema, with every free text replaced by one text. Good enough to reach
 * each field of a body; the schema's own rules may still refuse it.
 */
export function sampleOf(schema: z.ZodType, text: string): unknown {
  return sample(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Json, text);
}

function sample(schema: Json, text: string): unknown {
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  // Beside a type, they only narrow it.
  const choices = (schema.type ? undefined : (schema.anyOf ?? schema.oneOf)) as Json[] | undefined;
  if (choices?.[0]) return sample(choices[0], text);
  if (!schema.type && Array.isArray(schema.allOf)) {
    return Object.assign({}, ...schema.allOf.map((part) => sample(part as Json, text)));
  }
  switch (schema.type) {
    case "object": {
      const named = Object.entries((schema.properties ?? {}) as Record<string, Json>);
      const fields = Object.fromEntries(named.map(([name, inner]) => [name, sample(inner, text)]));
      const others = schema.additionalProperties;
      return typeof others === "object" && others ? { ...fields, [text]: sample(others as Json, text) } : fields;
    }
    case "array":
      return [sample((schema.items ?? {}) as Json, text)];
    case "number":
    case "integer":
      return 1;
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return text;
  }
}
