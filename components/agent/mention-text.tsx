import { AtSign } from "lucide-react";
import { Fragment } from "react";

/** `@orders`, `@"My console"`: what a person has named from the list. Behind a letter it is a mail address. */
const MENTION = /(?<![\p{L}\p{N}_.@])@(?:"([^"\n]{1,200})"|([\p{L}_][\p{L}\p{N}_.-]{0,199}))/gu;

/** How a name stands in a message. */
export function toMention(name: string): string {
  return /^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(name) ? `@${name}` : `@"${name.replaceAll('"', "")}"`;
}

/** What a person has written, with its mentions marked. */
export function MentionText({ text }: { text: string }) {
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
