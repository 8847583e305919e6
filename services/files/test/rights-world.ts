import type { effects } from '@tideport/contracts/internal/effects'
import type { Bundle } from './bundle.ts'
import { clientOf, put } from './client.ts'

/** A part of every name, label, and folder of the owner. Requests never send it. */
export const SECRET = 'confidential'

type Owner = ReturnType<typeof clientOf>

/** An account with every kind of resource that a request can concern. */
export async function createWorld(t: Bundle) {
  const owner = clientOf(t)
  const { id: vaultId } = await owner.createVault(`${SECRET} vault`, 'public')
  const { id: otherId } = await owner.createVault(`${SECRET} other`, 'public')
  const trashedVault = await owner.createVault(`${SECRET} trash`, 'public')
  await owner.call('DELETE', `/api/vaults/${trashedVault.id}`)
  const at = (path: string, more: object = {}) => ({ vaultId, name: undefined, path, ...labels, ...more })
  const [file, occupant, trashed, open, replacing, replaced] = await Promise.all([
    sendFile(owner, vaultId, `${SECRET}/file`),
    sendFile(owner, vaultId, 'taken'),
    sendFile(owner, vaultId, `${SECRET}/bin`),
    openUpload(owner, at(`${SECRET}/open`)),
    openUpload(owner, at('taken', { onConflict: 'replace' })),
    sendFile(owner, vaultId, `${SECRET}/chain`),
  ])
  const present = await sendFile(owner, vaultId, `${SECRET}/chain`, 'replace')
  await owner.call('DELETE', `/api/files/${trashed}`)
  const link = (await owner.call('POST', `/api/files/${file}/links`, { json: {} })).body
  const job = (await owner.call('POST', `/api/vaults/${vaultId}/move`, { json: { prefix: `${SECRET}/none/`, to: `${SECRET}/` } })).body.job // biome-ignore format: one request
  const vaults = { vaultId, otherId, trashedVaultId: trashedVault.id as string }
  const files = { fileId: file, occupantId: occupant, trashedId: trashed, replacedId: replaced, presentId: present }
  const uploads = { openId: open, replacingId: replacing }
  return { owner, ...vaults, ...files, ...uploads, linkId: link.id as string, jobId: job.id as string }
}

export type World = Awaited<ReturnType<typeof createWorld>>

/** The rows of a world. Triggers create further rows. */
const conditions = {
  account: 'id = $1',
  vault: 'account_id = $1',
  file: 'account_id = $1',
  copy: 'file_id in (select id from file where account_id = $1)',
  link: 'account_id = $1',
  account_job: 'account_id = $1',
}

export async function rowsOf(t: Bundle, accountId: string): Promise<Record<string, object[]>> {
  const rows: Record<string, object[]> = {}
  for (const [table, where] of Object.entries(conditions)) {
    const read = `select to_jsonb(${table}) - 'path' - 'key' - 'place' as row from ${table} where ${where} order by 1` // without generated columns
    rows[table] = (await t.database.sql<{ row: object }>(read, [accountId])).map(({ row }) => row)
  }
  return rows
}

/**
 * Creates copies of a world by SQL, each in a separate account, because requests would take ten times as long. The
 * copies share the objects in the store, so a request that reads an open upload from the store needs a world of
 * `createWorld`.
 */
export async function worldsLike(t: Bundle, { owner, ...ids }: World): Promise<() => Promise<World>> {
  const rows = await rowsOf(t, owner.accountId)
  const template = JSON.stringify({ ids, accountId: owner.accountId, rows })
  const inserts = Object.entries(rows).map(([table, [first = {}]]) => {
    const columns = Object.keys(first).join()
    const copies = `jsonb_populate_recordset(null::${table}, $1::jsonb -> '${table}')`
    return `inserted_${table} as (insert into ${table} (${columns}) select ${columns} from ${copies})`
  })
  return async () => {
    const end = crypto.randomUUID().slice(-10)
    // Replaces the ends of all IDs, which are purely random, and the beginnings of digests.
    const copy = JSON.parse(template.replaceAll(/("[\da-f]{8}-[\da-f-]{17}|"\\\\x)[\da-f]{10}/g, `$1${end}`))
    await t.database.sql(`with ${inserts.join()} select`, [JSON.stringify(copy.rows)])
    return { ...copy.ids, owner: clientOf(t, copy.accountId) }
  }
}

const labels = { tags: [SECRET], metadata: { note: SECRET }, mimeType: `image/${SECRET}` }

