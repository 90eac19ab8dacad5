import "server-only";
import type { DatabaseError } from "pg";
import type { Use } from "@/lib/platform/embedded/grammar/verdict";
import { AppError } from "@/lib/platform/http/errors";
import {
  COMPOSING_SYMBOLS,
  EXTENSION_STABLE_REFUSED,
  EXTENSION_VOLATILE_ALLOWED,
  FOREIGN_ALLOWED,
  HARMLESS_ROLES,
  OPAQUE_WORDS,
  SECRET_RELATIONS,
  SECRET_SETTINGS,
  SETTING_LIST_SYMBOLS,
  SETTING_SYMBOLS,
  SETTINGS_VIEW,
  SHOW_WORD,
  STABLE_REFUSED,
  STATEMENT_SYMBOLS,
  STATISTICS_VIEWS,
  VOLATILE_ALLOWED,
} from "./functions";
import { GIVE_BACK } from "./session-settings";

/*
 * The server resolves a statement's names, in the transaction that then runs it (T42). Everything reachable from a name
 * is followed: overloads, operators, casts, checks of domains, bodies of views and policies, parts of aggregates. More
 * is followed than the server would run, never less. A refusal ends the transaction by an error before the statement,
 * which is already sent behind it and costs no extra round trip.
 */

/**
 * Returns an array as one constant, which the server parses much faster than many. None of the names needs quotes in
 * it.
 */
const texts = (items: readonly string[]) => `'{${items.join(",")}}'::text[]`;

/** Avoids `= any`: the planner would estimate its rows name by name, which takes far longer than the query itself. */
const isOneOf = (name: string, items: readonly string[]) =>
  `array_position(${texts(items)}, ${name}::text) is not null`;

/** Prefix of a refusal by VERDICT_SQL, which no server error starts with. */
const MARK = "millrace-refuses:";

/** First object number that initdb does not assign: those below belong to PostgreSQL itself (access/transam.h). */
const FIRST_OWN_OID = 16_384;

/**
 * Roles with rights beyond tables. A user who is or could become one of them may run only functions that can be
 * analysed, since a function may leave the role that a session was put in.
 */
const POWERFUL_ROLES = `select oid from pg_roles where rolsuper or rolreplication
  or (oid < ${FIRST_OWN_OID} and rolname like 'pg%' and not ${isOneOf("rolname", HARMLESS_ROLES)})`;

/** Operators that the server resolves implicitly, for IN, CASE, BETWEEN, USING, ORDER BY and similar syntax. */
const UNSPOKEN_OPERATORS = ["=", "<>", "<", "<=", ">", ">=", "~~"];

/** Prefix of names to compare: non-ASCII letters are folded and cut differently where the database is not in UTF-8. */
const COMPARED_CHARS = 15;

/** The schemas that may contain a name of the statement: its explicit schema, or those of the session's path. */
const inReach = (schema: string) =>
  `${schema} in (select oid from pg_namespace where case when g.s is null then nspname = any (me.schemas) else nspname = g.s end)`;

const OTHER_LETTERS = "getdatabaseencoding() <> 'UTF8' and g.n ~ '[^ -~]'";
const sameName = (name: string) =>
  `left(lower(${name}), ${COMPARED_CHARS}) = left(lower(g.n), ${COMPARED_CHARS}) and ${OTHER_LETTERS}`;
/** Whether a function takes as many arguments as the statement passes, where that is known. */
const TAKES = `(g.k <> 'a' or (p.pronargs > 0 and p.pronargs - p.pronargdefaults <= 1))
  and (g.a is null or p.provariadic <> 0 or g.a between p.pronargs - p.pronargdefaults and p.pronargs)`;

/** Language numbers, which are the same in every PostgreSQL (its catalog file pg_language.dat). */
const INTERNAL_LANGUAGE = 12;
const C_LANGUAGE = 13;

const refusedBuiltIn = (p: string) =>
  `((${p}.provolatile = 'v' and not ${isOneOf(`${p}.proname`, VOLATILE_ALLOWED)}) or ${isOneOf(`${p}.proname`, STABLE_REFUSED)})`;

/** Internal names of PostgreSQL's refused functions; evaluated only when needed. */
const REFUSED_INSIDE = `refused_inside as materialized (select b.prosrc from pg_proc b
  where b.oid < ${FIRST_OWN_OID} and b.prolang = ${INTERNAL_LANGUAGE} and ${refusedBuiltIn("b")})`;

/**
 * Whether an indirectly reached function, such as the one of an operator, needs a check. A C function that declares
 * itself read-only does not, nor does a built-in one of that kind under another name. OFFSET restricts the query to the
 * few operators and casts at hand, instead of all functions.
 */
const MAY_MATTER = (oid: string) =>
  mayMatter(
    oid,
    `case p.prolang
    when ${INTERNAL_LANGUAGE} then p.prosrc in (select b.prosrc from refused_inside b)
    else p.prolang <> ${C_LANGUAGE} end`,
  );
/** @param language condition on a function `p` that declares itself read-only */
const mayMatter = (oid: string, language: string) => `exists (select from pg_proc p where p.oid = ${oid}
  and (p.provolatile = 'v' or p.prosecdef or ${isOneOf("p.prosrc", [...STATEMENT_SYMBOLS, ...SETTING_LIST_SYMBOLS, ...SETTING_SYMBOLS])}
    or ${language}) offset 0)`;

