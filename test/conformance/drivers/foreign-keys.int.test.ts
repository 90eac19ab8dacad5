import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { QueryableSource } from "../../../lib/features/connections/data-source";
import { change, type Subject, startSubject } from "./subjects";

const ANY = new AbortController().signal;

describe.each(["postgres", "mariadb", "sqlite", "duckdb"] as const)("%s", (name) => {
  let subject: Subject | null = null;
  let writer: QueryableSource;
  let source: QueryableSource;

  beforeAll(async () => {
    subject = await startSubject(name);
    if (!subject) return;
    writer = await subject.open(false);
    await change(writer, "create table fk_teams (id int primary key, name varchar(50) not null)");
    await change(writer, "create table fk_places (country varchar(2), city varchar(50), primary key (country, city))");
    await change(
      writer,
      `create table fk_people (id int primary key, team_id int not null, boss_id int, country varchar(2), city varchar(50),
         constraint fk_1_team foreign key (team_id) references fk_teams (id),
         constraint fk_2_boss foreign key (boss_id) references fk_people (id),
         constraint fk_3_place foreign key (country, city) references fk_places (country, city))`,
    );
    source = await subject.open(true);
  }, 120_000);

  afterAll(async () => {
    await Promise.all([source?.close(), writer?.close()]);
    await subject?.stop();
  });

  test("returns declared foreign keys: to another table, to itself, and of two columns in order", async (context) => {
    if (!subject) return context.skip();
    const entities = await source.entities(ANY);
    expect(entities.find((entity) => entity.name === "fk_people")?.foreignKeys).toEqual([
      { columns: ["team_id"], references: { name: "fk_teams", columns: ["id"] } },
      { columns: ["boss_id"], references: { name: "fk_people", columns: ["id"] } },
      { columns: ["country", "city"], references: { name: "fk_places", columns: ["country", "city"] } },
    ]);
    expect(entities.find((entity) => entity.name === "fk_teams")).not.toHaveProperty("foreignKeys");
  });
});
