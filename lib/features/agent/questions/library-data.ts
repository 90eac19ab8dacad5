import { dateText, type SeedTable, seededRandom, timeText } from "./seeded";

const NATIONS = ["French", "Japanese", "British", "American", "Nigerian", "German"];
const AUTHOR_FIRST = ["Aiko", "Bernard", "Chinua", "Dora", "Edith", "Franz", "Gaston", "Haruki", "Iris", "Jules"];
const AUTHOR_LAST = ["Achterberg", "Bellamy", "Cartier", "Dubois", "Ekwensi", "Fujita", "Goodwin"];
const MEMBER_FIRST = [
  "Alice",
  "Bob",
  "Carla",
  "Dan",
  "Ella",
  "Frank",
  "Gina",
  "Hal",
  "Ida",
  "Joe",
  "Kim",
  "Leo",
  "Mia",
];
const MEMBER_LAST = [
  "Archer",
  "Baker",
  "Cooper",
  "Draper",
  "Fisher",
  "Gardner",
  "Hunter",
  "Mason",
  "Porter",
  "Turner",
  "Weaver",
];
const GENRES = ["fantasy", "mystery", "science", "history", "romance", "poetry", "travel"];
const ADJECTIVES = ["Silent", "Golden", "Last", "Hidden", "Broken", "Northern", "Endless", "Paper"];
const NOUNS = ["River", "Garden", "Letter", "Mountain", "City", "Winter", "Machine", "Harbour", "Orchard"];
const LAST_DAY = 2495;

/** Creates a public library with its branches, their copies and the borrowers. */
export function libraryTables(): SeedTable[] {
  const random = seededRandom(1_848);
  const branches = [
    [1, "Central", "Springfield", "1931-04-02"], [2, "Riverside", "Springfield", "1968-09-14"],
    [3, "Hillside", "Shelbyville", "1987-05-30"], [4, "Old Mill", "Ogdenville", "2004-11-08"],
  ]; // biome-ignore format: a table
  const authors = Array.from({ length: 45 }, (_, i) => [
    i + 1,
    `${AUTHOR_FIRST[i % 10]} ${AUTHOR_LAST[(i * 3) % 7]}`,
    random.pick(NATIONS),
    1880 + random.between(0, 110),
  ]);
  const books = Array.from({ length: 140 }, (_, i) => [
    i + 1,
    `${i % 3 === 0 ? "The " : ""}${ADJECTIVES[i % 8]} ${NOUNS[(i * 5) % 9]}${i >= 72 ? " Returns" : ""}`,
    1 + random.skewed(45, 1.9),
    GENRES[random.skewed(7, 1.7)] as string,
    1920 + random.between(0, 105),
    90 + random.between(0, 700),
    5 + random.between(0, 4500) / 100,
  ]);
  const copies = Array.from({ length: 420 }, (_, i) => [
    i + 1,
    // New books have no copies yet.
    1 + random.skewed(132, 1.2),
    1 + random.skewed(4, 1.3),
    random.pick(["good", "good", "good", "worn", "damaged"]),
  ]);
  const members = Array.from({ length: 160 }, (_, i) => [
    i + 1,
    MEMBER_FIRST[i % 13] as string,
    MEMBER_LAST[(i * 4 + Math.floor(i / 13)) % 11] as string,
    dateText(600 + i * 11.7 + random.between(0, 9)),
    random.pick(["adult", "adult", "student", "senior"]),
    1 + random.skewed(4, 1.2),
    dateText(-7300 - random.between(0, 14_000)),
  ]);
  const loans: SeedTable["rows"] = [];
  const fines: SeedTable["rows"] = [];
  for (let id = 1; id <= 1800; id++) {
    const at = 1200 + ((LAST_DAY - 1200) * (id - random.next())) / 1800;
    const back = at + 2 + random.next() * 40;
    const isBack = back < LAST_DAY && random.chance(0.97);
    loans.push([
      id,
      1 + random.skewed(420, 1.1),
      1 + random.skewed(145, 1.5),
      timeText(at),
      dateText(at + 28),
      isBack ? timeText(back) : null,
    ]);
    if (isBack && back > at + 28 && random.chance(0.8)) {
      fines.push([
        fines.length + 1,
        id,
        (Math.round((back - at - 28) * 25) + 50) / 100,
        random.chance(0.6),
        dateText(back),
      ]);
    }
  }
  const reservations = Array.from({ length: 190 }, (_, i) => [
    i + 1,
    1 + random.skewed(120, 1.8),
    1 + random.skewed(150, 1.3),
    timeText(1900 + i * 3.1 + random.next()),
    random.pick(["waiting", "ready", "fulfilled", "fulfilled", "expired"]),
  ]);
  return [
    {
      name: "branches",
      ddl: "branch_id integer primary key, name text not null, city text not null, opened_on date not null",
      columns: ["branch_id", "name", "city", "opened_on"],
      rows: branches,
    },
    {
      name: "authors",
      ddl: "author_id integer primary key, name text not null, nationality text not null, birth_year integer not null",
      columns: ["author_id", "name", "nationality", "birth_year"],
      rows: authors,
    },
    {
      name: "books",
      ddl: "book_id integer primary key, title text not null, author_id integer not null references authors(author_id), genre text not null, published_year integer not null, pages integer not null, price numeric(8,2) not null",
      columns: ["book_id", "title", "author_id", "genre", "published_year", "pages", "price"],
      rows: books,
    },
    {
      name: "copies",
      ddl: "copy_id integer primary key, book_id integer not null references books(book_id), branch_id integer not null references branches(branch_id), condition text not null",
      columns: ["copy_id", "book_id", "branch_id", "condition"],
      rows: copies,
    },
    {
      name: "members",
      ddl: "member_id integer primary key, first_name text not null, last_name text not null, joined_on date not null, membership_type text not null, home_branch_id integer not null references branches(branch_id), birth_date date not null",
      columns: ["member_id", "first_name", "last_name", "joined_on", "membership_type", "home_branch_id", "birth_date"],
      rows: members,
    },
    {
      name: "loans",
      ddl: "loan_id integer primary key, copy_id integer not null references copies(copy_id), member_id integer not null references members(member_id), borrowed_at timestamp not null, due_on date not null, returned_at timestamp",
      columns: ["loan_id", "copy_id", "member_id", "borrowed_at", "due_on", "returned_at"],
      rows: loans,
    },
    {
      name: "fines",
      ddl: "fine_id integer primary key, loan_id integer not null references loans(loan_id), amount numeric(8,2) not null, is_paid boolean not null, issued_on date not null",
      columns: ["fine_id", "loan_id", "amount", "is_paid", "issued_on"],
      rows: fines,
    },
    {
      name: "reservations",
      ddl: "reservation_id integer primary key, book_id integer not null references books(book_id), member_id integer not null references members(member_id), reserved_at timestamp not null, status text not null",
      columns: ["reservation_id", "book_id", "member_id", "reserved_at", "status"],
      rows: reservations,
    },
  ];
}
