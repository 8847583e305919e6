import { prepared, preparedFor } from '@tideport/service-kit/postgres/prepared'
import { type Kysely, sql } from 'kysely'
import type { ClaimedCopy } from '../state/copy-transitions.ts'
import { copiesOfFile, copyFromJson, type FileWithJson, type JsonRow, readFileCopies } from '../state/file-copies.ts'
import { givenRows, holding, untilGuarded } from '../state/queries.ts'
import type { CopyRow, FileRow, FilesDb } from '../state/tables.ts'
import type { Held, ManyRows, Writes } from '../state/writes.ts'
import { type ClaimedRow, claimed, isFree } from './claim.ts'
import { type FileStep, type StepName, steps } from './steps.ts'

interface ToClaim {
  fileId: string
  network?: string | undefined
  step: StepName
}

/** A file, or a copy with its file and all copies. */
export type ClaimedFor<Name extends StepName> = Name extends FileStep ? FileRow : ClaimedCopy

export const rowOf = (claimed: FileRow | ClaimedCopy): ClaimedRow => ('copy' in claimed ? claimed.copy : claimed)

const claimedForStep = sql`${claimed}, unfinished_claims = unfinished_claims + 1`

const claiming = preparedFor(({ step, network, held }: Omit<ToClaim, 'fileId'> & { held: Held }) => {
  const { row, isDue, dueAt } = steps[step]
  const table = sql.table(row)
  const [id, isOfNetwork, isDueNow, read] =
    row === 'file'
      ? [sql`file.id`, sql``, isDue, sql`select * from own`]
      : [
          sql`copy.file_id`,
          sql`and copy.network = ${network}`,
          sql`exists (select from file where file.id = copy.file_id and ${isDue})`,
          sql`select file.*, to_jsonb(own) as own, ${copiesOfFile} as copies from own join file on file.id = own.file_id`,
        ]
  return prepared<readonly ToClaim[], FileRow | ClaimedRows>(
    (given) => sql`
      with own as (
        update ${table} set ${claimedForStep} from (
          select ${id} as free_id
          from (${givenRows(given, { asked_id: ['uuid', ({ fileId }) => fileId] })}) as asked cross join lateral (
            select * from ${table} where ${id} = asked_id ${isOfNetwork} limit 1 ${holding(held)}
          ) as ${table}
          where ${dueAt} <= now() and ${isFree(row)} and ${isDueNow}
        ) as free
        where ${id} = free_id ${isOfNetwork} returning ${table}.*
      )
      ${read}`,
  )
})

const claims: ManyRows<ToClaim, FileRow | ClaimedCopy> = {
  key: ({ step, network }) => `${step} ${network}`,
  waitsWith: ({ fileId, network, step }) => `${step} ${network} ${fileId}`,
  async write(db, asked, held) {
    const [{ step, network }] = asked
    const rows = await claiming({ step, network, held }).execute(db, asked)
    const taken = await Promise.all(
      rows.map(async (row) => [row.id, 'own' in row ? await asClaimed(db, row) : row] as const),
    )
    return oneEach(asked, new Map(taken))
  },
}

/**
 * Claims a file or a copy for a step, if that is due and free. Neither locks nor changes the file of a copy. Null:
 * nothing to do.
 */
export function claimFor<Name extends StepName>(
  writes: Writes,
  { fileId, network }: Omit<ToClaim, 'step'>,
  step: Name,
): Promise<ClaimedFor<Name> | null> {
  return writes.write(claims, { fileId, network, step }) as Promise<ClaimedFor<Name> | null>
}

/** In the order of the requests; of two for the same row, one gets it. */
function oneEach<Row>(asked: readonly { fileId: string }[], rows: Map<string, Row>): (Row | null)[] {
  return asked.map(({ fileId }) => {
    const own = rows.get(fileId) ?? null
    rows.delete(fileId)
    return own
  })
}

type ClaimedRows = FileWithJson<{ own: JsonRow }>

async function asClaimed(
  db: Kysely<FilesDb>,
  { own, copies: before, ...file }: ClaimedRows,
): Promise<ClaimedCopy | null> {
  const copy = copyFromJson(own)
  const copies = before.map(copyFromJson)
  const read = copies.find((one) => one.network === copy.network)
  // The claim waited for another write, and the other rows were read before that.
  if (read?.fencingToken !== copy.fencingToken - 1) return await withFile(db, copy)
  return { file, copy, copies: copies.map((one) => (one === read ? copy : one)) }
}

/**
 * Repeats a guarded write on the current row. Null: another worker has the claim, the status has changed, or the file
 * was trashed.
 */
export function writeClaimed(
  db: Kysely<FilesDb>,
  file: FileRow,
  write: (current: FileRow) => Promise<FileRow | null>,
): Promise<FileRow | null> {
  return untilGuarded(db, file, write, ({ fencingToken, status, deletedAt, purgingAt }) => {
    const isOurs = fencingToken === file.fencingToken && status === file.status
    return isOurs && deletedAt === null && purgingAt === null
  })
}

/** Repeats a guarded write as long as the claim of the copy is ours. */
export async function writeCopy(
  db: Kysely<FilesDb>,
  claimed: ClaimedCopy,
  write: (current: ClaimedCopy) => Promise<FileRow | null>,
): Promise<ClaimedCopy | null> {
  for (let current = claimed; ; ) {
    const written = await write(current)
    if (written) return { ...current, file: written }
    const again = await withFile(db, current.copy)
    if (again === null || again.file.version === current.file.version) return null
    current = again
  }
}

/** Null: the copy has changed, or the file is being purged. */
export async function withFile(
  db: Kysely<FilesDb>,
  { fileId, network, fencingToken, state }: CopyRow,
): Promise<ClaimedCopy | null> {
  const found = await readFileCopies(db, fileId)
  const copy = found?.copies.find((one) => one.network === network)
  const isOurs = copy?.fencingToken === fencingToken && copy.state === state
  return found && copy && isOurs ? { file: found.file, copies: found.copies, copy } : null
}
