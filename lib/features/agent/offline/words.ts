/** The English needed for questions about data: words, their stems, and which of them are grammar. */

export type Token = {
  /** The original spelling. */
  raw: string;
  lower: string;
  stem: string;
  /** Text in quotes is a value, even if it looks like a name. */
  isQuoted: boolean;
  /** The number in the text, or null; `3k` is 3000. */
  number: number | null;
  /** Start of the token in the text. */
  at: number;
};

/** Maximum number of words: no question needs more, and linking is quadratic in them. */
const TOKENS_MAX = 120;
const TOKEN =
  /"([^"\n]{1,120})"|“([^”\n]{1,120})”|(?<![\p{L}\p{N}])'([^'\n]{1,120})'(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])-?[$€£]?\d+(?:,\d+)*(?:\.\d+)?(?:[km%](?![\p{L}]))?|\p{L}[\p{L}\p{N}]*(?:['’][\p{L}]+)?|[<>]=?|!=|=|[?.,;:]/giu;

export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(TOKEN)) {
    if (tokens.length === TOKENS_MAX) break;
    const inside = (match[1] ?? match[2] ?? match[3])?.trim();
    // A sentence may end within its last quotation: named "Anna."
    const isEnd = match.index + match[0].length === text.trimEnd().length;
    const quoted = isEnd ? inside?.replace(/(?<=\p{L}{2})[.?!,]$/u, "") : inside;
    const raw = quoted ?? match[0].replace(/['’]s$/i, "");
    const lower = raw.toLowerCase().replaceAll("’", "'");
    tokens.push({
      raw,
      lower,
      stem: stemOf(lower),
      isQuoted: quoted !== undefined,
      number: quoted === undefined ? toNumber(lower) : null,
      at: match.index,
    });
  }
  return tokens;
}

/** Returns the words with a space after each, for searches of phrases, and the start of each word in that text. */
export function joinTokens(tokens: readonly Token[]): { text: string; starts: number[] } {
  const starts: number[] = [];
  let text = "";
  for (const { lower } of tokens) {
    starts.push(text.length);
    text += `${lower} `;
  }
  return { text, starts };
}

const NUMBER_WORDS: Record<string, number> = {
  two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10, twelve: 12, fifteen: 15,
  twenty: 20, thirty: 30, fifty: 50, hundred: 100, thousand: 1000, dozen: 12,
}; // biome-ignore format: a table

/** Words that are numbers, as alternatives of a pattern. */
export const NUMBER_WORD = Object.keys(NUMBER_WORDS).join("|");

/** Returns the number that a word in lower case stands for; null if it is none. */
export function toNumber(lower: string): number | null {
  if (Object.hasOwn(NUMBER_WORDS, lower)) return NUMBER_WORDS[lower] ?? null;
  const match = /^(-?)[$€£]?(\d[\d,]*(?:\.\d+)?)([km%])?$/.exec(lower);
  if (!match) return null;
  const [, sign, digits = "", unit] = match;
  const scale = unit === "k" ? 1000 : unit === "m" ? 1_000_000 : 1;
  return Number(digits.replaceAll(",", "")) * (sign === "-" ? -scale : scale);
}

const IRREGULAR: Record<string, string> = {
  people: "person", movie: "movie", movies: "movie", children: "child", men: "man", women: "woman", staff: "staff", data: "data", status: "status",
  statuses: "status", address: "address", addresses: "address", sold: "sell", bought: "buy", spent: "spend",
  wrote: "write", written: "write", paid: "paid", pays: "pay", made: "make", left: "left", news: "news", series: "series",
  has: "have", is: "be", media: "media", lent: "lend", born: "birth", birthday: "birth", sent: "send", analyses: "analysis",
  indices: "index", ms: "ms", campus: "campus", bus: "bus", buses: "bus", qty: "quantity", won: "win", lost: "lose",
  this: "this", plus: "plus", canceled: "cancel", cancelled: "cancel", cancellation: "cancel", busiest: "busiest", ids: "id",
}; // biome-ignore format: a table

/** Returns the same stem for words of one family: "reserved" and "reservations", "category" and "categories". */
export function stemOf(lower: string): string {
  const irregular = Object.hasOwn(IRREGULAR, lower) ? IRREGULAR[lower] : undefined;
  if (irregular !== undefined) return irregular;
  const word = singularOf(lower);
  if (word.length < 5) return word;
  for (const suffix of ["ations", "ation", "ings", "ing", "ed", "ee"]) {
    const rest = word.slice(0, -suffix.length);
    if (!word.endsWith(suffix) || rest.length < 3 || !/[aeiouy]/.test(rest)) continue;
    return softened(/([bdgmnprtl])\1$/.test(rest) ? rest.slice(0, -1) : rest);
  }
  return softened(word);
}

function softened(word: string): string {
  if (word.length > 3 && word.endsWith("e")) return word.slice(0, -1);
  return word.length > 3 && word.endsWith("y") ? `${word.slice(0, -1)}i` : word;
}

/** Whether the words of a name end in the plural. */
export function isPlural(said: string): boolean {
  return /[^su]s$/i.test(said);
}

export function singularOf(lower: string): string {
  const irregular = Object.hasOwn(IRREGULAR, lower) ? IRREGULAR[lower] : undefined;
  if (irregular !== undefined) return irregular;
  if (lower.length < 4 || /(?:ss|us|is)$/.test(lower)) return lower;
  if (lower.endsWith("ies")) return `${lower.slice(0, -3)}y`;
  if (/(?:ch|sh|ss|x|zz)es$/.test(lower)) return lower.slice(0, -2);
  return lower.endsWith("s") ? lower.slice(0, -1) : lower;
}

/** Returns the stems of a schema name's words: "orderItems", "ORDER_ITEMS" and "order items" are the same. */
export function nameWords(name: string): string[] {
  return name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .map((word) => stemOf(word.toLowerCase()));
}

/** Words with a role in the sentence that name nothing in a database. */
export const GRAMMAR = new Set(
  (
    "a an the and or of in on at to for from with by per as is are was were be been being am do does did done doing have has had having " +
    "i we you he she it they me us them our my your their its his her who whom whose which what when where why how many much there here " +
    "that this these those than then so if but not no nor neither either none never nobody nothing any some all each every both more most less " +
    "least fewer few fewest over under above below between within without about into through during since until till before after again ever yet " +
    "show list give tell get got gets find display see want need know like can could would should will shall may might must please let say says said mean means " +
    "number count total sum average avg mean maximum minimum max min top bottom best worst highest lowest largest smallest biggest longest shortest " +
    "first last next previous past current now right still just only also too very really exactly overall altogether ones one thing things " +
    "come comes came coming go went going make made makes use uses used using out up down back off away around please compared versus vs " +
    "distinct different unique order sorted ordered ranked sort rank ascending descending asc desc group grouped broken break split down " +
    "share percentage percent proportion fraction ratio rate trend time date day week month quarter year daily weekly monthly quarterly yearly annual " +
    "own ours it's what's who's how's that's there's don't doesn't didn't haven't hasn't aren't isn't wasn't weren't can't won't i'm i'd we've " +
    "instead same them euros euro dollars dollar usd eur gbp pounds money everything anything something someone row rows record records value values " +
    "breakdown overview figure figures result results table tables column columns field fields entry entries database connection info information data " +
    "whole entire single currently recently already usually often ago today yesterday tomorrow until per-cent ones' hi hello hey thanks thank ok okay " +
    "keep keeps kept hold holds look looks happen happened happens belong belongs contain contains containing mention mentions mentioning include includes including " +
    "start starts starting begin begins beginning end ends ending word words text named called equal equals greater except excluding exclude besides other another " +
    "new existing incoming milliseconds millisecond seconds second minutes minute hours hour longer place placed places put take took taken run ran work works"
  )
    .split(" ")
    .concat("somebody"),
);

export type Comparison = "<" | "<=" | ">" | ">=" | "=";
/** Phrases before a number, with `|` between those of one meaning. */
export const COMPARISONS: [string, Comparison][] = [
  ["no less than|not less than|at least|a minimum of|minimum|>=|greater than or equal to|more than or equal to", ">="],
  ["no more than|not more than|at most|up to|a maximum of|<=|less than or equal to", "<="],
  [
    "more than|greater than|higher than|larger than|bigger than|longer than|older than|over|above|exceeding|exceeds|exceed|>",
    ">",
  ],
  ["less than|fewer than|lower than|smaller than|shorter than|younger than|under|below|<", "<"],
  ["exactly|equal to|equals|=", "="],
];
/** Phrases before a part of a text. */
export const TEXT_PLACES: [string, "anywhere" | "start" | "end"][] = [
  ["start with|starts with|starting with|begin with|begins with|beginning with", "start"],
  ["end with|ends with|ending with|ending in", "end"],
  ["contain|contains|containing|like", "anywhere"],
];

/** Names that a database may use for a word of a question, the closest first; by stems. */
const SYNONYM_LINES = [
  "revenu: revenu sale turnover total amount gross",
  "sale: sale revenu turnover total amount order",
  "turnover: turnover revenu sale total amount",
  "incom: incom revenu total amount",
  "earn: salari wage earn pay compensation incom",
  "pay: salari wage pay amount paid",
  "paid: paid salari",
  "salari: salari wage pay compensation",
  "wage: wage salari wage pay",
  "valu: valu total amount price worth",
  "worth: worth valu total amount price",
  "spend: total amount spend price cost",
  "sell: quantiti order sale",
  "cost: price cost fee amount",
  "expensiv: price cost amount total",
  "cheap: price cost amount total",
  "pric: price cost amount",
  "owe: due balanc amount fine debt",
  "unit: quantiti unit",
  "piec: quantiti unit",
  "sign: sign join regist creat",
  "signup: sign join regist creat",
  "regist: regist join sign creat",
  "join: join sign regist creat hire",
  "start: start hire join begin",
  "creat: creat open insert",
  "receiv: receiv creat",
  "submit: submit creat",
  "buy: order purchas",
  "purchas: purchas order",
  "client: client customer",
  "buyer: buyer customer",
  "shopper: shopper customer",
  "user: user member account customer",
  "reader: reader member",
  "patron: patron member",
  "employe: employe employ staff agent",
  "staff: staff agent employ",
  "colleagu: agent employ staff",
  "rep: agent representativ",
  "compani: compani organization account firm",
  "firm: firm compani organization",
  "organization: organization compani account",
  "organisation: organization compani account",
  "borrow: borrow loan",
  "lend: loan lend borrow",
  "checkout: checkout loan",
  "penalti: fine penalti fee",
  "writer: author writer",
  "label: label tag",
  "tag: tag label",
  "case: ticket case",
  "issue: issue ticket",
  "request: request ticket",
  "item: item product line",
  "good: product item",
  "article: product article item",
  "type: type kind categori",
  "kind: kind type categori",
  "sort: type kind categori",
  "categori: categori type genre",
  "nation: countri nation",
  "countri: countri nation",
  "city: city town",
  "town: city town",
  "name: name title",
  "titl: title name",
  "time: time duration minut second",
  "long: duration length minut second page",
  "duration: duration minut second length",
  "old: birth age open creat",
  "young: birth age",
  "age: age birth",
  "feedback: feedback rating comment",
  "headcount: employ staff",
  "staff size: employ",
  "visit: visit event session",
  "subscrib: subscrib newsletter",
  "genr: genre categori",
];
/** Names that a word only resembles, so that a person has to choose. */
const SIMILAR_LINES = [
  "profit: margin earn gain net incom",
  "margin: profit gain",
  "earn: profit revenu incom",
  "stock: inventori",
  "inventori: stock",
  "headcount: employe staff",
];
export const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map(SYNONYM_LINES.map(readLine));
/** Names that a word may stand for, by stems. */
export const SIMILAR: ReadonlyMap<string, readonly string[]> = new Map([
  ...SYNONYMS,
  ...SIMILAR_LINES.map(readLine).map(([word, others]): [string, readonly string[]] => [
    word,
    [...others, ...(SYNONYMS.get(word) ?? [])],
  ]),
]);

function readLine(line: string): [string, readonly string[]] {
  const [word = "", others = ""] = line.split(": ");
  return [stemOf(word), [...new Set(others.split(" ").flatMap((other) => [other, stemOf(other)]))]];
}
