import { describe, expect, it } from "vitest";
import { AppError } from "@/lib/platform/http/errors";
import { RowsReplacedError, readCurrent } from "./read-current";

describe("reading rows that a refresh may replace", () => {
  it.each([1, 2])("looks them up again after they were replaced %i times", async (times) => {
    const calls: boolean[] = [];
    const read = async (isAgain: boolean) => {
      calls.push(isAgain);
      if (calls.length <= times) throw new RowsReplacedError();
      return "rows";
    };
    expect(await readCurrent(read)).toBe("rows");
    expect(calls).toEqual([false, ...Array(times).fill(true)]);
  });

  it("is unavailable for a second after three times", async () => {
    let calls = 0;
    const read = async () => {
      calls += 1;
      throw new RowsReplacedError();
    };
    await expect(readCurrent(read)).rejects.toMatchObject({ kind: "unavailable", retryAfterSeconds: 1 });
    expect(calls).toBe(3);
  });

  it.each([new AppError("conflict", "The item was deleted."), new Error("broken")])(
    "throws another error at once: %s",
    async (error) => {
      let calls = 0;
      const read = async () => {
        calls += 1;
        throw error;
      };
      await expect(readCurrent(read)).rejects.toBe(error);
      expect(calls).toBe(1);
    },
  );
});
