import { expect, it } from "vitest";
import { JoinedLookUps } from "./joined-look-ups";

/** A store whose answers arrive when the test resolves them, in the order of the questions. */
function slowStore() {
  const asked: PromiseWithResolvers<string>[] = [];
  const lookUp = () => {
    const answer = Promise.withResolvers<string>();
    asked.push(answer);
    return answer.promise;
  };
  return { asked, lookUp };
}

it("a look-up that nobody shares starts at once, each time", async () => {
  const { asked, lookUp } = slowStore();
  const joined = new JoinedLookUps<string>();
  for (const answer of ["first", "second"]) {
    const got = joined.ask("a", lookUp);
    asked.at(-1)?.resolve(answer);
    expect(await got).toBe(answer);
  }
  expect(asked).toHaveLength(2);
});

it("nobody gets an answer to a question that was asked before theirs (T11)", async () => {
  const { asked, lookUp } = slowStore();
  const joined = new JoinedLookUps<string>();
  const first = joined.ask("a", lookUp);
  const late = [joined.ask("a", lookUp), joined.ask("a", lookUp)];
  expect(asked).toHaveLength(1);
  asked[0]?.resolve("before the logout");
  expect(await first).toBe("before the logout");
  await expect.poll(() => asked.length).toBe(2);
  const later = joined.ask("a", lookUp);
  asked[1]?.resolve("after it");
  expect(await Promise.all(late)).toEqual(["after it", "after it"]);
  await expect.poll(() => asked.length).toBe(3);
  asked[2]?.resolve("later still");
  expect(await later).toBe("later still");
});

it("a look-up that fails is its askers' alone", async () => {
  const { asked, lookUp } = slowStore();
  const joined = new JoinedLookUps<string>();
  const first = joined.ask("a", lookUp);
  const late = joined.ask("a", lookUp);
  asked[0]?.reject(new Error("away"));
  await expect(first).rejects.toThrow("away");
  await expect.poll(() => asked.length).toBe(2);
  asked[1]?.resolve("back");
  expect(await late).toBe("back");
});

it("others' look-ups are not waited for", async () => {
  const { asked, lookUp } = slowStore();
  const joined = new JoinedLookUps<string>();
  void joined.ask("a", lookUp);
  const other = joined.ask("b", lookUp);
  expect(asked).toHaveLength(2);
  asked[1]?.resolve("theirs");
  expect(await other).toBe("theirs");
});
