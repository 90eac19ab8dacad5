import { CodeBox } from "@/components/ui/code-box";
import { CopyButton } from "@/components/ui/copy-button";
import type { ConnectionType } from "@/lib/features/connections/schema";

/** Explains, beside the form, how to create a read-only user. Empty for kinds without users. */
export function ReaderAside({ type: { readerHint } }: { type: ConnectionType }) {
  if (!readerHint) return <div />;
  return (
    <aside className="reader" aria-labelledby="reader">
      <h2 id="reader">Create a read-only user</h2>
      <p className="t2">{readerHint.text}</p>
      <CodeBox label="Statements">{readerHint.statements}</CodeBox>
      <CopyButton text={readerHint.statements} name="Copy statements" />
    </aside>
  );
}
