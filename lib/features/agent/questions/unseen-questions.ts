import type { Question } from "./question";

/*
 * The half that no one reads during work on the offline assistant: only its score is used. To read one, move it to the
 * others and write a new one.
 */

export const UNSEEN_SHOP_QUESTIONS: Question[] = [
  { ask: "number of products we sell", sql: "select count(*) from products" },
  {
    ask: "How many orders did we ship, i.e. with status shipped?",
    sql: "select count(*) from orders where status = 'shipped'",
  },
  {
    ask: "Show order volume by region for the year 2024",
    sql: "select region, count(*) from orders where year(placed_at) = 2024 group by 1",
  },
  {
    ask: "Which country do most of our customers live in?",
    sql: "select country, count(*) from customers group by 1 order by 2 desc limit 1",
    isOrdered: true,
  },
  {
    ask: "What are the ten best selling products by quantity?",
    sql: "select p.name, sum(i.quantity) from order_items i join products p on p.id = i.product_id group by p.id, p.name order by 2 desc limit 10",
    isOrdered: true,
  },
  {
    ask: "total revenue from orders placed by small business customers in 2025",
    sql: "select sum(o.total_cents) / 100.0 from orders o join customers c on c.id = o.customer_id where c.segment = 'small business' and year(o.placed_at) = 2025",
  },
  {
    ask: "How many customers from Brazil or Chile do we have?",
    sql: "select count(*) from customers where country in ('Brazil', 'Chile')",
  },
  {
    ask: "What's the highest order total in October 2026?",
    sql: "select max(total_cents) / 100.0 from orders where placed_at >= '2026-10-01' and placed_at < '2026-11-01'",
  },
  {
    ask: "refunds per month in 2026",
    sql: "select strftime(date_trunc('month', refunded_at), '%Y-%m'), count(*) from refunds where year(refunded_at) = 2026 group by 1",
  },
  {
    ask: "Which products were launched after October 2023?",
    sql: "select name from products where launched_on >= '2023-11-01'",
  },
  {
    ask: "Average price of active products in the Office category",
    sql: "select avg(price_cents) / 100.0 from products where is_active and category = 'Office'",
  },
  {
    ask: "What percent of orders came from the store?",
    sql: "select 100.0 * count(*) filter (where channel = 'store') / count(*) from orders",
  },
  {
    ask: "List customers in Singapore who do not receive the newsletter",
    sql: "select name from customers where country = 'Singapore' and not newsletter",
  },
  {
    ask: "Which customers placed at least 200 orders?",
    sql: "select c.name from orders o join customers c on c.id = o.customer_id group by c.id, c.name having count(*) >= 200",
  },
  {
    ask: "Products with 'Chair' in the name and their prices",
    sql: "select name, price_cents / 100.0 from products where name like '%Chair%'",
  },
  {
    ask: "How many distinct customers ordered in 2026?",
    sql: "select count(distinct customer_id) from orders where year(placed_at) = 2026",
  },
  {
    ask: "units sold per product category in 2026",
    sql: "select p.category, sum(i.quantity) from order_items i join products p on p.id = i.product_id join orders o on o.id = i.order_id where year(o.placed_at) = 2026 group by 1",
  },
  {
    ask: "What was the average order value last month?",
    sql: "select avg(total_cents) / 100.0 from orders where placed_at >= '2026-10-01' and placed_at < '2026-11-01'",
  },
  {
    ask: "How many page events of kind search happened in 2025?",
    sql: "select count(*) from page_events where kind = 'search' and year(occurred_at) = 2025",
  },
  {
    ask: "what about mobile?",
    after: ["How many web orders were there in 2026?"],
    sql: "select count(*) from orders where channel = 'mobile' and year(placed_at) = 2026",
  },
  {
    ask: "split that by channel",
    after: ["Total order value in 2025?"],
    sql: "select channel, sum(total_cents) / 100.0 from orders where year(placed_at) = 2025 group by 1",
  },
  { ask: "Which columns are in products?", sql: "", says: ["sku", "category", "price_cents", "launched_on"] },
];

