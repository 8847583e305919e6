export const description = `Tideport keeps files in **vaults**. A file is uploaded straight to object storage (hot), copied to one or several
content-addressed storage networks, proved there by reading it back in full, and then removed from hot storage (cold).
It is readable all the time.

**Upload.** \`POST /api/files/upload\`, PUT the bytes to \`uploadUrl\`, \`POST /api/files/{fileId}/confirm\`.

**Authenticate** with \`Authorization: Bearer\` and an API key or a token of the identity provider. Public vaults need neither.

**Errors** are \`{ "error", "code", "details" }\`. Act on \`code\`; \`error\` is for people.

**HEAD.** Every GET also responds to HEAD, with the same status and headers and without a body.

**Lists** return \`nextCursor\` until the last page. **Times** are ISO 8601 in UTC. Ignore fields that you do not know.

**Rate limits** are in the \`RateLimit-*\` headers. After 429 and 503 wait for \`Retry-After\`. POSTs that create something take an
\`Idempotency-Key\` where listed.
`

export const tags = [
  { name: 'Files', description: 'Upload, read, change, delete; where a file’s copies are and what happened to it.' },
  { name: 'Vaults', description: 'Named sets of files, public or private.' },
  { name: 'Trash', description: 'What was deleted and can still be restored.' },
  { name: 'Jobs', description: 'What was asked for of many files and goes on by itself.' },
  { name: 'Public access', description: 'What anyone can read without credentials.' },
  { name: 'Links', description: 'Let people without an account read a file or a folder, or put files into one.' },
  { name: 'Webhooks', description: 'Tell your servers of events.' },
  { name: 'Events', description: 'What webhooks deliver.' },
  { name: 'API keys', description: 'Credentials for programs.' },
  { name: 'Account', description: 'Usage, limits and the audit log.' },
  {
    name: 'Operators',
    description: 'For those who run the installation, where it is configured (`OPERATOR_CLAIM`); 404 for all others.',
  },
  { name: 'Documentation', description: 'The description you are reading.' },
]