/** json and jsonb, and the pseudo-types: record, "any", anyarray, anyelement and others (pg_type.dat). */
const JSON_TYPES = "(114, 3802)";
const ANY_TYPES = "'{2249,2276,2277,2283,2776,3500,3831,4537,5077,5078,5079,5080,4538}'::oid[]";
/** The type `internal`, of which no statement has a value. */
const INTERNAL_TYPE = 2281;
/**
 * Whether a function converts values of any type to JSON, or may, being in C: the server then calls the type's cast to
 * json at run time, and no tree shows it.
 */
const makesJson = (
  p: string,
) => `(${p}.prorettype in ${JSON_TYPES} and ${p}.oid < ${FIRST_OWN_OID} or ${p}.prolang = ${C_LANGUAGE})
  and ${p}.proargtypes::oid[] && ${ANY_TYPES} and not ${p}.proargtypes::oid[] && '{${INTERNAL_TYPE}}'::oid[]`;
const JSON_CASTS = `c.casttarget in ${JSON_TYPES} and c.oid >= ${FIRST_OWN_OID} and c.castfunc <> 0`;
/** The marks in a view's tree of JSON that is made without a function (since PostgreSQL 16). */
const JSON_IN_TREE = "'[{]JSON'";

/**
 * Whether a catalogue relation contains secrets: listed, or built-in and closed to PUBLIC. TOAST tables hold parts of
 * rows.
 */
const isSecret = (c: string) => `(${c}.relkind = 't' or (${c}.oid < ${FIRST_OWN_OID}
  and (${isOneOf(`${c}.relname`, SECRET_RELATIONS)} or not has_table_privilege('public', ${c}.oid, 'select'))))`;
const isStatistics = (c: string) => `(${c}.oid < ${FIRST_OWN_OID} and ${isOneOf(`${c}.relname`, STATISTICS_VIEWS)})`;

const isSettings = (c: string) => `(${c}.oid < ${FIRST_OWN_OID} and ${c}.relname = '${SETTINGS_VIEW}')`;
/** Whether a relation shows parts of secrets to those who may see them, and to everyone in a copy. */
const isSecretInCopy = (c: string) => `(${isStatistics(c)} or ${isSettings(c)})`;

/** Whether the server shows this session a setting with a password; it omits settings that a role may not see. */
const SEES_SECRET_SETTINGS = `exists (select from pg_show_all_settings() s where ${Object.entries(SECRET_SETTINGS)
  .map(([name, values]) => `(s.name = '${name}' and s.setting ~* '${values}')`)
  .join(" or ")})`;
const SECRET_SETTING_NAMES = Object.keys(SECRET_SETTINGS);
const readsSettings = (p: string) => isOneOf(`${p}.prosrc`, [...SETTING_LIST_SYMBOLS, ...SETTING_SYMBOLS]);
/** Whether the statement names a secret setting, or any by an expression. The server ignores the case of names. */
const NAMES_SECRET_SETTING = `g.k = 's' and (g.n = '' or ${isOneOf("lower(g.n)", SECRET_SETTING_NAMES)})`;

/**
 * Whether a role may read the data behind statistics in the catalogue: statistics then show values of secret columns.
 */
const seesSecrets = (role: string) => `(has_table_privilege(${role}, 'pg_catalog.pg_statistic', 'select')
  or has_table_privilege(${role}, 'pg_catalog.pg_statistic_ext_data', 'select')
  or has_column_privilege(${role}, 'pg_catalog.pg_authid', 'rolpassword', 'select')
  or has_column_privilege(${role}, 'pg_catalog.pg_user_mapping', 'umoptions', 'select')
  or has_column_privilege(${role}, 'pg_catalog.pg_subscription', 'subconninfo', 'select'))`;

/**
 * Foreign tables that may read files or run programs of the server, and those that name a secret relation of another
 * one.
 */
const CLOSED_FOREIGN = `closed_foreign as materialized (select ft.ftrelid as id,
    case when not exists (select from pg_depend d join pg_extension e on e.oid = d.refobjid
      where d.classid = 'pg_proc'::regclass and d.objid = w.fdwhandler and d.deptype = 'e' and ${isOneOf("e.extname", FOREIGN_ALLOWED)})
    then 'foreign' when s.oid is not null then 'secret' end as reason
  from pg_foreign_table ft join pg_class c on c.oid = ft.ftrelid
    join pg_foreign_server f on f.oid = ft.ftserver join pg_foreign_data_wrapper w on w.oid = f.srvfdw
    left join pg_class s on s.relname = coalesce((select option_value from pg_options_to_table(ft.ftoptions)
      where option_name = 'table_name'), c.relname) and (${isSecret("s")} or ${isSecretInCopy("s")}))`;

/** The place of a call: the statement itself, a view (then it is the view's number), or anywhere else. */
const OWN_CALL = 0;
const ELSEWHERE = 1;

