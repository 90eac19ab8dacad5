import { expect, it } from "vitest";
import { toResolver } from "@/components/ui/use-server-form";

type Fields = { name: string; channel: { url: string } };
const OPTIONS = { fields: {}, shouldUseNativeValidation: false };

it("gives the problems of a check to their fields, also inside of others", async () => {
  const resolve = toResolver<Fields>(({ name }) => ({ "channel.url": "Enter a URL.", name: name === "" ? "Enter a name." : undefined })); // biome-ignore format: one look
  expect(await resolve({ name: "a", channel: { url: "" } }, undefined, OPTIONS)).toEqual({
    values: {},
    errors: { channel: { url: { type: "check", message: "Enter a URL." } } },
  });
});

it("passes the fields on if the check finds nothing", async () => {
  const fields = { name: "a", channel: { url: "u" } };
  expect(await toResolver<Fields>(() => ({}))(fields, undefined, OPTIONS)).toEqual({ values: fields, errors: {} });
});
