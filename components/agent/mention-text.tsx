import { AtSign } from "lucide-react";
import { Fragment } from "react";

/** `@orders`, `@"My console"`: what a person has named from the list. Behind a letter it is a mail address. */
const MENTION = /(?<![\p{L}\p{N}_.@])@(?:"([^"\n]{1,200})"|([\p{L}_][\p{L}\p{N}_.-]{0,199}))/gu;

/** How a name stands in a message. */
export function toMention(name: string): string {
  return /^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(name) ? `@${name}` : `@"${name.replaceAll('"', "")}"`;
}

const BLOCK = /```[a-z]*\n([\s\S]*?)\n?```/g;

/** What a person has written: its mentions are marked, and blocks of code are set as such. */
export function SaidText({ text }: { text: string }) {
  // Every second piece is the inside of a block.
  return text.split(BLOCK).map((piece, at) => {
    if (piece.trim() === "") return null;
    return at % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text stay where they are
      <pre key={at} className="sqls">
        {piece}
      </pre>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text stay where they are
      <MentionText key={at} text={piece.trim()} />
    );
  });
}

function MentionText({ text }: { text: string }) {
  const pieces: { text: string; isMention: boolean }[] = [];
  let at = 0;
  for (const match of text.matchAll(MENTION)) {
    pieces.push({ text: text.slice(at, match.index), isMention: false });
    pieces.push({ text: match[1] ?? match[2] ?? "", isMention: true });
    at = match.index + match[0].length;
  }
  pieces.push({ text: text.slice(at), isMention: false });
  return (
    <p className="me-text">
      {pieces.map((piece, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text stay where they are
        <Fragment key={index}>
          {piece.isMention ? (
            <span className="mention">
              <AtSign />
              {piece.text}
            </span>
          ) : (
            piece.text
          )}
        </Fragment>
      ))}
    </p>
  );
}