const ROOTS = `
  select 'f', p.oid, ${OWN_CALL}::oid from given g cross join me join pg_proc p on p.proname = g.n::name
    where g.k in ('f', 'a') and ${inReach("p.pronamespace")} and ${TAKES}
  union all
  select 'f', p.oid, ${OWN_CALL}::oid from given g cross join me join pg_proc p on ${sameName("p.proname")} where g.k in ('f', 'a')
  union all
  select 't', t.oid, ${OWN_CALL}::oid from given g cross join me join pg_type t on t.typname = g.n::name
    where g.k in ('f', 'a', 't') and ${inReach("t.typnamespace")}
  union all
  select 't', t.oid, ${OWN_CALL}::oid from given g join pg_type t on ${sameName("t.typname")} where g.k in ('f', 'a', 't')
  union all
  select 'r', c.oid, ${OWN_CALL}::oid from given g cross join me join pg_class c on c.relname = g.n::name
    where g.k = 'r' and ${inReach("c.relnamespace")}
  union all
  select 'r', c.oid, ${OWN_CALL}::oid from given g join pg_class c on ${sameName("c.relname")} where g.k = 'r'
  union all
  select 'o', o.oid, ${OWN_CALL}::oid from pg_operator o where o.oid >= ${FIRST_OWN_OID} and ${MAY_MATTER("o.oprcode")}
    and (${isOneOf("o.oprname", UNSPOKEN_OPERATORS)} or o.oprname in (select g.n::name from given g where g.k = 'o'))
  union all
  select 'f', p.amproc, ${ELSEWHERE}::oid from given g join pg_operator o on o.oprname = g.n::name
      join pg_amop a on a.amopopr = o.oid join pg_amproc p on p.amprocfamily = a.amopfamily
    where g.k = 'o' and a.oid >= ${FIRST_OWN_OID} and (g.s is not null or not ${isOneOf("g.n", UNSPOKEN_OPERATORS)})
  union all
  select 'f', c.castfunc, ${ELSEWHERE}::oid from pg_cast c where c.oid >= ${FIRST_OWN_OID} and c.castcontext = 'i' and ${MAY_MATTER("c.castfunc")}`;

/** The stored trees of an object, which contain the number of every object that they name. */
const TREES = `
  select w.ev_action::text as tree, case when i.id >= ${FIRST_OWN_OID} then i.id else ${ELSEWHERE} end as view from pg_rewrite w join pg_class c on c.oid = w.ev_class
    where i.k = 'r' and w.ev_class = i.id and w.ev_type = '1' and c.relkind = 'v'
  union all
  select p.polqual::text, ${ELSEWHERE} from pg_policy p where i.k = 'r' and p.polrelid = i.id and p.polqual is not null
  union all
  select d.adbin::text, ${ELSEWHERE} from pg_attribute a join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where i.k = 'r' and a.attrelid = i.id and a.attgenerated <> ''
  union all
  select c.conbin::text, ${ELSEWHERE} from pg_constraint c where i.k = 't' and c.contypid = i.id and c.conbin is not null
  union all
  select p.proargdefaults::text, ${ELSEWHERE} from pg_proc p where i.k = 'f' and p.oid = i.id and i.id >= ${FIRST_OWN_OID}
  union all
  select to_json(p)->>'prosqlbody', ${ELSEWHERE} from pg_proc p where i.k = 'f' and p.oid = i.id and me.wary
    and i.id >= ${FIRST_OWN_OID}
  union all
  select c.conbin::text, ${ELSEWHERE} from pg_constraint c
    where i.k = 'r' and me.wary and c.conrelid = i.id and c.conbin is not null
  union all
  select x.indexprs::text || coalesce(x.indpred::text, ''), ${ELSEWHERE} from pg_index x where i.k = 'r' and me.wary and x.indrelid = i.id
  union all
  select x.indpred::text, ${ELSEWHERE} from pg_index x where i.k = 'r' and me.wary and x.indrelid = i.id`;

/**
 * Parts of a stored tree that reference objects, with their numbers; some have several (PostgreSQL's
 * nodes/readfuncs.c).
 */
const TREE_PARTS =
  ":(funcid|opfuncid|hashfuncid|negfuncid|aggfnoid|winfnoid|tsmhandler|startInRangeFunc|endInRangeFunc|opno|opnos|eqop|sortop|cycle_mark_neop|relid|[a-z]*types?) [(]?o? ?([0-9 ]+)";
const NUMBERS_IN = (tree: string) => `regexp_matches(${tree}, '${TREE_PARTS}', 'g') m
  cross join lateral regexp_split_to_table(trim(m[2]), ' +') n`;
/** Object numbers have 32 bits, and an old server has assigned most of them. */
const IS_NUMBER = "n <> '' and length(n) <= 10 and n::int8 between 1 and 4294967295";
const PART_KIND =
  "case when m[1] = 'relid' then 'r' when m[1] ~ 'type' then 't' when m[1] ~ 'op' and m[1] <> 'opfuncid' then 'o' else 'f' end";
/** Tables below PostgreSQL's own views are not followed: those views show only what everyone may see. */
const isBelowOwnView = (relation: string) => `(${relation} < ${FIRST_OWN_OID} and m[1] = 'relid')`;

const IN_TREES = `
  select ${PART_KIND} as k,
    n::oid as id, case when m[1] = 'funcid' or m[1] ~ 'type' then t.view else ${ELSEWHERE} end::oid as via
  from (${TREES}) t cross join lateral ${NUMBERS_IN("t.tree")}
  where ${IS_NUMBER} and not (i.k = 'r' and ${isBelowOwnView("i.id")})
  union all
  select 'f', 'pg_catalog.to_json(anyelement)'::regprocedure, ${ELSEWHERE} from (${TREES}) t where t.tree ~ ${JSON_IN_TREE}`;

/** Functions that a statement can call, also indirectly: triggers are called only by changes. */
const IS_CALLED = "p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)";
/** Whether it runs with rights beyond tables that the caller lacks. */
const isLent = (user: string) => `p.prosecdef and (p.proowner in (select oid from pg_roles where rolsuper)
  or (p.proowner <> ${user} and exists (select from powerful w where pg_has_role(p.proowner, w.oid, 'member'))))`;

