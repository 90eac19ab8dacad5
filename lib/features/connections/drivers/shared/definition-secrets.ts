/*
 * Passwords of other servers in the definitions of tables: connection strings of FEDERATED, CONNECT and SPIDER tables,
 * options of foreign tables, arguments of table engines.
 */

const HIDDEN = "'***'";
/** A password in a URL or in a list such as `user=a,password=b` or `host "a", password "b"`. */
const SECRET_TEXT =
  /:\/\/[^\s/:@]{0,256}:[^\s@]{1,256}@|(?:passw(?:or)?d|passwd|pwd|secret\w*|access_?key|api_?key|token)\s{0,8}(?:[=:]\s{0,8}[^\s%]|["'`\\][^,])/i;
/** Options whose whole value is redacted. Options of the server have one of these names, engines have others. */
const SECRET_OPTION = /pass|pwd|secret|token|credential|access_?key|api_?key|engine_attribute/i;
/** The name of a server from CREATE SERVER, with a table: the login is stored elsewhere. */
const SERVER_NAME = /^[\w$-]+(?:\/[\w$-]+){0,2}$/;
const BACKSLASH = /'(?:[^'\\]|\\[\s\S]|'')*'/;
const PLAIN = /'(?:[^']|'')*'/;
/** Matches table definitions: options follow the columns of a table; a view has comparisons there. */
const TABLE = /^\s*CREATE\s+(?:\w+\s+){0,3}TABLE\b/i;
const NAME = /`(?:[^`]|``)*`|"(?:[^"]|"")*"|[A-Za-z_]\w*/;
const tokensOf = (text: RegExp) => new RegExp(`${text.source}|${NAME.source}|[()=]`, "g");
const TOKENS = { backslash: tokensOf(BACKSLASH), plain: tokensOf(PLAIN) };

/** Returns whether a text of the catalogue, such as a comment or a list of options, contains a password. */
export function holdsSecret(text: string): boolean {
  return SECRET_TEXT.test(text);
}

/**
 * Returns a definition without passwords of other servers; one without any is unchanged.
 * @param escapes the meaning of a backslash in a string of this database
 */
export function redactDefinition(definition: string, escapes: keyof typeof TOKENS): string {
  const isTable = TABLE.test(definition);
  let depth = 0;
  /** The last name, while at most `=` follows it. */
  let option = "";
  return definition.replace(TOKENS[escapes], (token) => {
    if (token === "=") return token;
    if (!token.startsWith("'")) {
      depth += token === "(" ? 1 : token === ")" ? -1 : 0;
      option = token === "(" || token === ")" ? "" : token.replace(/^[`"]|[`"]$/g, "");
      return token;
    }
    const isSecret = isSecretValue(option, token.slice(1, -1), isTable && depth === 0);
    option = "";
    return isSecret ? HIDDEN : token;
  });
}

function isSecretValue(option: string, value: string, isOption: boolean): boolean {
  if (value === "") return false;
  if (/^connection$/i.test(option)) return !SERVER_NAME.test(value);
  return (isOption && SECRET_OPTION.test(option)) || SECRET_TEXT.test(value);
}
