-- compatible
-- Every table of schema auth: who an account is, its API keys, and what was done to it.

-- An account is whom an identity provider (issuer) knows by a name (subject); seen for the first time, it is made.
create table account (
  id uuid primary key,
  issuer text collate "C" not null,
  subject text collate "C" not null,
  created_at timestamptz(3) not null default now(),
  constraint account_identity unique (issuer, subject)
);
-- Development mode without headers: the lowest (created_at, id) is the first user.
create index account_first on account (created_at, id);

-- Of a key only its SHA-256 digest is stored; key_prefix is for people to tell their keys apart.
create table api_key (
  id uuid primary key,
  account_id uuid not null references account (id),
  -- The key that this one was made with (docs/adr/0060-a-key-made-with-a-key-ends-with-it.md); null where a login made it.
  parent_id uuid,
  name text collate "C" not null,
  key_prefix text not null,
  digest bytea not null,
  -- Null: all.
  scopes text[],
  -- Null: none; else all that it has, its own and those of the keys that it comes from
  -- (docs/adr/0077-limits-are-part-of-a-key.md).
  limits jsonb,
  -- What may be moved in a day, of each of those that has such a limit.
  budgets jsonb not null default '[]',
  created_at timestamptz(3) not null default now(),
  -- The life that was asked for, which whatever takes its place has as well; null: as long as may be.
  expires_in_days integer,
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  -- Created by a sign-in of the owner. It expires after hours and is no parent of other keys.
  is_session boolean not null default false,
  -- The access key ID of the S3 door; null: the key is not for S3.
  s3_access_key text collate "C" unique,
  -- Every request with a key: who is it?
  constraint api_key_digest unique (digest),
  constraint api_key_digest_is_sha256 check (length(digest) = 32),
  constraint api_key_scopes_not_empty check (scopes is null or cardinality(scopes) > 0)
);
-- Lists of an account's keys with the revoked ones, in either order …
create index api_key_by_creation on api_key (account_id, created_at, id);
create index api_key_by_name on api_key (account_id, name, id);
-- … and without them, however many were revoked.
create index api_key_in_use_by_creation on api_key (account_id, created_at, id) where revoked_at is null;
create index api_key_in_use_by_name on api_key (account_id, name, id) where revoked_at is null;
-- What a revocation goes along, however many were revoked before.
create index api_key_in_use_by_parent on api_key (parent_id) where parent_id is not null and revoked_at is null;

-- What was done to an account, by whom and from where (docs/adr/0046-what-was-done-is-kept-by-auth.md). No key leads to
-- what it is about: that may be gone, or another service's.
create table audit_event (
  id uuid primary key,
  account_id uuid not null,
  kind text not null,
  subject_id uuid not null,
  at timestamptz(3) not null default now(),
  method text not null,
  key_id uuid,
  key_prefix text,
  subject text,
  client_address text,
  request_id text,
  details jsonb not null
);
-- The log of an account, whole or of some kinds.
create index audit_event_by_time on audit_event (account_id, at, id);
create index audit_event_by_kind on audit_event (account_id, kind, at, id);
-- What was done to one key or webhook (operator audit).
create index audit_event_by_subject on audit_event (subject_id, at, id);
-- What is older than the log is kept, to be removed.
create index audit_event_by_age on audit_event (at);

-- Encrypts the cursors of lists (service-kit/http/list-cursor.ts) for all processes of the service.
create table cursor_key (
  singleton boolean primary key default true check (singleton),
  key bytea not null default sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
);
insert into cursor_key default values;

-- The owner of the installation: set-up in the browser, and sign-in with a passkey or the recovery code.

create table owner (
  singleton boolean primary key default true check (singleton),
  account_id uuid not null references account (id),
  -- SHA-256 of the recovery code. Each use replaces the code.
  recovery_digest bytea not null check (length(recovery_digest) = 32),
  recovery_created_at timestamptz(3) not null default now(),
  created_at timestamptz(3) not null default now()
);

-- All passkeys belong to the owner.
create table passkey (
  id uuid primary key,
  credential_id bytea not null,
  public_key bytea not null,
  -- The authenticator's count of its signatures. Many authenticators always report 0.
  counter bigint not null,
  transports text[] not null,
  name text collate "C" not null,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  constraint passkey_credential unique (credential_id)
);

-- The only token that opens the set-up. Completing the set-up deletes the row.
create table set_up_token (
  singleton boolean primary key default true check (singleton),
  digest bytea not null check (length(digest) = 32),
  created_at timestamptz(3) not null default now(),
  -- Null: a token of the log, which is valid while the installation has no account.
  expires_at timestamptz(3)
);

-- Challenges that a passkey has signed, until they expire. Unused challenges are not stored.
create table used_challenge (
  id uuid primary key,
  expires_at timestamptz(3) not null
);
