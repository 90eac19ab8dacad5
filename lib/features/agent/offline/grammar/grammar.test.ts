import { describe, expect, test } from "vitest";
import type { Chosen } from "../choice";
import { link, type ValueHit } from "../link";
import { toSql } from "../render-sql";
import { type Described, Schema } from "../schema";
import { understandStrictly } from ".";

const column = (name: string, type = "text", primaryKey = false) => ({ name, type, nullable: !primaryKey, primaryKey });
const key = (name: string, table: string, to: string) => ({
  columns: [name],
  references: { name: table, columns: [to] },
});
const TABLES: Described[] = [
  {
    name: "Club",
    columns: [column("Club_ID", "integer", true), column("Name"), column("Country"), column("Founded_Year", "integer")],
  },
  {
    name: "player",
    columns: [
      column("player_id", "integer", true),
      column("fname"),
      column("age", "integer"),
      column("nationality"),
      column("position"),
      column("transferfee", "integer"),
      column("club_id", "integer"),
    ],
    foreignKeys: [key("club_id", "Club", "Club_ID")],
  },
  {
    name: "game",
    columns: [
      column("game_id", "integer", true),
      column("attendance", "integer"),
      column("home_id", "integer"),
      column("guest_id", "integer"),
    ],
    foreignKeys: [key("home_id", "Club", "Club_ID"), key("guest_id", "Club", "Club_ID")],
  },
  {
    name: "river",
    columns: [column("name", "text", true), column("country", "text", true), column("length_km", "integer")],
  },
  { name: "penalty", columns: [column("penalty_id", "integer", true), column("amount_cents", "integer")] },
  {
    name: "award",
    columns: [column("award_id", "integer", true), column("rank", "integer"), column("number_of_winners", "integer")],
  },
  {
    name: "winner",
    columns: [column("winner_id", "integer", true), column("award_id", "integer")],
    foreignKeys: [key("award_id", "award", "award_id")],
  },
  {
    name: "stadium",
    columns: [
      column("stadium_id", "integer", true),
      column("name"),
      column("location", "point"),
      column("plan", "json"),
    ],
  },
  {
    name: "steward",
    columns: [column("steward_id", "integer", true), column("stadium_id", "integer"), column("wage", "money")],
    foreignKeys: [key("stadium_id", "stadium", "stadium_id")],
  },
  {
    name: "ticket",
    columns: [
      column("ticket_id", "integer", true),
      { ...column("sold_at", "timestamp"), nullable: false },
      column("used_at", "timestamp"),
      column("price", "integer"),
      column("stand"),
    ],
  },
];

/** Returns the query, the choice that is asked for, or null for a refusal. */
function read(question: string, values: Record<string, string[]> = {}, chosen: Chosen = new Map()): string | null {
  const found = understand(question, values, chosen);
  if ("plan" in found) return toSql(found.plan, "sqlite").replaceAll(/\s+/g, " ");
  return found.choice ? `? ${found.choice.options.join(", ")}` : null;
}

function assumed(question: string, values: Record<string, string[]> = {}): string[] {
  const found = understand(question, values);
  return "plan" in found ? found.assumed : [];
}

function understand(question: string, values: Record<string, string[]>, chosen: Chosen = new Map()) {
  const schema = new Schema(TABLES);
  const hits = Object.entries(values).flatMap(([name, found]): ValueHit[] => {
    const [tableName = "", columnName] = name.split(".");
    const table = schema.findTable(tableName);
    const columnOf = table?.columns.find((each) => each.name === columnName);
    if (!table || !columnOf) throw new Error(`no ${name}`);
    return found.map((value) => ({ ref: { table, column: columnOf }, value, isExact: false }));
  });
  return understandStrictly(link(question, schema, hits, "2026-11-01"), schema, hits, chosen);
}

const FRANCE = { "Club.Country": ["France"] };
const SPANISH = { "player.nationality": ["Spanish", "Dutch"] };

