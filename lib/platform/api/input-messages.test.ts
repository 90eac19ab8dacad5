import { expect, it } from "vitest";
import { z } from "zod";

const words = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues[0]?.message;

it.each<[z.ZodType, unknown, string]>([
  [z.string(), undefined, "Required."],
  [z.string(), 5, "Must be text."],
  [z.number(), "5", "Must be a number."],
  [z.number(), Number.POSITIVE_INFINITY, "Must be a number."],
  [z.int(), 1.5, "Must be a whole number."],
  [z.array(z.string()), {}, "Must be a list."],
  [z.object({}), [], "Must be an object."],
  [z.enum(["a", "b"]), "c", "Must be one of: a, b."],
  [z.literal("a"), "c", "Must be a."],
  [z.string().min(1), "", "Must not be empty."],
  [z.string().min(2), "a", "Must have at least 2 characters."],
  [z.string().max(1), "ab", "Must have at most 1 character."],
  [z.string().length(3), "ab", "Must have exactly 3 characters."],
  [z.array(z.string()).max(2), ["a", "b", "c"], "Must have at most 2 items."],
  [z.number().max(5), 6, "Must be at most 5."],
  [z.number().positive(), 0, "Must be greater than 0."],
  [z.number().multipleOf(5), 6, "Must be a multiple of 5."],
  [z.email(), "x", "Must be an email address, such as name@example.com."],
  [z.url(), "x", "Must be a URL, such as https://example.com."],
  [z.iso.datetime(), "x", "Must be a UTC time, such as 2026-11-25T07:00:00.000Z."],
  [z.string().regex(/^a$/), "b", "Must match the pattern /^a$/."],
  [z.string().startsWith("a"), "b", "Must start with “a”."],
  [z.ulid(), "b", "Must be in a valid format."],
  [z.strictObject({}), { colour: 1 }, "Unknown field: colour. Remove or rename."],
  [z.record(z.string().max(2, "Names have at most 2 characters."), z.string()), { abc: "" }, "Names have at most 2 characters."], // biome-ignore format: one look
  [z.record(z.string().max(2), z.string()), { abc: "" }, "Must have at most 2 characters."],
  [z.union([z.string(), z.number()]), true, "Must be text or a number."],
  [z.union([z.string(), z.number()]), undefined, "Required."],
  [z.union([z.string(), z.object({ a: z.number() })]), { a: "x" }, "a: Must be a number."],
  [z.discriminatedUnion("kind", [z.object({ kind: z.literal("a") }), z.object({ kind: z.literal("b") })]), { kind: "c" }, "Must be one of: a, b."], // biome-ignore format: one look
])("explains how to correct a value, schema %#", (schema, value, message) => {
  expect(words(schema, value)).toBe(message);
});

it("shows only the start of a long name", () => {
  const long = "k".repeat(1_000_000);
  expect(words(z.strictObject({}), { [long]: 1 })?.length).toBeLessThan(200);
  expect(words(z.union([z.string(), z.record(z.string(), z.number())]), { [long]: "x" })?.length).toBeLessThan(200);
});

it("keeps the message that a schema has", () => {
  expect(words(z.string("Enter a name."), 5)).toBe("Enter a name.");
});
