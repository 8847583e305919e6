import { isFullRun } from '@tideport/testing/full-run'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { anonymous, createKey, createVault, withToken } from './support/account.ts'
import type { ApiClient } from './support/api-client.ts'
import {
  comparable,
  crawled,
  cursorRequests,
  decoded,
  isRead,
  type Request,
  requestsOf,
  send,
  valuesOf,
} from './support/crawl.ts'
import { pathValues, queryValues, type Twin } from './support/foreign-values.ts'
import { operations } from './support/operations.ts'
import type { Webhook } from './support/resources.ts'
import { type RichAccount, richAccount, vaultMarker, visiblePrefix } from './support/rich-account.ts'
import { freshAccount } from './support/shared-stack.ts'
import { uniqueBytes, untilStatus, uploadFile } from './support/uploads.ts'

type Caller = {
  name: string
  client: ApiClient
  /** A key whose limits name values that do not exist instead of the owner's. */
  absentClient?: ApiClient
  /** The values in those limits. */
  limits?: Twin[]
  /** IDs of the caller's own objects. */
  own: Record<string, string>
  /** Parameters whose values the caller may know. */
  knows?: string[]
  /** Operations that the caller may use on the owner's objects. */
  except?: string[]
  /** The caller is a key of the owner. */
  isOwners?: boolean
  /** Sends only reads, because the caller may change some of the owner's objects. */
  readsOnly?: boolean
  /** Uses only public routes, because requests without credentials act as the first user in development mode. */
  isAnonymous?: boolean
}

type Named = Record<string, Twin>

/** Callers with different rights. `npm run test:full` has them all. */
const unlike = new Set([
  ...['another account', 'a foreign key for both', 'no account'],
  ...['a key for another vault', 'a key for a prefix', 'a key to upload', 'a revoked key'],
])

let rich: RichAccount
let tables: { inPath: ReturnType<typeof pathValues>; inQuery: ReturnType<typeof queryValues> }

beforeAll(async () => {
  rich = await richAccount()
  tables = { inPath: pathValues(rich), inQuery: queryValues(rich) }
})
afterAll(() => rich?.[Symbol.asyncDispose]())

const keyOf = async (client: ApiClient, limits: object) => withToken(client, (await createKey(client, { limits })).key)

const needsNoAccount = new Set(operations.filter(({ scope }) => scope === null).map(({ id }) => id))

/** The differences and leaks that a caller sees. */
async function crawl(caller: Caller, requests: Request[]): Promise<string[]> {
  const { client, absentClient = client, knows = [], limits = [] } = caller
  const hidden = rich.hidden.filter((one) => !knows.includes('vaultId') || !seenWithPrefix().includes(one))
  const found: string[] = []
  for (const request of requests) {
    const { operation } = request
    if (caller.isOwners && needsNoAccount.has(operation.id)) continue
    if (caller.isAnonymous && !needsNoAccount.has(operation.id)) continue
    if (caller.readsOnly && !isRead(operation)) continue
    const knownTo = ([name, value]: [string, Twin]): [string, Twin] => [name, knows.includes(name) ? { real: value.real, absent: value.real } : value] // biome-ignore format: one line
    const [path, inBody] = [request.path, request.inBody].map((of) => Object.fromEntries(Object.entries(of).map(knownTo))) as [Named, Named] // biome-ignore format: one line
    const sent = { ...request, path, inBody, query: request.query.map(knownTo) }
    const [real, absent] = [await send(client, sent, 'real'), await send(absentClient, sent, 'absent')]
    const named = [...Object.values(path), ...Object.values(inBody), ...sent.query.map(([, value]) => value), ...limits]
    const [ofReal, ofAbsent] = [comparable(real, named), comparable(absent, named)]
    const what = `${caller.name}: ${operation.id} ${JSON.stringify(path)} ${JSON.stringify(sent.query)}`
    const isExcepted = caller.except?.includes(operation.id)
    if (real.status >= 500) found.push(`${what} fails: ${JSON.stringify(ofReal)}`)
    if (!isExcepted && JSON.stringify(ofReal) !== JSON.stringify(ofAbsent))
      found.push(`${what}\n${JSON.stringify(ofReal)}\n${JSON.stringify(ofAbsent)}`)
    const told = `${JSON.stringify(ofReal)}\n${decoded(ofReal.text)}`
    const leaked = hidden.filter((one) => told.includes(one))
    if (leaked.length > 0) found.push(`${what} shows ${leaked}: ${JSON.stringify(ofReal)}`)
  }
  return found
}

/** Values of the owner's vaults, which keys that are limited to prefixes may see. */
const seenWithPrefix = () => [vaultMarker, rich.userId, ...Object.values(rich.vaults).map(({ id }) => id)]

/** Another account with its own objects, which no longer change. */
async function settledStranger() {
  const client = freshAccount()
  const vault = await createVault(client, 'public')
  const file = await uploadFile(client, { vaultId: vault.id, bytes: uniqueBytes(10) })
  await untilStatus(client, file.id, 'cold')
  const hook = { url: 'http://127.0.0.1:9/', events: ['vault.created'], active: false }
  const { body: webhook } = await client.post<Webhook>('/api/webhooks', hook)
  await waitFor(async () => (await client.get('/api/account/events')).text.includes(webhook.id), {
    what: 'the webhook in the audit log, which webhooks sends later',
  })
  return { client, own: { vaultId: vault.id, fileId: file.id, webhookId: webhook.id } }
}

