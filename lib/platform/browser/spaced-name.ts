/** Behind these a name follows without a space. */
const OPENS = /[\s(.,"'`[]$/;
/** Before these it ends without one. */
const CLOSES = /^[\s),.;\]]/;

/** A name to be written between two texts: with what keeps it from growing together with them, and a space to go on from. */
export function spacedName(name: string, before: string, after: string): string {
  const head = before === "" || OPENS.test(before) ? "" : " ";
  return `${head}${name}${CLOSES.test(after) ? "" : " "}`;
}
