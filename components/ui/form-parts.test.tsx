import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { FieldMessage, messageIdOf } from "./form-parts";

test("shows a field's problem instead of its help, and names the one that is shown", () => {
  const help = "At least 8 characters.";
  const shown = (problem?: string) =>
    renderToStaticMarkup(<FieldMessage id="password" problem={problem} help={help} />);
  expect(shown()).toContain(`<div id="password-help" class="help">${help}</div>`);
  expect(messageIdOf("password", undefined, help)).toBe("password-help");

  const problem = "Use at least 8 characters (3 more).";
  expect(shown(problem)).toContain(problem);
  expect(shown(problem)).not.toContain(help);
  expect(messageIdOf("password", problem, help)).toBe("password-problem");
  expect(messageIdOf("password", undefined, undefined)).toBeUndefined();
});
