import { asOperator } from '@tideport/repair/runs/as-operator'
import { ConfigError } from '@tideport/service-kit/config/config'
import { endProcess } from '@tideport/service-kit/process/end-process'
import { armFailpoints } from '@tideport/service-kit/process/failpoint'
import { widenThreadPool } from '@tideport/service-kit/process/thread-pool'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { audit, refusedAuditEntries } from './audit.ts'
import { backup } from './back-up/backup.ts'
import { restore } from './back-up/restore.ts'
import { type Command, UsageError } from './command.ts'
import { deadLetters } from './dead-letters/dead-letters.ts'
import { forgetNetwork } from './forget-network.ts'
import { makeSecrets } from './make-secrets.ts'
import { networks } from './networks.ts'
import { orphans } from './orphans/orphans.ts'
import { people } from './people.ts'
import { reEncryptExportCredentials, reEncryptWebhookSecrets } from './re-encrypt.ts'
import { reconcile } from './reconcile.ts'
import { redrive } from './redrive.ts'
import { ProgramFailed } from './run-program.ts'
import { setUp } from './set-up/set-up.ts'
import { setUpLink } from './set-up-link.ts'
import { usage } from './usage.ts'
import { verify } from './verify.ts'

/** See docs/operate/processes.md. Logs go to stderr, output to stdout. */
const commands: Record<string, Command> = {
  'set-up': setUp,
  'set-up-link': setUpLink,
  'make-secrets': makeSecrets,
  backup,
  restore,
  'dead-letters': deadLetters,
  redrive,
  audit,
  'refused-audit-entries': refusedAuditEntries,
  reconcile,
  verify,
  orphans,
  networks,
  usage,
  'forget-network': forgetNetwork,
  're-encrypt-webhook-secrets': reEncryptWebhookSecrets,
  're-encrypt-export-credentials': reEncryptExportCredentials,
  people,
}

widenThreadPool(process.env)
const { SERVICE_ENV, FAILPOINT_DIR } = process.env
if (SERVICE_ENV === 'development' && FAILPOINT_DIR) armFailpoints(FAILPOINT_DIR)
const [name = '', ...args] = process.argv.slice(2)
const log = createLogger({ service: 'operator', level: 'info', destination: process.stderr })
const stop = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop.abort(new Error('Stopped.')))

const command = Object.hasOwn(commands, name) ? commands[name] : undefined
if (command === undefined) {
  process.stderr.write(`${usageOfAll()}\n`)
  process.exitCode = 2
} else {
  const print = (line: string) => void process.stdout.write(`${line}\n`)
  const context = { args, env: process.env, log, print, signal: stop.signal }
  await asOperator(() => command.run(context)).catch(fail)
}
// Exits explicitly, because an unresponsive disk would block a normal exit.
await endProcess(Number(process.exitCode ?? 0), log)

function fail(error: Error): void {
  // JetStream's codes are numbers.
  const isUsage = error instanceof UsageError || `${(error as { code?: unknown }).code}`.startsWith('ERR_PARSE_ARGS')
  process.exitCode = isUsage ? 2 : 1
  if (error instanceof ProgramFailed) return
  process.stderr.write(`operator ${name}: ${error.message}\n`)
  if (isUsage) process.stderr.write(`Usage: operator ${name} ${command?.usage}\n`)
  else if (!(error instanceof ConfigError)) log.debug({ err: error }, 'failed')
}

function usageOfAll(): string {
  const lines = Object.entries(commands).map(([word, { usage, summary }]) => `  ${word} ${usage}\n      ${summary}`)
  return ['Usage: operator COMMAND …', ...lines].join('\n')
}