/** Whether it is a user-defined function in a language that can be analysed, as long as none of its words is opaque. */
const IS_READ = `(l.lanname in ('sql', 'plpgsql') and p.oid >= ${FIRST_OWN_OID})`;
const WORDS = `regexp_split_to_array(lower(p.prosrc), '[^a-z0-9_]+')`;

/**
 * Whether a function's text may contain a name: as one of its words, or anywhere in the text if it has other
 * characters.
 */
const inText = (name: string) =>
  `(lower(${name}) = any (b.words) or (${name} ~ '[^A-Za-z0-9_]' and strpos(b.source, replace(lower(${name}), '"', '""')) > 0))`;
const BODY = `(select ${WORDS} as words, lower(p.prosrc) as source from pg_proc p join pg_language l on l.oid = p.prolang
  where me.wary and i.k = 'f' and p.oid = i.id and ${IS_READ} and p.prosrc <> '' offset 0) b`;

/**
 * Sort operators of the types that the statement or a view in it names, and of the types of columns and function
 * results; an operator that merely exists says nothing about a statement.
 */
const SORTED_BY = `(select i.id as type where i.k = 't' and i.via <> ${ELSEWHERE}
    union all select p.prorettype from pg_proc p where i.k = 'f' and i.via <> ${ELSEWHERE} and p.oid = i.id
    union all select a.atttypid from pg_attribute a where i.k = 'r' and a.attrelid = i.id) v
  join pg_opclass c on c.opcintype = v.type and c.oid >= ${FIRST_OWN_OID}`;

/** Relations whose rows a materialised view has copied. */
const COPIED = `
  select 'c', n::oid from pg_class c join pg_rewrite w on w.ev_class = c.oid cross join lateral ${NUMBERS_IN("w.ev_action::text")}
    where i.k in ('r', 'c') and c.oid = i.id and (c.relkind = 'm' or (i.k = 'c' and c.relkind = 'v'))
      and m[1] = 'relid' and ${IS_NUMBER} and not ${isBelowOwnView("i.id")}`;

/**
 * Whether a definition reads settings other than harmless ones by their names: a superuser's rights may have copied
 * them.
 */
const copiesSettings = (
  c: string,
) => `exists (select from pg_rewrite w cross join lateral ${NUMBERS_IN("w.ev_action::text")}
    where w.ev_class = ${c}.oid and m[1] = 'funcid' and ${IS_NUMBER} and exists (select from pg_proc p where p.oid = n::oid
      and (${isOneOf("p.prosrc", SETTING_LIST_SYMBOLS)} or (${isOneOf("p.prosrc", SETTING_SYMBOLS)}
        and pg_get_viewdef(${c}.oid) ~* 'current_setting[(](?!'')|''(${SECRET_SETTING_NAMES.join("|")})'''))))`;

/** Analysed copies of other relations that the user may read: statistics show their values. */
const IN_STATISTICS = `
  select 'c', c.oid from pg_class s join pg_class c on c.relkind in ('m', 'f') and c.reltuples > 0
    where i.k = 'r' and s.oid = i.id and ${isStatistics("s")} and has_any_column_privilege(me.id, c.oid, 'select')`;

