import { AtSign } from "lucide-react";
import { Fragment } from "react";

/** `@orders`, `@"My console"`: a name that the user selected from the list. After a letter, it is an email address. */
const MENTION = /(?<![\p{L}\p{N}_.@])@(?:"([^"\n]{1,200})"|([\p{L}_][\p{L}\p{N}_.-]{0,199}))/gu;

/** Returns the mention of a name in a message. */
export function toMention(name: string): string {
  return /^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(name) ? `@${name}` : `@"${name.replaceAll('"', "")}"`;
}

const BLOCK = /```[a-z]*\n([\s\S]*?)\n?```/g;

/** The text of a user's message, with mentions highlighted and code blocks formatted. */
export function SaidText({ text }: { text: string }) {
  // Every second piece is the content of a block.
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