describe("answers", () => {
  test.each([
    [
      "Players without a nationality",
      {},
      "select player_id, fname, age, nationality, position, transferfee, club_id from player where nationality is null limit 1000",
    ],
    ["How many players are without a club?", {}, "select count(*) as player_count from player where club_id is null"],
    ["How many players have a club?", {}, "select count(*) as player_count from player where club_id is not null"],
    ["list tickets without a price", {}, null],
    [
      "players with no nationality",
      {},
      "select player_id, fname, age, nationality, position, transferfee, club_id from player where nationality is null limit 1000",
    ],
    ["How many players are there?", {}, "select count(*) as player_count from player"],
    [
      "Show the price of tickets with price between -5 and 5",
      {},
      "select price from ticket where price >= -5 and price <= 5 limit 1000",
    ],
    ["When was the last ticket sold?", {}, "select max(sold_at) as last_sold_at from ticket"],
    ["When was the first ticket?", {}, "select min(sold_at) as first_sold_at from ticket"],
    [
      "How many tickets in 2024 or 2025?",
      {},
      "select count(*) as ticket_count from ticket where sold_at >= '2024-01-01' and sold_at < '2026-01-01'",
    ],
    ["How many tickets in 2023 or 2025?", {}, null],
    ["Total players", {}, "select count(*) as player_count from player"],
    [
      "All players but Spanish ones",
      SPANISH,
      "select player_id, fname, age, nationality, position, transferfee, club_id from player where nationality <> 'Spanish' limit 1000",
    ],
    [
      "All players except the Spanish players",
      SPANISH,
      "select player_id, fname, age, nationality, position, transferfee, club_id from player where nationality <> 'Spanish' limit 1000",
    ],
    [
      "Clubs and their number of players",
      {},
      'select c."Name" as "Name", count(*) as player_count from player as p join "Club" as c on p.club_id = c."Club_ID" group by c."Club_ID", 1 order by 2 desc, 1 limit 1000',
    ],
    [
      "Average players per club",
      {},
      'select count(*) * 1.0 / count(distinct c."Club_ID") as player_per_club from player as p join "Club" as c on p.club_id = c."Club_ID"',
    ],
    [
      "What is the average and maximum age of all players?",
      {},
      "select avg(age) as average_age, max(age) as highest_age_2 from player",
    ],
    ["What is the total amount of penalties?", {}, "select sum(amount_cents) / 100.0 as total_amount from penalty"],
    ["Show the amount of each penalty", {}, "select amount_cents / 100.0 as amount from penalty limit 1000"],
    ["Show the first name and transfer fee of each player.", {}, "select fname, transferfee from player limit 1000"],
    ["List the names of clubs in France", FRANCE, 'select "Name" from "Club" where "Country" = \'France\' limit 1000'],
    [
      "How many players are not Spanish?",
      SPANISH,
      "select count(*) as player_count from player where nationality <> 'Spanish'",
    ],
    [
      "Count the players who are Spanish or Dutch",
      SPANISH,
      "select count(*) as player_count from player where nationality in ('Spanish', 'Dutch')",
    ],
    ["What are the first names of players older than 30?", {}, "select fname from player where age > 30 limit 1000"],
    [
      "How many players are there for each nationality?",
      {},
      "select nationality, count(*) as player_count from player group by 1 order by 2 desc, 1 limit 1000",
    ],
    [
      "What is the first name of the youngest player?",
      {},
      "select fname, age from player where age is not null order by 2 limit 1",
    ],
    [
      "Which nationality has the most players?",
      {},
      "select nationality, count(*) as player_count from player group by 1 order by 2 desc limit 1",
    ],
    [
      "clubs founded after 1900",
      {},
      'select "Club_ID", "Name", "Country", "Founded_Year" from "Club" where "Founded_Year" >= 1901 limit 1000',
    ],
    [
      "How many clubs have a founded year of 1900 or 1905?",
      {},
      'select count(*) as club_count from "Club" where "Founded_Year" in (1900, 1905)',
    ],
    [
      "Which nationality is the most common?",
      {},
      "select nationality, count(*) as player_count from player group by 1 order by 2 desc limit 1",
    ],
    ["Show the distinct positions of players", {}, "select distinct position from player limit 1000"],
    [
      "Show the names of clubs that have no players",
      {},
      'select c."Name" as "Name" from "Club" as c where not exists (select 1 from player as p where p.club_id = c."Club_ID") limit 1000',
    ],
    [
      "What percentage of players are older than 30?",
      {},
      "select 100.0 * sum(case when age > 30 then 1 else 0 end) / count(*) as share from player",
    ],
    [
      "Top 3 clubs by number of players",
      {},
      'select c."Club_ID" as "Club_ID", c."Name" as "Name", c."Country" as "Country", c."Founded_Year" as "Founded_Year", count(*) as player_count from player as p join "Club" as c on p.club_id = c."Club_ID" group by 1, 2, 3, 4 order by 5 desc limit 3',
    ],
    [
      "Which 2 players have the highest transfer fee? Show their first names.",
      {},
      "select fname, transferfee from player where transferfee is not null order by 2 desc limit 2",
    ],
    [
      "Transfer fee by position",
      {},
      "select position, sum(transferfee) as total_transferfee from player group by 1 limit 1000",
    ],
    [
      "Show the names of clubs that never had any players",
      {},
      'select c."Name" as "Name" from "Club" as c where not exists (select 1 from player as p where p.club_id = c."Club_ID") limit 1000',
    ],
    [
      "Which club has the most players? List the name and country.",
      {},
      'select c."Name" as "Name", c."Country" as "Country", count(*) as player_count from player as p join "Club" as c on p.club_id = c."Club_ID" group by c."Club_ID", 1, 2 order by 3 desc limit 1',
    ],
    [
      "Show the names of clubs and the average age of their players",
      {},
      'select c."Name" as "Name", avg(p.age) as average_age from player as p join "Club" as c on p.club_id = c."Club_ID" group by c."Club_ID", 1 limit 1000',
    ],
    [
      "What is the average number of players per club?",
      {},
      'select count(*) * 1.0 / count(distinct c."Club_ID") as player_per_club from player as p join "Club" as c on p.club_id = c."Club_ID"',
    ],
    [
      "In 1900, how many clubs were founded?",
      {},
      'select count(*) as club_count from "Club" where "Founded_Year" >= 1900 and "Founded_Year" < 1901',
    ],
    [
      "How many tickets per month?",
      {},
      "select strftime('%Y-%m', sold_at) as month, count(*) as ticket_count from ticket group by 1 order by 1 limit 1000",
    ],
    [
      "Daily tickets since August 2026",
      {},
      "select date(sold_at) as day, count(*) as ticket_count from ticket where sold_at >= '2026-08-01' group by 1 order by 1 limit 1000",
    ],
    [
      "Show the first names of players with position 'keeper'",
      {},
      "select fname from player where position = 'keeper' limit 1000",
    ],
    [
      "Find the club with the largest number of players; show the name and country.",
      {},
      'select c."Name" as "Name", c."Country" as "Country", count(*) as player_count from player as p join "Club" as c on p.club_id = c."Club_ID" group by c."Club_ID", 1, 2 order by 3 desc limit 1',
    ],
    [
      "tickets by stand",
      {},
      "select stand, count(*) as ticket_count from ticket group by 1 order by 2 desc, 1 limit 1000",
    ],
    [
      "share of tickets by stand",
      {},
      "select stand, 100.0 * count(*) / sum(count(*)) over () as share from ticket group by 1 limit 1000",
    ],
    [
      "Which positions have an average age above 30?",
      {},
      "select position, avg(age) as average_age from player group by 1 having avg(age) > 30 limit 1000",
    ],
    [
      "Show the names of clubs that are not from the country of France",
      FRANCE,
      'select "Name" from "Club" where "Country" <> \'France\' limit 1000',
    ],
    [
      "How many players are still Spanish?",
      SPANISH,
      "select count(*) as player_count from player where nationality = 'Spanish'",
    ],
    [
      "Show the ranks of awards ordered by the number of winners",
      {},
      "select rank, number_of_winners from award order by 2 limit 1000",
    ],
    ["How many clubs are listed in the database?", {}, 'select count(*) as club_count from "Club"'],
    [
      "Show the nationalities of players in the alphabetical order",
      {},
      "select nationality from player order by 1 limit 1000",
    ],
    [
      "Which nationality is shared by at least 2 players?",
      {},
      "select nationality, count(*) as player_count from player group by 1 having count(*) >= 2 limit 1000",
    ],
    [
      "How many clubs have more than 2 players?",
      {},
      'select count(*) as club_count from ( select c."Club_ID" as "Club_ID", count(*) as player_count from player as p join "Club" as c on p.club_id = c."Club_ID" group by 1 having count(*) > 2 ) as found',
    ],
  ])("%s", (question, values, sql) => {
    expect(read(question, values)).toBe(sql);
  });
});

