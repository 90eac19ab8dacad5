import { CodeBox } from "@/components/ui/code-box";
import { CopyButton } from "@/components/ui/copy-button";
import type { ConnectionType } from "@/lib/features/connections/browser/client";

/** Beside the form: how to make a user for us that may only read. Empty for kinds that have no users. */
export function ReaderAside({ type: { readerHint } }: { type: ConnectionType }) {
  if (!readerHint) return <div />;
  return (
    <aside className="reader" aria-labelledby="reader">
      <h2 id="reader">Make a reader for Millrace</h2>
      <p className="t2">{readerHint.text}</p>
      <CodeBox label="Statements">{readerHint.statements}</CodeBox>
      <CopyButton text={readerHint.statements} name="Copy the statements" />
    </aside>
  );
}
