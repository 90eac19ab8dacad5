import { alternatives as alt, mapped, optional, type Parser, sequence } from "../parsers";
import type { Item, Modifier } from "../question";
import type { Items } from "./items";
import type { Words } from "./words";

export type Orders = ReturnType<typeof orderParsers>;

/** Returns the parsers of the order of rows. */
export function orderParsers({ say, table, item }: Words & Items) {
  const direction = table<string, boolean>([
    [
      "descending|desc|decreasing|descending order|decreasing order|in descending order|in decreasing order|descendingly|from high to low|from highest to lowest|from large to small|from oldest to youngest|from the oldest to the youngest|in reverse order|from most to least",
      true,
    ],
    [
      "ascending|asc|increasing|ascending order|increasing order|in ascending order|in increasing order|from low to high|from lowest to highest|from youngest to oldest|from the youngest to the oldest|in alphabetical order|in the alphabetical order|in lexicographical order|in ascending alphabetical order|alphabetically|from least to most|in alphabetic order",
      false,
    ],
  ]);
  const sortItem: Parser<Item> = mapped(item, ([one, ...others]) =>
    one && others.length === 0 ? (numberColumn(one) ?? one) : undefined,
  );
  const sorted = say(
    ". order by|. sort by|? order by|? sort by|. sort them by|. order them by|sorted by|sorted|ordered by|ordered|order by|sort by|sort the list by|ranked by|listed by|listed|sorted in|sort them by|order them by|sort the results by|order the results by|sort results by|in order of|in the order of|in the order by|ordered in|listed in|and sort by|arranged by|order|sort them|and order by|sorting by|sort",
  );
  const order: Parser<Modifier> = alt<Modifier>(
    mapped(
      sequence(
        optional(say("and|,")),
        sorted,
        optional(direction),
        optional(say("by|of|according to|in|on|based on")),
        sortItem,
        optional(say("in")),
        optional(direction),
      ),
      ([, , before, , by, , after]) => ({ kind: "order", by, isDescending: after ?? before }),
    ),
    mapped(
      sequence(
        optional(say("and|,")),
        optional(sorted),
        direction,
        optional(sequence(say("of|by|of the|by the|according to|according to the"), sortItem)),
      ),
      ([, , isDescending, by]) => ({ kind: "order", by: by?.[1] ?? null, isDescending }),
    ),
  );
  const figureFirst: Parser<Modifier> = mapped(
    sequence(
      optional(say(",")),
      table<string, boolean>([
        [
          "highest first|largest first|biggest first|best first|most first|largest group first|from most to least",
          true,
        ],
        ["lowest first|smallest first|worst first|fewest first", false],
      ]),
    ),
    ([, isDescending]) => ({ kind: "order", by: "figure", isDescending }),
  );
  const sortedBy: Parser<Modifier> = mapped(
    sequence(say("by|by the|by their|by its|according to|according to the"), sortItem, direction),
    ([, by, isDescending]) => ({ kind: "order", by, isDescending }),
  );
  return { sortItem, order, figureFirst, sortedBy };
}

/** "By the number of goals" sorts by a column that holds this number. */
function numberColumn(item: Item): Item | null {
  if (item.kind !== "count" || item.isDistinct || !item.entity || !("column" in item.entity)) return null;
  const { column } = item.entity;
  const isNumber = column.options.every(({ ref: { column: own } }) => own.kind === "number" && !own.isReference);
  return isNumber ? { kind: "column", column, isDistinct: false } : null;
}