describe("says what it assumes", () => {
  test.each([
    [
      "groups without rows",
      "Which clubs have fewer than 3 players?",
      "I assumed that those without player are left out.",
    ],
    ["a total", "Total players", "I assumed the number of player."],
    [
      "a value without its column",
      "How many players are Spanish?",
      "I assumed that “Spanish” is a player.nationality.",
    ],
    [
      "rows without a rank",
      "What is the first name of the youngest player?",
      "I assumed that rows without player.age are left out.",
    ],
    [
      "rows without a counterpart",
      "How many players are in each club?",
      "I assumed that Club without player are left out.",
    ],
    [
      "a text that no column has",
      "Show the first name of players whose nationality is 'Utopian.'",
      "I assumed that “Utopian” is a player.nationality, although I found none.",
    ],
    [
      "both ends of a range",
      "Show the price of tickets with price between -5 and 5",
      "I assumed that both ends of a range are in it.",
    ],
    [
      "different rows",
      "How many different players are there?",
      "I assumed that each row of player is a different one.",
    ],
    [
      "names of rows without others, which may repeat",
      "Show the names of clubs that have no players",
      "I assumed that equal rows are listed as often as they occur.",
    ],
    [
      "equal rows",
      "Show the age and transfer fee of players",
      "I assumed that equal rows are listed as often as they occur.",
    ],
  ])("%s", (_, question, text) => {
    expect(assumed(question, SPANISH)).toContain(text);
  });
});

