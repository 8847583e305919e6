import { createPrinter } from '@tideport/service-kit/process/print-rows'
import { settings } from './config.ts'
import { operatorProgram } from './operator-program.ts'
import { resealSecrets } from './secrets/reseal-secrets.ts'

const { WEBHOOK_SECRET_KEYS } = settings.shape

await operatorProgram('re-encrypt-secrets', { WEBHOOK_SECRET_KEYS }, async ({ config, db, log, signal }) => {
  const json = process.argv.includes('--json')
  const { secretsByKey, unreadable } = await resealSecrets(db, config.webhookSecretKeys, { log, signal })
  using printer = createPrinter((line) => process.stdout.write(`${line}\n`), { json })
  // In the order of WEBHOOK_SECRET_KEYS, then unknown keys.
  const total = config.webhookSecretKeys.length
  for (const [index, [keyId, secrets]] of [...secretsByKey].entries()) {
    printer.row({ key: index < total ? index + 1 : 'not given', keyId, secrets })
  }
  if (unreadable > 0) throw new Error(`${unreadable} secrets cannot be decrypted with any key in WEBHOOK_SECRET_KEYS`)
})
