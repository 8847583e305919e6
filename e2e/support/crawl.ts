import type { Answer, ApiClient } from './api-client.ts'
import { random, type Side, same, type Twin, type Values } from './foreign-values.ts'
import { committedDescription } from './operations.ts'
import { marker, type RichAccount } from './rich-account.ts'

type Parameter = { name: string; in: string }
type Described = { operationId: string; description?: string; parameters?: Parameter[]; requestBody?: object }

export type Crawled = {
  id: string
  method: string
  path: string
  inPath: string[]
  inQuery: string[]
  hasBody: boolean
}

const description = committedDescription() as { paths: Record<string, Record<string, Described>> }

export const crawled: readonly Crawled[] = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId: id, parameters = [], ...more }]) => {
    const named = (place: string) => parameters.filter((one) => one.in === place).map(({ name }) => name)
    const pairs = more.description?.includes('`meta.KEY=VALUE`') ? [`meta.${marker}`] : []
    const inQuery = [...named('query'), ...pairs]
    return { id, method: method.toUpperCase(), path, inPath: named('path'), inQuery, hasBody: 'requestBody' in more }
  }),
)

export const isRead = ({ method }: Crawled) => method === 'GET' || method === 'HEAD'

/** The values of a parameter. A parameter that the tables do not have fails the crawl. */
export function valuesOf(values: Values, name: string, { id }: Crawled): Twin[] {
  const found = values[name]
  if (!found) throw new Error(`${id} has a parameter ${name} that the crawl does not know. Add it to e2e/support/foreign-values.ts`) // biome-ignore format: one line
  return found
}

type Ids = Record<string, string>

export type Request = {
  operation: Crawled
  path: Record<string, Twin>
  query: [string, Twin][]
  body?: ((ids: Ids) => object) | undefined
  /** The values that the body names. */
  inBody: Record<string, Twin>
}

/** Cursors have requests of their own. A client's ID is unique in the system, so its 409 is documented. */
const without = new Set(['cursor', 'id'])

/** Filters that the other parameters are combined with. */
const bases: string[][] = [
  [],
  ['vaultId'],
  ['vaultId', 'prefix'],
  ['vaultId', 'delimiter'],
  ['vaultId', 'prefix', 'delimiter'],
  ['prefix'],
  ['prefix', 'delimiter'],
  ['expires', 'signature'],
  ['kind'],
]

/** Queries of an operation: each base alone, and with each value of each other parameter. */
export function queriesOf(values: Values, operation: Crawled): [string, Twin][][] {
  const of = (name: string) => valuesOf(values, name, operation)
  const first = (name: string): [string, Twin] => [name, of(name)[0] as Twin]
  const fitting = bases.filter((names) => names.every((name) => operation.inQuery.includes(name)))
  return fitting.flatMap((names) => {
    const base = names.map(first)
    const others = operation.inQuery.filter((name) => !names.includes(name) && !without.has(name))
    const one = others.flatMap((name) => of(name).map((value): [string, Twin][] => [...base, [name, value]]))
    const varied = names.flatMap(
      (name) =>
      of(name).slice(1).map((value): [string, Twin][] => base.map((pair) => (pair[0] === name ? [name, value] : pair))), // biome-ignore format: one line
    )
    return [base, ...one, ...varied]
  })
}

/** Headers that differ between equal requests. */
const volatile = /^(date|x-request-id|connection|keep-alive|ratelimit.*|traceparent)$/

export async function send(client: ApiClient, request: Omit<Request, 'inBody'> & Partial<Request>, side: Side) {
  const { operation, path, query, body, inBody = {} } = request
  const target = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => (path[name] as Twin)[side])
  const search = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value[side]])).toString()
  const ids = Object.fromEntries(Object.entries(inBody).map(([name, value]) => [name, value[side]]))
  const sent = body ? { body: body(ids) } : {}
  return await client.call<unknown>(operation.method, search ? `${target}?${search}` : target, sent)
}

/** Everything about a response except what differs between equal requests, with the named values replaced. */
export function comparable({ status, headers, text }: Answer<unknown>, named: Twin[]) {
  const mask = (written: string) =>
    named.reduce((left, { real, absent }, number) => {
      if (real === absent) return left
      const forms = [real, absent].flatMap((value) => [value, encodeURIComponent(value)])
      return forms.reduce((rest, form) => rest.replaceAll(form, `<${number}>`), left)
    }, written)
  const kept = [...headers].filter(([name]) => !volatile.test(name)).map((pair) => mask(pair.join(': ')))
  return { status, headers: kept, text: mask(text).replace(times, '"…"') }
}

