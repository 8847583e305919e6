import { parseArgs } from 'node:util'
import { resealCredentials } from '@tideport/export/bucket/reseal-credentials'
import { exportSettings } from '@tideport/file-lifecycle/process/settings'
import { loadConfig } from '@tideport/service-kit/config/config'
import { createPrinter } from '@tideport/service-kit/process/print-rows'
import { z } from 'zod'
import type { Command } from './command.ts'
import { openInstallation } from './open-installation.ts'
import { runProgram, withOwnersUrl } from './run-program.ts'

const settings = z.object({ EXPORT_SECRET_KEYS: exportSettings.EXPORT_SECRET_KEYS })

/** Run after the first key in `EXPORT_SECRET_KEYS` changes. */
export const reEncryptExportCredentials: Command = {
  usage: '[--json]',
  summary:
    'Re-encrypts the credentials of export buckets with the first key in EXPORT_SECRET_KEYS; prints the number per key',
  async run({ args, env, log, print, signal }) {
    const { values } = parseArgs({ args, options: { json: { type: 'boolean', default: false } } })
    const { exportSecretKeys: keys } = loadConfig(settings, env)
    if (keys === undefined) throw new Error('EXPORT_SECRET_KEYS is not set')
    await using installation = await openInstallation({ env, log })
    const counts = [...(await resealCredentials(installation.db, keys, signal))]
    using printer = createPrinter(print, values)
    for (const [index, [keyId, credentials]] of counts.entries()) {
      printer.row({ key: index < keys.length ? index + 1 : 'not given', keyId, credentials })
    }
    if (counts.length > keys.length)
      throw new Error('Some credentials cannot be decrypted with any key in EXPORT_SECRET_KEYS. Add the previous key')
  },
}

/** Run after the first key in `WEBHOOK_SECRET_KEYS` changes. */
export const reEncryptWebhookSecrets: Command = {
  usage: '[--json]',
  summary: 'Re-encrypts all webhook secrets with the first key in WEBHOOK_SECRET_KEYS; prints the number per key',
  async run(context) {
    const { values } = parseArgs({ args: context.args, options: { json: { type: 'boolean', default: false } } })
    const env = withOwnersUrl(context.env, 'webhooks', 'DATABASE_URL')
    const args = values.json ? ['--json'] : []
    await runProgram('services/webhooks/src/re-encrypt-secrets.ts', args, { ...context, env })
  },
}
