import { migrations as filesMigrations } from '@tideport/file-lifecycle/state/migrations'

/** A schema with one large table whose migrations are looked at. */
export interface Subject {
  schema: 'files' | 'webhooks'
  /** What makes the tables that are seeded. */
  folder: URL
  /** Steps of every kind that come behind it, made for this alone. */
  steps: URL
  /** Takes the number of rows. */
  seed: string
  /** Ids of rows that are written to. */
  ids: string
  /** What is written all the time, in turn: each takes the id of a row that exists. */
  writes: string[]
}

const files: Subject = {
  schema: 'files',
  folder: filesMigrations,
  steps: new URL('../../migrations/files/', import.meta.url),
  seed: `
    with owner as (insert into account (id) select gen_random_uuid() from generate_series(1, 100) returning id),
    place as (
      insert into vault (id, account_id, name, visibility, slug) select gen_random_uuid(), id, 'Bench', 'public', 'bench'
      from owner returning id, account_id
    ), stored as (
      insert into file (id, account_id, vault_id, name, mime_type, size_bytes, status, upload_key, upload_expires_at,
        confirmed_at, synced_at, sha256)
      select gen_random_uuid(), account_id, place.id, 'photo ' || md5(n::text) || '.jpg', 'image/jpeg', 1000, 'cold', 'k',
        now(), now(), now(), 's'
      from generate_series(1, $1::int / 100) as n, place returning id, account_id
    )
    insert into event (id, subject_kind, subject_id, account_id, type, is_public, payload, request_id, traceparent,
      published_at)
    select gen_random_uuid(), 'file', id, account_id, 'file.cold', true, '{}', 'r', 't', now() from stored`,
  ids: 'select id from file tablesample system (1) limit 5000',
  writes: [
    `update file set name = 'photo ' || md5(random()::text), updated_at = now() where id = $1`,
    `insert into file (id, account_id, vault_id, name, mime_type, size_bytes, upload_key, upload_expires_at)
     select gen_random_uuid(), account_id, vault_id, name, mime_type, 1, 'k', now() from file where id = $1`,
    `update vault set file_count = file_count + 1 where id = (select vault_id from file where id = $1)`,
  ],
}

const webhooks: Subject = {
  schema: 'webhooks',
  folder: new URL('../../../services/webhooks/migrations/', import.meta.url),
  steps: new URL('../../migrations/webhooks/', import.meta.url),
  seed: `
    with target as (
      insert into webhook (id, account_id, url, events, secret_encrypted)
      select gen_random_uuid(), gen_random_uuid(), 'https://example.com', '{file.hot}', 's' from generate_series(1, 100)
      returning id
    )
    insert into delivery (id, webhook_id, activation, event_id, event, body, next_attempt_at, done_at)
    select gen_random_uuid(), target.id, 0, gen_random_uuid(), 'file.hot', repeat('x', 300), null, now()
    from generate_series(1, $1::int / 100) as n, target`,
  ids: 'select id from delivery tablesample system (1) limit 5000',
  writes: [
    'update delivery set attempts = attempts + 1, claimed_until = now() where id = $1',
    `insert into delivery (id, webhook_id, activation, event_id, event, body)
     select gen_random_uuid(), webhook_id, activation, gen_random_uuid(), event, body from delivery where id = $1`,
    `update webhook set quick_successes = quick_successes + 1
     where id = (select webhook_id from delivery where id = $1)`,
  ],
}

export const subjects = [files, webhooks]
