import type { Endpoint } from '../endpoint/endpoint.ts'
import type { Scope } from '../endpoint/scope.ts'
import type { Returned } from '../endpoint/two-sides.ts'
import type { Verb } from '../endpoint/verb.ts'
import type { api } from '../public/api.ts'
import type { Job } from '../public/jobs.ts'
import type { checkContent } from './api.ts'

export const verbOf = {
  adds: 'upload',
  reads: 'read',
  changes: 'change',
  /** An existing file moves to the trash because another file replaces it. */
  replaces: 'delete',
  /** Existing files, or files that other clients will add, move to the trash later. */
  expires: 'delete',
} as const satisfies Record<string, Verb>
export type Effect = keyof typeof verbOf

type Rule = (value: unknown) => Effect | null

const replacing: Rule = (how) => (how === 'replace' ? 'replaces' : null)
/** Removing an expiry time deletes nothing. Any new time deletes the file later. */
const expiring: Rule = (time) => (time == null ? null : 'expires')
/** A new file with an expiry deletes nothing that existed before the request. */
const ofAdded: Rule = (time) => (time == null ? null : 'adds')
const sharing: Rule = (upload) => (upload == null ? 'reads' : 'adds')

function harmless<const Name extends string>(...names: Name[]): Record<Name, Rule> {
  return Object.fromEntries(names.map((name) => [name, () => null])) as unknown as Record<Name, Rule>
}

type Endpoints = typeof api & { checkContent: typeof checkContent }
type FieldOf<E, Part extends 'body' | 'query'> = E extends { [P in Part]: { shape: infer Shape } } ? keyof Shape : never

export interface Effects<E extends Endpoint = Endpoint> {
  also?: readonly Effect[]
  fields: { readonly [Field in FieldOf<E, 'body'> | FieldOf<E, 'query'>]: Rule }
  /** The part of a response that a caller gets without the right to read its subject. */
  told: (answer: Returned<E>) => Returned<E>
}

type Route<E> = E extends { method: infer M extends string; path: infer P extends string } ? `${M} ${P}` : never
type Acting = Extract<Endpoints[keyof Endpoints], { service: 'files'; access: `${string}:write` }>

/** The response has only what the caller sent or what the request itself caused. */
const all = <Answer>(answer: Answer): Answer => answer

function only<const Name extends string>(...names: Name[]) {
  return <Answer extends Partial<Record<Name, unknown>>>(answer: Answer) =>
    Object.fromEntries(names.map((name) => [name, answer[name]])) as unknown as Pick<Answer, Name & keyof Answer>
}

function toldOfJob(job: Job): Job {
  const { id, kind, state, done, failed, errorCode, createdAt, startedAt, updatedAt, finishedAt } = job
  const untold = { vaultId: null, prefix: null, to: null, toVaultId: null, onConflict: null, actor: null, error: null }
  const told = { id, kind, state, done, failed, errorCode, createdAt, startedAt, updatedAt, finishedAt }
  return { ...told, ...untold, failures: [] }
}

const file = only('id', 'status')
const vault = only('id', 'deletedAt')
const many = <Answer extends { job: Job | null }>(answer: Answer) => ({
  ...answer,
  job: answer.job && toldOfJob(answer.job),
})
const content = {
  fields: {
    ...harmless('id', 'wrappedKey', 'encryptionIv', 'plaintextSizeBytes', 'plaintextChecksumSha256', 'checksumSha256'),
    ...harmless('tag', 'sealedMetadata', 'autoConfirm'),
    onConflict: replacing,
    expiresAt: ofAdded,
  },
}

