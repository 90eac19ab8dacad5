/** Returns the element shown beside a completion or over a word: a heading and a text. */
export function toInfo({ title, text }: { title: string; text: string }): HTMLElement {
  const box = document.createElement("div");
  const head = document.createElement("b");
  head.textContent = title;
  const body = document.createElement("div");
  body.textContent = text;
  box.append(head, body);
  return box;
}
