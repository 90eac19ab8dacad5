/**
 * Strings, comments, names and brackets of GraphQL (its specification, 2.1): enough to find the top-level definitions.
 */
const TOKEN = /"""(?:\\"""|[\s\S])*?"""|"(?:\\.|[^"\\\n\r])*"|#[^\n\r]*|[{}()[\]]|[_A-Za-z][_0-9A-Za-z]*|["\s\S]/gy;

/**
 * Returns whether a document only reads: its operations are queries, next to fragments. A source changes nothing, and a
 * mutation would be sent again for each page.
 */
export function isReadingQuery(document: string): boolean {
  let depth = 0;
  let isExpected = true;
  let operations = 0;
  for (const [token] of document.matchAll(TOKEN)) {
    if (/^[\s,\ufeff]$/.test(token) || token.startsWith("#")) continue;
    if (token === '"') return false;
    if (depth === 0 && isExpected) {
      if (token !== "query" && token !== "{" && token !== "fragment") return false;
      if (token !== "fragment") operations += 1;
      isExpected = false;
    }
    if (/^[{([]$/.test(token)) depth += 1;
    else if (/^[})\]]$/.test(token)) depth -= 1;
    if (depth < 0) return false;
    // A top-level selection ends its definition.
    if (depth === 0 && token === "}") isExpected = true;
  }
  return depth === 0 && isExpected && operations === 1;
}
