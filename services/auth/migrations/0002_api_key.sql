-- compatible
-- Of a key only its SHA-256 digest is stored; key_prefix is for people to tell their keys apart.
create table api_key (
  id uuid primary key,
  account_id uuid not null references account (id),
  name text collate "C" not null,
  key_prefix text not null,
  digest bytea not null,
  scopes text[],
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  constraint api_key_digest unique (digest),
  constraint api_key_digest_is_sha256 check (length(digest) = 32),
  constraint api_key_scopes_not_empty check (scopes is null or cardinality(scopes) > 0)
);

create index api_key_by_creation on api_key (account_id, created_at, id);
create index api_key_by_name on api_key (account_id, name, id);