const STEPS = `${COPIED}
  union all ${IN_STATISTICS}
  union all  select 't', t from pg_proc p, unnest(p.proargtypes::oid[] || p.prorettype || coalesce(p.proallargtypes, '{}')) t
    where i.k = 'f' and p.oid = i.id and t >= ${FIRST_OWN_OID}
  union all
  select 'f', f from pg_aggregate a, unnest(array[a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggserialfn,
    a.aggdeserialfn, a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn]::oid[]) f
    where i.k = 'f' and a.aggfnoid = i.id::regproc and i.id >= ${FIRST_OWN_OID}
  union all
  select 'f', f from pg_operator o, unnest(array[o.oprcode, o.oprrest, o.oprjoin]::oid[]) f
    where i.k = 'o' and o.oid = i.id and i.id >= ${FIRST_OWN_OID}
  union all
  select 't', x from pg_type t, unnest(array[t.typbasetype, t.typelem]) x
    where i.k = 't' and t.oid = i.id and x >= ${FIRST_OWN_OID}
  union all
  select 'f', f from pg_type t, unnest(array[t.typinput, t.typoutput, t.typmodin, t.typmodout]::oid[]) f
    where i.k = 't' and t.oid = i.id and t.typtype = 'b' and f >= ${FIRST_OWN_OID}
  union all
  select 'f', f from pg_range r, unnest(array[r.rngcanonical, r.rngsubdiff]::oid[]) f where i.k = 't' and r.rngtypid = i.id
  union all
  select 't', r.rngsubtype from pg_range r where i.k = 't' and r.rngtypid = i.id and i.id >= ${FIRST_OWN_OID}
  union all
  select 'f', c.castfunc from pg_cast c
    where i.k = 't' and c.casttarget = i.id and c.oid >= ${FIRST_OWN_OID} and c.castfunc <> 0
      and (i.via = ${OWN_CALL} or i.id >= ${FIRST_OWN_OID})
  union all
  select 'f', c.castfunc from pg_proc p join pg_cast c on ${JSON_CASTS} where i.k = 'f' and p.oid = i.id and ${makesJson("p")}
  union all
  select 'f', c.castfunc from ${BODY} cross join pg_cast c
    where (c.castcontext <> 'e' or b.source ~ '::|cast') and c.oid >= ${FIRST_OWN_OID} and ${MAY_MATTER("c.castfunc")}
  union all
  select 't', a.atttypid from pg_attribute a
    where i.k = 'r' and a.attrelid = i.id and a.atttypid >= ${FIRST_OWN_OID}
  union all
  select 't', a.atttypid from pg_type t join pg_attribute a on a.attrelid = t.typrelid
    where i.k = 't' and t.oid = i.id and a.atttypid >= ${FIRST_OWN_OID}
  union all
  select 'r', h.inhrelid from pg_inherits h join pg_class c on c.oid = h.inhrelid
    where i.k = 'r' and h.inhparent = i.id and (me.wary or c.relkind in ('f', 'p'))
  union all
  select 'f', p.amproc from ${SORTED_BY} join pg_amproc p on p.amprocfamily = c.opcfamily
  union all
  select 'f', p.amproc from pg_range r join pg_opclass c on c.oid = r.rngsubopc join pg_amproc p on p.amprocfamily = c.opcfamily
    where i.k = 't' and r.rngtypid = i.id and c.oid >= ${FIRST_OWN_OID}
  union all
  select 'f', p.oid from ${BODY} cross join lateral (select p.oid from pg_proc p where ${inText("p.proname")} offset 0) p
  union all
  select 't', t.oid from ${BODY} cross join lateral (select t.oid from pg_type t where t.oid >= ${FIRST_OWN_OID} and ${inText("t.typname")} offset 0) t
  union all
  select 'r', c.oid from ${BODY} cross join lateral (select c.oid from pg_class c
    where (c.oid >= ${FIRST_OWN_OID} and (c.relkind in ('v', 'm', 'f', 'p') or c.relhassubclass) or ${isSecret("c")} or ${isSecretInCopy("c")})
      and ${inText("c.relname")} offset 0) c
  union all
  select 'o', o.oid from ${BODY} cross join pg_operator o where o.oid >= ${FIRST_OWN_OID}
    and (${isOneOf("o.oprname", UNSPOKEN_OPERATORS)} or strpos(b.source, o.oprname) > 0)`;

const UNSEEN = "case when me.powerful then 'opaque' when me.lent then 'hidden' else 'unseen' end";

/**
 * Whether a call of a function that runs text was checked: calls in the statement itself ($2 are the known functions),
 * and in the views that were checked ($3, by hashes of their definitions). Arguments in a policy or an operator are
 * unknown.
 */
const IS_SEEN = `p.proname = any ($2::text[]) and (i.via = ${OWN_CALL}
  or (not exists (select from pg_cast c where c.castfunc = p.oid) and md5(pg_get_viewdef(i.via)) = $3::json->>i.via::text))`;

/** A user-defined function under the name of a built-in one is judged as the C function that it is. */
const REASON = `case
  when ${isLent("me.id")} then 'definer'
  when me.wary and array_to_string(p.proconfig, ',') ~* '(^|,)(role|session_authorization)=' then ${UNSEEN}
  when ${isOneOf("p.prosrc", COMPOSING_SYMBOLS)} and l.lanname in ('c', 'internal') then 'volatile'
  when ${isOneOf("p.prosrc", SETTING_LIST_SYMBOLS)} and ${SEES_SECRET_SETTINGS} then 'setting'
  when ${isOneOf("p.prosrc", SETTING_SYMBOLS)} and ${SEES_SECRET_SETTINGS} then
    case when i.via <> ${ELSEWHERE} and ${IS_SEEN} then null
      when i.via = ${ELSEWHERE} or p.proname <> all ($2::text[]) then 'setting' else 'within' end
  when ${IS_READ} and '${SHOW_WORD}' = any (${WORDS}) and ${SEES_SECRET_SETTINGS} then 'setting'
  when ${isOneOf("p.prosrc", STATEMENT_SYMBOLS)} and (l.lanname = 'internal' or (l.lanname = 'c' and p.probin like '%tablefunc%')) then
    case when i.via = ${ELSEWHERE} then 'buried' when ${IS_SEEN} then null
      when p.proname <> all ($2::text[]) then 'statement' else 'within' end
  when p.oid < ${FIRST_OWN_OID} then case when ${refusedBuiltIn("p")} then 'volatile' end
  when l.lanname = 'internal' then case when p.prosrc in (select b.prosrc from refused_inside b) then 'volatile' end
  when e.extname is not null and l.lanname = 'c' then case
    when p.provolatile = 'v' and not ${isOneOf("(e.extname || '.' || p.proname)", EXTENSION_VOLATILE_ALLOWED)} then 'volatile'
    when ${isOneOf("(e.extname || '.' || p.proname)", EXTENSION_STABLE_REFUSED)} then 'volatile' end
  when e.extname is not null and p.provolatile = 'v' then 'volatile'
  when not l.lanpltrusted then case when p.prokind <> 'a' then 'language' end
  when me.wary and p.prokind <> 'a' and not ${IS_READ} then ${UNSEEN}
  when me.wary and p.prokind <> 'a' and (${WORDS} && ${texts(OPAQUE_WORDS)} or p.prosrc ~* 'u&') then ${UNSEEN}
  end`;

