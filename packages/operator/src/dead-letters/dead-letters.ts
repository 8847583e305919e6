import { parseArgs } from 'node:util'
import { readCopies } from '@tideport/file-lifecycle/state/file-copies'
import {
  type FileInError,
  type Look,
  lookForErrors,
  lookForFailedCopies,
  lookForUnpublished,
  lookThrough,
  type Place,
} from '@tideport/repair/dead-letters/page-scan'
import { AppError } from '@tideport/service-kit/process/app-error'
import { inParallel } from '@tideport/service-kit/process/in-parallel'
import { createPrinter, type Printer } from '@tideport/service-kit/process/print-rows'
import { type Command, type CommandContext, UsageError } from '../command.ts'
import { type Installation, openInstallation } from '../open-installation.ts'
import { formatPlace, parseCount, parseDuration, parsePlace } from '../options.ts'
import { runProgram, withOwnersUrl } from '../run-program.ts'

const LIMIT_MAX = 10_000

export const deadLetters: Command = {
  usage:
    '[--files | --copies | --deliveries | --events] [--error WORD] [--older-than 15m] [--limit 100] [--after PLACE] [--json]',
  summary:
    'Lists dead letters: files in error, dead-lettered copies and webhook deliveries, and events not published for a long time',
  async run(context) {
    const { values } = parseArgs({
      args: context.args,
      options: {
        files: { type: 'boolean', default: false },
        copies: { type: 'boolean', default: false },
        deliveries: { type: 'boolean', default: false },
        events: { type: 'boolean', default: false },
        error: { type: 'string' },
        'older-than': { type: 'string' },
        limit: { type: 'string', default: '100' },
        after: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    })
    const chosen = kinds.filter((kind) => values[kind])
    if (chosen.length !== 1 && values.after !== undefined)
      throw new UsageError('--after continues a list of one kind. Name the kind')
    const limit = parseCount('limit', values.limit, LIMIT_MAX)
    const olderThan = values['older-than']
    const olderThanSeconds = olderThan === undefined ? undefined : parseDuration('older-than', olderThan)
    const page: Page = { limit, olderThanSeconds, errorCode: values.error, after: values.after, json: values.json }
    for (const kind of chosen.length > 0 ? chosen : kinds) await list[kind](context, page)
  },
}

const kinds = ['files', 'copies', 'deliveries', 'events'] as const

const list: Record<(typeof kinds)[number], (context: CommandContext, page: Page) => Promise<void>> = {
  files: (context, page) => printed(context, page, listFiles),
  copies: (context, page) => printed(context, page, listCopies),
  events: (context, page) => printed(context, page, listUnpublished),
  /** Only the webhooks service may read its tables. */
  async deliveries(context, { limit, olderThanSeconds, after, json }) {
    const args = ['--limit', String(limit), '--older-than-seconds', String(olderThanSeconds ?? 0)]
    if (after !== undefined) args.push('--after', after)
    if (json) args.push('--json')
    const env = withOwnersUrl(context.env, 'webhooks', 'DATABASE_URL')
    await runProgram('services/webhooks/src/list-exhausted.ts', args, { ...context, env })
  },
}

type Lister = (installation: Installation, page: Page, printer: Printer, signal: AbortSignal) => Promise<string | null>

async function printed(context: CommandContext, page: Page, lister: Lister): Promise<void> {
  await using installation = await openInstallation(context)
  using printer = createPrinter(context.print, page)
  const after = await lister(installation, page, printer, context.signal)
  if (after !== null) context.log.info({ after }, 'more rows exist; continue with --after')
}

/** Unpublished and invalid events, oldest first. Returns the start of the next page. */
const listUnpublished: Lister = async ({ db }, page, printer, signal) => {
  const { olderThanSeconds } = page
  const { shown, next } = await readPage(page, (after) => lookForUnpublished(db, { olderThanSeconds }, after), signal)
  for (const { id, subjectId, type, at, failure } of shown)
    printer.row({ kind: 'event', eventId: id, subjectId, event: type, since: at, failure })
  return next
}

/** Failed copies of healthy files. Returns the start of the next page. */
const listCopies: Lister = async ({ db, networks }, page, printer, signal) => {
  const look = (after: Place | null) => lookForFailedCopies(db, networks.order, page, after)
  const { shown, next } = await readPage(page, look, signal)
  for (const { id: fileId, accountId, network, status, reason: errorCode, failedAt: since, sizeBytes } of shown) {
    printer.row({ kind: 'copy', fileId, accountId, network, status, errorCode, since, sizeBytes })
  }
  return next
}

/** Files in error and their remaining bytes. Returns the start of the next page. */
const listFiles: Lister = async ({ db, hotTier }, page, printer, signal) => {
  const { shown, next } = await readPage(page, (after) => lookForErrors(db, page, after), signal)
  const left = new Map<string, { hotBytes: string; copies: string }>()
  await inParallel(shown, async (file) => {
    const hotBytes = await lookForHotBytes(hotTier, file, signal)
    left.set(file.id, { hotBytes, copies: await nameCopies(db, file) })
  })
  for (const file of shown) {
    printer.row({
      kind: 'file',
      fileId: file.id,
      accountId: file.accountId,
      errorCode: file.errorCode,
      since: file.erroredAt,
      sizeBytes: file.sizeBytes,
      ...left.get(file.id),
    })
  }
  return next
}

/** Summarizes copies by their rows, such as `lake: failed, walrus: stored`. */
async function nameCopies(db: Installation['db'], { id }: FileInError): Promise<string> {
  return (await readCopies(db, id)).map(({ network, state, lostAt }) => `${network}: ${state === 'planned' && lostAt ? 'lost' : state}`).join(', ') // biome-ignore format: one chain
}

async function lookForHotBytes(hotTier: Installation['hotTier'], file: FileInError, signal: AbortSignal) {
  if (file.hotKey === null) return 'gone'
  try {
    return (await hotTier.head(file.hotKey, { sizeBytes: file.sizeBytes, signal })) === file.sizeBytes
      ? 'there'
      : 'gone'
  } catch (error) {
    if (error instanceof AppError && error.code === 'unavailable') return 'unknown'
    throw error
  }
}

interface Page {
  limit: number
  olderThanSeconds: number | undefined
  errorCode: string | undefined
  after: string | undefined
  json: boolean
}

/** A page of rows and the start of the next page. */
async function readPage<Row extends { place: Place }>(
  { limit, after }: Pick<Page, 'limit' | 'after'>,
  look: (after: Place | null) => Promise<Look<Row>>,
  signal: AbortSignal,
): Promise<{ shown: Row[]; next: string | null }> {
  const page: Row[] = []
  for await (const row of lookThrough(look, parsePlace<Place>('after', after))) {
    signal.throwIfAborted()
    page.push(row)
    if (page.length > limit) break
  }
  const shown = page.slice(0, limit)
  const last = shown.at(-1)
  return { shown, next: page.length > limit && last ? formatPlace(last.place) : null }
}