/** The times when a key was last used and when a manifest was created. */
const times = /(?<="lastUsedAt":)("[^"]*"|null)|(?<="createdAt":)"[^"]*"(?=,"networks")/g

/** Decodes the parts of a text that may be encoded. */
export function decoded(text: string): string {
  const encoded = text.match(/[\w+/=-]{16,}/g) ?? []
  return encoded.map((part) => Buffer.from(part, 'base64url').toString('latin1')).join('\n')
}

/** Bodies that change nothing: for requests whose path names objects of the rich account. */
const bodies: Record<string, (ids: Ids) => object> = {
  renewUploadUrls: () => ({ partNumbers: [1] }),
  updateFile: ({ vaultId }) => ({ vaultId }),
  updateVault: () => ({ name: 'Mine' }),
  updateWebhook: () => ({ active: true }),
  rotateApiKey: () => ({ overlapSeconds: 3600 }),
  moveFiles: ({ fileId }) => ({ ids: [fileId], to: 'nowhere/' }),
  copyFiles: ({ prefix }) => ({ prefix, to: 'nowhere/' }),
  trashFiles: ({ prefix }) => ({ prefix }),
  restoreFiles: ({ fileId }) => ({ ids: [fileId] }),
  publishFiles: ({ fileId }) => ({ ids: [fileId] }),
  deleteFiles: ({ fileId }) => ({ ids: [fileId] }),
  createDownloadUrls: ({ fileId }) => ({ ids: [fileId] }),
  createFileLink: () => ({}),
  createFolderLink: ({ prefix }) => ({ prefix }),
  unlockLink: () => ({ password: `${marker}-password` }),
  requestUpload: ({ vaultId }) => ({ name: 'a', mimeType: 'text/plain', sizeBytes: 1, vaultId }),
  readUploadCost: ({ vaultId }) => ({ sizeBytes: 1, vaultId }),
  beginSetUp: () => ({ token: marker }),
  completeSetUp: () => ({ token: marker }),
  signInWithPasskey: () => ({}),
  signInWithRecoveryCode: () => ({ recoveryCode: marker }),
  addPasskey: () => ({}),
  renamePasskey: () => ({ name: 'Mine' }),
  startRun: () => ({}),
  redriveDeadLetters: () => ({}),
  redriveDeliveries: () => ({}),
}

/** Operations that change the caller's own account and take no ID. */
const ownAccount = new Set(['createVault', 'createApiKey', 'createWebhook', 'exportAccount', 'emptyTrash'])

/** Bodies that name objects of the rich account, for requests whose path names objects of the caller. */
const inOwn: Record<string, (ids: Ids) => object> = {
  updateFile: ({ vaultId }) => ({ vaultId }),
  moveFiles: ({ fileId }) => ({ ids: [fileId], to: 'nowhere/' }),
  copyFiles: ({ vaultId }) => ({ prefix: 'none/', to: 'nowhere/', toVaultId: vaultId }),
  trashFiles: ({ fileId }) => ({ ids: [fileId] }),
  restoreFiles: ({ fileId }) => ({ ids: [fileId] }),
  publishFiles: ({ fileId }) => ({ ids: [fileId] }),
  deleteFiles: ({ fileId }) => ({ ids: [fileId] }),
  createDownloadUrls: ({ fileId }) => ({ ids: [fileId] }),
}

type Tables = { inPath: Values; inQuery: Values }

/** Every request of the crawl without a cursor. `own` has the IDs of objects of the caller. */
export function requestsOf({ inPath, inQuery }: Tables, own: Ids): Request[] {
  const inBody = { fileId: inPath.fileId?.[0], vaultId: inPath.vaultId?.[0], prefix: inQuery.prefix?.[0] } as Record<string, Twin> // biome-ignore format: one line
  return crawled
    .filter(({ id }) => !ownAccount.has(id))
    .flatMap((operation): Request[] => {
      const { id, hasBody } = operation
      const written = bodies[id]
      if (hasBody && !written && !/Content$/.test(id))
        throw new Error(`${id} has a body that the crawl does not know. Add it to e2e/support/crawl.ts`)
      const firsts = Object.fromEntries(operation.inPath.map((name) => [name, valuesOf(inPath, name, operation)[0] as Twin])) // biome-ignore format: one line
      const others = operation.inPath.flatMap((name) => [
        ...valuesOf(inPath, name, operation).slice(1).map((value) => ({ ...firsts, [name]: value })), // biome-ignore format: one line
        ...(operation.inPath.length > 1 && own[name] ? [{ ...firsts, [name]: same(own[name])[0] as Twin }] : []),
      ])
      const body = written
      const ownPath = Object.fromEntries(operation.inPath.map((name) => [name, same(own[name] ?? 'none')[0] as Twin]))
      const isRest = isRead(operation) || operation.inPath.length < 2 // The path of a file in the caller's vault is no ID.
      return [
        ...queriesOf(inQuery, operation).map((query) => ({ operation, path: firsts, query, body, inBody })),
        ...(isRest || id === 'redeliver' ? others : []).map((path) => ({ operation, path, query: [], body, inBody })),
        ...(inOwn[id] ? [{ operation, path: ownPath, query: [], body: inOwn[id], inBody }] : []),
      ]
    })
}

/** Requests with cursors of the owner, of full pages and of pages that were cut; `cut` has how many of the latter. */
export async function cursorRequests({ client }: RichAccount, { inPath, inQuery }: Tables) {
  const requests: Request[] = []
  let cut = 0
  const some = { real: '', absent: '' }
  for (const operation of crawled.filter((one) => isRead(one) && one.inQuery.includes('cursor'))) {
    const path = Object.fromEntries(operation.inPath.map((name) => [name, valuesOf(inPath, name, operation)[0] as Twin])) // biome-ignore format: one line
    const fitting = bases.filter((names) => names.every((name) => operation.inQuery.includes(name)))
    const paged = operation.inQuery.includes('limit') ? same('1').map((one): [string, Twin] => ['limit', one]) : []
    const searches = operation.inQuery.includes('q') ? [[], same('~~').map((one): [string, Twin] => ['q', one])] : [[]]
    for (const names of fitting) {
      for (const search of searches) {
        const base = [...names.map((name): [string, Twin] => [name, valuesOf(inQuery, name, operation)[0] as Twin]), ...search] // biome-ignore format: one line
        const { text, body } = await send(client, { operation, path, query: [...base, ...paged] }, 'real')
        const { files, folders = [] } = (body ?? {}) as { files?: object[]; folders?: object[] }
        const real = /"(?:nextCursor|cursor)":"([^"]+)"/.exec(text)?.[1]
        if (real && files && files.length + folders.length === 0) cut++
        if (real) Object.assign(some, random(real))
        requests.push({ operation, path, query: [...base, ['cursor', real ? random(real) : some]], inBody: {} })
      }
    }
  }
  return { requests, cut }
}
