import { parseMigration } from '@tideport/service-kit/postgres/migration-file'
import { describe, expect, it } from 'vitest'
import { checkMigration, checkNames } from '../check-migration.ts'

const faultsOf = async (sql: string) => (await checkMigration(parseMigration('0001_x', sql))).join('; ')

const harmless = [
  `-- compatible
   create table box (id uuid primary key, vault_id uuid references vault (id), size int check (size > 0));
   create index box_size on box (size);
   insert into box select gen_random_uuid(), id, 1 from vault;
   create function f() returns trigger language plpgsql as $$ begin delete from file; return null; end $$;
   create trigger boxed after insert on vault for each row execute function f()`,
  `-- compatible
   alter table file add column a int not null default 0, add column b timestamptz default now(),
     add column c text, alter column c set default 'x', drop constraint old, drop column d,
     add constraint positive check (a >= 0) not valid, add constraint key foreign key (c) references vault not valid,
     add constraint one unique using index file_one`,
  '-- compatible\ninsert into setting (name) values ($$x$$)',
  '-- compatible, online\ncreate unique index concurrently if not exists file_one on file (a) where b is null;',
  '-- compatible, online\ndrop index concurrently if exists file_one',
  '-- compatible, online\nalter table file validate constraint positive',
  `-- compatible, batches
   with batch as (select id from file where id > coalesce($1, '0') order by id limit 500),
   done as (update file set a = 1 from batch where file.id = batch.id)
   select id as last from batch order by id desc limit 1`,
  '-- compatible, batches\ndelete from file where id in (select id from file where a = 0 limit 1000) returning id',
  '-- breaking\nalter table file rename column a to b',
]

const refused: [fault: string, sql: string][] = [
  ['existing table concurrently', '-- compatible\ncreate index a on file (a)'],
  ['existing table concurrently', '-- breaking\ncreate table box (id int); create index a on file (a)'],
  ['drop an index concurrently', '-- compatible\ndrop index a'],
  ['locks file and vault', '-- compatible\nalter table file add a int; alter table vault add a int'],
  ['locks file and vault', '-- compatible\ncreate table box (id uuid references file); drop trigger a on vault'],
  ['existing table in batches', '-- compatible\nupdate file set a = 1'],
  ['existing table in batches', '-- compatible\ndelete from file where a = 1'],
  ['existing table in batches', '-- compatible\ninsert into file (id) select id from vault'],
  [
    'existing table in batches',
    '-- compatible\nwith gone as (delete from file returning id) select count(*) from gone',
  ],
  ['rewrites the table', '-- compatible\nalter table file alter column a type bigint'],
  ['volatile default', '-- compatible\nalter table file add column a uuid default gen_random_uuid()'],
  ['volatile default', '-- compatible\nalter table file add column a timestamptz not null default clock_timestamp()'],
  ['serial', '-- compatible\nalter table file add column a bigserial'],
  ['generated', '-- compatible\nalter table file add column a bigint generated always as identity'],
  ['generated', '-- compatible\nalter table file add column a int generated always as (b + 1) stored'],
  ['needs a default', '-- compatible\nalter table file add column a int not null'],
  ['in steps', '-- compatible\nalter table file add column a int check (a > 0)'],
  ['in steps', '-- compatible\nalter table file add column a int unique'],
  ['set not null', '-- compatible\nalter table file alter column a set not null'],
  ['not valid', '-- compatible\nalter table file add constraint a check (a > 0)'],
  ['not valid', '-- compatible\nalter table file add foreign key (a) references vault'],
  ['using index', '-- compatible\nalter table file add constraint a unique (a)'],
  ['separate online step', '-- compatible\nalter table file add column b int, validate constraint a'],
  ['a new name is breaking', '-- compatible\nalter table file rename column a to b'],
  ['DoStmt is not known', '-- compatible\ndo $$ begin delete from file; end $$'],
  ['TransactionStmt is not known', '-- compatible\ncommit'],
  ['TruncateStmt is not known', '-- compatible\ntruncate file'],
  ['VacuumStmt is not known', '-- compatible\nvacuum full file'],
  ['LockStmt is not known', '-- compatible\nlock table file'],
  [
    'is one statement',
    '-- compatible, online\ndrop index concurrently if exists a; drop index concurrently if exists b',
  ],
  ['concurrently if not exists', '-- compatible, online\ncreate index concurrently a on file (a)'],
  ['concurrently if not exists', '-- compatible, online\ncreate index if not exists a on file (a)'],
  ['concurrently if exists', '-- compatible, online\ndrop index a'],
  ['creates or drops an index', '-- compatible, online\nalter table file add column a int'],
  ['is one statement', '-- compatible, batches\nselect 1; select 2'],
  ['it writes nothing', '-- compatible, batches\nselect id as last from file limit 1'],
  ['with a limit', '-- compatible, batches\nupdate file set a = 1 where a is null returning id'],
  ['with a limit', '-- compatible, batches\nwith done as (delete from file returning id) select id from done limit 10'],
  [
    'with a limit',
    '-- compatible, batches\ndelete from file where id in (select id from file limit 5000) returning id',
  ],
  ['returns no row', '-- compatible, batches\ndelete from file where id in (select id from file limit 10)'],
  [
    'as "last"',
    '-- compatible, batches\ndelete from file where id in (select id from file where id > $1 limit 10) returning id',
  ],
  ['cannot parse it', '-- compatible\ncreate tabel box (id int)'],
]

describe('the check of migrations', () => {
  it.each(harmless)('accepts steps that block no writes: %s', async (sql) => {
    expect(await faultsOf(sql)).toBe('')
  })

  it.each(refused)('rejects (%s): %s', async (fault, sql) => {
    expect(await faultsOf(sql)).toContain(fault)
  })

  it('requires a valid name and a unique number of each file', () => {
    expect(checkNames(['0001_a', '0001a_b', '0002_c'])).toEqual([])
    expect(checkNames(['0001_a', '0001_b', '2_c'])).toEqual([
      '2_c: rename the file to 0001_what or 0001a_what',
      'two files are numbered 0001',
    ])
  })
})
