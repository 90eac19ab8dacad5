import { figureOf } from "../frame";
import type { Ref } from "../plan";
import { eventDate, mainMeasure } from "../schema";
import { amountsOf, amountsOfMoneyWord } from "./amounts";
import { rankedDim } from "./groups";
import { GRAINS, isAmount, MONEY, NUMBER, numberOf, type Reading } from "./reading";

/* Reads rankings: "top 5", "the cheapest". */

export function readRanking(reading: Reading): void {
  const frame = reading.frame;
  const top =
    reading.first(`(?:the )?(?:top|best|bottom|worst|first|last)(?:-| )${NUMBER}`) ??
    reading.first("(?:the )?(top|bottom)");
  const isInTime = top !== null && /(?:first|last)/.test(top.match[0]);
  if (top && isInTime && top.match[1] !== undefined && !reading.isDateToken(top.to - 1)) {
    reading.superlative = top;
    reading.take(top);
  } else if (top && !isInTime && !reading.isDateToken(top.to - 1)) {
    reading.take(top);
    frame.limit = numberOf(top.match[1]) || 10;
    frame.order = { ref: null, isDescending: !/bottom|worst|last/.test(top.match[0]) };
    reading.rankedFrom = top.to;
  }
  const superlative = reading.first(
    `(?:the )?(?:${NUMBER} )?(cheapest|priciest|(?:most|least) expensive|newest|latest|most recent|most recently|oldest|earliest|youngest|longest|shortest|slowest|fastest|quickest|(?:best|worst)(?! (?:first|paid|day|week|month|year|quarter|selling))|biggest|largest|smallest|highest|lowest|greatest|heaviest|best paid|highest paid|lowest paid|maximum|minimum)(?: ${NUMBER})?`,
  );
  if (
    reading.superlative === null &&
    superlative &&
    !/^(?:highest|lowest|biggest|largest|smallest|best|newest|oldest|latest)(?: \w+)? first/.test(
      reading.text.slice(superlative.match.index),
    )
  ) {
    reading.superlative = superlative;
    reading.take(superlative);
  } else if (
    reading.has(
      "(?:hired|joined|opened|created|born|placed|published|registered|signed up|started|came|borrowed|issued) (first|last)|(first|last) (?:hired|joined|opened|created|placed|published|registered)",
    )
  ) {
    const last = reading.first("first|last");
    if (last && !reading.isDateToken(last.from)) {
      reading.superlative = last;
      reading.take(last);
    }
  }
  const count = reading.first(`(?:which|what|the) ${NUMBER}`);
  if (count && frame.limit === null && !reading.isDateToken(count.to - 1)) {
    frame.limit = numberOf(count.match[1]);
    reading.take(count);
  }
  const extreme = reading.first(
    "(?:the )?(highest|lowest|largest|biggest|smallest|greatest|best|worst)(?= (?:average|avg|mean|total|number|count|sum|revenue|sales|turnover|overall|combined))",
  );
  if (extreme && !reading.all("highest first|lowest first").length) {
    reading.superlative = null;
    reading.take(extreme);
    frame.order = { ref: null, isDescending: !/lowest|smallest|worst/.test(extreme.match[0]) };
    reading.mostAt = {
      ...extreme,
      match: Object.assign([extreme.match[0], extreme.match[1], undefined], {
        index: extreme.match.index,
        input: extreme.match.input,
      }) as unknown as RegExpExecArray,
    };
  }
  const most = extreme
    ? null
    : reading.first(
        "(?:the )?(most|fewest|least)(?: (common|frequent|popular|used|often|frequently|active|busy|frequently used|commonly used))?",
      );
  if (
    most &&
    !reading.superlative &&
    !reading.taken.has(most.from) &&
    !/^first/.test(reading.text.slice(most.match.index + most.match[0].length + 1))
  ) {
    reading.take(most);
    frame.order = { ref: null, isDescending: !/fewest|least/.test(most.match[0]) };
    reading.mostAt = most;
  }
  const busiest = reading.first("(busiest|quietest|strongest|weakest|best|worst|peak)");
  if (busiest && !frame.order && GRAINS[reading.lower(busiest.to)] !== undefined) {
    frame.order = { ref: null, isDescending: !/quiet|weak|worst/.test(busiest.match[0]) };
    frame.dims.push({ kind: "time", grain: GRAINS[reading.lower(busiest.to)] ?? "day", ref: null });
    frame.limit ??= 1;
    reading.take({ from: busiest.from, to: busiest.to + 1 });
  }
  const sorted = reading.first(
    "(highest|most|largest|biggest|best|busiest|lowest|fewest|least|smallest|worst|cheapest|newest|oldest|latest|most expensive)(?: \\w+)? (?:first|to \\w+)|in (descending|ascending) order|(descending|ascending)",
  );
  if (sorted) {
    reading.take(sorted);
    frame.order = {
      ref: null,
      isDescending: !/lowest|fewest|least|smallest|worst|cheapest|oldest|(?<!de)ascending/.test(sorted.match[0]),
    };
  }
  const by = reading.first(
    `(?:sorted|ordered|ranked|sort|rank)(?: \\w+)? (?:by|on)|order (?:(?:it|them|these|those|results|rows) )?by`,
  );
  if (by) {
    reading.take(by);
    reading.sortedFrom = by.to;
    frame.order ??= { ref: null, isDescending: /rank/.test(by.match[0]) };
  }
}

