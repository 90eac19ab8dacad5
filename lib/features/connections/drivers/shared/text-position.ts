/** A position in a statement: 1-based, in UTF-16 units, as editors count. */
export type TextPosition = { position: number; line: number; column: number };

/** Returns the position of an offset. @param offset 0-based, in UTF-16 units of the text */
export function positionOf(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset);
  return {
    position: before.length + 1,
    line: before.split("\n").length,
    column: before.length - before.lastIndexOf("\n"),
  };
}

/** Returns a server's position. @param position 1-based, in characters (code points), as PostgreSQL counts */
export function positionOfCharacter(text: string, position: number): TextPosition {
  let offset = 0;
  for (let count = 1; count < position && offset < text.length; count += 1) {
    offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
  }
  return positionOf(text, offset);
}
