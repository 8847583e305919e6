import { text } from 'node:stream/consumers'
import type { Owner } from '@tideport/set-up/prepare-database'
import { z } from 'zod'
import { createUnseal, DamagedError, isOfNoIdentity, readIdentities, type Sealer, type Unseal } from './sealed.ts'
import type { BackupTarget } from './target/target.ts'

export const owners = ['auth', 'files', 'webhooks'] as const satisfies readonly Owner[]

const FORMAT = 1
const MARKER = 'tideport-backup.json'

/** Like `ids`, never encrypted. */
const markerShape = z.object({ format: z.number(), installation: z.uuid(), recipients: z.array(z.string()) })
type Marker = z.output<typeof markerShape>

const tableShape = z.object({ owner: z.enum(owners), name: z.string(), columns: z.array(z.string()), rows: z.number() })
export type Table = z.output<typeof tableShape>

const manifestShape = z.object({
  id: z.string(),
  at: z.string(),
  version: z.string(),
  installation: z.uuid(),
  /** The last migration of each schema. */
  migrations: z.record(z.enum(owners), z.string()),
  tables: z.array(tableShape),
  files: z.number(),
  bytes: z.number(),
  /** Embedded networks whose copies are in the backup. */
  networks: z.array(z.string()),
  /** Values of the settings that decrypt columns. */
  keys: z.object({ WEBHOOK_SECRET_KEYS: z.string().optional(), EXPORT_SECRET_KEYS: z.string().optional() }),
})
export type Manifest = z.output<typeof manifestShape>

/** A file in the list `files` of a backup. Its bytes are a blob of their own, which backups share. */
export const listedFileShape = z.object({
  id: z.uuid(),
  sizeBytes: z.int().nonnegative(),
  mimeType: z.string(),
  hotKey: z.string().nullable(),
  partBytes: z.int().positive().nullable(),
  copies: z.array(
    z.object({
      network: z.string(),
      blobId: z.string(),
      reference: z.string(),
      ref: z.record(z.string(), z.string()),
    }),
  ),
})
export type ListedFile = z.output<typeof listedFileShape>

/**
 * IDs begin with the time or are random, so no folder gets too many entries. Not named after their content, so names
 * reveal nothing about the bytes.
 */
export const objectName = (id: string) => `objects/${id.slice(0, 3)}/${id.slice(0, 7)}/${id}`
export const idOf = (name: string) => name.slice(name.lastIndexOf('/') + 1)
export const OBJECTS = 'objects/'
export const BACKUPS = 'backups/'

export const namesOf = (id: string) => {
  const folder = `${BACKUPS}${id}/`
  return {
    folder,
    /** Written last: a backup without it is unfinished. */
    manifest: `${folder}manifest`,
    files: `${folder}files`,
    /** The sorted IDs of `files`, not encrypted, so that old blobs can be removed without the identity. */
    ids: `${folder}ids`,
    table: ({ owner, name }: Pick<Table, 'owner' | 'name'>) => `${folder}${owner}.${name}`,
  }
}

/** Marks an empty target, or throws unless it belongs to this installation and these recipients. */
export async function takeTarget(target: BackupTarget, marker: Omit<Marker, 'format'>, signal: AbortSignal) {
  const found = await readMarker(target, signal)
  if (found === null) {
    for await (const { name } of target.list(''))
      throw new Error(`The target contains ${name} but no backups. Use an empty folder or prefix`)
    const bytes = Buffer.from(`${JSON.stringify({ format: FORMAT, ...marker })}\n`)
    return await target.put(MARKER, chunks([bytes]), signal)
  }
  if (found.installation !== marker.installation)
    throw new Error(`The target has backups of another installation (${found.installation}). Use another target`)
  if (found.recipients.join() !== marker.recipients.join())
    throw new Error(
      found.recipients.length === 0
        ? 'The backups in this target are not encrypted. Use --unencrypted, or another target'
        : `The backups in this target are encrypted for ${found.recipients.join(', ')}. Use the same recipients, or another target`,
    )
}

