/*
 * Statements that differ only in their values have one shape, so that a check of one holds for the others: the grammar
 * makes the same tree of them, but for the values.
 */

/** Maximum characters of a statement whose shape is determined; it is done for each request. */
const SHAPED_CHARS_MAX = 4000;
/** Printable ASCII without backslashes and `$`, which start other forms of literals. */
const PLAIN_TEXT = /^[\t\n\r -#%-[\]-~]*$/;
/** Comments, strings with their own escape character, and the type whose name depends on its length. */
const INTRICATE = /--|\/\*|&['"]|float/i;
/**
 * Quoted names, strings, words, numbers, and anything else. A number is only a whole one of few digits, which is an
 * integer for every version of the grammar.
 */
const TOKENS = /("[^"]*")|('[^']*')|([A-Za-z_][A-Za-z0-9_]*)|([0-9.][A-Za-z0-9_.]*)|(.|\s)/g;
const WHOLE_NUMBER = /^[0-9]{1,9}$/;

/**
 * Returns a statement without the values of its strings and whole numbers.
 * @returns the statement itself if it is long or has anything else than names, signs, plain strings and numbers
 */
export function shapeOf(query: string): string {
  if (query.length > SHAPED_CHARS_MAX || !PLAIN_TEXT.test(query) || INTRICATE.test(query)) return query;
  let isPlain = true;
  const shape = query.replace(TOKENS, (token, _name, text, _word, number, other) => {
    if (text !== undefined) return "''";
    if (number !== undefined && WHOLE_NUMBER.test(number)) return "0";
    if (other === "'" || other === '"') isPlain = false;
    return token;
  });
  return isPlain ? shape : query;
}
