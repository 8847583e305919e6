import { prepared, preparedFor } from '@tideport/service-kit/postgres/prepared'
import { type Kysely, sql } from 'kysely'
import { givenRows, holding } from '../state/asked-rows.ts'
import type { ClaimedCopy } from '../state/copy-transitions.ts'
import { copiesOfFile, copyFromJson, type FileWithJson, type JsonRow } from '../state/file-copies.ts'
import type { CopyRow, FileRow, FilesDb } from '../state/tables.ts'
import type { Held, ManyRows, Writes } from '../state/writes.ts'
import { claimed, isFree } from './claim.ts'
import { type CopyStep, type FileStep, steps } from './steps.ts'
import { withFile } from './write-claimed.ts'

/** A file, or its copy on a network, that is to be claimed for a step. */
interface ToClaim<Step> {
  fileId: string
  network?: string
  step: Step
}

const claimedForStep = sql`${claimed}, unfinished_claims = unfinished_claims + 1`

const claimingFiles = preparedFor(({ step, held }: { step: FileStep; held: Held }) => {
  const { isDue, dueAt } = steps[step]
  return prepared<readonly ToClaim<FileStep>[], FileRow>(
    (given) => sql`
      update file set ${claimedForStep} from (
        select file.id as free_id
        from (${givenRows(given, { asked_id: ['uuid', ({ fileId }) => fileId] })}) as asked cross join lateral (
          select * from file where file.id = asked_id limit 1 ${holding(held)}
        ) as file
        where ${isDue} and ${dueAt} <= now() and ${isFree('file')}
      ) as free
      where file.id = free_id returning file.*`,
  )
})

const fileClaims: ManyRows<ToClaim<FileStep>, FileRow> = {
  key: ({ step }) => step,
  waitsWith: ({ fileId }) => fileId,
  async write(db, asked, held) {
    const rows = await claimingFiles({ step: asked[0].step, held }).execute(db, asked)
    return oneEach(asked, new Map(rows.map((row) => [row.id, row])))
  },
}

/** Claims a file for one step, when that is due and nobody holds it. Null: nothing to do. */
export function claimFile(writes: Writes, fileId: string, step: FileStep): Promise<FileRow | null> {
  return writes.write(fileClaims, { fileId, step })
}

const claimingCopies = preparedFor(({ step, network, held }: { step: CopyStep; network: string; held: Held }) => {
  const { isDue, dueAt } = steps[step]
  return prepared<readonly ToClaim<CopyStep>[], ClaimedRows>(
    (given) => sql`
      with own as (
        update copy set ${claimedForStep} from (
          select copy.file_id as free_id
          from (${givenRows(given, { asked_id: ['uuid', ({ fileId }) => fileId] })}) as asked cross join lateral (
            select * from copy where copy.file_id = asked_id and copy.network = ${network} limit 1 ${holding(held)}
          ) as copy
          where ${dueAt} <= now() and ${isFree('copy')}
            and exists (select from file where file.id = copy.file_id and ${isDue})
        ) as free
        where copy.file_id = free_id and copy.network = ${network} returning copy.*
      )
      select file.*, to_jsonb(own) as own, ${copiesOfFile} as copies from own join file on file.id = own.file_id`,
  )
})

const copyClaims: ManyRows<Required<ToClaim<CopyStep>>, ClaimedCopy> = {
  key: ({ step, network }) => `${step} ${network}`,
  waitsWith: ({ fileId, network }) => `${fileId} ${network}`,
  async write(db, asked, held) {
    const [{ step, network }] = asked
    const rows = await claimingCopies({ step, network, held }).execute(db, asked)
    const taken = await Promise.all(rows.map(async (row) => [row.id, await asClaimed(db, row)] as const))
    return oneEach(asked, new Map(taken))
  },
}

/**
 * Claims a copy for one step, when that is due and nobody holds it, and reads its file and all copies with it. The
 * file's row is neither locked nor changed. Null: nothing to do.
 */
export function claimCopy(
  writes: Writes,
  { fileId, network }: Pick<CopyRow, 'fileId' | 'network'>,
  step: CopyStep,
): Promise<ClaimedCopy | null> {
  return writes.write(copyClaims, { fileId, network, step })
}

/** In the order they were asked for; of two who asked for the same row at once one has it. */
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
  // The claim waited for whoever wrote this row, and all else that it read is from before that.
  if (read?.fencingToken !== copy.fencingToken - 1) return await withFile(db, copy)
  return { file, copy, copies: copies.map((one) => (one === read ? copy : one)) }
}
