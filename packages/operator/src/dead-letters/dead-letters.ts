import { parseArgs } from 'node:util'
import { createPrinter, type Printer } from '@tideport/service-kit/process/print-rows'
import { type Command, type CommandContext, UsageError } from '../command.ts'
import { type Installation, openInstallation } from '../open-installation.ts'
import { parseCount, parseDuration } from '../options.ts'
import { runProgram } from '../run-program.ts'
import { withOwnersUrl } from '../with-owners-url.ts'
import { listCopies } from './list-copies.ts'
import { listFiles } from './list-files.ts'
import { listUnpublished } from './list-unpublished.ts'
import type { Page } from './read-page.ts'

const LIMIT_MAX = 10_000

/** What was given up, a page of it. */
export const deadLetters: Command = {
  usage:
    '[--files | --copies | --deliveries | --events] [--error WORD] [--older-than 15m] [--limit 100] [--after PLACE] [--json]',
  summary:
    'Lists files in error, copies and webhook deliveries that were given up, and events that are not published for long',
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
      throw new UsageError('--after goes on with one kind: name it')
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
  /** Only webhooks may look at its tables. */
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
  if (after !== null) context.log.info({ after }, 'there are more: go on with --after')
}
