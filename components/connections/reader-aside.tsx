import { READER_HINTS } from "@/components/connections/reader-hints";
import { CodeBox } from "@/components/ui/code-box";
import { CopyButton } from "@/components/ui/copy-button";

/** Beside the form: how to make a user for us that may only read. Empty for kinds that have no users. */
export function ReaderAside({ type }: { type: string }) {
  const hint = READER_HINTS[type];
  if (!hint) return <div />;
  return (
    <aside className="reader" aria-labelledby="reader">
      <h2 id="reader">Make a reader for Millrace</h2>
      <p className="t2">{hint.text}</p>
      <CodeBox label="Statements">{hint.statements}</CodeBox>
      <CopyButton text={hint.statements} name="Copy the statements" />
    </aside>
  );
}
