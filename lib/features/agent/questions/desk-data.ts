import { dateText, type SeedTable, seededRandom, timeText } from "./seeded";

const FIRST = ["Anna", "Ben", "Chloe", "David", "Eva", "Finn", "Grace", "Henry", "Isla", "Jack", "Kira", "Liam"];
const LAST = ["Adams", "Brown", "Clark", "Davis", "Evans", "Foster", "Green", "Hughes", "Irwin", "Jones"];
const COMPANY = [
  "Acme",
  "Bluebird",
  "Cobalt",
  "Delta",
  "Evergreen",
  "Falcon",
  "Granite",
  "Horizon",
  "Indigo",
  "Juniper",
];
const TRADE = ["Foods", "Logistics", "Media", "Systems"];
const TOPICS = [
  ["Invoice is wrong", "billing"], ["Refund has not arrived", "billing"], ["Cannot log in", "login"],
  ["Password reset mail is missing", "login"], ["App crashes on start", "bug"], ["Export is empty", "bug"],
  ["Please add dark mode", "feature request"], ["How do I invite a colleague", "how to"],
  ["Order arrived late", "shipping"], ["Partial refund for a late order", "shipping"],
] as const; // biome-ignore format: a table
/** Days from 2020-01-01 to 2026-10-31, when the data ends. */
const LAST_DAY = 2495;
const TICKETS = 1400;

/** Creates a support desk: agents in teams answer tickets of companies' contacts. */
export function deskTables(): SeedTable[] {
  const random = seededRandom(20_261_031);
  const teams = ["First line", "Second line", "Billing desk", "Onboarding"].map((name, i) => [i + 1, name]);
  const agents = Array.from({ length: 18 }, (_, i) => [
    i + 1,
    `${FIRST[i % 12]} ${LAST[(i * 7) % 10]}`,
    `agent${i + 1}@desk.example`,
    1 + (i % 7 > 3 ? 0 : i % 4),
    dateText(300 + i * 121 + random.between(0, 60)),
    random.chance(0.8),
    2400 + i * 83 + random.between(0, 900),
  ]);
  const tags = ["billing", "login", "bug", "feature request", "how to", "shipping", "vip"].map((name, i) => [
    i + 1,
    name,
  ]);
  const companies = COMPANY.flatMap((name, i) =>
    TRADE.map((trade, j) => [
      i * 4 + j + 1,
      `${name} ${trade}`,
      random.pick(["free", "free", "pro", "pro", "enterprise"]),
      random.pick(["Germany", "France", "Spain", "United States", "Canada", "Japan"]),
      random.chance(0.12) ? null : 5 + Math.floor(random.next() ** 3 * 4000),
    ]),
  );
  const contacts = Array.from({ length: 120 }, (_, i) => [
    i + 1,
    // The last companies have no contacts.
    1 + random.skewed(37, 1.5),
    `${random.pick(FIRST)} ${random.pick(LAST)}`,
    `contact${i + 1}@customer.example`,
  ]);
  const tickets: SeedTable["rows"] = [];
  const ticketTags: SeedTable["rows"] = [];
  const ratings: SeedTable["rows"] = [];
  for (let id = 1; id <= TICKETS; id++) {
    const at = 1462 + ((LAST_DAY - 1462) * (id - random.next())) / TICKETS;
    const [subject, tag] = random.pick(TOPICS);
    const status =
      id > TICKETS - 60
        ? random.pick(["open", "open", "pending", "solved"])
        : random.pick(["open", "pending", "solved", "solved", "solved", "closed", "closed", "closed"]);
    const isDone = status === "solved" || status === "closed";
    const solvedAt = Math.min(at + 0.05 + random.next() * 6, LAST_DAY - 0.01);
    tickets.push([
      id,
      subject,
      status,
      random.pick(["low", "normal", "normal", "normal", "high", "high", "urgent"]),
      random.pick(["email", "email", "email", "chat", "chat", "phone"]),
      1 + random.skewed(110, 1.6),
      // The last two agents have no tickets yet.
      random.chance(0.07) ? null : 1 + random.skewed(16, 1.6),
      timeText(at),
      isDone ? timeText(Math.max(at, solvedAt)) : null,
      random.chance(0.05) ? null : 2 + Math.floor(random.next() ** 2 * 900),
    ]);
    ticketTags.push([id, tags.findIndex(([, name]) => name === tag) + 1]);
    if (random.chance(0.08)) ticketTags.push([id, 7]);
    if (isDone && random.chance(0.45)) {
      const score = random.pick([1, 2, 3, 4, 4, 5, 5, 5]);
      const comment = random.chance(0.3)
        ? random.pick(["Thanks!", "Took long.", "Very friendly.", "Not solved."])
        : null;
      ratings.push([ratings.length + 1, id, score, comment, timeText(Math.min(solvedAt + random.next(), LAST_DAY))]);
    }
  }
  return [
    {
      name: "teams",
      ddl: "id integer primary key, name text not null",
      columns: ["id", "name"],
      rows: teams as SeedTable["rows"],
    },
    {
      name: "agents",
      ddl: "id integer primary key, full_name text not null, email text not null, team_id integer not null references teams(id), hired_on date not null, is_active boolean not null, monthly_salary numeric not null",
      columns: ["id", "full_name", "email", "team_id", "hired_on", "is_active", "monthly_salary"],
      rows: agents as SeedTable["rows"],
    },
    {
      name: "companies",
      ddl: "id integer primary key, name text not null, plan text not null, country text not null, employees integer",
      columns: ["id", "name", "plan", "country", "employees"],
      rows: companies as SeedTable["rows"],
    },
    {
      name: "contacts",
      ddl: "id integer primary key, company_id integer not null references companies(id), full_name text not null, email text not null",
      columns: ["id", "company_id", "full_name", "email"],
      rows: contacts as SeedTable["rows"],
    },
    {
      name: "tickets",
      ddl: "id integer primary key, subject text not null, status text not null, priority text not null, channel text not null, contact_id integer not null references contacts(id), assignee_id integer references agents(id), created_at datetime not null, solved_at datetime, first_reply_minutes integer",
      columns: [
        "id",
        "subject",
        "status",
        "priority",
        "channel",
        "contact_id",
        "assignee_id",
        "created_at",
        "solved_at",
        "first_reply_minutes",
      ],
      rows: tickets,
    },
    {
      name: "tags",
      ddl: "id integer primary key, name text not null",
      columns: ["id", "name"],
      rows: tags as SeedTable["rows"],
    },
    {
      name: "ticket_tags",
      ddl: "ticket_id integer not null references tickets(id), tag_id integer not null references tags(id), primary key (ticket_id, tag_id)",
      columns: ["ticket_id", "tag_id"],
      rows: ticketTags,
    },
    {
      name: "satisfaction_ratings",
      ddl: "id integer primary key, ticket_id integer not null references tickets(id), score integer not null, comment text, rated_at datetime not null",
      columns: ["id", "ticket_id", "score", "comment", "rated_at"],
      rows: ratings,
    },
  ];
}
