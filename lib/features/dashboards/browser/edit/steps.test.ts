import { describe, expect, it } from "vitest";
import { begin, pause, redo, STEPS_MAX, take, undo } from "./steps";

describe("the undo history of a page", () => {
  it("undoes and redoes step by step, with descriptions", () => {
    const done = take(take(begin("a"), "b", "Add b"), "c", "Add c");
    expect(done.past.at(-1)?.words).toBe("Add c");
    const back = undo(undo(done));
    expect(back.value).toBe("a");
    expect(back.future.map(({ words }) => words)).toEqual(["Add b", "Add c"]);
    expect(undo(back)).toEqual(back);
    expect(redo(redo(back)).value).toBe("c");
    expect(redo(redo(redo(back)))).toEqual(redo(redo(back)));
    expect(undo(redo(back)).value).toBe("a");
  });

  it("drops redo steps after another change", () => {
    const other = take(undo(take(begin("a"), "b", "Add b")), "c", "Add c");
    expect(other.future).toEqual([]);
    expect(undo(other).value).toBe("a");
  });

  it("merges typing into one step, and starts another after a pause", () => {
    const type = (steps: ReturnType<typeof begin<string>>, text: string) => take(steps, text, "Rename", "title");
    const typed = type(type(begin(""), "S"), "Sa");
    expect(typed.past).toHaveLength(1);
    expect(undo(typed).value).toBe("");
    const later = type(pause(typed), "Sal");
    expect(later.past).toHaveLength(2);
    expect(undo(later).value).toBe("Sa");
    // Typing does not continue an undone step.
    expect(type(undo(later), "Sax").past).toHaveLength(2);
  });

  it("ignores empty changes, and has a limit", () => {
    const steps = begin("a");
    expect(take(steps, "a", "Nothing")).toBe(steps);
    expect(pause(steps)).toBe(steps);
    let many = begin(0);
    for (let n = 1; n <= STEPS_MAX + 10; n++) many = take(many, n, "Count");
    expect(many.past).toHaveLength(STEPS_MAX);
    expect(many.past[0]?.value).toBe(10);
  });
});