const GIVEN = "given as materialized (select * from json_to_recordset($1::json) as x(k text, s text, n text, a int))";
const POWERFUL = `powerful as materialized (${POWERFUL_ROLES})`;
const IS_POWERFUL = (user: string) => `exists (select from powerful w where pg_has_role(${user}, w.oid, 'member'))`;

/**
 * Ends the transaction when the statement reaches a forbidden object, otherwise restores the user's session
 * (GIVE_BACK). `$1` are the names of the statement, and of the texts in its views, as JSON. `$2` are the functions
 * whose texts the guard checks, `$3` hashes of the views that it has checked, by their numbers, as JSON.
 */
export const VERDICT_SQL = `
with recursive ${GIVEN}, ${POWERFUL}, ${REFUSED_INSIDE}, ${CLOSED_FOREIGN},
me as materialized (select r.oid as id,
    array['pg_catalog'::name] || current_setting('millrace.schemas')::name[] as schemas,
    u.powerful, u.lent, u.sees_secrets, u.powerful or u.lent or u.sees_secrets or exists (select from closed_foreign where reason = 'foreign') as wary
  from pg_roles r cross join lateral (select ${IS_POWERFUL("r.oid")} as powerful, ${seesSecrets("r.oid")} as sees_secrets,
    exists (select from pg_proc p where ${isLent("r.oid")} and ${IS_CALLED}
      and has_function_privilege(r.oid, p.oid, 'execute')) as lent) u
  where r.rolname = current_setting('millrace.user')),
item(k, id, via) as (
  select * from (${ROOTS}) roots(k, id, via)
  union
  select e.k, e.id, e.via from item i cross join me cross join lateral (
    select s.k, s.id, ${ELSEWHERE}::oid as via from (${STEPS}) s(k, id) union all ${IN_TREES}) e),
refused as (
  select ${REASON} as reason, p.proname as name, i.via as view
    from item i cross join me join pg_proc p on i.k = 'f' and p.oid = i.id join pg_language l on l.oid = p.prolang
    left join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e' and p.oid >= ${FIRST_OWN_OID}
    left join pg_extension e on e.oid = d.refobjid
  union all
  select 'secret', c.relname, 0 from item i cross join me join pg_class c on i.k in ('r', 'c') and c.oid = i.id
    where ${isSecret("c")} or (${isStatistics("c")} and (i.k = 'c' or me.sees_secrets))
      or ((c.relkind = 'm' or (i.k = 'c' and c.relkind = 'v')) and ${copiesSettings("c")})
  union all
  select 'setting', g.n, 0 from given g where ${NAMES_SECRET_SETTING} and ${SEES_SECRET_SETTINGS}
  union all
  select f.reason, c.relname, 0 from item i join closed_foreign f on i.k in ('r', 'c') and f.id = i.id join pg_class c on c.oid = f.id)
select case when no.reason is not null then ('${MARK}' || json_build_object('reason', no.reason, 'name', no.name, 'view', no.view::int8))::int end,
  ${GIVE_BACK}
from (select) one left join lateral (select * from refused where reason is not null order by reason not in ('statement', 'within') limit 1) no on true`;

/** User-defined default orders of built-in types, which a statement uses implicitly (btree and hash: pg_am.dat). */
const OWN_ORDERS = `exists (select from pg_opclass c
    where c.oid >= ${FIRST_OWN_OID} and c.opcdefault and c.opcmethod in (403, 405) and c.opcintype < ${FIRST_OWN_OID})
  or exists (select from given g join pg_operator o on o.oprname = g.n::name join pg_amop a on a.amopopr = o.oid
    where g.k = 'o' and a.oid >= ${FIRST_OWN_OID} and a.amopmethod = 403
      and (g.s is not null or not ${isOneOf("g.n", UNSPOKEN_OPERATORS)}))`;

const OWN_JSON = `exists (select from pg_cast c where ${JSON_CASTS} and ${MAY_MATTER("c.castfunc")})`;

/** Whether a materialised view copies from the catalogue or other views: its sources must be followed. */
const isCopyOfMore = `(c.relkind = 'm' and exists (select from pg_rewrite w cross join lateral ${NUMBERS_IN("w.ev_action::text")}
    where w.ev_class = c.oid and m[1] in ('relid', 'funcid') and ${IS_NUMBER} and case m[1]
      when 'relid' then n::oid < ${FIRST_OWN_OID} or exists (select from pg_class x where x.oid = n::oid and x.relkind in ('v', 'm', 'f'))
      else exists (select from pg_proc p where p.oid = n::oid and ${readsSettings("p")}) end))`;

/** Whether a column of a relation `c` has a user-defined type, or a function computes it. */
const HAS_OWN_COLUMN = `exists (select from pg_attribute a where a.attrelid = c.oid
  and (a.atttypid >= ${FIRST_OWN_OID} or a.attgenerated <> '') offset 0)`;
/** Whether an index of a relation `c` evaluates an expression. */
const HAS_OWN_INDEX = `(c.relhasindex and exists (select from pg_index x where x.indrelid = c.oid
  and (x.indexprs is not null or x.indpred is not null) offset 0))`;

/** Whether a relation involves more than rows of built-in types. @param kinds the kinds of relations that are known */
const isMoreThanRows = (
  kinds: string,
) => `(c.relkind not in (${kinds}) or c.relrowsecurity or ${isSecret("c")} or ${isSecretInCopy("c")} or ${isCopyOfMore}
  or (c.relhassubclass and exists (select from pg_inherits h join pg_foreign_table f on f.ftrelid = h.inhrelid))
  or ${HAS_OWN_COLUMN}
  or (c.oid >= ${FIRST_OWN_OID} and (c.relchecks > 0 or c.relhassubclass or ${HAS_OWN_INDEX})
    and (${IS_POWERFUL("current_setting('millrace.user')::name")} or exists (select from pg_proc p where p.prosecdef and ${IS_CALLED}))))`;

