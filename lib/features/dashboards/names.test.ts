import { expect, test } from "vitest";
import { parseName } from "@/lib/features/folders/names";
import { stemOf } from "./names";

test.each([
  ["Sales", "Sales"],
  ["Sales / Q1: \\ north", "Sales - Q1- - north"],
  [" Zahlen\tdes\nTages ", "Zahlen-des-Tages"],
  ["What now?...", "What now-"],
  ["aux", "dashboard aux"],
  [".git", "git"],
  ["git~1", "dashboard git-1"],
  ["/", "-"],
  ["...", "dashboard"],
  ["😀".repeat(200), "😀".repeat(45)],
])("%j is stored as %j, which the repository accepts", (title, stem) => {
  expect(stemOf(title)).toBe(stem);
  expect(parseName(`${stem} 2000`)).toBe(`${stem} 2000`);
});