export const UNSEEN_DESK_QUESTIONS: Question[] = [
  { ask: "how many agents work here?", sql: "select count(*) from agents" },
  {
    ask: "Break down tickets by channel and priority",
    sql: "select channel, priority, count(*) from tickets group by 1, 2",
  },
  {
    ask: "How many high priority tickets did we receive this year?",
    sql: "select count(*) from tickets where priority = 'high' and created_at >= '2026-01-01' and created_at < '2027-01-01'",
  },
  {
    ask: "Which agent has solved or closed the most tickets?",
    sql: "select a.full_name, count(*) from tickets t join agents a on a.id = t.assignee_id where t.status in ('solved', 'closed') group by a.id order by 2 desc limit 1",
    isOrdered: true,
  },
  {
    ask: "Average first reply minutes by team",
    sql: "select t.name, avg(k.first_reply_minutes) from tickets k join agents a on a.id = k.assignee_id join teams t on t.id = a.team_id group by t.id",
  },
  {
    ask: "names and salaries of the agents in First line",
    sql: "select a.full_name, a.monthly_salary from agents a join teams t on t.id = a.team_id where t.name = 'First line'",
  },
  { ask: "How many customers companies are in each plan?", sql: "select plan, count(*) from companies group by 1" },
  { ask: "Which companies have over 2000 employees?", sql: "select name from companies where employees > 2000" },
  { ask: "tickets without a first reply", sql: "select id from tickets where first_reply_minutes is null" },
  {
    ask: "What's the average rating of tickets solved by Ben Hughes?",
    sql: "select avg(r.score) from satisfaction_ratings r join tickets t on t.id = r.ticket_id join agents a on a.id = t.assignee_id where a.full_name = 'Ben Hughes'",
  },
  {
    ask: "monthly number of ratings in 2026",
    sql: "select strftime('%Y-%m', rated_at), count(*) from satisfaction_ratings where rated_at >= '2026-01-01' and rated_at < '2027-01-01' group by 1",
  },
  {
    ask: "Which country has the most companies?",
    sql: "select country, count(*) from companies group by 1 order by 2 desc limit 1",
    isOrdered: true,
  },
  {
    ask: "How many tickets were opened in the third quarter of 2025?",
    sql: "select count(*) from tickets where created_at >= '2025-07-01' and created_at < '2025-10-01'",
  },
  {
    ask: "What share of ratings has a comment?",
    sql: "select 100.0 * sum(comment is not null) / count(*) from satisfaction_ratings",
  },
  {
    ask: "Tickets per company in Japan",
    sql: "select co.name, count(*) from tickets t join contacts c on c.id = t.contact_id join companies co on co.id = c.company_id where co.country = 'Japan' group by co.id",
  },
  { ask: "Show me the 10 latest tickets", sql: "select id from tickets order by created_at desc limit 10" },
  {
    ask: "Which tags are used on fewer than 200 tickets?",
    sql: "select g.name from ticket_tags x join tags g on g.id = x.tag_id group by g.id having count(*) < 200",
  },
  { ask: "total payroll of inactive agents", sql: "select sum(monthly_salary) from agents where is_active = 0" },
  { ask: "smallest company", sql: "select min(employees) from companies" },
  {
    ask: "How many email tickets are neither solved nor closed?",
    sql: "select count(*) from tickets where channel = 'email' and status not in ('solved', 'closed')",
  },
  {
    ask: "and for phone?",
    after: ["How many chat tickets were created in 2026?"],
    sql: "select count(*) from tickets where channel = 'phone' and created_at >= '2026-01-01' and created_at < '2027-01-01'",
  },
  {
    ask: "show only the top 2",
    after: ["Average salary by team, highest first"],
    sql: "select t.name, avg(a.monthly_salary) from agents a join teams t on t.id = a.team_id group by t.id order by 2 desc limit 2",
    isOrdered: true,
  },
];