export function readSuperlatives(reading: Reading): void {
  const frame = reading.frame;
  const range = reading.superlative;
  if (!range) return;
  const word = range.match[0];
  const count = numberOf(range.match[1] ?? range.match[3]) || null;
  const isDescending =
    !/\b(?:cheapest|least|oldest|earliest|shortest|fastest|quickest|smallest|lowest|worst|minimum|first)\b/.test(
      word,
    ) || /youngest/.test(word);
  const isTime = /newest|latest|recent|oldest|earliest|youngest|first|last/.test(word);
  const isPrice = /cheap|expensive|pric/.test(word);
  const near = reading.linked.mentions.filter((mention) => !reading.used.has(mention));
  const named = reading.superlativeMeasure
    ? null
    : near.find(
        (mention) =>
          mention.from >= range.to &&
          mention.from <= range.to + 4 &&
          (reading.isNumber(mention) || (isTime && mention.columns.some(({ ref }) => ref.column.kind === "date"))),
      );
  const paid = /paid/.test(word);
  const subject = near.find((mention) => reading.isTable(mention));
  const table = subject
    ? reading.table(subject)
    : (frame.target ?? named?.columns[0]?.ref.table ?? reading.focus[0] ?? null);
  if (subject && !frame.target) frame.target = table;
  let ref: Ref | null = reading.superlativeMeasure;
  const within = (wanted: (ref: Ref) => boolean) => {
    const column = table?.columns.find((each) => wanted({ table, column: each }));
    return table && column ? { table, column } : null;
  };
  if (!ref && named) ref = reading.pick(named, (each) => (isTime ? each.column.kind === "date" : isAmount(each)));
  if (!ref && paid)
    ref = within(
      ({ column }) => column.kind === "number" && column.words.some((each) => /salari|wag|pay|compensation/.test(each)),
    );
  if (!ref && isPrice)
    ref = within(
      ({ column }) =>
        column.kind === "number" && column.words.some((each) => /^(pric|price|cost|amount|total|fee)$/.test(each)),
    );
  if (!ref && isTime && !table) {
    const happened = near.find((mention) => mention.columns.some((each) => each.ref.column.kind === "date"));
    const found = happened && reading.pick(happened, (each) => each.column.kind === "date");
    if (happened && found) {
      reading.use(happened);
      frame.target = found.table;
      frame.order = { ref: found, isDescending };
      frame.limit = count ?? 1;
      return;
    }
  }
  if (!ref && isTime && table) {
    const verb = near.find((mention) =>
      mention.columns.some(({ ref: each }) => each.table === table && each.column.kind === "date"),
    );
    ref = verb ? reading.pick(verb, (each) => each.column.kind === "date" && each.table === table) : null;
    if (verb) reading.use(verb);
    const year = within(({ column }) => column.isYear);
    const column = /youngest|oldest/.test(word)
      ? table.columns.find((each) => each.words.includes("birth"))
      : undefined;
    ref ??= column ? { table, column } : null;
    const date = eventDate(table);
    ref ??= date ? { table, column: date } : year;
  }
  if (!ref && /long|short|slow|fast|quick/.test(word))
    ref = within(
      ({ column }) =>
        column.kind === "number" && column.words.some((each) => /duration|length|minut|second|page|ms|hour/.test(each)),
    );
  if (!ref && table) {
    const column = mainMeasure(table);
    ref = column && { table, column };
  }
  if (!ref) {
    reading.release(range);
    return;
  }
  if (named) reading.use(named);
  const isOwn = ref.table === table;
  if (frame.dims.length > 0 || (!subject && !isTime && !frame.target) || !isOwn) {
    // "Which channel has the slowest reply" is about channels.
    const asked = near.find(
      (mention) => mention !== named && mention.to <= range.from && (mention === subject || !reading.isNumber(mention)),
    );
    const dim = frame.dims.length === 0 && asked && reading.has("which|what|who") ? rankedDim(reading, asked) : null;
    if (dim && asked) {
      frame.dims.push(dim);
      reading.use(asked);
      frame.order = { ref: null, isDescending };
      frame.limit = count ?? (reading.isPlural(asked) ? 10 : 1);
    }
    frame.measures.push(figureOf(isDescending ? "max" : "min", [{ ref, fit: 1 }]));
    return;
  }
  if (subject) reading.use(subject);
  frame.target = table;
  frame.order = { ref, isDescending };
  frame.limit = count ?? (frame.limit && frame.limit > 0 ? frame.limit : 1);
  if (subject && reading.isPlural(subject) && count === null && reading.rankedFrom === null && frame.limit === 1)
    frame.limit = 10;
  frame.measures = [];
}

/** Reads amounts without an aggregation word. */
export function readBareMeasures(reading: Reading): void {
  const frame = reading.frame;
  const free = reading.linked.mentions.filter((mention) => !reading.used.has(mention));
  const amount = free.find((mention) => reading.isNumber(mention));
  const isMoney = reading.linked.tokens.some(({ stem }) => MONEY.has(stem));
  const isAsked =
    frame.dims.length > 0 ||
    // "Revenue from Germany" starts with its figure.
    (isMoney && amount !== undefined && amount === reading.linked.mentions[0]) ||
    reading.inTotal ||
    reading.has("what was|what is|what's|what were|how much|spend|spent|earn|make");
  if (amount && isAsked && (frame.dims.length > 0 || reading.inTotal || isMoney)) {
    reading.use(amount);
    const refs = amountsOf(reading, amount);
    const isAdditive = refs.some(({ ref }) =>
      /total|amount|revenu|quantiti|sale|cost|salari|pric|fee|count|item/.test(ref.column.words.join(" ")),
    );
    const fn =
      isMoney || reading.inTotal || (isAdditive && !/pric|salari/.test(refs[0]?.ref.column.words.join(" ") ?? ""))
        ? "sum"
        : "avg";
    frame.measures.push(figureOf(fn, refs));
  } else if (isMoney && isAsked) {
    const refs = amountsOfMoneyWord(reading, 0, reading.linked.tokens.length);
    if (refs.length > 0) frame.measures.push(figureOf("sum", refs));
  }
}