describe("refuses", () => {
  test.each([
    ["a word without a meaning", "How many injured players are there?"],
    ["a negation that no rule reads", "Which players never scored?"],
    ["a second superlative", "Who is the second youngest player?"],
    ["a ratio", "What is the ratio of players to clubs?"],
    ["a comparison with an average", "Which players are older than the average age?"],
    ["the number of those that have fewer, which includes none", "How many clubs have fewer than 3 players?"],
    ["a rate of two conditions", "What percentage of Spanish players are older than 30?"],
    ["rows or values", "Show all positions"],
    ["a plural superlative", "What are the most common nationalities?"],
    ["two ranges that no row is in", "Show the names of clubs with founded year before 1945 and after 1955"],
    ["an alternative of two columns", "Which players are older than 30 or Spanish?"],
    ["a value that is a part of a text", "Show the names of players which contain Spanish"],
    ["values without rows, or those of rows without any", "List the distinct countries of clubs without any players"],
    ["the highest of ranks, which is the lowest number", "Which award has the highest rank?"],
    ["a number of rows that is also a column", "Which award has the most winners?"],
    ["a group that no word names", "How many players correspond to each one?"],
    ["a number of rows that a limit cannot be", "Show the -3 oldest players"],
    ["a number that is no name", "Show the nationalities that have two players"],
  ])("%s", (_, question) => {
    expect(read(question, SPANISH)).toBeNull();
  });

  test("both of two values of one column", () => {
    expect(read("How many players are Spanish and Dutch?", SPANISH)).toBeNull();
  });

  test("a join with two keys, and asks for one of them", () => {
    expect(read("What is the average attendance of games for each club?")).toBe("? home_id, guest_id");
  });

  test("rows that share a name, and asks what to count", () => {
    expect(read("How many rivers are there?")).toBe("? different name, rows of river");
  });

  test.each([
    ["rows or values of each group", "How many positions does each club have?"],
    ["rows or values", "How many positions are there?"],
  ])("%s, and asks which ones count", (_, question) => {
    expect(read(question)).toBe("? different player.position, rows of player");
  });

  test("rows once or for each related row, and asks for one of them", () => {
    const question = "Show the names of clubs with transfer fee above 30";
    expect(read(question)).toBe("? each row of Club once, each row of Club for each row of player");
    expect(read(question, {}, new Map([["club", "each row of Club once"]]))).toBe(
      'select c."Name" as "Name" from "Club" as c where exists (select 1 from player as p where p.club_id = c."Club_ID" and p.transferfee > 30) limit 1000',
    );
    expect(read(question, {}, new Map([["club", "each row of Club for each row of player"]]))).toBe(
      'select c."Name" as "Name" from player as p join "Club" as c on p.club_id = c."Club_ID" where p.transferfee > 30 limit 1000',
    );
  });

  test("a total that may be a number or a sum, and asks for one of them", () => {
    expect(read("Total penalties")).toBe("? number of rows of penalty, sum of penalty.amount_cents");
  });

  test("a value of two other tables, and asks for one of them", () => {
    const values = { "player.nationality": ["Monaco"], "Club.Country": ["Monaco"] };
    expect(read("What is the average attendance of games in Monaco?", values)).toMatch(/^\? Club/);
  });

  test("a value of two columns, and asks for one of them", () => {
    const values = { "player.nationality": ["Monaco"], "player.position": ["Monaco"] };
    expect(read("How many players are in Monaco?", values)).toBe(
      "? player.nationality = Monaco, player.position = Monaco",
    );
  });
});