export const UNSEEN_LIBRARY_QUESTIONS: Question[] = [
  { ask: "What's our total number of members?", sql: "select count(*) from members" },
  {
    ask: "How many loans were made in the last 30 days?",
    sql: "select count(*) from loans where borrowed_at >= '2026-10-02' and borrowed_at < '2026-11-02'",
  },
  {
    ask: "most expensive science book",
    sql: "select title from books where genre = 'science' order by price desc limit 1",
  },
  {
    ask: "How many books does each branch have copies of in worn condition? Just count the copies.",
    sql: "select br.name, count(*) from copies c join branches br on br.branch_id = c.branch_id where c.condition = 'worn' group by br.branch_id, br.name",
  },
  {
    ask: "Which members joined in September 2026?",
    sql: "select first_name, last_name from members where joined_on >= '2026-09-01' and joined_on < '2026-10-01'",
  },
  {
    ask: "average book price per author nationality",
    sql: "select a.nationality, avg(b.price) from books b join authors a on a.author_id = b.author_id group by 1",
  },
  {
    ask: "Number of loans per membership type in 2026",
    sql: "select m.membership_type, count(*) from loans l join members m on m.member_id = l.member_id where l.borrowed_at >= '2026-01-01' and l.borrowed_at < '2027-01-01' group by 1",
  },
  {
    ask: "Total fines by branch where the book was borrowed",
    sql: "select br.name, sum(f.amount) from fines f join loans l on l.loan_id = f.loan_id join copies c on c.copy_id = l.copy_id join branches br on br.branch_id = c.branch_id group by br.branch_id, br.name",
  },
  {
    ask: "Which books have more than 6 copies?",
    sql: "select b.title from copies c join books b on b.book_id = c.book_id group by b.book_id, b.title having count(*) > 6",
  },
  { ask: "How many books were published since 2010?", sql: "select count(*) from books where published_year >= 2010" },
  {
    ask: "top three authors by number of loans",
    sql: "select a.name, count(*) from loans l join copies c on c.copy_id = l.copy_id join books b on b.book_id = c.book_id join authors a on a.author_id = b.author_id group by a.author_id, a.name order by 2 desc limit 3",
    isOrdered: true,
  },
  {
    ask: "Which authors have no books in our catalogue?",
    sql: "select name from authors where author_id not in (select author_id from books)",
  },
  { ask: "fines above 3 that are still unpaid", sql: "select fine_id from fines where amount > 3 and not is_paid" },
  {
    ask: "How many senior members have at least one reservation?",
    sql: "select count(*) from members where membership_type = 'senior' and member_id in (select member_id from reservations)",
  },
  {
    ask: "reservations by month in 2026",
    sql: "select to_char(reserved_at, 'YYYY-MM'), count(*) from reservations where reserved_at >= '2026-01-01' and reserved_at < '2027-01-01' group by 1",
  },
  { ask: "shortest book", sql: "select title from books order by pages limit 1" },
  { ask: "List British authors", sql: "select name from authors where nationality = 'British'" },
  {
    ask: "What percentage of members are adults?",
    sql: "select 100.0 * count(*) filter (where membership_type = 'adult') / count(*) from members",
  },
  {
    ask: "How many loans did members of the Hillside home branch make in 2025?",
    sql: "select count(*) from loans l join members m on m.member_id = l.member_id join branches b on b.branch_id = m.home_branch_id where b.name = 'Hillside' and l.borrowed_at >= '2025-01-01' and l.borrowed_at < '2026-01-01'",
  },
  { ask: "sum of paid and unpaid fines by payment state", sql: "select is_paid, sum(amount) from fines group by 1" },
  {
    ask: "and for mystery?",
    after: ["What is the average number of pages of fantasy books?"],
    sql: "select avg(pages) from books where genre = 'mystery'",
  },
  {
    ask: "per genre please",
    after: ["How many loans were there in 2026?"],
    sql: "select b.genre, count(*) from loans l join copies c on c.copy_id = l.copy_id join books b on b.book_id = c.book_id where l.borrowed_at >= '2026-01-01' and l.borrowed_at < '2027-01-01' group by 1",
  },
];
