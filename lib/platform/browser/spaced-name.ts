/** Characters after which a name follows without a space. */
const OPENS = /[\s(.,"'`[]$/;
/** Characters before which a name ends without a space. */
const CLOSES = /^[\s),.;\]]/;

/** Returns a name to insert between two texts, with the spaces that separate it from both. */
export function spacedName(name: string, before: string, after: string): string {
  const head = before === "" || OPENS.test(before) ? "" : " ";
  return `${head}${name}${CLOSES.test(after) ? "" : " "}`;
}