describe("with views that repeat what tables have", () => {
  const id = column("id", "integer", true);
  const shop: Described[] = [
    { name: "customers", columns: [id, column("name"), column("region"), column("created_at", "timestamp")] },
    {
      name: "orders",
      columns: [
        id,
        column("customer_id", "integer"),
        column("region"),
        { ...column("placed_at", "timestamp"), nullable: false },
      ],
      foreignKeys: [key("customer_id", "customers", "id")],
    },
    {
      name: "refunds",
      columns: [id, column("order_id", "integer"), column("amount", "numeric")],
      foreignKeys: [key("order_id", "orders", "id")],
    },
    {
      name: "products",
      columns: [id, column("name"), column("category"), column("price", "numeric"), column("cost", "numeric")],
    },
    {
      name: "daily_revenue",
      kind: "view",
      columns: [column("day", "date"), column("orders", "integer"), column("revenue", "numeric")],
    },
    {
      name: "product_sales",
      kind: "view",
      columns: [column("name"), column("category"), column("revenue", "numeric")],
    },
  ];
  const schema = new Schema(shop);
  const hits = ["customers", "orders"].flatMap((name): ValueHit[] => {
    const table = schema.findTable(name);
    const region = table?.columns.find((each) => each.name === "region");
    return table && region ? [{ ref: { table, column: region }, value: "Europe", isExact: false }] : [];
  });
  const understood = (question: string) => understandStrictly(link(question, schema, hits, "2026-11-01"), schema, hits);

  test.each([
    [
      "revenue by month in 2026",
      "select strftime('%Y-%m', day) as month, sum(revenue) as total_revenue from daily_revenue where day >= '2026-01-01' and day < '2027-01-01' group by 1 order by 1 limit 1000",
    ],
    [
      "total revenue last year",
      "select sum(revenue) as total_revenue from daily_revenue where day >= '2025-01-01' and day < '2026-01-01'",
    ],
    [
      "what was our revenue in March 2025",
      "select sum(revenue) as total_revenue from daily_revenue where day >= '2025-03-01' and day < '2025-04-01'",
    ],
    [
      "monthly revenue",
      "select strftime('%Y-%m', day) as month, sum(revenue) as total_revenue from daily_revenue group by 1 order by 1 limit 1000",
    ],
    ["revenue by category", "select category, sum(revenue) as total_revenue from product_sales group by 1 limit 1000"],
    ["How many customers are in Europe?", "select count(*) as customers_count from customers where region = 'Europe'"],
  ])("answers “%s”", (question, sql) => {
    const found = understood(question);
    expect("plan" in found && toSql(found.plan, "sqlite").replaceAll(/\s+/g, " ")).toBe(sql);
  });

  test("names the table that it chose among those with the column", () => {
    const found = understood("revenue by month");
    expect("plan" in found && found.assumed).toContain("I assumed the revenue of daily_revenue.");
  });

  test("asks which column is meant if nothing else tells", () => {
    expect(understood("total revenue")).toEqual({
      choice: { said: "revenue", options: ["daily_revenue.revenue", "product_sales.revenue"] },
    });
  });

  test.each([
    ["a column that neither view reaches", "revenue by region"],
    ["a time of rows without one", "revenue by category in 2025"],
    ["an average of such a column", "average orders per month"],
    ["an average of days or of months", "average revenue per month"],
    ["an average of one row for each day", "average revenue per day"],
    ["an amount of rows below", "total amount of orders"],
    ["rows of two tables", "orders and customers"],
    ["a time of rows that are missing", "customers who have not ordered since 2025"],
    ["different rows per month, which did something then", "number of distinct customers per month"],
    ["a number of rows for each of their prices", "products by price"],
    ["a sum of what single things cost", "cost by category"],
    ["an average that is asked for as a number", "how many orders does a customer have"],
  ])("refuses %s: “%s”", (_, question) => {
    expect(understood(question)).toEqual({ choice: null });
  });
});