const isMoreThanReading = (p: string) =>
  `(${p}.oid >= ${FIRST_OWN_OID} or ${refusedBuiltIn(p)} or ${isOneOf(`${p}.prosrc`, STATEMENT_SYMBOLS)}
    or (${readsSettings(p)} and ${SEES_SECRET_SETTINGS}))`;

/** The conditions on the statement's names alone, wherever they are found. */
const UNCLEAR_BY_NAMES = `
    exists (select from given g join pg_proc p on p.proname = g.n::name where g.k in ('f', 'a') and ${isMoreThanReading("p")})
    or exists (select from given g join pg_type t on t.typname = g.n::name
      where g.k in ('f', 'a', 't') and t.oid >= ${FIRST_OWN_OID})
    or exists (select from pg_operator o where o.oid >= ${FIRST_OWN_OID} and ${MAY_MATTER("o.oprcode")}
      and (${isOneOf("o.oprname", UNSPOKEN_OPERATORS)} or o.oprname in (select g.n::name from given g where g.k = 'o')))
    or exists (select from pg_cast c where c.oid >= ${FIRST_OWN_OID} and ${MAY_MATTER("c.castfunc")}
      and (c.castcontext = 'i' or exists (select from given g where g.k in ('f', 'a', 't'))))
    or ${OWN_ORDERS}
    or ${OWN_JSON} and exists (select from given g join pg_proc p on p.proname = g.n::name where g.k in ('f', 'a') and ${makesJson("p")})
    or exists (select from given g where ${OTHER_LETTERS})
    or exists (select from given g where ${NAMES_SECRET_SETTING} and ${SEES_SECRET_SETTINGS})`;

/**
 * Returns a query that ends the transaction when it is unclear. A non-IMMUTABLE function assembles the reason: the
 * planner would evaluate a constant one, and raise the error before the condition. Its name is that of the check.
 */
const endsWhere = (check: "plain" | "quick" | "views", isUnclear: string) => `
select case when ${isUnclear}
  then ('${MARK}' || json_build_object('reason', 'unclear', 'name', '${check}'))::int end,
  ${GIVE_BACK}`;

/**
 * The quick check, which suffices for most statements: tables of built-in types, and read-only built-in functions.
 * Names count wherever they are found. Any other meaning of a name ends the transaction with the reason "unclear"; then
 * VIEWS_VERDICT_SQL decides, and after it VERDICT_SQL. It takes the same `$1`, and no other value.
 */
export const QUICK_VERDICT_SQL = `
with ${GIVEN}, ${POWERFUL}, ${REFUSED_INSIDE}
${endsWhere(
  "quick",
  `${UNCLEAR_BY_NAMES}
    or exists (select from given g join pg_class c on c.relname = g.n::name
      where g.k = 'r' and ${isMoreThanRows("'r', 'p', 'm', 'S'")})`,
)}`;

/** Whether `x.name` may call a function or be a cast. */
const COLUMN_IS_MORE = `when 'a' then exists (select from pg_proc p where p.proname = g.n::name offset 0)
        or exists (select from pg_type t where t.typname = g.n::name and t.oid >= ${FIRST_OWN_OID} offset 0)`;

/**
 * The plain check, which suffices for user-defined tables without anything that runs code, and for the most common
 * operators: its conditions include those of QUICK_VERDICT_SQL, over the fewest relations. The server opens and locks
 * each relation of a prepared statement, which is most of its cost. `$1` are the names as `toGiven` returns them.
 * @param hasColumns whether the statement selects columns by `x.name`, which may be calls
 */
const plainVerdict = (hasColumns: boolean) =>
  endsWhere(
    "plain",
    `exists (select from pg_operator o
      where o.oid >= ${FIRST_OWN_OID} and ${isOneOf("o.oprname", UNSPOKEN_OPERATORS)} and ${mayMatter("o.oprcode", `p.prolang <> ${C_LANGUAGE}`)})
    or exists (select from pg_cast c
      where c.oid >= ${FIRST_OWN_OID} and (${hasColumns} or c.castcontext = 'i') and ${mayMatter("c.castfunc", `p.prolang <> ${C_LANGUAGE}`)})
    or exists (select from pg_opclass c where c.oid >= ${FIRST_OWN_OID} and c.opcdefault
      and c.opcmethod in (403, 405) and c.opcintype < ${FIRST_OWN_OID})
    or exists (select from json_to_recordset($1::json) as g(k text, n text) where case g.k
      when 'r' then exists (select from pg_class c where c.relname = g.n::name and (c.oid < ${FIRST_OWN_OID} or c.relkind <> 'r'
        or c.relrowsecurity or c.relhassubclass or c.relchecks > 0 or ${HAS_OWN_COLUMN} or ${HAS_OWN_INDEX}) offset 0)
      ${hasColumns ? COLUMN_IS_MORE : ""}
      else g.k <> 'o' end)`,
  );
const PLAIN_VERDICTS = {
  rows: { name: "plain_rows", text: plainVerdict(false) },
  columns: { name: "plain_columns", text: plainVerdict(true) },
};

