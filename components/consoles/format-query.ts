import type { EditorMemory } from "@/components/consoles/editor-memory";
import { layOut } from "@/components/editor/lay-out";
import { pickRange, type ScriptLanguage } from "@/components/editor/script";
import { announce } from "@/components/ui/live-region";
import { showFailure } from "@/components/ui/toast";
import { placeInLayout } from "@/lib/base/sql/layout";

/** Formats the statement at the cursor, or the selection, as one undo step. Comments around it stay in place. */
export async function formatQuery(editors: EditorMemory, language: ScriptLanguage): Promise<void> {
  const editor = editors.active;
  if (editor === null) return;
  if (language === "mongodb") {
    announce("Only SQL can be formatted. Switch to a SQL connection.", true);
    return;
  }
  const reading = editor.read();
  const { content, position } = reading;
  const range = pickRange(reading, language);
  if (range === null) {
    announce("Nothing to format. Write a statement first.", true);
    return;
  }
  const text = content.slice(range.from, range.to);
  const formatted = await layOut(text, language);
  if (formatted === null) showFailure("Can't format the query. Close the open quote or bracket.");
  else if (formatted === text) announce("Already formatted.");
  else editor.replace(range.from, range.to, formatted, placeInLayout(text, position - range.from, formatted));
}