test("counts no rows of a table whose name merely ends as the question says", () => {
  const daily = new Schema([{ name: "daily_revenue", columns: [column("day", "date"), column("amount", "numeric")] }]);
  const question = "revenue by month in 2025";
  const understood = understandStrictly(link(question, daily, [], "2026-11-01"), daily, []);
  expect(understood).not.toHaveProperty("plan");
});

describe("questions of a shop", () => {
  const id = column("id", "integer", true);
  const whole = (name: string, type?: string) => ({ ...column(name, type), nullable: false });
  const shop = new Schema([
    { name: "customers", columns: [id, whole("name"), column("country")] },
    { name: "products", columns: [id, whole("name"), whole("category"), whole("price", "numeric")] },
    {
      name: "orders",
      columns: [
        id,
        column("customer_id", "integer"),
        whole("status"),
        whole("placed_at", "timestamp"),
        column("shipped_at", "timestamp"),
        whole("total", "numeric"),
      ],
      foreignKeys: [key("customer_id", "customers", "id")],
    },
    {
      name: "order_items",
      columns: [id, column("order_id", "integer"), column("product_id", "integer"), whole("quantity", "integer")],
      foreignKeys: [key("order_id", "orders", "id"), key("product_id", "products", "id")],
    },
    { name: "expenses", columns: [id, whole("category"), whole("amount", "numeric"), column("is_open", "boolean")] },
    {
      name: "product_sales",
      kind: "view",
      columns: [id, column("name"), column("revenue", "numeric"), column("margin", "numeric")].map((each) => ({
        ...each,
        primaryKey: false,
      })),
    },
  ]);
  const values: Record<string, string[]> = {
    "orders.status": ["cancelled", "paid", "shipped"],
    "customers.name": ["Rome"],
  };
  const hits = Object.entries(values).flatMap(([name, found]): ValueHit[] => {
    const [tableName = "", columnName] = name.split(".");
    const table = shop.findTable(tableName);
    const columnOf = table?.columns.find((each) => each.name === columnName);
    return table && columnOf ? found.map((value) => ({ ref: { table, column: columnOf }, value, isExact: false })) : [];
  });
  const understood = (question: string, chosen: [string, string][] = []) =>
    understandStrictly(link(question, shop, hits, "2026-11-01"), shop, hits, new Map(chosen));
  const sqlOf = (question: string, chosen: [string, string][] = []) => {
    const found = understood(question, chosen);
    return "plan" in found ? toSql(found.plan, "sqlite").replaceAll(/\s+/g, " ") : found;
  };
  const PRODUCT = "p.id as id, p.name as name, p.category as category, p.price as price";

  test.each([
    ["average order value", "select avg(total) as average_total from orders"],
    ["average total", "select avg(total) as average_total from orders"],
    ["total value of paid orders", "select sum(total) as total from orders where status = 'paid'"],
    ["total of expenses", "select sum(amount) as total_amount from expenses"],
    [
      "the 3 largest orders",
      "select id, customer_id, status, placed_at, shipped_at, total from orders where total is not null order by 6 desc limit 3",
    ],
    ["biggest products", { choice: null }],
    [
      "orders cancelled or paid",
      "select id, customer_id, status, placed_at, shipped_at, total from orders where status in ('cancelled', 'paid') limit 1000",
    ],
    [
      "best-selling products by revenue",
      `select ${PRODUCT}, sum(ps.revenue) as total_revenue from product_sales as ps join products as p on ps.id = p.id group by 1, 2, 3, 4 order by 5 desc limit 1000`,
    ],
    [
      "top product by revenue",
      `select ${PRODUCT}, sum(ps.revenue) as total_revenue from product_sales as ps join products as p on ps.id = p.id group by 1, 2, 3, 4 order by 5 desc limit 1`,
    ],
    ["products by number of order items", { choice: null }],
    [
      "orders shipped last month",
      "select id, customer_id, status, placed_at, shipped_at, total from orders where shipped_at >= '2026-10-01' and shipped_at < '2026-11-01' limit 1000",
    ],
    [
      "orders by customer",
      "select c.name as name, count(*) as orders_count from orders as o join customers as c on o.customer_id = c.id group by c.id, 1 order by 2 desc, 1 limit 1000",
    ],
    ["open expenses", "select id, category, amount, is_open from expenses where is_open = 1 limit 1000"],
    ["How many expenses are not open?", "select count(*) as expenses_count from expenses where is_open = 0"],
    [
      "revenue by product",
      "select p.name as name, sum(ps.revenue) as total_revenue from product_sales as ps join products as p on ps.id = p.id group by p.id, 1 limit 1000",
    ],
  ])("answers “%s”", (question, sql) => {
    expect(sqlOf(question)).toEqual(sql);
  });

  test.each([
    ["best selling product", "best selling", ["sum of order_items.quantity", "sum of product_sales.revenue"]],
    ["Which products sell best?", "best selling", ["sum of order_items.quantity", "sum of product_sales.revenue"]],
    ["our top 5 customers", "top", ["sum of orders.total", "number of rows of orders"]],
    ["expenses by category", "expenses", ["number of rows of expenses", "sum of expenses.amount"]],
  ])("asks what ranks or counts: “%s”", (question, said, options) => {
    expect(understood(question)).toEqual({ choice: { said, options } });
    for (const option of options) expect(sqlOf(question, [[said, option]])).toMatch(/^select /);
  });

  test("takes no flag or time of a table above for one of the rows", () => {
    const site = new Schema([
      {
        name: "users",
        columns: [id, whole("name"), column("verified", "boolean"), whole("created_at", "timestamp")],
      },
      {
        name: "reviews",
        columns: [id, column("user_id", "integer"), column("body"), whole("posted_at", "timestamp")],
        foreignKeys: [key("user_id", "users", "id")],
      },
    ]);
    const ofSite = (question: string) => {
      const found = understandStrictly(link(question, site, [], "2026-11-01"), site, [], new Map());
      return "plan" in found ? toSql(found.plan, "sqlite").replaceAll(/\s+/g, " ") : null;
    };
    expect(ofSite("How many verified reviews?")).toBeNull();
    expect(ofSite("How many verified users?")).toBe("select count(*) as users_count from users where verified = 1");
    expect(ofSite("How many reviews created last month?") ?? "").not.toContain("created_at");
    expect(ofSite("How many users created last month?")).toContain("created_at >= '2026-10-01'");
  });

  test("answers with the column that a person chose for an unknown word", () => {
    expect(sqlOf("total profit", [["profit", "product_sales.margin"]])).toBe(
      "select sum(margin) as total_margin from product_sales",
    );
    expect(understood("total profit")).toEqual({ choice: null });
  });

  test.each([
    ["a state that is also an event with a time", "orders shipped"],
    ["an event that is also a state, at another time", "shipped orders last month"],
    ["rows by the name of a single one", "all Rome customers"],
    ["a rank without a figure", "5 customers"],
  ])("refuses %s: “%s”", (_, question) => {
    expect(understood(question)).toEqual({ choice: null });
  });
});