/** Names that no server encoding folds or cuts differently. */
const PLAIN_NAME = /^[ -~]+$/;

/** Returns the plain check of a statement with these names; null where it would not suffice. */
export function plainVerdictOf(uses: readonly Use[]): { name: string; text: string } | null {
  const isPlain = uses.every(
    ({ kind, schema, name }) =>
      PLAIN_NAME.test(name) &&
      (kind === "r" || kind === "a" || (kind === "o" && schema === null && UNSPOKEN_OPERATORS.includes(name))),
  );
  if (!isPlain) return null;
  return uses.some(({ kind }) => kind === "a") ? PLAIN_VERDICTS.columns : PLAIN_VERDICTS.rows;
}

/**
 * The same for views over such tables, with such functions: the names in their stored trees are checked by number. It
 * costs a third of VERDICT_SQL, most of which is parsing and planning so long a statement.
 */
export const VIEWS_VERDICT_SQL = `
with recursive ${GIVEN}, ${POWERFUL}, ${REFUSED_INSIDE},
item(k, id) as (
  select 'r', c.oid from given g join pg_class c on c.relname = g.n::name where g.k = 'r'
  union
  select ${PART_KIND}, n::oid from item i
    join pg_class c on i.k = 'r' and c.oid = i.id and c.relkind = 'v'
    join pg_rewrite w on w.ev_class = c.oid and w.ev_type = '1'
    cross join lateral ${NUMBERS_IN("w.ev_action::text")}
    where ${IS_NUMBER} and not ${isBelowOwnView("i.id")})
${endsWhere(
  "views",
  `${UNCLEAR_BY_NAMES}
    or exists (select from item i where i.k in ('t', 'o', 'f') and i.id >= ${FIRST_OWN_OID})
    or exists (select from item i join pg_proc p on p.oid = i.id where i.k = 'f' and ${isMoreThanReading("p")})
    or ${OWN_JSON} and (exists (select from item i join pg_proc p on p.oid = i.id where i.k = 'f' and ${makesJson("p")})
      or exists (select from item i join pg_rewrite w on i.k = 'r' and w.ev_class = i.id where w.ev_action::text ~ ${JSON_IN_TREE}))
    or exists (select from item i join pg_class c on c.oid = i.id
      where i.k = 'r' and ${isMoreThanRows("'r', 'p', 'm', 'S', 'v'")})`,
)}`;

/** A view's definition, and the hash by which VERDICT_SQL recognises it: read with the same search path. */
export const VIEW_SQL = "select pg_get_viewdef($1::oid), md5(pg_get_viewdef($1::oid))";

/** Returns the names of a statement, as both verdicts take them. */
export function toGiven(uses: readonly Use[]): string {
  return JSON.stringify(uses.map(({ kind, schema, name, args }) => ({ k: kind, s: schema, n: name, a: args })));
}

export type Refusal = {
  /** "unclear" comes from the cheaper checks, with the name of the check. "within": the view must be checked first. */
  reason:
    | "unclear"
    | "volatile"
    | "statement"
    | "within"
    | "buried"
    | "definer"
    | "language"
    | "opaque"
    | "hidden"
    | "unseen"
    | "foreign"
    | "secret"
    | "setting";
  name: string;
  /** For "within", the number of the view whose definition calls the function. */
  view?: number;
};

/** Returns the reason for which VERDICT_SQL ended the transaction; null for other errors. */
export function refusalOf(error: DatabaseError): Refusal | null {
  const at = error.message.indexOf(MARK);
  if (at < 0) return null;
  // The server quotes the text that it could not parse as a number, in any language.
  const end = error.message.lastIndexOf("}");
  return JSON.parse(error.message.slice(at + MARK.length, end + 1)) as Refusal;
}

const SERVER = "It can access server files, programs, settings or other sessions.";
const ORDINARY = "Connect with a role that has only table privileges.";
const MESSAGES: Record<Refusal["reason"], (name: string) => string> = {
  unclear: () => "Couldn't verify that the statement is read-only.",
  volatile: (name) => `Function ${name} is not allowed on a read-only connection. ${SERVER}`,
  statement: (name) => `On a read-only connection, ${name} accepts only a literal query string.`,
  within: (name) => `Couldn't verify what function ${name} runs in a view.`,
  buried: (name) => `Function ${name} runs dynamic SQL and is not allowed on a read-only connection.`,
  definer: (name) =>
    `Function ${name} runs as a superuser and is not allowed on a read-only connection. Make it SECURITY INVOKER.`,
  language: (name) => `Function ${name} uses an untrusted language and is not allowed on a read-only connection.`,
  opaque: (name) => `This user has server privileges, and function ${name} can't be verified. ${ORDINARY}`,
  hidden: (name) =>
    `Function ${name} may call superuser functions. Revoke EXECUTE on those from this user and from PUBLIC.`,
  unseen: (name) =>
    `Function ${name} can't be checked and is not allowed on a read-only connection. Write it in SQL or PL/pgSQL without EXECUTE.`,
  foreign: (name) =>
    `Foreign table ${name} is not allowed on a read-only connection. Its wrapper can read files or run programs on the server.`,
  secret: (name) => `${name} can contain server passwords and can't be read.`,
  setting: (name) =>
    `${name || "The setting"} can contain server passwords and can't be read. Connect with a role outside pg_monitor and pg_read_all_settings.`,
};

export function toRefusal({ reason, name }: Refusal): AppError {
  return new AppError("not_allowed", MESSAGES[reason](name));
}