/** Effects of each field of a request. A missing endpoint or field does not compile. */
export const effects: { readonly [E in Acting as Route<E>]: Effects<E> } = {
  'POST /api/files/upload': {
    fields: {
      ...content.fields,
      ...harmless('name', 'path', 'metadata', 'tags', 'mimeType', 'sizeBytes', 'vaultId', 'partSizeBytes', 'put'),
      ...harmless('awaitingReview'),
    },
    told: all,
  },
  'POST /api/files/:fileId/upload-urls': { fields: harmless('partNumbers'), told: all },
  'GET /api/files/:fileId/parts': { fields: {}, told: all },
  'POST /api/files/:fileId/confirm': { fields: {}, told: file },
  'GET /internal/vaults/:vaultId/content/*path': { ...content, told: all },
  'PUT /api/vaults/:vaultId/content/*path': { ...content, told: file },
  'POST /api/vaults/:vaultId/content/*path': { ...content, told: file },
  'PATCH /api/files/:fileId': {
    fields: {
      ...harmless('name', 'path', 'vaultId', 'metadata', 'tags', 'sealedMetadata', 'wrappedKey'),
      onConflict: replacing,
      expiresAt: expiring,
    },
    told: file,
  },
  'POST /api/files/:fileId/retry': { fields: {}, told: file },
  'POST /api/files/:fileId/rehydrate': { fields: {}, told: file },
  'POST /api/files/:fileId/restore': { fields: {}, told: file },
  'DELETE /api/files/:fileId': { fields: harmless('permanent'), told: only('id', 'status', 'deletedAt', 'purgeDueAt') },
  'DELETE /api/trash': { fields: {}, told: all },
  'POST /api/vaults/:vaultId/move': {
    fields: { ...harmless('ids', 'prefix', 'to', 'toVaultId'), onConflict: replacing },
    told: many,
  },
  'POST /api/vaults/:vaultId/copy': {
    // A copy is a read of one file and an upload of another.
    also: ['reads'],
    fields: { ...harmless('ids', 'prefix', 'to', 'toVaultId'), onConflict: replacing },
    told: many,
  },
  'POST /api/vaults/:vaultId/trash': { fields: harmless('ids', 'prefix'), told: many },
  'POST /api/vaults/:vaultId/restore-files': { fields: harmless('ids', 'prefix', 'trashedSince'), told: many },
  'POST /api/vaults/:vaultId/publish': { fields: harmless('ids', 'prefix'), told: many },
  'POST /api/vaults/:vaultId/delete': { fields: harmless('ids', 'prefix', 'trashed'), told: many },
  'POST /api/jobs/:jobId/cancel': { fields: {}, told: toldOfJob },
  'POST /api/account/export': { fields: { ...harmless('target'), filesExpireAfterSeconds: ofAdded }, told: all },
  'PUT /api/vaults/:vaultId/folders/*path': { fields: {}, told: all },
  'DELETE /api/vaults/:vaultId/folders/*path': { fields: {}, told: all },
  'POST /api/vaults': {
    fields: { ...harmless('id', 'name', 'slug', 'visibility', 'description'), filesExpireAfterSeconds: ofAdded },
    told: all,
  },
  'PATCH /api/vaults/:vaultId': {
    fields: {
      ...harmless('name', 'description', 'keyId', 'replacesKeyId', 'visibility'),
      filesExpireAfterSeconds: expiring,
    },
    told: vault,
  },
  'DELETE /api/vaults/:vaultId': { fields: harmless('force'), told: vault },
  'POST /api/vaults/:vaultId/restore': { fields: {}, told: vault },
  'POST /api/files/:fileId/links': {
    also: ['reads'],
    fields: harmless('password', 'expiresInSeconds', 'maxDownloads'),
    told: (link) => ({ ...link, path: null }),
  },
  'POST /api/vaults/:vaultId/links': {
    fields: { ...harmless('prefix', 'password', 'expiresInSeconds', 'maxDownloads'), upload: sharing },
    told: all,
  },
  'DELETE /api/links/:linkId': { fields: {}, told: only('id', 'state', 'revokedAt') },
}

export function effectsOf({ method, path }: Pick<Endpoint, 'method' | 'path'>): Effects | undefined {
  return (effects as unknown as Record<string, Effects>)[`${method} ${path}`]
}

export function effectsIn({ also = [], fields }: Effects, request: { query?: object; body?: object }): Effect[] {
  const values: Record<string, unknown> = { ...request.query, ...request.body }
  const rules = Object.entries<Rule>(fields)
  return [...also, ...rules.flatMap(([field, rule]) => rule(values[field]) ?? [])]
}

export function readingScope(access: string): Scope {
  return access.replace(':write', ':read') as Scope
}
