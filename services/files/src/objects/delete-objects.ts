import { applyToIds } from '@tideport/bulk-jobs/operations/apply-to-ids'
import { trashFiles } from '@tideport/bulk-jobs/operations/trash-files'
import type { ErrorCode } from '@tideport/contracts/endpoint/errors'
import { objectContentsApi } from '@tideport/contracts/internal/object-contents'
import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import type { Relay } from '@tideport/file-lifecycle/outbox/start-relay'
import { givenRows } from '@tideport/file-lifecycle/state/queries'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { standingFor } from '@tideport/file-lifecycle/state/take-path'
import { serve } from '@tideport/service-kit/http/route'
import { prepared } from '@tideport/service-kit/postgres/prepared'
import { unavailable } from '@tideport/service-kit/process/app-error'
import { type Kysely, sql } from 'kysely'
import { getBucket } from '../buckets/find-bucket.ts'
import type { SlowCalls } from '../calls/slow-calls.ts'
import type { OwnVault } from '../lookups/authorized-vault.ts'
import type { FileSeen } from '../lookups/find-file.ts'
import { changed, isTagIn } from './conditions.ts'
import { forgetFolders } from './folder-objects.ts'
import { assertKeyWithin, isKeyWithin } from './key-limits.ts'

interface Deps {
  db: Kysely<FilesDb>
  networks: Networks
  relay: Pick<Relay, 'wake'>
  slowCalls: SlowCalls
  config: { trashRetentionSeconds: number }
}

interface Asked {
  key: string
  ifMatch?: string | undefined
  lastModified?: string | undefined
  sizeBytes?: number | undefined
}

export function deleteObjectRoute(deps: Deps) {
  return serve(objectContentsApi.deleteObject, async ({ principal, params, query }) => {
    const vault = await getBucket(deps.db, principal, params.slug)
    assertKeyWithin(principal, query.key, 'write')
    const { refused, deleted } = await deleteKeys(deps, vault, [query])
    const file = refused.get(query.key)
    if (file) throw changed(principal, file)
    return { deleted: deleted.has(query.key) }
  })
}

export function deleteObjectsRoute(deps: Deps) {
  return serve(objectContentsApi.deleteObjects, async ({ principal, params, body: { objects } }) => {
    const vault = await getBucket(deps.db, principal, params.slug)
    const allowed = objects.filter(({ key }) => !key.includes('\0') && isKeyWithin(principal, key))
    const { refused } = await deps.slowCalls.run(principal.accountId, () => deleteKeys(deps, vault, allowed))
    return { results: objects.map((asked) => ({ key: asked.key, ...resultOf(principal, asked, refused) })) }
  })
}

function resultOf(
  principal: AccountPrincipal,
  { key }: Asked,
  refused: ReadonlyMap<string, FileRow>,
): { code: ErrorCode | null; error: string | null } {
  if (!isKeyWithin(principal, key))
    return { code: 'outside_key_limits', error: 'The key is outside the prefixes of the API key' }
  const file = refused.get(key)
  if (file === undefined) return { code: null, error: null }
  const { code, message } = changed(principal, file)
  return { code, error: message }
}

/** Several files of one key are deleted one after the other, from the top. */
const PASSES_MAX = 100

interface Outcome {
  deleted: Set<string>
  /** Files that do not meet the conditions of their key. */
  refused: Map<string, FileRow>
}

/** A key that a new file takes meanwhile keeps it. Of a key with conditions, only the file that met them is deleted. */
async function deleteKeys({ db, networks, relay, config }: Deps, vault: OwnVault, asked: Asked[]): Promise<Outcome> {
  const outcome: Outcome = { deleted: new Set(), refused: new Map() }
  const operation = trashFiles({ networks, retentionSeconds: config.trashRetentionSeconds })
  let begun: Date | undefined
  let left = asked
  for (let pass = 0; left.length > 0; pass += 1) {
    if (pass === PASSES_MAX) throw unavailable('Other requests write to these keys. Try again later.')
    const files = await findObjects(db, vault, [...new Set(left.map(({ key }) => key))])
    const ids = new Set<string>()
    for (const one of left) {
      const file = files.get(one.key)
      if (file === undefined) continue
      begun ??= file.seenAt
      if ((file.confirmedAt ?? file.createdAt) > begun) continue
      if (pass === 0 && !isMet(one, file)) outcome.refused.set(one.key, file)
      else if (!outcome.refused.has(one.key)) ids.add(file.id)
    }
    if (ids.size === 0) break
    const chosen = { accountId: vault.accountId, vaultId: vault.id, ids: [...ids].toSorted(), prefixes: null }
    await applyToIds(db, operation, chosen)
    for (const { key } of left) if (ids.has(files.get(key)?.id ?? '')) outcome.deleted.add(key)
    left = left.filter((one) => !isConditional(one) && ids.has(files.get(one.key)?.id ?? ''))
  }
  const folders = asked.map(({ key }) => key).filter((key) => key.endsWith('/') && !outcome.refused.has(key))
  for (const key of await forgetFolders(db, vault, folders)) outcome.deleted.add(key)
  if (outcome.deleted.size > 0) relay.wake()
  return outcome
}

const isConditional = ({ ifMatch, lastModified, sizeBytes }: Asked) =>
  [ifMatch, lastModified, sizeBytes].some((condition) => condition !== undefined)

function isMet({ ifMatch, lastModified, sizeBytes }: Asked, file: FileRow): boolean {
  if (ifMatch !== undefined && !isTagIn(ifMatch, file)) return false
  if (sizeBytes !== undefined && sizeBytes !== file.sizeBytes) return false
  return (
    lastModified === undefined || secondsOf(new Date(lastModified)) === secondsOf(file.confirmedAt ?? file.createdAt)
  )
}

const secondsOf = (at: Date) => Math.floor(at.getTime() / 1000)

const finding = prepared<readonly { vaultId: string; key: string }[], FileSeen>(
  (given) => sql`
    select file.*, now() as seen_at from (${givenRows(given, { vault: ['uuid', ({ vaultId }) => vaultId], key: ['text', ({ key }) => key] })}) as asked
      cross join lateral (${standingFor(sql`asked.vault`, sql`asked.key`)}) as file`,
)

/** The files that represent these keys. */
async function findObjects(db: Kysely<FilesDb>, { id }: OwnVault, keys: string[]): Promise<Map<string, FileSeen>> {
  const rows = await finding.execute(
    db,
    keys.map((key) => ({ vaultId: id, key })),
  )
  return new Map(rows.map((file) => [file.key, file]))
}

export type DeleteDeps = Deps