async function sendFile(owner: Owner, vaultId: string, path: string, onConflict = 'keep'): Promise<string> {
  const query = new URLSearchParams({ tag: SECRET, 'meta.note': SECRET, onConflict })
  const headers = { 'content-type': labels.mimeType }
  const sent = await owner.call('PUT', `/api/vaults/${vaultId}/content/${path}?${query}`, { json: path, headers })
  if (sent.status !== 201) throw new Error(`No file: ${JSON.stringify(sent.body)}`)
  return sent.body.id
}

async function openUpload(owner: Owner, json: Record<string, unknown>): Promise<string> {
  const { status, body } = await owner.requestUpload({ sizeBytes: 4, ...json })
  if (status !== 201 || !(await put(body, 'open')).ok) throw new Error(`No upload: ${JSON.stringify(body)}`)
  return body.fileId
}

export interface Request {
  /** The endpoint, and the special case of the request. */
  name: string
  method: string
  path: string
  json?: object
}

type Asked = readonly [what: string, method: string, path: string, json?: object]

const soon = () => new Date(Date.now() + 60_000).toISOString()

/** Requests to every writing endpoint, with every option that may have an additional effect. */
export function requestsIn(world: World): Request[] {
  const { vaultId, otherId, fileId, occupantId, replacedId, trashedId, openId, replacingId, linkId, jobId } = world
  const [file, vault] = [`/api/files/${fileId}`, `/api/vaults/${vaultId}`]
  const upload = { vaultId, mimeType: 'text/plain', sizeBytes: 1 }
  const asked: Record<keyof typeof effects, readonly Asked[]> = {
    'POST /api/files/upload': [
      ['', 'POST', '/api/files/upload', { ...upload, name: 'new' }],
      ['where the path is taken', 'POST', '/api/files/upload', { ...upload, name: 'taken', onConflict: 'fail' }],
      ['that replaces', 'POST', '/api/files/upload', { ...upload, name: 'taken', onConflict: 'replace' }],
      ['of a file that expires', 'POST', '/api/files/upload', { ...upload, name: 'new', expiresAt: soon() }],
    ],
    'POST /api/files/:fileId/upload-urls': [['', 'POST', `/api/files/${openId}/upload-urls`, { partNumbers: [1] }]],
    'GET /api/files/:fileId/parts': [['', 'GET', `/api/files/${openId}/parts`]],
    'POST /api/files/:fileId/confirm': [
      ['', 'POST', `/api/files/${openId}/confirm`],
      ['that replaces', 'POST', `/api/files/${replacingId}/confirm`],
      ['of a hot file', 'POST', `${file}/confirm`],
    ],
    'GET /internal/vaults/:vaultId/content/*path': [
      ['', 'GET', `/internal/vaults/${vaultId}/content/new`],
      ['where the path is taken', 'GET', `/internal/vaults/${vaultId}/content/taken?onConflict=fail`],
      ['that replaces', 'GET', `/internal/vaults/${vaultId}/content/taken?onConflict=replace`],
      ['of a file that expires', 'GET', `/internal/vaults/${vaultId}/content/new?expiresAt=${soon()}`],
    ],
    'PUT /api/vaults/:vaultId/content/*path': contentRequests('PUT', vault),
    'POST /api/vaults/:vaultId/content/*path': contentRequests('POST', vault),
    'PATCH /api/files/:fileId': [
      ['', 'PATCH', file, { name: 'renamed' }],
      ['where the path is taken', 'PATCH', file, { path: 'taken', onConflict: 'fail' }],
      ['that replaces', 'PATCH', file, { path: 'taken', onConflict: 'replace' }],
      ['that expires', 'PATCH', file, { expiresAt: soon() }],
      ['that never expires', 'PATCH', file, { expiresAt: null }],
      ['to another vault', 'PATCH', file, { vaultId: otherId }],
      ['of an upload', 'PATCH', `/api/files/${openId}`, { path: 'taken' }],
      ['of an upload, that replaces', 'PATCH', `/api/files/${openId}`, { path: 'taken', onConflict: 'replace' }],
      ['of an upload that replaces', 'PATCH', `/api/files/${replacingId}`, { path: 'elsewhere' }],
      ['of an upload that replaces, in another vault', 'PATCH', `/api/files/${replacingId}`, { vaultId: otherId }],
      [
        'of an upload that no longer replaces a file',
        'PATCH',
        `/api/files/${replacingId}`,
        { path: 'x', onConflict: 'keep' },
      ],
    ],
    'POST /api/files/:fileId/retry': [['', 'POST', `${file}/retry`]],
    'POST /api/files/:fileId/rehydrate': [['', 'POST', `${file}/rehydrate`]],
    'POST /api/files/:fileId/restore': [
      ['', 'POST', `/api/files/${trashedId}/restore`],
      ['that was replaced', 'POST', `/api/files/${replacedId}/restore`],
      ['that is not in the trash', 'POST', `${file}/restore`],
    ],
    'DELETE /api/files/:fileId': [
      ['', 'DELETE', file],
      ['permanently', 'DELETE', `${file}?permanent=true`],
      ['in the trash', 'DELETE', `/api/files/${trashedId}`],
      ['that is being uploaded', 'DELETE', `/api/files/${openId}`],
    ],
    'DELETE /api/trash': [['', 'DELETE', '/api/trash']],
    'POST /api/vaults/:vaultId/move': [
      ['', 'POST', `${vault}/move`, { ids: [fileId], to: 'moved/' }],
      ['by prefix', 'POST', `${vault}/move`, { prefix: '', to: 'moved/' }],
      ['that replaces', 'POST', `${vault}/move`, { ids: [fileId, occupantId], to: 'moved/', onConflict: 'replace' }],
      ['by prefix, that replaces', 'POST', `${vault}/move`, { prefix: '', to: 'moved/', onConflict: 'replace' }],
    ],
    'POST /api/vaults/:vaultId/copy': [
      ['', 'POST', `${vault}/copy`, { ids: [fileId], to: 'copied/' }],
      ['that replaces', 'POST', `${vault}/copy`, { prefix: '', to: 'copied/', onConflict: 'replace' }],
    ],
    'POST /api/vaults/:vaultId/trash': [
      ['', 'POST', `${vault}/trash`, { ids: [fileId] }],
      ['by prefix', 'POST', `${vault}/trash`, { prefix: '' }],
    ],
    'POST /api/vaults/:vaultId/restore-files': [
      ['', 'POST', `${vault}/restore-files`, { ids: [trashedId] }],
      ['that were replaced', 'POST', `${vault}/restore-files`, { ids: [replacedId] }],
      ['by prefix', 'POST', `${vault}/restore-files`, { prefix: '' }],
    ],
    'POST /api/vaults/:vaultId/publish': [
      ['', 'POST', `${vault}/publish`, { ids: [fileId] }],
      ['by prefix', 'POST', `${vault}/publish`, { prefix: '' }],
    ],
    'POST /api/vaults/:vaultId/delete': [
      ['', 'POST', `${vault}/delete`, { ids: [fileId] }],
      ['by prefix', 'POST', `${vault}/delete`, { prefix: 't' }],
    ],
    'POST /api/jobs/:jobId/cancel': [['', 'POST', `/api/jobs/${jobId}/cancel`]],
    'POST /api/account/export': [['', 'POST', '/api/account/export', { filesExpireAfterSeconds: 60 }]],
    'PUT /api/vaults/:vaultId/folders/*path': [['', 'PUT', `${vault}/folders/empty`]],
    'DELETE /api/vaults/:vaultId/folders/*path': [['', 'DELETE', `${vault}/folders/empty`]],
    'POST /api/vaults': [
      ['', 'POST', '/api/vaults', { name: 'New', visibility: 'public', filesExpireAfterSeconds: 60 }],
    ],
    'PATCH /api/vaults/:vaultId': [
      ['', 'PATCH', vault, { description: 'Changed' }],
      ['whose files expire', 'PATCH', vault, { filesExpireAfterSeconds: 60 }],
      ['whose files never expire', 'PATCH', vault, { filesExpireAfterSeconds: null }],
    ],
    'DELETE /api/vaults/:vaultId': [
      ['with its files', 'DELETE', `${vault}?force=true`],
      ['that is not empty', 'DELETE', vault],
    ],
    'POST /api/vaults/:vaultId/restore': [['', 'POST', `/api/vaults/${world.trashedVaultId}/restore`]],
    'POST /api/files/:fileId/links': [['', 'POST', `${file}/links`, {}]],
    'POST /api/vaults/:vaultId/links': [
      ['', 'POST', `${vault}/links`, { prefix: '' }],
      ['to upload', 'POST', `${vault}/links`, { prefix: '', upload: { maxFiles: 1, maxFileBytes: 1, maxBytes: 1 } }],
    ],
    'DELETE /api/links/:linkId': [['', 'DELETE', `/api/links/${linkId}`]],
  }
  return Object.entries(asked).flatMap(([route, list]) =>
    list.map(([what, method, path, json]) => ({
      name: `${route} ${what}`.trim(),
      method,
      path,
      ...(json && { json }),
    })),
  )
}

function contentRequests(method: string, vault: string): Asked[] {
  return [
    ['', method, `${vault}/content/new`, {}],
    ['where the path is taken', method, `${vault}/content/taken?onConflict=fail`, {}],
    ['that replaces', method, `${vault}/content/taken?onConflict=replace`, {}],
    ['of a file that expires', method, `${vault}/content/new?expiresAt=${soon()}`, {}],
  ]
}
