-- compatible
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
