import { resolve } from 'node:path'
import { releaseMemory } from '@tideport/service-kit/process/release-memory'
import type { StackFile } from '../data-directory/stack-file.ts'
import { hostEnvironment } from '../processes/host-environment.ts'
import { startStack } from '../stack/start-stack.ts'
import type { CliOptions } from './parse-options.ts'

/** Runs the stack until `signal` aborts. Throws an error with a readable message if the stack cannot start. */
export async function runUntilStopped(
  { data, ...options }: CliOptions,
  signal: AbortSignal,
  out: (line: string) => void,
): Promise<void> {
  const dataDir = resolve(data)
  await using stack = await startStack({ ...options, dataDir, console: true, signal, out })
  const description = stack.describe()
  const isDevelopment = (hostEnvironment().SERVICE_ENV || 'development') === 'development'
  for (const line of welcome(description, dataDir, isDevelopment)) out(line)
  out(`ready ${description.gatewayUrls.join(' ')}`)
  releaseMemory()
  await aborted(signal)
  out('stopping')
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((done) => signal.addEventListener('abort', () => done(), { once: true }))
}

function welcome(stack: StackFile, dataDir: string, isDevelopment: boolean): string[] {
  const { gatewayUrls, s3ApiUrls, postgresUrl, natsUrl, s3, firstUserId } = stack
  const api = gatewayUrls[0] as string
  const postgres = new URL(postgresUrl)
  postgres.password = ''
  return [
    '',
    `  API       ${gatewayUrls.join('  ')}`,
    `  S3 API    ${s3ApiUrls.join('  ')}`,
    `  Console   ${api}/console`,
    `  Docs      ${api}/docs (for programs: ${api}/api/openapi.json)`,
    `  Postgres  ${postgres.href}`,
    `  NATS      ${natsUrl}`,
    `  Bucket    ${s3.endpoint}/${s3.bucket}`,
    `  Data      ${dataDir} (logs in logs/, passwords and pids in stack.json)`,
    '',
    isDevelopment
      ? `Development mode: requests without a key act as the first user, ${firstUserId}. Try:`
      : 'Development mode is off. Add -H "authorization: Bearer <key>" to these commands:',
    `  curl ${api}/api/account`,
    `  curl ${api}/api/vaults`,
    `  curl ${api}/api/vaults -H 'content-type: application/json' -d '{"name":"Photos","visibility":"public"}'`,
    '  npm run demo',
    '',
  ]
}
