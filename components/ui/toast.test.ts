// @module-tag heavy
import { toast as sonner, type ToastT } from "sonner";
import { expect, test } from "vitest";
import { showToast } from "./toast";

/** Returns the toast with a text, or undefined. Nothing renders them here, so all of a test's toasts stay. */
const find = (text: string) => (sonner.getToasts() as ToastT[]).find(({ title }) => title === text);

async function show(text: string, id?: string): Promise<ToastT> {
  showToast(text, { id });
  await expect.poll(() => find(text)).toBeDefined();
  return find(text) as ToastT;
}

test("replaces the open message of a subject", async () => {
  const first = await show("2 rows copied as TSV.", "copied");
  const second = await show("2 rows copied as CSV.", "copied");
  expect(second.id).toBe(first.id);
  expect(find("2 rows copied as TSV.")).toBeUndefined();
});

test.each(["onAutoClose", "onDismiss"] as const)(
  "opens another toast when the last one is closing after %s",
  async (event) => {
    const first = await show("first", event);
    first[event]?.(first);
    expect((await show("second", event)).id).not.toBe(first.id);
  },
);

test("keeps the open toast of a subject when an earlier one of it closes", async () => {
  const first = await show("earlier", "two in a row");
  first.onAutoClose?.(first);
  const second = await show("later", "two in a row");
  first.onDismiss?.(first);
  expect((await show("latest", "two in a row")).id).toBe(second.id);
});

test("gives messages of other subjects and of none toasts of their own", async () => {
  const shown = [await show("a", "one"), await show("b", "two"), await show("c"), await show("d")];
  expect(new Set(shown.map(({ id }) => id)).size).toBe(4);
});
