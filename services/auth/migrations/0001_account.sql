-- compatible
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
