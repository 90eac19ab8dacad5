import { type EditorView, getDialog, showDialog } from "@codemirror/view";
import { editorScript } from "@/components/editor/editor-script";
import { announce } from "@/components/ui/live-region";
import { showFailure } from "@/components/ui/toast";
import { toSqlName } from "@/lib/base/sql/names";
import { findRenaming, isNameTaken } from "@/lib/base/sql/rename";
import { SqlScript } from "@/lib/base/sql/statements";
import { formatCountOf } from "@/lib/platform/browser/format";

const DIALOG = "cm-rename";

/**
 * Asks for a new name for the alias or common table expression at the cursor and renames it everywhere in the
 * statement, as one undo step. Explains why if that is not safe.
 */
export async function renameName(view: EditorView): Promise<void> {
  if (getDialog(view, DIALOG)) return;
  const script = view.state.field(editorScript);
  const position = view.state.selection.main.head;
  const statement = script instanceof SqlScript ? script.at(position) : null;
  if (!(script instanceof SqlScript) || statement === null) {
    showFailure("Nothing to rename here. Place the cursor on an SQL alias.");
    return;
  }
  const { dialect } = script;
  const found = findRenaming(statement.text, position - statement.from, dialect);
  if ("reason" in found) {
    showFailure(found.reason);
    return;
  }
  const { result } = showDialog(view, {
    class: DIALOG,
    label: `Rename ${found.name} to`,
    input: { name: "name", type: "text", value: found.name, maxlength: "60", autocomplete: "off", spellcheck: "false" },
    submitLabel: "Rename",
    focus: true,
    top: true,
  });
  const form = await result;
  view.focus();
  const typed = form && new FormData(form).get("name");
  const name = typeof typed === "string" ? typed.trim() : "";
  if (name === "" || name === found.name) return;
  // The text can change while the dialog is open; the positions would then be wrong.
  if (view.state.field(editorScript) !== script) {
    showFailure("The query has changed. Start the rename again.");
    return;
  }
  if (isNameTaken(statement.text, name, dialect) && name.toLowerCase() !== found.name.toLowerCase()) {
    showFailure(`${name} is already used in this statement. Enter another name.`);
    return;
  }
  const insert = toSqlName(name, dialect);
  const changes = found.places.map(({ from, to }) => ({
    from: statement.from + from,
    to: statement.from + to,
    insert,
  }));
  view.dispatch({ changes, userEvent: "input.rename" });
  announce(`Renamed ${formatCountOf(changes.length, "occurrence")}.`);
}
