import { parseArgs } from 'node:util'
import { type Command, UsageError } from './command.ts'
import { parseCount, parseUuid } from './options.ts'
import { runProgram } from './run-program.ts'
import { withOwnersUrl } from './with-owners-url.ts'

const LIMIT_MAX = 10_000

export const refusedAuditEntries: Command = {
  usage: '[--limit 100] [--json] | (--resend | --forget) (--id ID | --all) [--json]',
  summary: 'Lists entries about webhooks that the audit log refused, has it take them again, or gives them up',
  async run(context) {
    const { values } = parseArgs({
      args: context.args,
      options: {
        resend: { type: 'boolean', default: false },
        forget: { type: 'boolean', default: false },
        id: { type: 'string' },
        all: { type: 'boolean', default: false },
        limit: { type: 'string', default: '100' },
        json: { type: 'boolean', default: false },
      },
    })
    const { resend, forget, id, all, json } = values
    if (resend && forget) throw new UsageError('name one of --resend and --forget')
    const chosen = [id !== undefined, all].filter(Boolean).length
    if (chosen !== (resend || forget ? 1 : 0))
      throw new UsageError('--resend and --forget, and only they, take --id or --all')
    const args = ['--limit', String(parseCount('limit', values.limit, LIMIT_MAX))]
    if (resend) args.push('--resend')
    if (forget) args.push('--forget')
    if (id !== undefined) args.push('--id', parseUuid('id', id))
    if (json) args.push('--json')
    const env = withOwnersUrl(context.env, 'webhooks', 'DATABASE_URL')
    await runProgram('services/webhooks/src/refused-audit-entries.ts', args, { ...context, env })
  },
}
