import type { HeldLimits } from '@tideport/contracts/internal/key-limits'
import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import { expect } from 'vitest'
import { type Bundle, newAccount } from './bundle.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look at bodies of every shape
type Json = any

export interface Answer {
  status: number
  headers: Headers
  bytes: Buffer
  body: Json
}

interface CallOptions {
  json?: unknown
  /** A body that is not JSON. */
  body?: RequestInit['body']
  headers?: Record<string, string>
}

export const encryption = {
  wrappedKey: 'd3JhcHBlZA==',
  encryptionIv: 'aXY=',
  plaintextSizeBytes: 3,
  plaintextChecksumSha256: 'AB'.repeat(32),
}

/** Calls the service as one account. Default: a new account. */
export function clientOf(t: Bundle, accountId: string = newAccount(), rights: Partial<AccountPrincipal> = {}) {
  async function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    return await request(t, await t.principalHeaders(accountId, rights), method, path, options)
  }

  async function defaultVault(): Promise<string> {
    return (await call('GET', '/api/vaults')).body.vaults.at(-1).id
  }

  const createVault = async (name: string, visibility: 'public' | 'private'): Promise<Json> =>
    (await call('POST', '/api/vaults', { json: { name, visibility } })).body

  const requestUpload = (json: Record<string, unknown>) =>
    call('POST', '/api/files/upload', { json: { name: 'cat.png', mimeType: 'image/png', ...json } })

  /** Creates a confirmed file with these bytes. Default: in the default vault. */
  async function hotFile(bytes: string | Buffer, fields: Record<string, unknown> = {}): Promise<Json> {
    const vaultId = fields.vaultId ?? (await defaultVault())
    const upload = await requestUpload({ sizeBytes: Buffer.byteLength(bytes), ...fields, vaultId })
    if (upload.status !== 201) throw new Error(`The upload was refused: ${JSON.stringify(upload.body)}`)
    const stored = await put(upload.body, bytes)
    if (!stored.ok) throw new Error(`The store refused the PUT: ${stored.status} ${await stored.text()}`)
    const { fileId, uploadUrl, headers } = upload.body
    const confirmed = await call('POST', `/api/files/${fileId}/confirm`)
    if (confirmed.status !== 200) throw new Error(`Not confirmed: ${JSON.stringify(confirmed.body)}`)
    return { ...confirmed.body, upload: { uploadUrl, headers } }
  }

  const pages = (path: string) => allPages((page) => call('GET', page), path)

  return { accountId, call, pages, defaultVault, createVault, requestUpload, hotFile }
}

export type Client = ReturnType<typeof clientOf>

export type Limits = Partial<HeldLimits>
const unlimited: HeldLimits = { vaultIds: null, prefixes: null, verbs: null, budgets: [] }

/** A key of the account with only these limits. */
export function limitedKey(t: Bundle, { accountId }: Client, limits: Limits, keyId = newAccount()) {
  return clientOf(t, accountId, { keyId, keyPrefix: 'tdp_keys', limits: { ...unlimited, ...limits } })
}

/** The bodies of all pages of the list at a path with a query. */
export async function allPages(read: (path: string) => Promise<Answer>, path: string): Promise<Json[]> {
  const pages: Json[] = []
  for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1).nextCursor) {
    const { status, body } = await read(cursor === '' ? path : `${path}&cursor=${encodeURIComponent(cursor)}`)
    expect(status, path).toBe(200)
    pages.push(body)
  }
  return pages
}

const columns = {
  ...{ name: 'n::text', mime_type: `'text/plain'`, size_bytes: '1', status: `'cold'` },
  ...{ upload_key: `'k'`, upload_expires_at: 'now()', confirmed_at: 'now()' },
}

/** Inserts rows of files without bytes. `more`: SQL expressions by column, in which `n` is the number of the file. */
export async function insertFiles(
  { database }: Bundle,
  { accountId, vaultId }: { accountId: string; vaultId: string },
  count: number,
  more: Record<string, string> = {},
) {
  const all = Object.entries({ id: 'gen_random_uuid()', account_id: '$1', vault_id: '$2', ...columns, ...more })
  await database.sql(
    `insert into file (${all.map(([name]) => name)}) select ${all.map(([, value]) => value)}
     from generate_series(1, $3::int) as n`,
    [accountId, vaultId, count],
  )
}

/** Calls the service as the public, without an account. */
export function visitorOf(t: Bundle) {
  return async (path: string, options: CallOptions & { method?: string } = {}): Promise<Answer> =>
    request(t, await t.principalHeaders(), options.method ?? 'GET', path, options)
}

/** PUTs bytes to the URL of an upload, like the client that requested it. */
export function put(upload: { uploadUrl: string; headers: Record<string, string> }, bytes: string | Buffer) {
  return fetch(upload.uploadUrl, { method: 'PUT', body: new Uint8Array(Buffer.from(bytes)), headers: upload.headers })
}

async function request(
  t: Bundle,
  principal: Record<string, string>,
  method: string,
  path: string,
  { json, body, headers = {} }: CallOptions,
): Promise<Answer> {
  const sent = json === undefined ? body : JSON.stringify(json)
  const init = {
    ...{ method, redirect: 'manual', duplex: 'half', ...(sent !== undefined && { body: sent }) },
    headers: { ...principal, ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
  }
  const response = await fetch(new URL(path, t.address), init as RequestInit)
  const bytes = Buffer.from(await response.arrayBuffer())
  const isJson = response.headers.get('content-type') === 'application/json; charset=utf-8' && bytes.length > 0
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    body: isJson ? JSON.parse(bytes.toString()) : undefined,
  }
}
