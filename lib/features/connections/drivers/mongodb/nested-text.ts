/*
 * Texts of nested values. Their length grows with the nesting as well, so a text has a maximum, and writing takes time
 * linear in it.
 */

const INDENT = "  ";

/** The text of a value: with a group for each list or object that takes several lines. */
export type NestedText = string | Group;
type Group = { brackets: string; items: Item[] };
type Item = { name: string; text: NestedText };

type Form = {
  /** Maximum length of a text, in characters. */
  charsMax: number;
  /** Maximum length of the items of a list or object on one line, in characters. */
  lineCharsMax: number;
  /** Written within the braces of an object on one line. */
  gap: string;
  toName(key: string): string;
};

/** Writes one nested value: short lists and objects on one line, others with a line for each item. */
export class NestedWriter {
  readonly #form: Form;
  /** Upper bound of the characters left: layouts of unfinished lists and objects may need more. */
  #charsLeft: number;
  #depth = 0;

  constructor(form: Form) {
    this.#form = form;
    this.#charsLeft = form.charsMax;
  }

  /** Counts the text of a value that has no items. */
  scalar(text: string): string {
    this.#charsLeft -= text.length;
    return text;
  }

  /** Writes a text in quotes: its beginning if it is too long. */
  quoted(text: string): string {
    const isLong = text.length > this.#charsLeft;
    return this.scalar(JSON.stringify(isLong ? text.slice(0, Math.max(0, this.#charsLeft) + 1) : text));
  }

  /** Writes a list. `write` writes an item with this writer. */
  list(items: readonly unknown[], write: (item: unknown) => NestedText): NestedText {
    return this.#group("[]", items.length, (at) => ({ name: "", text: write(items[at]) }));
  }

  /** Writes an object. `write` writes a field's value with this writer. */
  object(value: Readonly<Record<string, unknown>>, write: (item: unknown) => NestedText): NestedText {
    const keys = Object.keys(value);
    return this.#group("{}", keys.length, (at) => {
      const key = keys[at] ?? "";
      return { name: this.scalar(`${this.#form.toName(key)}: `), text: write(value[key]) };
    });
  }

  /** Returns the text of a value: one that is too long ends somewhere after the maximum length. */
  toText(written: NestedText): string {
    const pieces: string[] = [];
    let charsLeft = this.#form.charsMax;
    const add = (text: NestedText, indent: string): void => {
      if (charsLeft < 0) return;
      const piece = typeof text === "string" ? text : text.brackets.charAt(0);
      pieces.push(piece);
      charsLeft -= piece.length;
      if (typeof text === "string") return;
      const inner = indent + INDENT;
      for (const [at, item] of text.items.entries()) {
        add(`${at === 0 ? "" : ","}\n${inner}${item.name}`, inner);
        add(item.text, inner);
      }
      add(`\n${indent}${text.brackets.charAt(1)}`, indent);
    };
    add(written, "");
    return pieces.join("");
  }

  /** Writes the items that begin before the maximum length. */
  #group(brackets: string, count: number, toItem: (at: number) => Item): NestedText {
    const items: Item[] = [];
    this.#depth += 1;
    let chars = 0;
    for (let at = 0; at < count && this.#charsLeft >= 0; at += 1) {
      const before = this.#charsLeft;
      items.push(toItem(at));
      chars += before - this.#charsLeft;
      // A comma and a space, or a line break.
      this.#charsLeft -= chars > this.#form.lineCharsMax ? 2 + INDENT.length * this.#depth : at === 0 ? 0 : 2;
    }
    this.#depth -= 1;
    this.#charsLeft -= brackets.length;
    return this.#onOneLine({ brackets, items }) ?? { brackets, items };
  }

  /** Returns null for a group that is too long for a line. */
  #onOneLine({ brackets, items }: Group): string | null {
    const parts: string[] = [];
    let chars = 0;
    for (const { name, text } of items) {
      if (typeof text !== "string") return null;
      chars += name.length + text.length;
      if (chars > this.#form.lineCharsMax) return null;
      parts.push(name + text);
    }
    const line = parts.join(", ");
    const gap = brackets === "{}" && items.length > 0 ? this.#form.gap : "";
    return line.length > this.#form.lineCharsMax ? null : brackets.charAt(0) + gap + line + gap + brackets.charAt(1);
  }
}
