import { ShellSyntaxError } from "@/lib/base/mongo-shell/lexer";
import { ShellScript } from "@/lib/base/mongo-shell/statements";
import type { TextError } from "../../../data-source";
import { parseShell } from "./parser";

/** Returns the first error in the statements of a shell's text. */
export function findShellError(text: string): TextError | null {
  for (const statement of ShellScript.of(text).statements) {
    try {
      parseShell(statement.text);
    } catch (error) {
      if (!(error instanceof ShellSyntaxError)) throw error;
      return { message: error.message, offset: statement.from + error.offset };
    }
  }
  return null;
}