async function strangers(): Promise<Caller[]> {
  const { client, own } = await settledStranger()
  const [vaultId, prefix] = [tables.inPath.vaultId?.[0] as Twin, tables.inQuery.prefix?.[0] as Twin]
  const pair = async (name: string, limits: Twin[], limit: (side: keyof Twin) => object): Promise<Caller> => {
    const [real, absent] = [await keyOf(client, limit('real')), await keyOf(client, limit('absent'))]
    return { name, client: real, absentClient: absent, limits, own }
  }
  return [
    { name: 'another account', client, own, limits: [vaultId, prefix] },
    await pair("a foreign key for the owner's vault", [vaultId], (side) => ({ vaultIds: [vaultId[side]] })),
    await pair("a foreign key for the owner's prefix", [prefix], (side) => ({ prefixes: [prefix[side]] })),
    await pair('a foreign key for both', [vaultId, prefix], (side) => ({
      vaultIds: [vaultId[side]],
      prefixes: [prefix[side]],
    })),
  ]
}

async function keysOfOwner(): Promise<Caller[]> {
  const { client, vaults, files } = rich
  const openOwn = { vaultId: vaults.open.id, fileId: files.open.id }
  const prefixOwn = { vaultId: vaults.rich.id, fileId: files.visible.id }
  const knows = ['vaultId', 'userId', 'vaultSlug']
  return [
    { name: 'a key for another vault', client: await keyOf(client, { vaultIds: [vaults.open.id] }), own: openOwn, isOwners: true }, // biome-ignore format: one line
    { name: 'a key for no prefix', client: await keyOf(client, { prefixes: ['zq-none/'] }), own: {}, isOwners: true, knows }, // biome-ignore format: one line
    { name: 'a key for a prefix', client: await keyOf(client, { prefixes: [visiblePrefix] }), own: prefixOwn, isOwners: true, knows, except: ['updateFile'] }, // biome-ignore format: one line
  ]
}

async function keysByVerb(): Promise<Caller[]> {
  const { client } = rich
  const verbs = ['upload', 'change', 'delete', 'share'].map(async (verb): Promise<Caller> => {
    const key = await keyOf(client, { verbs: [verb] })
    const except = verb === 'upload' ? ['listUploadedParts'] : []
    return { name: `a key to ${verb}`, client: key, own: {}, isOwners: true, readsOnly: true, except }
  })
  const revoked = await createKey(client)
  await client.delete(`/api/auth/api-keys/${revoked.id}`)
  return [
    ...(await Promise.all(verbs)),
    { name: 'a revoked key', client: withToken(client, revoked.key), own: {}, isOwners: true },
  ]
}

test('the owner sees its objects with these requests and receives cursors of partial pages', async () => {
  const empty: string[] = []
  // Most files are rows without bytes, so an archive of them fails.
  const reads = crawled.filter(
    ({ id, method }) =>
      method === 'GET' && operations.some((one) => one.id === id && one.scope) && id !== 'readArchive',
  )
  for (const operation of reads) {
    const path = Object.fromEntries(operation.inPath.map((name) => [name, valuesOf(tables.inPath, name, operation)[0] as Twin])) // biome-ignore format: one line
    const { status, text } = await send(rich.client, { operation, path, query: [] }, 'real')
    if (status !== 200 || !rich.hidden.some((one) => text.includes(one))) empty.push(operation.id)
  }
  // These refuse all but the owner, or return only numbers, the parts of a completed upload, or a feed that begins now.
  expect(empty).toEqual([
    'listPasskeys',
    'readUsage',
    'readVaultUsage',
    'listUploadedParts',
    'readCopies',
    'readWebhookFeed',
  ])
  const { requests, cut } = await cursorRequests(rich, tables)
  expect(cut).toBeGreaterThanOrEqual(3)
  expect(requests.length).toBeGreaterThan(20)
})

test("responses for another account's objects equal those for objects that do not exist", async () => {
  const cursors = await cursorRequests(rich, tables)
  const lanes = [
    await strangers(),
    [
      { name: 'no account', client: anonymous(rich.client), own: {}, isAnonymous: true },
      { name: 'an unknown key', client: withToken(rich.client, `tdp_${'a'.repeat(43)}`), own: {} },
    ],
    await keysOfOwner(),
    await keysByVerb(),
  ]
  const found = await Promise.all(
    lanes.map(async (lane: Caller[]) => {
      const callers = isFullRun ? lane : lane.filter(({ name }) => unlike.has(name))
      const all: string[] = []
      for (const caller of callers) {
        // The owner's cursors are also valid for the owner's keys, but do not show them more.
        const requests = [...requestsOf(tables, caller.own), ...(caller.isOwners ? [] : cursors.requests)]
        all.push(...(await crawl(caller, requests)))
      }
      return all
    }),
  )
  expect(found.flat().slice(0, 5)).toEqual([])
})

test('a key for a prefix lists nothing outside the prefix, on any page', async () => {
  const client = await keyOf(rich.client, { prefixes: [visiblePrefix] })
  const hidden = rich.hidden.filter((one) => !seenWithPrefix().includes(one))
  for (const { operation, path, query } of (await cursorRequests(rich, tables)).requests) {
    const base = query.filter(([name]) => name !== 'cursor' && name !== 'prefix')
    for (let cursor: string | undefined, pages = 0; pages === 0 || cursor; pages++) {
      const next: [string, Twin][] = cursor ? [['cursor', { real: cursor, absent: '' }]] : []
      const { text } = await send(client, { operation, path, query: [...base, ...next] }, 'real')
      const told = `${text}\n${decoded(text)}`.replaceAll(rich.folder, '')
      expect(
        hidden.filter((one) => told.includes(one)),
        `${operation.id} ${JSON.stringify(base)}`,
      ).toEqual([])
      cursor = /"nextCursor":"([^"]+)"/.exec(text)?.[1]
    }
  }
})
