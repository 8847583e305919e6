import { parseArgs } from 'node:util'
import type { Command } from './command.ts'
import { runProgram } from './run-program.ts'
import { withOwnersUrl } from './with-owners-url.ts'

/** Run after a change of the first key in `WEBHOOK_SECRET_KEYS`. */
export const reEncryptWebhookSecrets: Command = {
  usage: '[--json]',
  summary:
    'Encrypts all webhook secrets with the first of WEBHOOK_SECRET_KEYS, and tells how many each key still holds',
  async run(context) {
    const { values } = parseArgs({ args: context.args, options: { json: { type: 'boolean', default: false } } })
    const env = withOwnersUrl(context.env, 'webhooks', 'DATABASE_URL')
    const args = values.json ? ['--json'] : []
    await runProgram('services/webhooks/src/re-encrypt-secrets.ts', args, { ...context, env })
  },
}
