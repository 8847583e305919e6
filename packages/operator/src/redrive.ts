import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { lookThrough } from '@tideport/repair/dead-letters/page-scan'
import { type FileSeen, findFiles, lookToRedrive, redriveFile } from '@tideport/repair/dead-letters/redrive'
import { createPrinter } from '@tideport/service-kit/process/print-rows'
import { type Command, type CommandContext, UsageError } from './command.ts'
import { type Installation, openInstallation } from './open-installation.ts'
import { parseCount, parseDuration, parseUuid } from './options.ts'
import { runProgram, withOwnersUrl } from './run-program.ts'

const TELL_EVERY = 1000

export const redrive: Command = {
  usage:
    '(--file ID | --all [--error WORD] [--older-than 1h] | --copies [--error WORD] [--older-than 1h] | --deliveries [--older-than 1h]) [--rate 10] [--dry-run] [--json]',
  summary: 'Retries files in error, as their owners can, or dead-lettered copies or webhook deliveries',
  async run(context) {
    const { values } = parseArgs({
      args: context.args,
      options: {
        file: { type: 'string' },
        all: { type: 'boolean', default: false },
        copies: { type: 'boolean', default: false },
        deliveries: { type: 'boolean', default: false },
        error: { type: 'string' },
        'older-than': { type: 'string', default: '0s' },
        rate: { type: 'string', default: '10' },
        'dry-run': { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    })
    const { file, all, copies, deliveries } = values
    if ([file !== undefined, all, copies, deliveries].filter(Boolean).length !== 1) {
      throw new UsageError('name exactly one of --file, --all, --copies, and --deliveries')
    }
    const rate = parseCount('rate', values.rate, 1000)
    const olderThanSeconds = parseDuration('older-than', values['older-than'])
    const isDryRun = values['dry-run']
    if (deliveries) return await redriveDeliveries(context, { rate, olderThanSeconds, isDryRun })
    await using installation = await openInstallation(context)
    const filter = { errorCode: values.error, olderThanSeconds }
    const files = file
      ? oneFile(installation, parseUuid('file', file))
      : lookThrough((after) => lookToRedrive(installation, all ? 'files' : 'copies', filter, after), null)
    await redriveFiles(context, installation, files, { rate, isDryRun, json: values.json })
  },
}

async function* oneFile({ db }: Installation, fileId: string): AsyncGenerator<FileSeen> {
  const files = await findFiles(db, [fileId])
  if (files.length === 0) throw new Error(`file ${fileId} does not exist or is in the trash`)
  yield* files
}

/** Prints each file that was not retried, and counts the outcomes. */
async function redriveFiles(
  { print, log, signal }: CommandContext,
  { db, hotTier, networks, config: { settleSeconds } }: Installation,
  files: AsyncIterable<FileSeen>,
  { rate, isDryRun, json }: { rate: number; isDryRun: boolean; json: boolean },
): Promise<void> {
  const counts: Record<string, number> = {}
  using printer = createPrinter(print, { json })
  let looked = 0
  for await (const file of files) {
    signal.throwIfAborted()
    const outcome = await redriveFile({ db, hotTier, networks, settleSeconds }, file, { isDryRun, signal })
    counts[outcome] = (counts[outcome] ?? 0) + 1
    if (outcome !== 'retried') printer.row({ fileId: file.id, errorCode: file.errorCode, since: file.erroredAt, outcome }) // biome-ignore format: one chain
    looked += 1
    if (looked % TELL_EVERY === 0) log.info({ ...counts }, 'in progress')
    if (!isDryRun) await delay(1000 / rate, undefined, { signal })
  }
  log.info({ ...counts }, isDryRun ? 'dry run; nothing was changed' : 'done')
}

/** Only the webhooks service may change its tables. */
async function redriveDeliveries(
  context: CommandContext,
  { rate, olderThanSeconds, isDryRun }: { rate: number; olderThanSeconds: number; isDryRun: boolean },
): Promise<void> {
  const args = ['--rate', String(rate), '--older-than-seconds', String(olderThanSeconds)]
  if (isDryRun) args.push('--dry-run')
  const env = withOwnersUrl(context.env, 'webhooks', 'DATABASE_URL')
  await runProgram('services/webhooks/src/redeliver-exhausted.ts', args, { ...context, env })
}