test("a table's own key references no table whose name ends alike", () => {
  const { edges } = new Schema([
    { name: "station", columns: [column("Station_ID", "integer", true), column("Name")] },
    { name: "train_station", columns: [column("Train_ID", "integer", true), column("Station_ID", "integer")] },
  ]);
  expect(edges.map(({ from, to }) => `${from.name} ${to.name}`)).toEqual(["train_station station"]);
});

describe("asks which of two meanings a name has", () => {
  const college = new Schema([
    {
      name: "student",
      columns: [column("student_id", "integer", true), column("name"), column("advisor", "integer")],
    },
    {
      name: "loan",
      columns: [column("loan_id", "integer", true), column("student_id", "integer"), column("address")],
      foreignKeys: [key("student_id", "student", "student_id")],
    },
    { name: "allergy_type", columns: [column("allergy", "text", true), column("AllergyType")] },
    {
      name: "product",
      columns: [column("product_id", "integer", true), column("color_code"), column("product_description")],
    },
    { name: "color", columns: [column("color_code", "text", true), column("color_description")] },
  ]);
  const understood = (question: string) => understandStrictly(link(question, college, [], "2026-11-01"), college, []);

  test.each([
    [
      "each value or the different ones",
      "What are the advisors?",
      ["different student.advisor", "student.advisor of each row"],
    ],
    [
      "rows or values",
      "How many allergy types are there?",
      ["rows of allergy_type", "different allergy_type.AllergyType"],
    ],
  ])("%s", (_, question, options) => {
    const found = understood(question);
    expect("plan" in found ? null : found.choice?.options).toEqual(options);
  });

  test("refuses the description of one of two things", () => {
    expect(understood("Show the color code and description of products")).toEqual({ choice: null });
  });
});

