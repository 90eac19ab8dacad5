import type { Question } from "./question";

/** Questions on a public library, for PostgreSQL. */
export const LIBRARY_QUESTIONS: Question[] = [
  { ask: "How many books does the library own titles of?", sql: "select count(*) from books" },
  { ask: "books per genre", sql: "select genre, count(*) from books group by 1" },
  {
    ask: "How many members joined in 2025?",
    sql: "select count(*) from members where joined_on >= '2025-01-01' and joined_on < '2026-01-01'",
  },
  {
    ask: "How many loans are overdue or not returned yet? I mean those without a return date.",
    sql: "select count(*) from loans where returned_at is null",
  },
  {
    ask: "Which 10 books are borrowed most often?",
    sql: "select b.title, count(*) from loans l join copies c on c.copy_id = l.copy_id join books b on b.book_id = c.book_id group by b.book_id, b.title order by 2 desc limit 10",
    isOrdered: true,
  },
  {
    ask: "number of loans per branch",
    sql: "select br.name, count(*) from loans l join copies c on c.copy_id = l.copy_id join branches br on br.branch_id = c.branch_id group by br.branch_id, br.name",
  },
  { ask: "What is the total of unpaid fines?", sql: "select sum(amount) from fines where not is_paid" },
  {
    ask: "Total fines by month in 2026",
    sql: "select to_char(issued_on, 'YYYY-MM'), sum(amount) from fines where issued_on >= '2026-01-01' and issued_on < '2027-01-01' group by 1",
  },
  { ask: "Average number of pages by genre", sql: "select genre, avg(pages) from books group by 1" },
  {
    ask: "Which author wrote the most books?",
    sql: "select a.name, count(*) from books b join authors a on a.author_id = b.author_id group by a.author_id, a.name order by 2 desc limit 1",
  },
  { ask: "books published before 1950", sql: "select title from books where published_year < 1950" },
  {
    ask: "How many books were published between 1990 and 2000?",
    sql: "select count(*) from books where published_year between 1990 and 2000",
  },
  {
    ask: "List the titles of fantasy books with over 500 pages",
    sql: "select title from books where genre = 'fantasy' and pages > 500",
  },
  {
    ask: "Which members have never borrowed a book?",
    sql: "select first_name, last_name from members where member_id not in (select member_id from loans)",
  },
  { ask: "How many copies are damaged?", sql: "select count(*) from copies where condition = 'damaged'" },
  {
    ask: "how many copies does each branch hold",
    sql: "select br.name, count(*) from copies c join branches br on br.branch_id = c.branch_id group by br.branch_id, br.name",
  },
  { ask: "oldest branch", sql: "select name from branches order by opened_on limit 1" },
  { ask: "When did the newest member join?", sql: "select max(joined_on) from members" },
  { ask: "members by membership type", sql: "select membership_type, count(*) from members group by 1" },
  {
    ask: "How many student members use the Riverside branch as their home?",
    sql: "select count(*) from members m join branches b on b.branch_id = m.home_branch_id where m.membership_type = 'student' and b.name = 'Riverside'",
  },
  {
    ask: "What proportion of fines has been paid, in percent?",
    sql: "select 100.0 * count(*) filter (where is_paid) / count(*) from fines",
  },
  {
    ask: "loans by month this year",
    sql: "select to_char(borrowed_at, 'YYYY-MM'), count(*) from loans where borrowed_at >= '2026-01-01' and borrowed_at < '2027-01-01' group by 1",
  },
  { ask: "Loans per year", sql: "select extract(year from borrowed_at)::int, count(*) from loans group by 1" },
  { ask: "How many French authors do we have?", sql: "select count(*) from authors where nationality = 'French'" },
  { ask: "authors born after 1960", sql: "select name from authors where birth_year > 1960" },
  { ask: "Which genres have fewer than 14 books?", sql: "select genre from books group by 1 having count(*) < 14" },
  { ask: "average price of science books", sql: "select avg(price) from books where genre = 'science'" },
  { ask: "most expensive book we have", sql: "select title from books order by price desc limit 1" },
  {
    ask: "What is the price of the cheapest mystery book?",
    sql: "select min(price) from books where genre = 'mystery'",
  },
  {
    ask: "Members who owe more than 10 in fines",
    sql: "select m.first_name, m.last_name from fines f join loans l on l.loan_id = f.loan_id join members m on m.member_id = l.member_id where not f.is_paid group by m.member_id, m.first_name, m.last_name having sum(f.amount) > 10",
  },
  {
    ask: "top 5 members by loans",
    sql: "select m.first_name, m.last_name, count(*) from loans l join members m on m.member_id = l.member_id group by m.member_id, m.first_name, m.last_name order by 3 desc limit 5",
    isOrdered: true,
  },
  { ask: "How many reservations are waiting?", sql: "select count(*) from reservations where status = 'waiting'" },
  {
    ask: "the five books with the most reservations",
    sql: "select b.title, count(*) from reservations r join books b on b.book_id = r.book_id group by b.book_id, b.title order by 2 desc limit 5",
    isOrdered: true,
  },
  {
    ask: "How many members come from each home branch?",
    sql: "select b.name, count(*) from members m join branches b on b.branch_id = m.home_branch_id group by b.branch_id, b.name",
  },
  { ask: "branches not in Springfield", sql: "select name from branches where city <> 'Springfield'" },
  {
    ask: "loans of history books in 2025",
    sql: "select l.loan_id from loans l join copies c on c.copy_id = l.copy_id join books b on b.book_id = c.book_id where b.genre = 'history' and l.borrowed_at >= '2025-01-01' and l.borrowed_at < '2026-01-01'",
  },
  {
    ask: "How much did we collect in fines from students?",
    sql: "select sum(f.amount) from fines f join loans l on l.loan_id = f.loan_id join members m on m.member_id = l.member_id where m.membership_type = 'student' and f.is_paid",
  },
  {
    ask: "Sum of fines per membership type",
    sql: "select m.membership_type, sum(f.amount) from fines f join loans l on l.loan_id = f.loan_id join members m on m.member_id = l.member_id group by 1",
  },
  {
    ask: "Are there books nobody has reserved? How many?",
    sql: "select count(*) from books where book_id not in (select book_id from reservations)",
  },
  {
    ask: "How many distinct books were borrowed in October 2026?",
    sql: "select count(distinct c.book_id) from loans l join copies c on c.copy_id = l.copy_id where l.borrowed_at >= '2026-10-01' and l.borrowed_at < '2026-11-01'",
  },
  { ask: "biggest single fine", sql: "select max(amount) from fines" },
  { ask: "titles starting with 'The'", sql: "select title from books where title like 'The%'" },
  {
    ask: "only the unpaid ones",
    after: ["How many fines were issued in 2026?"],
    sql: "select count(*) from fines where issued_on >= '2026-01-01' and issued_on < '2027-01-01' and not is_paid",
  },
  {
    ask: "now per quarter",
    after: ["How many members joined since 2025?"],
    sql: "select date_trunc('quarter', joined_on)::date, count(*) from members where joined_on >= '2025-01-01' group by 1",
  },
  {
    ask: "and adults?",
    after: ["How many student members are there?"],
    sql: "select count(*) from members where membership_type = 'adult'",
  },
  {
    ask: "What tables do you see in this database?",
    sql: "",
    says: ["authors", "books", "copies", "loans", "members", "fines"],
  },
  {
    ask: "What information do we keep about members?",
    sql: "",
    says: ["joined_on", "membership_type", "home_branch_id"],
  },
  {
    ask: "How many books by Japanese authors were borrowed last year?",
    sql: "select count(*) from loans l join copies c on c.copy_id = l.copy_id join books b on b.book_id = c.book_id join authors a on a.author_id = b.author_id where a.nationality = 'Japanese' and l.borrowed_at >= '2025-01-01' and l.borrowed_at < '2026-01-01'",
  },
  { ask: "How many poetry titles do we carry?", sql: "select count(*) from books where genre = 'poetry'" },
  { ask: "Total number of pages of all travel books", sql: "select sum(pages) from books where genre = 'travel'" },
  {
    ask: "Which branch lent out the most books in 2025?",
    sql: "select br.name, count(*) from loans l join copies c on c.copy_id = l.copy_id join branches br on br.branch_id = c.branch_id where l.borrowed_at >= '2025-01-01' and l.borrowed_at < '2026-01-01' group by br.branch_id, br.name order by 2 desc limit 1",
    isOrdered: true,
  },
  {
    ask: "seniors whose home branch is Old Mill",
    sql: "select first_name, last_name from members m join branches b on b.branch_id = m.home_branch_id where m.membership_type = 'senior' and b.name = 'Old Mill'",
  },
  {
    ask: "number of authors per nationality, largest group first",
    sql: "select nationality, count(*) from authors group by 1 order by 2 desc",
    isOrdered: true,
  },
  {
    ask: "Are any reservations ready for pick-up? Count them.",
    sql: "select count(*) from reservations where status = 'ready'",
  },
  {
    ask: "mean fine amount per home branch",
    sql: "select b.name, avg(f.amount) from fines f join loans l on l.loan_id = f.loan_id join members m on m.member_id = l.member_id join branches b on b.branch_id = m.home_branch_id group by b.branch_id, b.name",
  },
  {
    ask: "How many books have fewer than 200 pages and cost less than 15?",
    sql: "select count(*) from books where pages < 200 and price < 15",
  },
  {
    ask: "What is the average loan count per branch?",
    sql: "select count(*) * 1.0 / count(distinct c.branch_id) from loans l join copies c on c.copy_id = l.copy_id",
  },
  {
    ask: "list worn copies held in Hillside",
    sql: "select c.copy_id from copies c join branches b on b.branch_id = c.branch_id where c.condition = 'worn' and b.name = 'Hillside'",
  },
];