async function readMarker(target: BackupTarget, signal: AbortSignal): Promise<Marker | null> {
  const found = await target.open(MARKER, signal)
  if (found === null) return null
  const marker = parse(markerShape, await text(found), MARKER)
  if (marker.format > FORMAT) throw new Error('A newer version of Tideport wrote these backups. Use that version')
  return marker
}

export async function writeManifest(target: BackupTarget, sealer: Sealer, manifest: Manifest, signal: AbortSignal) {
  const { manifest: name } = namesOf(manifest.id)
  await target.put(name, sealer.seal(name, chunks([Buffer.from(JSON.stringify(manifest))])), signal)
}

/** IDs of complete backups and of unfinished ones, oldest first. */
export async function listBackups(target: BackupTarget) {
  const complete = new Set<string>()
  const all = new Set<string>()
  for await (const { name } of target.list(BACKUPS)) {
    const [, id = '', blob] = name.split('/')
    all.add(id)
    if (blob === 'manifest') complete.add(id)
  }
  return { complete: [...complete], unfinished: [...all].filter((id) => !complete.has(id)) }
}

/** IDs begin with the time. With a clock that was set back, the new backup would be the first to be removed. */
export async function assertNewest(target: BackupTarget, id: string): Promise<void> {
  const newest = (await listBackups(target)).complete.at(-1)
  if (newest !== undefined && newest >= id)
    throw new Error(
      `The target contains the backup ${newest}, which is newer than the clock of this machine. Correct the clock, or delete ${BACKUPS}${newest}`,
    )
}

export interface OpenBackup {
  manifest: Manifest
  /** Throws `DamagedError` for a missing blob, and at the end of a damaged one. */
  read: (name: string, signal: AbortSignal) => AsyncGenerator<Uint8Array>
}

export interface Choice {
  /** Default: the newest. */
  id: string | undefined
  /** Path of the age identity file. */
  identity: string | undefined
}

/** Opens a complete backup. Throws a sentence for the operator. */
export async function openBackup(target: BackupTarget, { id, identity }: Choice, signal: AbortSignal) {
  // A restore needs no marker, so its loss must not make the backups useless.
  const marker = await readMarker(target, signal).catch((error: unknown) => {
    if (error instanceof DamagedError) return null
    throw error
  })
  const { complete } = await listBackups(target)
  if (marker === null && complete.length === 0) throw new Error('The folder or bucket contains no backups')
  const chosen = id ?? complete.at(-1)
  if (chosen === undefined || !complete.includes(chosen))
    throw new Error(
      complete.length === 0
        ? 'The target contains no complete backup'
        : `No complete backup ${chosen}. Complete backups: ${complete.join(', ')}`,
    )
  const isEncrypted = marker === null ? identity !== undefined : marker.recipients.length > 0
  if (isEncrypted && identity === undefined)
    throw new Error('The backup is encrypted. Name the file with the age identity: --identity FILE')
  const unseal = createUnseal(isEncrypted && identity !== undefined ? await readIdentities(identity) : [])
  const plain = createUnseal([])
  const names = namesOf(chosen)
  const read: OpenBackup['read'] = (name, until) => readBlob(target, name === names.ids ? plain : unseal, name, until)
  const json = await text(read(names.manifest, signal)).catch((error: Error) => {
    throw isOfNoIdentity(error)
      ? new Error('No identity in the file decrypts this backup, or its manifest is damaged', { cause: error })
      : error
  })
  const manifest = parse(manifestShape, json, names.manifest)
  return { manifest, read } satisfies OpenBackup
}

export async function* readBlob(target: BackupTarget, unseal: Unseal, name: string, signal: AbortSignal) {
  const stored = await target.open(name, signal)
  if (stored === null) throw new DamagedError(`${name} is missing`)
  try {
    yield* unseal(name, stored)
  } finally {
    stored.destroy()
  }
}

export function parse<T>(shape: z.ZodType<T>, json: string, name: string): T {
  try {
    return shape.parse(JSON.parse(json))
  } catch (cause) {
    throw new DamagedError(`${name} is damaged`, { cause })
  }
}

export async function* chunks(list: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* list
}
