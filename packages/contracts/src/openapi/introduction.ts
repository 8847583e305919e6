export const description = `Tideport keeps files in **vaults**. A file is uploaded directly to object storage (hot) and copied to one or several
content-addressed storage networks. Tideport proves each copy by reading it back in full, and then removes the file from
object storage (cold). The file is always readable.

**Upload.** \`POST /api/files/upload\`, PUT the bytes to \`uploadUrl\`, \`POST /api/files/{fileId}/confirm\`.

**Authenticate** with \`Authorization: Bearer\` and an API key or a token of the identity provider. Public vaults need neither.

**Errors** are \`{ "error", "code", "details" }\`. Act on \`code\`; \`error\` is for people.

**HEAD.** Every GET also responds to HEAD, with the same status and headers and without a body.

**Lists** return \`nextCursor\` until the last page. **Times** are ISO 8601 in UTC. Ignore unknown fields.

**Rate limits** are in the \`RateLimit-*\` headers. After 429 and 503, wait for \`Retry-After\`. POSTs that create something accept an
\`Idempotency-Key\` if listed.
`

export const tags = [
  { name: 'Files', description: 'Upload, read, change, and delete files. List their copies and history.' },
  { name: 'Vaults', description: 'Named sets of files, public or private.' },
  { name: 'Trash', description: 'Deleted files and vaults that can be restored.' },
  { name: 'Jobs', description: 'Long operations on many files, run in the background.' },
  { name: 'Public access', description: 'Read public files without credentials.' },
  { name: 'Links', description: 'Let people without an account read a file or a folder, or upload into a folder.' },
  { name: 'Webhooks', description: 'Notify your servers of events.' },
  { name: 'Events', description: 'Events that webhooks deliver.' },
  { name: 'API keys', description: 'Credentials for programs.' },
  {
    name: 'Sign-in',
    description: 'The identity provider, and the owner of an installation: set-up, passkeys, recovery code.',
  },
  { name: 'Account', description: 'Usage, limits, and the audit log.' },
  {
    name: 'Operators',
    description: 'For operators of the installation (`OPERATOR_CLAIM`) and its owner. 404 for everyone else.',
  },
  { name: 'Documentation', description: 'This description.' },
]
