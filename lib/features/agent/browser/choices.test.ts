import { expect, test } from "vitest";
import { readChoices } from "@/lib/features/agent/browser/choices";

test("reads the choices of a text part, and none of another form", () => {
  const choices = [{ label: "sales.revenue", question: "revenue (“revenue” means sales.revenue)" }];
  expect(readChoices({ millrace: { choices } })).toEqual(choices);
  for (const metadata of [undefined, null, "a", { openai: { choices } }, { millrace: { choices: "a" } }])
    expect(readChoices(metadata)).toBeNull();
  expect(readChoices({ millrace: { choices: [{ label: 1 }, null] } })).toBeNull();
});