describe("types of PostgreSQL", () => {
  const sqlOf = (question: string) => {
    const found = understand(question, {});
    return "plan" in found ? toSql(found.plan, "postgres").replaceAll(/\s+/g, " ") : null;
  };

  test("without equality are grouped as texts", () => {
    const sql = sqlOf("Which stadium has the most stewards?");
    expect(sql).toContain("cast(s2.location as text) as location, cast(s2.plan as text) as plan, count(*)");
    expect(sqlOf("List all stadiums.")).toContain("name, location, plan from");
  });

  test("without an average are averaged as numbers", () => {
    expect(sqlOf("What is the average wage of the stewards?")).toContain("avg(cast(wage as numeric))");
    expect(sqlOf("What is the highest wage of the stewards?")).toContain("max(wage)");
    expect(sqlOf("Which stewards have a wage above 2000?")).toContain("where cast(wage as numeric) > 2000");
  });
});

describe("with abbreviated names", () => {
  const fleet = new Schema([
    {
      name: "operator",
      columns: [column("OperId", "integer", true), column("Name"), column("ContCode")],
    },
    {
      name: "plane",
      columns: [
        column("pid", "integer", true),
        column("model"),
        column("distance", "integer"),
        column("oper", "integer"),
      ],
      foreignKeys: [key("oper", "operator", "OperId")],
    },
    { name: "ref_fuel_types", columns: [column("fuel_type_code", "text", true), column("fuel_type_description")] },
    {
      name: "engine",
      columns: [column("engine_id", "integer", true), column("fuel_type_code")],
      foreignKeys: [key("fuel_type_code", "ref_fuel_types", "fuel_type_code")],
    },
    { name: "has_crew", columns: [column("crew"), column("shift")] },
    { name: "hangar", columns: [column("crew"), column("lift"), column("plane_id", "integer")] },
    {
      name: "stock",
      columns: [column("shop_id", "integer", true), column("part_id", "integer", true), column("amount", "integer")],
      foreignKeys: [key("shop_id", "shop", "shop_id"), key("part_id", "part", "part_id")],
    },
    { name: "shop", columns: [column("shop_id", "integer", true), column("shop_name")] },
    { name: "part", columns: [column("part_id", "integer", true), column("part_name")] },
  ]);
  const sqlOf = (question: string) => {
    const found = understandStrictly(link(question, fleet, [], "2026-11-01"), fleet, []);
    return "plan" in found ? toSql(found.plan, "sqlite").replaceAll(/\s+/g, " ") : found;
  };

  test.each([
    ["Show the id and model of planes", "select pid, model from plane limit 1000"],
    ["Show the ids of planes with distance above 1000", "select pid from plane where distance > 1000 limit 1000"],
    ["Show the continent code and name of operators", 'select "ContCode", "Name" from operator limit 1000'],
    // The code of a fuel type is the column that references it.
    [
      "Which fuel type code has less than three engines?",
      "select rft.fuel_type_code as fuel_type_code, count(*) as engine_count from engine as e join ref_fuel_types as rft on e.fuel_type_code = rft.fuel_type_code group by 1 having count(*) < 3 limit 1000",
    ],
    // Crews may be rows of `has_crew` or values of both columns.
    ["How many crews are there?", { choice: null }],
    // Not the rows of `stock` without a part.
    [
      "Show the names of shops that have no parts in stock",
      "select s.shop_name as shop_name from shop as s where not exists (select 1 from stock as s2 join part as p on s2.part_id = p.part_id where s2.shop_id = s.shop_id) limit 1000",
    ],
  ])("reads “%s”", (question, sql) => {
    expect(sqlOf(question)).toEqual(sql);
  });
});
