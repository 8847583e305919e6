import type { StackFile } from '../data-directory/stack-file.ts'

/** What a person who has just started the stack wants to know: addresses, and what to try next. */
export function welcome(stack: StackFile, dataDir: string, isDevelopment: boolean): string[] {
  const { gatewayUrls, postgresUrl, natsUrl, s3, firstUserId } = stack
  const api = gatewayUrls[0] as string
  const postgres = new URL(postgresUrl)
  postgres.password = ''
  return [
    '',
    `  API       ${gatewayUrls.join('  ')}`,
    `  Console   ${api}/console`,
    `  Docs      ${api}/docs (for programs: ${api}/api/openapi.json)`,
    `  Postgres  ${postgres.href}`,
    `  NATS      ${natsUrl}`,
    `  S3        ${s3.endpoint}/${s3.bucket}`,
    `  Data      ${dataDir} (logs in logs/, passwords and pids in stack.json)`,
    '',
    isDevelopment
      ? `Development mode: requests without a key act as the first user, ${firstUserId}. Try`
      : 'Development mode is off: add -H "authorization: Bearer <key>" to these',
    `  curl ${api}/api/account`,
    `  curl ${api}/api/vaults`,
    `  curl ${api}/api/vaults -H 'content-type: application/json' -d '{"name":"Photos","visibility":"public"}'`,
    '  npm run demo',
    '',
  ]
}
